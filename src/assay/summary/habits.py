"""Why a score is what it is: what many answers to a suite have in common; and what a right answer
took, in tokens and seconds.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from assay.stats import estimates
from assay.text.answer_words import declines_instead
from assay.text.echo import is_echo
from assay.types import Answered, Attempt, ChoiceLikelihoods, Estimate, OutcomeKind, Score
from assay.types.requests import LOOP
from assay.types.results import Habit, HabitKind, RightAnswerCost

FEWEST_CHOICES, NEARLY_ALL, MOSTLY = 20, 0.9, 0.6


def find_habits(trials: Sequence[Attempt], pass_mark: float) -> tuple[Habit, ...]:
    """Of written answers and chosen letters; what passed neither declines nor echoes."""
    written = [trial for trial in trials if isinstance(trial.reply, Answered)]
    kinds = [kind for trial in written for kind in _kinds_of(trial, pass_mark)]
    counts = Counter(kinds)
    found = [Habit(kind=kind, count=counts[kind], n=len(written)) for kind in counts]
    scores = [trial.score for trial in trials if trial.score]
    choices = [score for score in scores if score.scorer == "multiple_choice"]
    if habit := find_one_letter(choices):
        letter, times, tests = habit
        found.append(Habit(kind="one_letter", count=times, n=tests, letter=letter))
    return tuple(sorted(found, key=lambda each: -each.count))


def _kinds_of(trial: Attempt, pass_mark: float) -> Iterator[HabitKind]:
    reply, score = trial.reply, trial.score
    if not isinstance(reply, Answered):
        return
    if reply.truncated:
        ran_out: HabitKind = "thought_only" if reply.reasoning_unclosed else "cut"
        yield "loops" if reply.finish == LOOP else ran_out
    text = "\n".join(reply.predictions) or reply.text
    if trial.outcome(pass_mark) is OutcomeKind.PASS or not text.strip():
        return
    value = (score.value or 0.0) if score else 0.0
    if declines_instead([text], value, trial.case.check.gold() or ""):
        yield "declined"
    elif is_echo(text, (message.content for message in trial.case.messages)):
        yield "echoed"


def find_one_letter(choices: Sequence[Score]) -> tuple[str, int, int] | None:
    """The letter of nearly all answers, its count, and how many tests; None if mostly right."""
    counts = Counter(each.extracted for each in choices if each.extracted)
    if len(choices) < FEWEST_CHOICES or not counts:
        return None
    letter, times = counts.most_common(1)[0]
    right = sum(each.value or 0.0 for each in choices)
    if times < NEARLY_ALL * len(choices) or right > MOSTLY * len(choices):
        return None
    return letter, times, len(choices)


def right_answer_cost(trials: Sequence[Attempt], pass_mark: float) -> RightAnswerCost | None:
    """Of a served model, which reports tokens and seconds; None for any other."""
    timed = [trial for trial in trials if _seconds(trial) is not None]
    if not any(getattr(trial.reply, "prompt_tokens", None) for trial in timed):
        return None
    missing = len(trials) - len(timed)

    def per_right(amount: Callable[[Attempt], float | None], unit: str) -> Estimate:
        """All that was spent over all right answers; an amount that is not known is missing."""
        known = [(spent, trial) for trial in timed if (spent := amount(trial)) is not None]
        right = [float(trial.outcome(pass_mark) is OutcomeKind.PASS) for _, trial in known]
        unscored = missing + len(timed) - len(known)
        return estimates.ratio([spent for spent, _ in known], right, unit=unit, unscored=unscored)

    return RightAnswerCost(
        right=sum(trial.outcome(pass_mark) is OutcomeKind.PASS for trial in timed),
        answers=len(timed),
        total_tokens=int(math.fsum(_tokens(trial) or 0 for trial in timed)),
        total_s=math.fsum(_seconds(trial) or 0.0 for trial in timed),
        tokens=per_right(_tokens, "tokens"),
        seconds=per_right(_seconds, "s"),
    )


def _tokens(trial: Attempt) -> float | None:
    return trial.reply.output_tokens if isinstance(trial.reply, Answered) else None


def _seconds(trial: Attempt) -> float | None:
    return trial.reply.total_s if isinstance(trial.reply, Answered | ChoiceLikelihoods) else None
