"""What training still does to a model: the held-out loss and every suite over its steps.

A change goes from one step to a later one, paired by the same blocks of text or the same tests. It
*counts* where its 95 % interval, widened for all the steps of the curve (Bonferroni), leaves out 0,
and it is at least SMALLEST: checkpoints differ a little for no reason a text can show.
`docs/reference/selection.md` says how a shape follows from the changes.

A suite carries signal where the interval of its change leaves out 0, the change is at least LEAST
times the noise, and some step is above guessing. The noise is the standard error of the difference
between neighbouring steps, paired by test, or the largest step back, if that is larger.
"""

import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import NormalDist
from typing import Literal, NamedTuple

from assay.decide.accept import beside_guessing, is_above
from assay.stats.estimates import average, ratio
from assay.stats.intervals import Z95
from assay.stats.pairs import paired_difference_by_category, tell_apart
from assay.types import Estimate
from assay.types.decisions import (
    ChangeFromBase,
    DecisionFact,
    Measurements,
    SuiteFigures,
    SuiteSignal,
    TextFigures,
    fact,
)

Shape = Literal["improving", "flat", "worsening", "overfitting", "unclear", "too_few"]
Unit = Literal["nats", "points"]

FEWEST = 3
SMALLEST: Mapping[Unit, float] = {"nats": 0.005, "points": 0.5}
RESOLVED: Mapping[Unit, float] = {"nats": 0.05, "points": 5.0}


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
    """One figure over the steps. `best`: the earliest of the best; `change`: None of too few."""

    measure: str  # perplexity, suite:NAME
    points: tuple[Point, ...]
    best: Point
    shape: Shape
    change: Change | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingChange:
    """Mean training loss before each of two steps, in nats; `falls`: by more than their noise."""

    since: float
    until: float
    before: float
    after: float
    falls: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """Every curve by its measure. `training`: from the lowest held-out step to the last."""

    curves: Mapping[str, StepCurve]
    training: TrainingChange | None = None

    @property
    def text(self) -> StepCurve | None:
        return self.curves.get("perplexity")


def curve_facts(curve: StepCurve) -> tuple[DecisionFact, ...]:
    change = curve.change
    if change is None:
        return ()
    ends = {"since": change.since, "until": change.until}
    return (fact("curve_change", measure=curve.measure, change=change.estimate, **ends),)


def trend(candidates: Sequence[Measurements]) -> Trend | None:
    """The curves of one model folder, in any order given; None for fewer than two steps."""
    steps = steps_of(candidates)
    if len(steps) < 2:
        return None
    suites = sorted({name for each in steps for name in each.suites})
    curves = [_text(steps), *(_suite(name, steps) for name in suites)]
    return _with_training({curve.measure: curve for curve in curves if curve is not None}, steps)


def steps_of(candidates: Sequence[Measurements]) -> list[Measurements]:
    """In order, without those that failed or have no step; of one step the first by name stays."""
    kept: dict[float, Measurements] = {}
    for each in sorted(candidates, key=lambda one: one.name):
        if each.step is not None and not each.failed:
            kept.setdefault(each.step, each)
    return [kept[step] for step in sorted(kept)]


def _text(steps: Sequence[Measurements]) -> StepCurve | None:
    """Only checkpoints that read the same blocks of text as the last one."""
    read = [(each.step or 0.0, each.text) for each in steps if each.text is not None]
    alike = [(step, text) for step, text in read if _blocks_of(text) == _blocks_of(read[-1][1])]
    points = [Point(step, text.perplexity) for step, text in alike]

    def compare(a: int, b: int) -> Estimate | None:
        return paired_nats(alike[a][1], alike[b][1])

    return _curve("perplexity", "nats", points, compare)


