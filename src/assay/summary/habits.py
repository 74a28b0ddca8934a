"""What answers to a suite have in common: how many of all, and of those that failed.

A new habit is a kind in `HabitKind`, a line in `_kinds_of` and a sentence in
`reports.sentences.HABITS`.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from assay.text.answer_words import declines_instead
from assay.text.echo import is_echo
from assay.text.json_in_prose import find_function_call
from assay.text.spoken_language import language_of
from assay.types import LETTERS, Answered, Case, OutcomeKind, Score, Trial
from assay.types.requests import LOOP
from assay.types.results import Habit, HabitKind

FEWEST_CHOICES, MOST, MOSTLY = 20, 2 / 3, 0.6
WRONG = (OutcomeKind.FAIL, OutcomeKind.NO_ANSWER)


def find_habits(trials: Sequence[Trial], pass_mark: float) -> tuple[Habit, ...]:
    """Of written answers and chosen letters; what passed has only how it ended."""
    wrong = {id(trial) for trial in trials if trial.outcome(pass_mark) in WRONG}
    written = [trial for trial in trials if isinstance(trial.reply, Answered)]
    kinds = [(kind, trial) for trial in written for kind in _kinds_of(trial, id(trial) in wrong)]
    counts = Counter(kind for kind, _ in kinds)
    explained = Counter(kind for kind, trial in kinds if id(trial) in wrong)
    found = [
        Habit(kind=kind, count=counts[kind], n=len(written), explains=explained[kind],
              failures=len(wrong))
        for kind in counts
    ]  # fmt: skip
    chosen = [each for each in trials if each.score and each.score.scorer == "multiple_choice"]
    if habit := find_one_letter([each.score for each in chosen if each.score]):
        letter, times, tests = habit
        missed = [each for each in chosen if each.score and each.score.extracted == letter]
        explains = sum(id(each) in wrong for each in missed)
        found.append(Habit(kind="one_letter", count=times, n=tests, letter=letter,
                           explains=explains, failures=len(wrong)))  # fmt: skip
    return tuple(sorted(found, key=lambda each: -each.count))


def _kinds_of(trial: Trial, failed: bool) -> Iterator[HabitKind]:
    reply, score = trial.reply, trial.score
    if not isinstance(reply, Answered):
        return
    if reply.truncated:
        ran_out: HabitKind = "thought_only" if reply.reasoning_unclosed else "cut"
        yield "loops" if reply.finish == LOOP else ran_out
    text = "\n".join(reply.predictions) or reply.text
    if not failed:
        return
    if not text.strip():
        if not (reply.calls or reply.truncated):
            yield "empty"
        return
    value = (score.value or 0.0) if score else 0.0
    if trial.case.method == "tool_calls" and not reply.calls and find_function_call(text):
        yield "calls_as_text"
    elif declines_instead([text], value, trial.case.check.gold):
        yield "declined"
    elif is_echo(text, (message.content for message in trial.case.messages)):
        yield "echoed"
    elif score and score.extracted is None and _lists_options(text, trial.case):
        yield "options_listed"
    elif _is_in_another_language(text, trial.case):
        yield "other_language"


def _lists_options(text: str, case: Case) -> bool:
    """Whether it has a line for every option, or for every one but one."""
    asked = case.check.requests()
    letters = asked.letters or LETTERS[: len(asked.options)]
    starts = {line.lstrip(" *-(")[:2] for line in text.splitlines()}
    listed = sum(any(f"{letter}{mark}" in starts for mark in ".):") for letter in letters)
    return len(letters) > 1 and listed >= max(2, len(letters) - 1)


def _is_in_another_language(text: str, case: Case) -> bool:
    """Than what was asked; where that cannot be told, than the suite says it is."""
    said = language_of(text)
    asked = language_of(case.prompt) or case.language_code
    return said is not None and asked is not None and said != asked


def find_one_letter(choices: Sequence[Score]) -> tuple[str, int, int] | None:
    """The letter of most answers, its count, and how many tests; None if mostly right."""
    counts = Counter(each.extracted for each in choices if each.extracted)
    if len(choices) < FEWEST_CHOICES or not counts:
        return None
    letter, times = counts.most_common(1)[0]
    right = sum(each.value or 0.0 for each in choices)
    if times < MOST * len(choices) or right > MOSTLY * len(choices):
        return None
    return letter, times, len(choices)
