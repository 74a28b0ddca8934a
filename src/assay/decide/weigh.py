"""One score out of four parts: how well it reads, knows its subject, knows in general, how fast.

In: a Measured. Out: its parts, their weighted sum, and which of them are missing.

    0.4 · (10 / perplexity) + 0.3 · os_benchmark.avg + 0.2 · mmlu_cs + 0.1 · (tokens_per_s / 50)

A missing part adds 0 and is named. Nothing is capped: the contract states no cap.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from assay import stats
from assay.types import Estimate
from assay.types.decisions import OS_AVERAGED, OS_SUITE, PARTS, Measured, Part

WEIGHTS: dict[Part, float] = {"perplexity": 0.4, "os_benchmark": 0.3, "mmlu_cs": 0.2, "speed": 0.1}
GOOD_PERPLEXITY = 10.0  # counts 1, and so does
USUAL_SPEED = 50.0  # tokens per second


def weigh(measured: Measured) -> tuple[float | None, tuple[Part, ...]]:
    """The weighted score over the parts it has (None where it has none), and those it lacks."""
    parts = parts_of(measured)
    missing = tuple(part for part in PARTS if part not in parts)
    return (weighted_sum(parts.items()) if parts else None), missing


def parts_of(measured: Measured) -> dict[Part, float]:
    """Every part that was measured, before its weight: 1 is good perplexity, all right, usual
    speed.
    """
    if measured.failed:
        return {}
    text, speed = measured.text, measured.speed
    figures: dict[Part, float | None] = {
        "perplexity": None if text is None else _inverse(text.perplexity),
        "os_benchmark": _value(os_average(measured)),
        "mmlu_cs": _value(measured.mmlu_cs),
        "speed": None if speed is None else _over(speed.tokens_per_s, USUAL_SPEED),
    }
    return {part: figure for part, figure in figures.items() if figure is not None}


def weighted_sum(parts: Iterable[tuple[Part, float]]) -> float:
    """The sum under the weights, the same in whatever order the parts come."""
    return math.fsum(WEIGHTS[part] * figure for part, figure in parts)


def weighted_estimate(measured: Measured) -> Estimate | None:
    """The weighted score with an interval: the parts' own, which know nothing of each other (MOVER,
    Zou and Donner 2008).
    """
    value, _ = weigh(measured)
    if value is None:
        return None
    found = [(WEIGHTS[part], part_estimate) for part, part_estimate in _estimates(measured)]
    below = above = 0.0
    for weight, each in found:
        if each.value is None or each.low is None or each.high is None:
            return Estimate(value=value, low=None, high=None, n=_tests(found), unscored=0,
                            unit="score", method="mover")  # fmt: skip
        below += (weight * (each.value - each.low)) ** 2
        above += (weight * (each.high - each.value)) ** 2
    return Estimate(
        value=value,
        low=value - math.sqrt(below),
        high=value + math.sqrt(above),
        n=_tests(found),
        unscored=0,
        unit="score",
        method="mover",
    )


def _tests(parts: Sequence[tuple[float, Estimate]]) -> int:
    return sum(each.n for _, each in parts)


def _estimates(measured: Measured) -> Iterator[tuple[Part, Estimate]]:
    """Every part with its interval, on the scale it is weighed on."""
    text, speed = measured.text, measured.speed
    if text is not None and text.perplexity.value:
        yield "perplexity", _rescaled(text.perplexity, lambda x: GOOD_PERPLEXITY / x, turned=True)
    if (average := os_average(measured)) is not None:
        yield "os_benchmark", average
    if measured.mmlu_cs is not None:
        yield "mmlu_cs", measured.mmlu_cs
    if speed is not None:
        yield "speed", _rescaled(speed.tokens_per_s, lambda x: x / USUAL_SPEED)


def _rescaled(
    estimate: Estimate, scale: Callable[[float], float], *, turned: bool = False
) -> Estimate:
    ends = (estimate.high, estimate.low) if turned else (estimate.low, estimate.high)
    value, low, high = (None if x is None else scale(x) for x in (estimate.value, *ends))
    return replace(estimate, value=value, low=low, high=high)


def os_average(measured: Measured) -> Estimate | None:
    """os_benchmark.avg: the mean of three tasks, None unless all three were run."""
    suite = measured.suites.get(OS_SUITE)
    if suite is None:
        return None
    return stats.even_mean([suite.categories.get(task) for task in OS_AVERAGED])


def _value(estimate: Estimate | None) -> float | None:
    return None if estimate is None else estimate.value


def _inverse(perplexity: Estimate) -> float | None:
    value = perplexity.value
    return GOOD_PERPLEXITY / value if value is not None and value > 0 else None


def _over(estimate: Estimate, usual: float) -> float | None:
    return None if estimate.value is None else estimate.value / usual