def paired_nats(a: TextFigures, b: TextFigures) -> Estimate | None:
    """By how much the loss per token rises from a to b, over blocks of the same tokens."""
    pairs = zip(a.blocks, b.blocks, strict=True)
    rises = [earlier - later for (earlier, _), (later, _) in pairs]
    return ratio(rises, [float(tokens) for _, tokens in a.blocks], unit="nats")


def _blocks_of(text: TextFigures) -> tuple[object, ...]:
    cut = [tokens for _, tokens in text.blocks]
    return text.text, text.tokenizer, text.window, text.stride, cut


def _suite(name: str, steps: Sequence[Measurements]) -> StepCurve | None:
    alike = asked_alike(name, steps)
    points = [Point(step, suite.score) for step, suite in alike]
    return _curve(
        f"suite:{name}", "points", points, lambda a, b: change_by_tests(alike[a][1], alike[b][1])
    )


def asked_alike(name: str, steps: Sequence[Measurements]) -> list[tuple[float, SuiteFigures]]:
    """Only checkpoints that were asked the tests the last one was asked."""
    asked = [(each.step or 0.0, each.suites[name]) for each in steps if name in each.suites]
    return [(step, suite) for step, suite in asked if suite.digest == asked[-1][1].digest]


def change_by_tests(a: SuiteFigures, b: SuiteFigures) -> Estimate | None:
    """Points, over the tests that both have a score for, each category with the same weight."""
    pairs = {
        category: ([earlier[test] for test in both], [b.scores[category][test] for test in both])
        for category, earlier in a.scores.items()
        if (both := sorted(earlier.keys() & b.scores.get(category, {}).keys()))
    }
    return paired_difference_by_category(pairs, dict.fromkeys(pairs, 1.0)).estimate


