"""What to do about a perplexity at or above its limit: train longer, a larger model, better data.

In: a checkpoint, its perplexity, the limit, the trend of its folder. Out: recommendations, the most
useful first.

Which of the three follows from the trend: a loss that still falls asks for steps, one that is flat
for parameters or data, one that rises while the training loss falls for data; one that jumps for
steadier training. Without a trend this cannot be known, and the advice is to measure one.
"""

from __future__ import annotations

import math
import shlex
from pathlib import PurePath

from assay.decide.advice.machine import parameters
from assay.decide.advice.outlook import FACTOR, steps_to_reach
from assay.decide.trend.curves import StepCurve, Trend, curve_fact
from assay.types.decisions import (
    SIZE_CLASSES,
    DecisionFact,
    Gate,
    GateCriterion,
    Measurements,
    Recommendation,
    fact,
)

FAR = 0.3  # nats from training to held-out loss: much of what was learnt does not carry over


def on_text(
    measured: Measurements, value: float, limit: float, trend: Trend | None, gate: Gate
) -> list[Recommendation]:
    """For a perplexity that is not below its limit."""
    gap = _text_figures(measured, value, limit)
    curve = trend.text if trend is not None else None
    if trend is None or curve is None or curve.shape == "too_few":
        folder = str(PurePath(measured.path).parent) if measured.path else "FOLDER"
        steps = fact("steps_measured", steps=len(curve.points) if curve is not None else 1)
        advice = fact("measure_steps", folder=shlex.quote(folder))
        return [Recommendation("perplexity", advice, (*gap, steps))]
    later = _later_below(measured, curve, limit)
    if later is not None:
        return [Recommendation("perplexity", later, (*gap, curve_fact(curve)))]
    figures = (*gap, curve_fact(curve), *_training_figures(trend))
    sized = (*figures, *parameters(measured), *_next_size(measured, gate))
    apart = _distance(trend, curve)
    if curve.shape == "flat":
        larger = Recommendation("perplexity", fact("larger_model"), sized)
        data = Recommendation("perplexity", fact("better_data"), figures)
        return [data, larger] if apart is not None and apart >= FAR else [larger, data]
    if curve.shape == "improving":
        advice = _still_falling(curve, _limit_on(curve, measured, value, limit), apart)
        slow = advice.kind.startswith("too_slow")
        return [Recommendation("perplexity", advice, sized if slow else figures)]
    return [Recommendation("perplexity", _turned(trend, curve), figures)]


def on_the_run(criterion: GateCriterion | None, trend: Trend | None) -> list[Recommendation]:
    """For a run that goes wrong, although the perplexity of this checkpoint is good enough."""
    curve = trend.text if trend is not None else None
    if trend is None or curve is None or (criterion is not None and criterion.passed is False):
        return []
    if curve.shape not in ("worsening", "overfitting", "unstable"):
        return []
    figures = (curve_fact(curve), *_training_figures(trend))
    return [Recommendation("trend", _turned(trend, curve), figures)]


def _later_below(measured: Measurements, curve: StepCurve, limit: float) -> DecisionFact | None:
    if measured.step is None or curve.measure != "perplexity":
        return None
    for point in curve.points:
        value = point.value.value
        if point.step > measured.step and value is not None and value < limit:
            return fact("later_step_passes", step=point.step, value=value, limit=limit)
    return None


def _still_falling(curve: StepCurve, limit: float, apart: float | None) -> DecisionFact:
    outlook = steps_to_reach(curve, limit)
    if outlook is None:
        return fact("train_longer")
    if outlook.low is None:
        first = "either" if apart is None else "data" if apart >= FAR else "size"
        return fact(f"too_slow_{first}_first", factor=FACTOR, steps=outlook.at, apart=apart)
    kind = "train_longer_at_least" if outlook.high is None else "train_longer_by"
    return fact(kind, low=outlook.low, high=outlook.high, step=outlook.at)


def _turned(trend: Trend, curve: StepCurve) -> DecisionFact:
    """What to do about a curve that rises, jumps, or cannot be read."""
    kind: str = curve.shape if curve.shape in ("overfitting", "unstable", "unclear") else "rising"
    if kind == "rising" and trend.training is None:
        kind = "rising_without_training_loss"
    return fact(kind, best=curve.best.step)


def _limit_on(curve: StepCurve, measured: Measurements, value: float, limit: float) -> float:
    """The limit on perplexity in the measure of the curve; in bits per byte it is the one of this
    checkpoint's tokenizer.
    """
    if curve.measure == "perplexity":
        return limit
    bits = measured.text.bits_per_byte if measured.text else None
    if bits is None or bits.value is None or limit <= 1 or value <= 1:
        return 0.0
    return bits.value * math.log(limit) / math.log(value)


def _text_figures(measured: Measurements, value: float, limit: float) -> tuple[DecisionFact, ...]:
    """Perplexity, limit, the gap between them, and the next-token accuracies."""
    text = measured.text
    if text is None:
        return ()
    nats = max(0.0, math.log(value / limit))  # 0 at the limit itself, which is not below it
    bits = text.bits_per_byte
    if bits is None or bits.value is None or value <= 1:
        gap = fact("gap", nats=nats)
    else:  # loss per token and bits per byte of one text and one tokenizer are proportional
        gap = fact("gap_in_bits", nats=nats, bits=bits.value * nats / math.log(value))
    accuracy = fact("next_token", top1=text.top1.value, top5=text.top5.value)
    return fact("perplexity_measured", value=text.perplexity, limit=limit), gap, accuracy


def _training_figures(trend: Trend) -> tuple[DecisionFact, ...]:
    change = trend.training
    if change is not None:
        ends = {"since": change.since, "until": change.until}
        return (fact("training_change", before=change.before, after=change.after, **ends),)
    if trend.training_at_end is not None:
        return (fact("training_loss", loss=trend.training_at_end),)
    return ()


def _distance(trend: Trend, curve: StepCurve) -> float | None:
    """Held-out less training loss at the last step, in nats per token."""
    value = curve.points[-1].value.value
    if trend.training_at_end is None or curve.measure != "perplexity" or not value:
        return None
    return math.log(value) - trend.training_at_end


def _next_size(measured: Measurements, gate: Gate) -> tuple[DecisionFact, ...]:
    limits = gate.perplexity_max
    if limits is None or measured.size_class in (None, SIZE_CLASSES[-1]):
        return ()
    larger = SIZE_CLASSES[SIZE_CLASSES.index(measured.size_class) + 1]
    return (fact("next_size", size=larger, limit=limits[larger]),)
