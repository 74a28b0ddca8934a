"""What to do about a perplexity or a suite that misses its limit: how and on what to train.

A held-out loss that still falls asks for steps, one that is flat for parameters or data, one that
rises while the training loss falls for data; without a trend the advice is to measure one.
"""

import math
import shlex
from collections.abc import Iterator
from pathlib import PurePath

from assay.decide.trend import StepCurve, Trend, curve_facts
from assay.types.decisions import (
    DecisionFact,
    GateCriterion,
    Measurements,
    Recommendation,
    SuiteLimit,
    fact,
)

FACTOR = 4.0  # times the steps done: nothing is promised beyond
QUICKER, SLOWER = 0.8, 1.25


def on_text(
    measured: Measurements, value: float, limit: float, trend: Trend | None
) -> list[Recommendation]:
    gap = max(0.0, math.log(value / limit))
    level = tuple(_text_figures(measured, gap, limit))
    curve = trend.text if trend is not None else None
    if trend is None or curve is None or curve.shape == "too_few":
        folder = str(PurePath(measured.path).parent) if measured.path else "FOLDER"
        steps = fact("steps_measured", steps=len(curve.points) if curve is not None else 1)
        advice = fact("measure_steps", folder=shlex.quote(folder))
        return [Recommendation("perplexity", advice, (*level, steps))]
    figures = (*level, *curve_facts(curve), *_training_figures(trend))
    if curve.shape == "flat":
        remedies = [fact("larger_model"), fact("better_data")]
    elif curve.shape == "improving":
        remedies = [_still_falling(curve, gap)]
    else:
        remedies = [_turned(trend, curve)]
    return [Recommendation("perplexity", remedy, figures) for remedy in remedies]


def on_the_run(criterion: GateCriterion | None, trend: Trend | None) -> list[Recommendation]:
    """For a run that goes wrong, although the perplexity of this checkpoint is good enough."""
    curve = trend.text if trend is not None else None
    if trend is None or curve is None or (criterion is not None and criterion.passed is False):
        return []
    if curve.shape not in ("worsening", "overfitting"):
        return []
    figures = (*curve_facts(curve), *_training_figures(trend))
    return [Recommendation("trend", _turned(trend, curve), figures)]


def _still_falling(curve: StepCurve, gap: float) -> DecisionFact:
    """How many more steps: a straight line in log(steps), through the change that counts."""
    change, at = curve.change, curve.points[-1].step
    if change is None or change.since <= 0:
        return fact("train_longer")
    more = math.expm1(min(gap / change.gain * math.log(change.until / change.since), 50.0))
    if 1 + QUICKER * more > FACTOR:
        return fact("too_slow", factor=FACTOR, steps=at)
    low, high = (max(1.0, rate * more * at) for rate in (QUICKER, SLOWER))
    return fact("train_longer_by", low=low, high=high, step=at)


def _turned(trend: Trend, curve: StepCurve) -> DecisionFact:
    kind: str = curve.shape if curve.shape in ("overfitting", "unclear") else "rising"
    if kind == "rising" and trend.training is None:
        kind = "rising_without_training_loss"
    return fact(kind, best=curve.best.step)


def _text_figures(measured: Measurements, gap: float, limit: float) -> Iterator[DecisionFact]:
    text = measured.text
    if text is not None:
        yield fact("perplexity_measured", value=text.perplexity, limit=limit)
        yield fact("gap", nats=gap)
        yield fact("next_token", top1=text.top1.value, top5=text.top5.value)
    if measured.parameters is not None:
        yield fact("parameters", parameters=measured.parameters)


def _training_figures(trend: Trend) -> Iterator[DecisionFact]:
    change = trend.training
    if change is not None:
        ends = {"since": change.since, "until": change.until}
        yield fact("training_change", before=change.before, after=change.after, **ends)


def on_suite(
    measured: Measurements,
    asked: SuiteLimit,
    value: float,
    limit: float,
    perplexity: GateCriterion | None,
    trend: Trend | None,
) -> list[Recommendation]:
    name, suite = asked.name, measured.suites[asked.name]
    shares = {
        category: share
        for category in asked.categories or tuple(suite.categories)
        if (share := suite.categories.get(category)) is not None and share.n
    }
    least = min(share.value or 0.0 for share in shares.values())
    # Several where several are equally low, as those are in which nothing is right.
    lowest = tuple(
        category
        for category, share in shares.items()
        if math.isclose(share.value or 0.0, least, abs_tol=1e-9)
    )
    level = fact("suite_level", suite=name, value=value, limit=limit)
    figures = (
        level,
        *(fact("category_level", category=each, value=of) for each, of in shares.items()),
    )
    what = fact("data_on_category", count=len(lowest), suite=name, categories=lowest)
    curves = [] if trend is None else [trend.text, trend.curves.get(f"suite:{name}")]
    known = [curve for curve in curves if curve is not None and curve.shape != "too_few"]
    if perplexity is not None and perplexity.passed:
        how = "subject_is_missing"
    else:
        learns = any(curve.shape == "improving" for curve in known)
        how = "train_longer_first" if learns else "raise_share"
    trends = [change for curve in known for change in curve_facts(curve)]
    return [
        Recommendation("domain", what, figures),
        Recommendation("domain", fact(how, suite=name), (level, *trends)),
    ]
