"""What a loop does after a round: whether it was better, and which changes its advice asks for.

A change for which a figure is known has it: the steps that a falling loss still needs, the lowest
categories. Where advice says longer or more and not how much, it is TIMES as much; where a falling
loss is too slow for any figure, as far as the advice looks ahead.
"""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from assay.decide.accept import accept
from assay.decide.scores import common_scale
from assay.decide.select import difference
from assay.types import Estimate
from assay.types.decisions import DecisionFact, Gate, Measurements, Recommendation, Value, fact
from assay.types.rounds import Standing, SuggestedChange

# Where advice says longer or more without a figure: doubling ends soon in either direction.
TIMES = 2.0
MOST_TIMES = 16.0  # of the data in the first round
MEASURE_STEPS = ("measure_steps", "save_more_steps")
LONGER = (
    "pass_not_clear",
    *MEASURE_STEPS,
    "unclear",  # a plateau that is not proven ends nothing
    "train_longer",
    "train_on",
    "train_longer_first",
    "nonsense_still_learning",
)
NOT_TRAINING = (
    "measure_missing",
    "complete",
    "fetch_mmlu",
    "one_limit_for_all_sizes",
    "suites_at_chance",
    "nothing_learnt",
)


def compare_round(
    best: Measurements, new: Measurements, gate: Gate
) -> tuple[Standing, Estimate | None]:
    """An accepted one is better; else the ranking score decides, and an interval across 0 does
    not.
    """
    passes = [accept(each, gate).accepted is True for each in (best, new)]
    by, _ = difference(new, best, common_scale([best, new], gate))
    if passes[0] != passes[1]:
        return "better" if passes[1] else "worse", by
    if by is None or by.low is None or by.high is None or by.low <= 0 <= by.high:
        return "equal", by
    return "better" if by.low > 0 else "worse", by


def times_of(advice: DecisionFact) -> float:
    """How many times the steps done: what the advice says, else TIMES."""
    factor = advice.values.get("factor")
    return factor if advice.kind == "too_slow" and isinstance(factor, float) else TIMES


def changes_of(
    advice: Sequence[Recommendation],
    in_force: Sequence[SuggestedChange],
    *,
    steps: int | None,
    write: Callable[[DecisionFact], str],
) -> tuple[SuggestedChange, ...]:
    """In the order of the advice; at most one for steps. `in_force`: the changes that the best
    round was trained with, whose data stay. `steps`: how many the longest training had.
    """
    times = {name: each.times for each in in_force for name in each.categories}
    kept = [each for each in in_force if each.kind == "data"]
    found: list[SuggestedChange] = []
    longer = False
    for each in advice:
        kind, values = each.advice.kind, each.advice.values
        reason = write(fact("twice_the_steps") if kind in MEASURE_STEPS else each.advice)
        if kind in NOT_TRAINING:
            continue
        if kind in ("train_longer_by", "too_slow") or kind in LONGER:
            if not longer and steps is not None:
                most = math.ceil(times_of(each.advice) * steps)
                if kind == "train_longer_by":
                    most = math.ceil(_number(values["step"]) + _number(values["high"]))
                found.append(SuggestedChange(kind="steps", steps=most, reason=reason))
            longer = True
        elif kind == "data_on_category":
            named = _names(values["categories"])
            more = min(MOST_TIMES, TIMES * max(times.get(name, 1.0) for name in named))
            found.append(SuggestedChange(kind="data", categories=named, times=more, reason=reason))
        else:
            found.append(SuggestedChange(kind="other", what=kind, reason=reason))
    new = {name for each in found for name in each.categories}
    return (*found, *(each for each in kept if not new.intersection(each.categories)))


def trains_nothing_new(
    placeholders: Collection[str],
    *,
    before: Sequence[SuggestedChange],
    changes: Sequence[SuggestedChange],
    steps: tuple[int | None, int | None],
    resumed_at: float | None,
) -> bool:
    """Whether the next training would be the last one again, or end where it begins. `steps`: of
    the last training and of the next; `resumed_at`: the step it would start from. A command that
    gets the changes may follow whatever is new among them, the steps too unless it has {steps}.
    """
    known = [replace(each, reason="") for each in before]
    fresh = [each for each in changes if replace(each, reason="") not in known]
    read_there = [each for each in fresh if each.kind != "steps" or "steps" not in placeholders]
    if "changes" in placeholders and read_there:
        return False
    last, planned = steps
    if "resume" not in placeholders:
        return "steps" not in placeholders or last == planned
    if "steps" not in placeholders or planned is None or resumed_at is None:
        return False
    return planned <= resumed_at


def _number(value: Value) -> float:
    assert isinstance(value, int | float)
    return float(value)


def _names(value: Value) -> tuple[str, ...]:
    assert isinstance(value, tuple)
    return value