def _curve(
    measure: str,
    unit: Unit,
    points: Sequence[Point],
    compare: Callable[[int, int], Estimate | None],
) -> StepCurve | None:
    """Worsening since the best step, else improving since the one in the middle, else flat."""
    known = [place for place, point in enumerate(points) if point.value.n]
    if not known:
        return None
    sign = 1 if unit == "points" else -1

    def change(since: int, until: int) -> Change | None:
        found = compare(since, until)
        if found is None or found.value is None:
            return None
        return Change(
            since=points[since].step,
            until=points[until].step,
            estimate=found,
            gain=sign * found.value,
            counts=beyond_noise(found, len(known), unit),
        )

    best = max(known, key=lambda place: (sign * (points[place].value.value or 0.0), -place))
    curve = StepCurve(
        measure=measure,
        points=tuple(points[place] for place in known),
        best=points[best],
        shape="too_few",
    )
    if len(known) < FEWEST:
        return curve
    fallen = change(best, known[-1]) if best != known[-1] else None
    if fallen is not None and fallen.counts and fallen.gain < 0:
        return replace(curve, shape="worsening", change=fallen)
    late = change(known[len(known) // 2], known[-1])
    if late is not None and late.counts and late.gain > 0:
        return replace(curve, shape="improving", change=late)
    ends = (None, None) if late is None else (late.estimate.low, late.estimate.high)
    is_flat = all(end is not None and abs(end) <= RESOLVED[unit] for end in ends)
    return replace(curve, shape="flat" if is_flat else "unclear", change=late)


def beyond_noise(of: Estimate, looked_at: int, unit: Unit) -> bool:
    """Whether it is no trifle, and 0 is outside its interval, one among those looked at."""
    if of.value is None or of.low is None or of.high is None:
        return False
    toward_zero = of.value - of.low if of.value > 0 else of.high - of.value
    normal = NormalDist()
    wider = normal.inv_cdf(1 - 0.025 / looked_at) / normal.inv_cdf(0.975)
    return abs(of.value) >= SMALLEST[unit] and abs(of.value) > toward_zero * wider


def _with_training(curves: dict[str, StepCurve], steps: Sequence[Measurements]) -> Trend:
    losses = {step: loss for each in steps for step, loss in each.training_loss.items()}
    text = curves.get("perplexity")
    if text is None:
        return Trend(curves=curves)
    change = training_change(losses, text.best.step, text.points[-1].step)
    if text.shape == "worsening" and change is not None and change.falls:
        curves[text.measure] = replace(text, shape="overfitting")
    return Trend(curves=curves, training=change)


def training_change(
    losses: Mapping[float, float], since: float, until: float
) -> TrainingChange | None:
    """Over the half of the stretch before each step; None where the loss is unknown there."""
    stretch = (until - since) / 2
    before, after = (
        [
            loss
            for step, loss in sorted(losses.items())
            if end - stretch < step <= end and math.isfinite(loss)
        ]
        for end in (since, until)
    )
    if not before or not after:
        return None
    means = statistics.fmean(before), statistics.fmean(after)
    is_sure = min(len(before), len(after)) < FEWEST or tell_apart(
        average(before, unit="nats"), average(after, unit="nats")
    )
    falls = means[0] - means[1] >= SMALLEST["nats"] and is_sure
    return TrainingChange(since=since, until=until, before=means[0], after=means[1], falls=falls)


def changes_from_base(base: Measurements, adapted: Measurements) -> tuple[ChangeFromBase, ...]:
    """Perplexity, then the suites. Intervals are widened for all the figures looked at."""
    found = [*_changes(base, adapted)]
    return tuple(
        ChangeFromBase(
            measure=measure,
            change=change,
            gain=(change.value or 0.0) * (1 if unit == "points" else -1),
            counts=beyond_noise(change, len(found), unit),
        )
        for measure, unit, change in found
    )


def _changes(base: Measurements, adapted: Measurements) -> Iterator[tuple[str, Unit, Estimate]]:
    before, after = base.text, adapted.text
    if before and after and before.text == after.text:
        same_cut = [n for _, n in before.blocks] == [n for _, n in after.blocks]
        change = paired_nats(before, after) if same_cut else None
        if change is not None and change.value is not None:
            yield "perplexity", "nats", change
    for name in sorted(base.suites.keys() & adapted.suites.keys()):
        change = change_by_tests(base.suites[name], adapted.suites[name])
        if change is not None and change.n:
            yield f"suite:{name}", "points", change


LEAST = 2.0


def find_signals(candidates: Sequence[Measurements]) -> tuple[SuiteSignal, ...]:
    """Of every suite that three steps or more were asked alike."""
    steps = steps_of(candidates)
    names = sorted({name for each in steps for name in each.suites})
    asked = {name: [suite for _, suite in asked_alike(name, steps)] for name in names}
    found = (_signal(name, suites) for name, suites in asked.items() if len(suites) >= FEWEST)
    return tuple(each for each in found if each is not None)


def _signal(name: str, suites: Sequence[SuiteFigures]) -> SuiteSignal | None:
    change = change_by_tests(suites[0], suites[-1])
    between = [change_by_tests(a, b) for a, b in pairwise(suites)]
    if change is None or change.value is None or None in between:
        return None
    known = [each for each in between if each is not None]
    widths = [(each.high or 0.0) - (each.low or 0.0) for each in known]
    error = math.sqrt(math.fsum(width**2 for width in widths) / len(widths)) / (2 * Z95)
    direction = math.copysign(1.0, change.value)
    noise = max(error, *(-direction * (each.value or 0.0) for each in known))
    guesses = not any(_above_guessing(suite) for suite in suites)
    beyond = change.low is not None and change.high is not None and change.low * change.high > 0
    return SuiteSignal(
        suite=name,
        change=change,
        noise=noise,
        guesses=guesses,
        carries=beyond and abs(change.value) >= LEAST * noise and not guesses,
        bits=(suites[0].right_bits, suites[-1].right_bits),
    )


def _above_guessing(suite: SuiteFigures) -> bool:
    """Where the baseline is not known, nothing says that it guesses."""
    share, guess = beside_guessing(suite)
    return guess is None or (share is not None and is_above(share, guess))
