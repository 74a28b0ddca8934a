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
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import NormalDist

from assay.stats.estimates import average
from assay.stats.intervals import Z95
from assay.stats.pairs import tell_apart
from assay.stats.suite_changes import asked_alike, beside_guessing, change_by_tests, is_above
from assay.types import Estimate
from assay.types.decisions import ChangeFromBase, Measurements, SuiteFigures, SuiteSignal
from assay.types.measures import every_measure
from assay.types.trends import (
    Change,
    ComparedSteps,
    StepCurve,
    TrainingChange,
    Trend,
    Unit,
)

FEWEST = 3
SMALLEST: Mapping[Unit, float] = {"nats": 0.005, "points": 0.5}
RESOLVED: Mapping[Unit, float] = {"nats": 0.05, "points": 5.0}


def trend(candidates: Sequence[Measurements]) -> Trend | None:
    """The curves of one model folder, in any order given; None for fewer than two steps."""
    steps = steps_of(candidates)
    if len(steps) < 2:
        return None
    curves = [_curve(of) for measure in every_measure() for of in measure.steps(steps)]
    return _with_training({curve.measure: curve for curve in curves if curve is not None}, steps)


def steps_of(candidates: Sequence[Measurements]) -> list[Measurements]:
    """In order, without those that failed or have no step; of one step the first by name stays."""
    kept: dict[float, Measurements] = {}
    for each in sorted(candidates, key=lambda one: one.name):
        if each.step is not None and not each.failed:
            kept.setdefault(each.step, each)
    return [kept[step] for step in sorted(kept)]


def _curve(of: ComparedSteps) -> StepCurve | None:
    """Worsening since the best step, else improving since the one in the middle, else flat."""
    points, unit = of.points, of.unit
    known = [place for place, point in enumerate(points) if point.value.n]
    if not known:
        return None
    sign = 1 if unit == "points" else -1

    def change(since: int, until: int) -> Change | None:
        found = of.compare(since, until)
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
        measure=of.measure,
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
    found = [each for measure in every_measure() for each in measure.changes(base, adapted)]
    return tuple(
        ChangeFromBase(
            measure=each.measure,
            change=each.change,
            gain=(each.change.value or 0.0) * (1 if each.unit == "points" else -1),
            counts=beyond_noise(each.change, len(found), each.unit),
        )
        for each in found
    )


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
