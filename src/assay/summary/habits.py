"""What answers to a suite have in common: how many of all, and of those that failed.

A new habit is a kind in `HabitKind`, a line in `_kinds_of` and a sentence in
`reports.sentences.HABITS`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from assay.stats.intervals import wilson
from assay.text.answer_words import declines_instead
from assay.text.echo import is_echo
from assay.text.folding import fold_for_matching
from assay.text.json_in_prose import find_function_call
from assay.text.spoken_language import language_of, names_language
from assay.text.written_calls import offered_functions, read_written_calls
from assay.types import LETTERS, Answered, Case, Context, OutcomeKind, Score, Trial
from assay.types.requests import LOOP
from assay.types.results import Habit, HabitKind

FEWEST_CHOICES, MOST = 10, 0.6
CALLS: Literal["calls_as_text"] = "calls_as_text"
WRONG = (OutcomeKind.FAIL, OutcomeKind.NO_ANSWER)


def find_habits(trials: Sequence[Trial], pass_mark: float) -> tuple[Habit, ...]:
    """Of written answers and chosen letters; what passed has only how it ended."""
    wrong = {id(trial) for trial in trials if trial.outcome(pass_mark) in WRONG}
    written = [trial for trial in trials if isinstance(trial.reply, Answered)]
    kinds = [(kind, trial) for trial in written for kind in _kinds_of(trial, id(trial) in wrong)]
    counts = Counter(kind for kind, _ in kinds)
    explained = Counter(kind for kind, trial in kinds if id(trial) in wrong)
    right = sum(_calls_what_was_expected(trial) for kind, trial in kinds if kind == CALLS)
    found = [
        Habit(kind=kind, count=counts[kind], n=len(written), explains=explained[kind],
              failures=len(wrong), right=right if kind == CALLS else 0)
        for kind in counts
    ]  # fmt: skip
    chosen = [each for each in trials if each.score and each.score.scorer == "multiple_choice"]
    letters = [each.score.extracted if each.score else None for each in chosen]
    if habit := find_one_letter(letters, [each.case.check.gold() for each in chosen]):
        letter, times, tests = habit
        missed = [each for each, chose in zip(chosen, letters, strict=True) if chose == letter]
        explains = sum(id(each) in wrong for each in missed)
        found.append(Habit(kind="one_letter", count=times, n=tests, letter=letter,
                           explains=explains, failures=len(wrong)))  # fmt: skip
    return tuple(sorted(found, key=lambda each: -each.count))


def _kinds_of(trial: Trial, failed: bool) -> Iterator[HabitKind]:
    reply, score = trial.reply, trial.score
    if not isinstance(reply, Answered):
        return
    if reply.reasoning_unclosed and not reply.text.strip():
        yield "loops" if reply.finish == LOOP else "thought_only"
    elif reply.truncated:
        yield "loops" if reply.finish == LOOP else "cut"
    text = "\n".join(reply.predictions) or reply.text
    if not failed:
        return
    if not text.strip():
        if not (reply.calls or reply.truncated or reply.reasoning_unclosed):
            yield "empty"
        return
    value = (score.value or 0.0) if score else 0.0
    if trial.case.method == "tool_calls" and not reply.calls and _has_call(text, trial.case):
        yield CALLS
    elif declines_instead([text], value, trial.case.check.gold):
        yield "declined"
    elif is_echo(text, (message.content for message in trial.case.messages)):
        yield "echoed"
    elif score and score.extracted is None and _lists_options(text, trial.case):
        yield "options_listed"
    elif _is_in_another_language(text, trial.case):
        yield "other_language"


def _has_call(text: str, case: Case) -> bool:
    offered = offered_functions(case.check.requests().tools)
    return find_function_call(text, " ".join(offered)) is not None


def _calls_what_was_expected(trial: Trial) -> bool:
    """Whether its calls would have been right, had the server read them: the check itself says."""
    reply, case = trial.reply, trial.case
    assert isinstance(reply, Answered)
    calls = read_written_calls(reply.text, offered_functions(case.check.requests().tools))
    heard = replace(reply, text="", calls=calls)
    score = case.check.score("", Context(case, heard)) if calls else None
    parts = score.parts if isinstance(score, Score) else ()
    called = [part.value for part in parts if part.name in ("name", "arguments")]
    return bool(called) and min(called) == 1


def _lists_options(text: str, case: Case) -> bool:
    """Whether it has the letter or the text of every option, or of every one but one."""
    asked = case.check.requests()
    letters = asked.letters or LETTERS[: len(asked.options)]
    options = asked.options or ("",) * len(letters)
    folded = fold_for_matching(text)
    listed = sum(
        re.search(rf"(?<!\w){letter}[.):]", text) is not None
        or (bool(option) and fold_for_matching(option) in folded)
        for letter, option in zip(letters, options, strict=False)
    )
    return len(letters) > 1 and listed >= max(2, len(letters) - 1)


def _is_in_another_language(text: str, case: Case) -> bool:
    """Than what was asked, and than the right answer; where that cannot be told, than the suite
    says it is.
    """
    said = language_of(text)
    asked = language_of(case.prompt) or case.language_code
    if said is None or asked is None or said == asked:
        return False
    return language_of(case.check.gold() or "") != said and not names_language(case.prompt, said)


def find_one_letter(
    letters: Sequence[str | None], right: Sequence[str | None]
) -> tuple[str, int, int] | None:
    """The letter of most answers, its count, and how many tests; None where as many of the right
    answers may have it.
    """
    counts = Counter(filter(None, letters))
    if len(letters) < FEWEST_CHOICES or not counts:
        return None
    letter, times = counts.most_common(1)[0]
    share, explained = times / len(letters), right.count(letter) / len(letters)
    if share < MOST or wilson(share, len(letters)).low <= explained:
        return None
    return letter, times, len(letters)
