"""What training still does to a model: the held-out loss and every suite over its steps.

A change goes from one step to a later one, paired by the same blocks of text or the same tests. It
*counts* where its 95 % interval, widened for all the steps of the curve (Bonferroni), leaves out 0,
and it is at least SMALLEST: checkpoints differ a little for no reason a text can show.
`docs/reference/selection.md` says how a shape follows from the changes. Steps that diverged are
named and take no part.

A suite carries signal where its change counts, is at least LEAST times the noise, and some step is
above guessing. The change is that between two thirds of the steps, paired by test: from the first
to the last, or where that is none the largest rise or fall by the way. The noise is the median
standard error of the difference between neighbouring steps, or the median swing there and back, if
that is larger: one bad step moves neither.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import NormalDist

from assay.decide.divergence import diverged_steps
from assay.stats.documents import BY_BLOCKS
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
    DivergedStep,
    StepCurve,
    TrainingChange,
    Trend,
    Unit,
)

FEWEST = 3
# A loss falls with the logarithm of the steps, so the last doubling alone always looks flat.
# Hence five checkpoints, three of them in the last three quarters of the steps.
FEWEST_FLAT = 5
PLATEAU = 4.0
SMALLEST: Mapping[Unit, float] = {"nats": 0.005, "points": 0.5}
RESOLVED: Mapping[Unit, float] = {"nats": 0.05, "points": 5.0}


def trend(candidates: Sequence[Measurements]) -> Trend | None:
    """The curves of one model folder, in any order given; None for fewer than two steps."""
    steps = steps_of(candidates)
    if len(steps) < 2:
        return None
    diverged = diverged_steps(steps)
    good = _without(steps, diverged)
    curves = [_curve(of) for measure in every_measure() for of in measure.steps(good)]
    found = _with_training({curve.measure: curve for curve in curves if curve is not None}, good)
    return replace(found, diverged=diverged)


def _without(steps: Sequence[Measurements], diverged: Sequence[DivergedStep]) -> list[Measurements]:
    bad = {each.step for each in diverged}
    return [each for each in steps if each.step not in bad]


def steps_of(candidates: Sequence[Measurements]) -> list[Measurements]:
    """In order, without those that failed or have no step; of one step the first by name stays."""
    kept: dict[float, Measurements] = {}
    for each in sorted(candidates, key=lambda one: one.name):
        if each.step is not None and not each.failed:
            kept.setdefault(each.step, each)
    return [kept[step] for step in sorted(kept)]


def _curve(of: ComparedSteps) -> StepCurve | None:
    """Worsening since the best step, else improving since the one in the middle, else flat: that
    is proven by FEWEST_FLAT steps and documents, the last three of them over PLATEAU times the
    steps, for a loss falls with the logarithm of the steps.
    """
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
    if not _stays(late, unit):
        return replace(curve, shape="unclear", change=late)
    end = points[known[-1]].step
    since = [place for place in known if points[place].step <= end / PLATEAU]
    long = change(since[-1], known[-1]) if since else None
    enough = (
        len(known) >= FEWEST_FLAT
        and len([place for place in known if since and place >= since[-1]]) >= FEWEST
        and _stays(long, unit)
        and long is not None
        and long.estimate.method != BY_BLOCKS
    )
    return replace(curve, shape="flat" if enough else "unproven", change=long if enough else late)


def _stays(change: Change | None, unit: Unit) -> bool:
    """The whole interval is near 0."""
    ends = (None, None) if change is None else (change.estimate.low, change.estimate.high)
    return all(end is not None and abs(end) <= RESOLVED[unit] for end in ends)


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


# Times the noise. MMLU with 311 questions would meet three times only after a change of ten
# points.
LEAST = 2.0


def find_signals(candidates: Sequence[Measurements]) -> tuple[SuiteSignal, ...]:
    """Of every suite that three steps or more were asked alike, those that diverged left out."""
    steps = steps_of(candidates)
    good = _without(steps, diverged_steps(steps))
    names = sorted({name for each in good for name in each.suites})
    asked = {name: asked_alike(name, good) for name in names}
    found = (_signal(name, of) for name, of in asked.items() if len(of) >= FEWEST)
    return tuple(each for each in found if each is not None)


def _signal(name: str, asked: Sequence[tuple[float, SuiteFigures]]) -> SuiteSignal | None:
    suites = [suite for _, suite in asked]
    between = [change_by_tests(a, b) for a, b in pairwise(suites)]
    moved = _change_of_thirds(asked)
    if moved is None or any(each is None or each.value is None for each in between):
        return None
    by_the_way, change, counts = moved
    known = [each for each in between if each is not None]
    widths = [(each.high or 0.0) - (each.low or 0.0) for each in known]
    noise = max(
        statistics.median(widths) / (2 * Z95), _swing([each.value or 0.0 for each in known])
    )
    guesses = not any(_above_guessing(suite) for suite in suites)
    return SuiteSignal(
        suite=name,
        change=change,
        noise=noise,
        guesses=guesses,
        carries=counts and abs(change.value or 0.0) >= LEAST * noise and not guesses,
        bits=(suites[0].right_bits, suites[-1].right_bits),
        by_the_way=by_the_way,
    )


def _swing(changes: Sequence[float]) -> float:
    """How far a step goes that the next one takes back: the median over all of them. One rise and
    fall is a change, many are noise.
    """
    back = [min(abs(a), abs(b)) if a * b < 0 else 0.0 for a, b in pairwise(changes)]
    return statistics.median_low(back) if len(back) > 1 else 0.0


def _change_of_thirds(
    asked: Sequence[tuple[float, SuiteFigures]],
) -> tuple[tuple[float, float] | None, Estimate, bool] | None:
    """From the first third to the last, or where that does not count the largest that does, from
    or to the middle, with its steps; and whether it counts among the three.
    """
    size = max(1, len(asked) // 3)
    thirds = [asked[:size], asked[size:-size], asked[-size:]]
    found: list[tuple[tuple[float, float] | None, Estimate, bool]] = []
    for a, b in ((0, 2), (0, 1), (1, 2)):
        change = change_by_tests(_averaged(thirds[a]), _averaged(thirds[b]))
        if change is None or change.value is None:
            return None
        counts = beyond_noise(change, 3, "points")
        steps = (thirds[a][0][0], thirds[b][-1][0]) if found else None
        found.append((steps, change, counts))
    counting = [each for each in found[1:] if each[2]]
    if found[0][2] or not counting:
        return found[0]
    return max(counting, key=lambda each: abs(each[1].value or 0.0))


def _averaged(asked: Sequence[tuple[float, SuiteFigures]]) -> SuiteFigures:
    """The mean score of each test over some steps that all have it."""
    suites = [suite for _, suite in asked]
    if len(suites) == 1:
        return suites[0]
    scores = {}
    for category, tests in suites[0].scores.items():
        of_all = [each.scores.get(category, {}) for each in suites]
        shared = set(tests).intersection(*of_all)
        scores[category] = {
            test: statistics.fmean(each[test] for each in of_all) for test in sorted(shared)
        }
    return replace(suites[0], scores=scores)


def _above_guessing(suite: SuiteFigures) -> bool:
    """Where the baseline is not known, nothing says that it guesses."""
    share, guess = beside_guessing(suite)
    return guess is None or (share is not None and is_above(share, guess))
