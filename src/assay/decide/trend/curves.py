"""What training still does to a model: the held-out loss and every suite over its steps.

A change goes from one step to a later one, paired where both read the same blocks of text or
answered the same tests. It *counts* where its 95 % interval, widened for all the changes of the
curve that are looked at (Bonferroni), leaves out 0, and it is at least SMALLEST: checkpoints differ
a little for no reason a text can show. `docs/advice.md` says how a shape follows from the changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import NormalDist
from typing import Literal, NamedTuple

from assay.decide.trend.changes import (
    TrainingChange,
    by_bits,
    by_loss,
    by_tests,
    training_change,
)
from assay.types import Estimate
from assay.types.decisions import DecisionFact, Measurements, fact

Shape = Literal["improving", "flat", "worsening", "unstable", "overfitting", "unclear", "too_few"]
Unit = Literal["nats", "bits", "points"]

FEWEST = 3
RECENT = 4
SMALLEST: Mapping[Unit, float] = {"nats": 0.005, "bits": 0.002, "points": 0.5}
RESOLVED: Mapping[Unit, float] = {"nats": 0.05, "bits": 0.02, "points": 5.0}
SHOWN = 8  # values of a curve in one figure
WORSE_SHARE = 0.2  # of the improvements, from which a curve is unstable


class Point(NamedTuple):
    step: float
    value: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """From one step to a later one, in the unit of its curve. `gain`: positive is better."""

    since: float
    until: float
    estimate: Estimate
    gain: float
    counts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCurve:
    """One figure over the steps. `unit` is that of its changes. `best`: the step with the best
    value. `last` and `late` are None where there are too few steps.
    """

    measure: str  # perplexity, bits_per_byte, suite:NAME
    unit: Unit
    points: tuple[Point, ...]
    shape: Shape
    last: Change | None = None
    late: Change | None = None

    @property
    def best(self) -> Point:
        """The earliest of the best."""
        sign = -1 if self.unit == "points" else 1
        return min(self.points, key=lambda point: (sign * (point.value.value or 0.0), point.step))

    @property
    def telling(self) -> Change | None:
        """The change that the shape rests on: the last one where it counts, else the late one."""
        return self.last if self.last is not None and self.last.counts else self.late


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """Every curve by its measure. `training`: what the training loss did from the lowest held-out
    step to the last, None without such a figure; `training_at_end` is the loss at the last step.
    """

    curves: Mapping[str, StepCurve]
    training: TrainingChange | None = None
    training_at_end: float | None = None

    @property
    def text(self) -> StepCurve | None:
        return self.curves.get("perplexity") or self.curves.get("bits_per_byte")

    def suite(self, name: str) -> StepCurve | None:
        return self.curves.get(f"suite:{name}")


def curve_fact(curve: StepCurve) -> DecisionFact:
    """The change that the shape rests on; the last values where there is none."""
    change, last = curve.telling, curve.points[-SHOWN:]
    if change is None or curve.shape in ("unstable", "too_few"):
        return fact(
            "curve_values",
            measure=curve.measure,
            first=last[0].step,
            last=last[-1].step,
            values=tuple(point.value.value or 0.0 for point in last),
            n=last[-1].value.n,
        )
    return fact(
        "curve_change",
        measure=curve.measure,
        since=change.since,
        until=change.until,
        change=change.estimate,
    )


Compare = Callable[[Measurements, Measurements], Estimate | None]
Figure = Callable[[Measurements], Estimate | None]


def trend(candidates: Sequence[Measurements]) -> Trend | None:
    """The curves of one model folder, in any order given; None for fewer than two steps. Those that
    failed or have no step are left out; of two with one step the first by name stays.
    """
    steps = _by_step(candidates)
    if len(steps) < 2:
        return None
    suites = sorted({name for each in steps for name in each.suites})
    curves = [_text(steps), *(_suite(name, steps) for name in suites)]
    return _with_training({curve.measure: curve for curve in curves if curve is not None}, steps)


def _by_step(candidates: Sequence[Measurements]) -> list[Measurements]:
    kept: dict[float, Measurements] = {}
    for each in sorted(candidates, key=lambda one: one.name):
        if each.step is not None and not each.failed:
            kept.setdefault(each.step, each)
    return [kept[step] for step in sorted(kept)]


def _text(steps: Sequence[Measurements]) -> StepCurve | None:
    """Only checkpoints that read the text the last one read."""
    read = {each.name: each.text for each in steps if each.text is not None}
    last = next((text.text for text in reversed(read.values())), "")
    alike = {name: text for name, text in read.items() if text.text == last}
    known = [each for each in steps if each.name in alike]
    if len({text.tokenizer for text in alike.values()}) > 1:
        return _curve(
            "bits_per_byte", "bits", known, lambda each: alike[each.name].bits_per_byte, by_bits
        )
    return _curve("perplexity", "nats", known, lambda each: alike[each.name].perplexity, by_loss)


def _suite(name: str, steps: Sequence[Measurements]) -> StepCurve | None:
    """Only checkpoints that were asked the tests the last one was asked."""
    asked = [each for each in steps if name in each.suites]
    digest = asked[-1].suites[name].digest
    alike = [each for each in asked if each.suites[name].digest == digest]
    return _curve(
        f"suite:{name}",
        "points",
        alike,
        lambda each: each.suites[name].score,
        lambda a, b: by_tests(a.suites[name], b.suites[name]),
    )


def _curve(
    measure: str, unit: Unit, steps: Sequence[Measurements], figure: Figure, compare: Compare
) -> StepCurve | None:
    known = [(each, found) for each in steps if (found := figure(each)) is not None and found.n]
    points = tuple(Point(each.step or 0.0, found) for each, found in known)
    if not points:
        return None
    if len(points) < FEWEST:
        return StepCurve(measure=measure, unit=unit, points=points, shape="too_few")
    ordered = [each for each, _ in known]
    looked_at = len(ordered)  # the changes between neighbours, and the late one

    def between(a: Measurements, b: Measurements) -> Change | None:
        return _change(a, b, compare(a, b), unit, looked_at)

    recent = [between(a, b) for a, b in pairwise(ordered[-max(RECENT, -(-len(ordered) // 2)) :])]
    late = between(ordered[_late_from([point.step for point in points])], ordered[-1])
    return StepCurve(
        measure=measure,
        unit=unit,
        points=points,
        shape=_shape([each for each in recent if each is not None], recent[-1], late, unit),
        last=recent[-1],
        late=late,
    )


def _late_from(steps: Sequence[float]) -> int:
    """Where the last third of log(steps) begins; step 0 has no logarithm and is never in it."""
    beginning = next((step for step in steps if step > 0), steps[-1])
    if steps[-1] <= 0:
        return len(steps) - 2
    edge = steps[-1] * (beginning / steps[-1]) ** (1 / 3)
    inside = [place for place, step in enumerate(steps) if step >= edge * (1 - 1e-9)]
    return min(inside[0], len(steps) - 2)


def _change(
    a: Measurements, b: Measurements, found: Estimate | None, unit: Unit, looked_at: int
) -> Change | None:
    if found is None or found.value is None:
        return None
    gain = found.value if unit == "points" else -found.value
    return Change(
        since=a.step or 0.0,
        until=b.step or 0.0,
        estimate=found,
        gain=gain,
        counts=_beyond_noise(found, looked_at) and abs(gain) >= SMALLEST[unit],
    )


def _beyond_noise(of: Estimate, looked_at: int) -> bool:
    """Whether 0 is outside the interval of one change among those looked at."""
    if of.value is None or of.low is None or of.high is None:
        return False
    toward_zero = of.value - of.low if of.value > 0 else of.high - of.value
    normal = NormalDist()
    wider = normal.inv_cdf(1 - 0.025 / looked_at) / normal.inv_cdf(0.975)
    return abs(of.value) > toward_zero * wider


def _shape(recent: Sequence[Change], last: Change | None, late: Change | None, unit: Unit) -> Shape:
    if _unstable(recent):
        return "unstable"
    for change in (last, late):
        if change is not None and change.counts:
            return "improving" if change.gain > 0 else "worsening"
    if late is None or late.estimate.low is None or late.estimate.high is None:
        return "unclear"
    widest = max(abs(late.estimate.low), abs(late.estimate.high))
    return "flat" if widest <= RESOLVED[unit] else "unclear"


def _unstable(recent: Sequence[Change]) -> bool:
    """Worsenings that are a good part of the improvements since the first of them."""
    gains = [change.gain for change in recent if change.counts]
    first = next((place for place, gain in enumerate(gains) if gain < 0), len(gains))
    worse = math.fsum(-gain for gain in gains[first:] if gain < 0)
    better = math.fsum(gain for gain in gains[first:] if gain > 0)
    return better > 0 and worse >= WORSE_SHARE * better


def _with_training(curves: dict[str, StepCurve], steps: Sequence[Measurements]) -> Trend:
    losses = {step: loss for each in steps for step, loss in each.training_loss.items()}
    text = curves.get("perplexity") or curves.get("bits_per_byte")
    if text is None or not losses:
        return Trend(curves=curves)
    end = text.points[-1].step
    change = training_change(losses, text.best.step, end)
    if text.shape == "worsening" and change is not None and change.falls:
        curves[text.measure] = replace(text, shape="overfitting")
    up_to_end = [step for step in losses if step <= end]
    return Trend(
        curves=curves,
        training=change,
        training_at_end=losses[max(up_to_end)] if up_to_end else None,
    )
