"""Why answers to a suite failed: seven causes, each with one detector.

In: the trials of one model on one suite. Out: its causes, the most frequent first. A new cause is
a kind in `CauseKind`, a line in `DETECTORS`, a sentence in `reports.sentences.CAUSES` and what to
do about it in `reports.cards.cures`.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from assay.stats.intervals import wilson
from assay.text.answer_words import declines_instead
from assay.text.echo import is_echo
from assay.text.json_in_prose import find_function_call
from assay.text.loops import find_loop
from assay.text.written_calls import offered_functions, read_written_calls
from assay.types import Answered, Case, Context, OutcomeKind, Score, Trial
from assay.types.requests import LOOP
from assay.types.results import Cause, CauseKind

# How much more often a unit must come than in the gate's samples: answers to tests hold tables and
# code, which repeat themselves by nature.
LOOP_FACTOR = 1.5
# With fewer choices, or a smaller share of one letter, chance makes favourites too.
FEWEST_CHOICES, SHARE_OF_LETTER = 10, 0.6

Detector = Callable[[Trial, Answered], bool]


def find_causes(trials: Sequence[Trial], pass_mark: float) -> tuple[Cause, ...]:
    """Return the causes that answers show, most frequent first; an answer shows one at most,
    beside a letter that is always the same.
    """
    failed = {id(trial) for trial in trials if _has_failed(trial, pass_mark)}
    by_kind: dict[CauseKind, list[Trial]] = {}
    answers = 0
    for trial in trials:
        if not isinstance(trial.reply, Answered):
            continue
        answers += 1
        kind = classify(trial, trial.reply, has_failed=id(trial) in failed)
        if kind is not None:
            by_kind.setdefault(kind, []).append(trial)

    causes = []
    for kind, shown_by in by_kind.items():
        cause = Cause(
            kind=kind,
            count=len(shown_by),
            n=answers,
            explains=sum(id(trial) in failed for trial in shown_by),
            failures=len(failed),
        )
        causes.append(_with_figures(cause, shown_by))
    letter = find_favourite_letter(trials, pass_mark)
    if letter is not None:
        causes.append(letter)
    causes.sort(key=lambda cause: -cause.count)
    return tuple(causes)


def classify(trial: Trial, reply: Answered, *, has_failed: bool) -> CauseKind | None:
    """Return the first cause that the answer shows, or None if it is right or just wrong."""
    if not has_failed:
        # A right answer that ended badly still tells of loops and of too few tokens.
        if not reply.truncated:
            return None
        return "loops" if repeats_itself(trial, reply) else "cut"
    for kind, recognises in DETECTORS:
        if recognises(trial, reply):
            return kind
    return None


def repeats_itself(trial: Trial, reply: Answered) -> bool:
    """Whether the answer was stopped as a loop, or is stuck in one."""
    if reply.finish == LOOP:
        return True
    return find_loop(reply.text or reply.reasoning, LOOP_FACTOR) is not None


def calls_as_text(trial: Trial, reply: Answered) -> bool:
    """Whether the answer has a tool call as plain text."""
    if trial.case.method != "tool_calls":
        return False
    offered = offered_functions(trial.case.check.requests().tools)
    if read_written_calls(reply.text, offered):
        return True
    # Beside calls that came as such, only one of a function that was offered counts.
    return not reply.calls and find_function_call(reply.text, " ".join(offered)) is not None


def was_cut_off(trial: Trial, reply: Answered) -> bool:
    """Whether the answer, or the thinking before it, took its maximum of tokens."""
    return reply.truncated


def is_empty(trial: Trial, reply: Answered) -> bool:
    """Whether there is neither text nor a call."""
    return not _text_of(reply).strip() and not reply.calls


def declines(trial: Trial, reply: Answered) -> bool:
    """Whether the answer refuses, though a refusal is not what the test asks for."""
    value = 0.0
    if trial.score is not None and trial.score.value is not None:
        value = trial.score.value
    return declines_instead([_text_of(reply)], value, trial.case.check.gold)


def echoes_prompt(trial: Trial, reply: Answered) -> bool:
    """Whether the answer only repeats one of the messages it was asked with."""
    asked = (message.content for message in trial.case.messages)
    return is_echo(_text_of(reply), asked)


# In this order: an answer shows the first cause that recognises it. How it ended comes before what
# it says; only a call written as text says more than that the text went on behind it.
DETECTORS: tuple[tuple[CauseKind, Detector], ...] = (
    ("loops", repeats_itself),
    ("calls_as_text", calls_as_text),
    ("cut", was_cut_off),
    ("empty", is_empty),
    ("declined", declines),
    ("echoed", echoes_prompt),
)


def find_favourite_letter(trials: Sequence[Trial], pass_mark: float) -> Cause | None:
    """Return the letter of most choices, unless the right answers explain it.

    The interval of its share must lie above its share of the right answers: else a model that
    answers A where A is right would be blamed.
    """
    choices = [trial for trial in trials if trial.score and trial.score.scorer == "multiple_choice"]
    letters = [trial.score.extracted for trial in choices if trial.score]
    counts = Counter(filter(None, letters))
    if len(choices) < FEWEST_CHOICES or not counts:
        return None

    letter, count = counts.most_common(1)[0]
    right = sum(trial.case.check.gold() == letter for trial in choices)
    if count < SHARE_OF_LETTER * len(choices):
        return None
    if wilson(count / len(choices), len(choices)).low <= right / len(choices):
        return None

    failures = sum(_has_failed(trial, pass_mark) for trial in trials)
    missed = [trial for trial in choices if _has_failed(trial, pass_mark)]
    return Cause(
        kind="one_letter",
        count=count,
        n=len(choices),
        letter=letter,
        explains=sum(trial.score.extracted == letter for trial in missed if trial.score),
        failures=failures,
    )


def _has_failed(trial: Trial, pass_mark: float) -> bool:
    return trial.outcome(pass_mark) in (OutcomeKind.FAIL, OutcomeKind.NO_ANSWER)


def _text_of(reply: Answered) -> str:
    return "\n".join(reply.predictions) or reply.text


def _with_figures(cause: Cause, shown_by: Sequence[Trial]) -> Cause:
    """Add how many calls as text were right, and how many answers were cut while thinking."""
    if cause.kind == "calls_as_text":
        right = sum(_calls_what_was_expected(trial.case, trial.reply) for trial in shown_by)
        return replace(cause, right=right)
    if cause.kind == "cut":
        thinking = sum(_was_thinking(trial.reply) for trial in shown_by)
        return replace(cause, thinking=thinking)
    return cause


def _was_thinking(reply: object) -> bool:
    return isinstance(reply, Answered) and reply.reasoning_unclosed and not reply.text.strip()


def _calls_what_was_expected(case: Case, reply: object) -> bool:
    """Whether the calls would have been right if the server had read them: the check says so."""
    if not isinstance(reply, Answered):
        return False
    calls = read_written_calls(reply.text, offered_functions(case.check.requests().tools))
    if not calls:
        return False
    as_called = replace(reply, text="", calls=(*reply.calls, *calls))
    score = case.check.score("", Context(case, as_called))
    if not isinstance(score, Score):
        return False
    values = [part.value for part in score.parts if part.name in ("name", "arguments")]
    return bool(values) and min(values) == 1
