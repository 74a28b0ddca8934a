"""How many more steps a falling loss needs to reach a limit: a rough range, or no promise.

In: the curve of a held-out text, and a limit. Out: an Outlook, or None where the points do not say.

Three lines through the last points (the last third of log(steps), at least three of them), each
drawn on from the last step:

    a straight line in log(steps) through all of them
    a power law in steps through all of them
    a straight line in log(steps) through the last two

The fit must be decent: all three fall, and a line in log(steps) explains 90 % of the variance. The
range runs from the quickest, less a fifth, to the slowest, and a quarter more. Where the curve has
bent, so that the last two fall less than half as steeply as all together, only they count, and only
to say that the limit is out of reach. Nothing is promised beyond FACTOR times the steps so far.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from assay.decide.trend.curves import StepCurve

FACTOR = 4.0
DECENT = 0.9
BENT = 0.5
FEWEST = 3
QUICKER, SLOWER = 0.8, 1.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """More steps from `at`, from `low` to `high`. `high` None: the slowest line does not get there
    within FACTOR times the steps; both None: none of them does.
    """

    at: float
    low: float | None
    high: float | None


def steps_to_reach(curve: StepCurve, limit: float) -> Outlook | None:
    """How far a falling curve is from a limit on its own measure (perplexity, bits per byte)."""
    known = [
        (point.step, _loss(curve, point.value.value))
        for point in curve.points
        if point.step > 0 and point.value.value is not None
    ]
    if len(known) < FEWEST or curve.shape != "improving":
        return None
    used = _last_third(known)
    at, loss = used[-1]
    target = _loss(curve, limit)
    if target >= loss or target <= 0:
        return None
    factors = _factors(used, loss, target)
    if factors is None:
        return None
    low = QUICKER * (min(factors) - 1)
    high = SLOWER * (max(factors) - 1)
    if 1 + low > FACTOR:
        return Outlook(at=at, low=None, high=None)
    if len(factors) == 1:
        return None
    return Outlook(at=at, low=low * at, high=high * at if 1 + high <= FACTOR else None)


def _loss(curve: StepCurve, value: float) -> float:
    return math.log(value) if curve.measure == "perplexity" and value > 0 else value


def _last_third(known: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    first, last = known[0][0], known[-1][0]
    edge = last * (first / last) ** (1 / 3)
    inside = sum(1 for step, _ in known if step >= edge * (1 - 1e-9))
    return known[-max(FEWEST, inside) :]


def _factors(
    used: Sequence[tuple[float, float]], loss: float, target: float
) -> tuple[float, ...] | None:
    """By how much the steps must grow, for each of the three lines, or for the last two points
    alone where the curve has bent; None where the fit is poor.
    """
    steps = [math.log(step) for step, _ in used]
    losses = [value for _, value in used]
    if min(losses) <= 0:
        return None
    slope = statistics.linear_regression(steps, losses).slope
    power = statistics.linear_regression(steps, [math.log(value) for value in losses]).slope
    last = (losses[-1] - losses[-2]) / (steps[-1] - steps[-2])
    if slope >= 0 or power >= 0 or last >= 0:
        return None
    if statistics.correlation(steps, losses) ** 2 < DECENT:
        return None
    by_last = _grown((loss - target) / -last)
    if last > BENT * slope:
        return (by_last,)
    by_line = _grown((loss - target) / -slope)
    return by_line, _grown(math.log(loss / target) / -power), by_last


def _grown(logarithm: float) -> float:
    return math.exp(min(logarithm, 50.0))  # far beyond FACTOR; a float holds it
