"""What to do about a perplexity at or above its limit: train longer, a larger model, better data.

Which of the three follows from the trend: a loss that still falls asks for steps, one that is flat
for parameters or data, one that rises while the training loss falls for data; one that jumps for
steadier training. Without a trend this cannot be known, and the advice is to measure one.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator
from pathlib import PurePath

from assay.decide.advice.machine import parameters
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
FACTOR = 4.0  # times the steps done: nothing is promised beyond
QUICKER, SLOWER = 0.8, 1.25


def on_text(
    measured: Measurements, value: float, limit: float, trend: Trend | None, gate: Gate
) -> list[Recommendation]:
    level = tuple(_text_figures(measured, value, limit))
    curve = trend.text if trend is not None else None
    if trend is None or curve is None or curve.shape == "too_few":
        folder = str(PurePath(measured.path).parent) if measured.path else "FOLDER"
        steps = fact("steps_measured", steps=len(curve.points) if curve is not None else 1)
        advice = fact("measure_steps", folder=shlex.quote(folder))
        return [Recommendation("perplexity", advice, (*level, steps))]
    figures = (*level, curve_fact(curve), *_training_figures(trend))
    sized = (*figures, *parameters(measured), *_next_size(measured, gate))
    if later := _later_below(measured, curve, limit):
        return [Recommendation("perplexity", later, figures)]
    if curve.shape == "flat":
        larger = Recommendation("perplexity", fact("larger_model"), sized)
        data = Recommendation("perplexity", fact("better_data"), figures)
        return [data, larger] if _far_from_training(trend, curve) else [larger, data]
    if curve.shape == "improving":
        advice = _still_falling(curve, _gap(measured, value, limit)[curve.unit])
        return [Recommendation("perplexity", advice, sized)]
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


def _still_falling(curve: StepCurve, gap: float | None) -> DecisionFact:
    """How many more steps: a straight line in log(steps), through the change that counts."""
    change, at = curve.telling, curve.points[-1].step
    if change is None or change.since <= 0 or gap is None:
        return fact("train_longer")
    more = math.expm1(min(gap / change.gain * math.log(change.until / change.since), 50.0))
    if 1 + QUICKER * more > FACTOR:
        return fact("too_slow", factor=FACTOR, steps=at)
    low, high = (max(1.0, rate * more * at) for rate in (QUICKER, SLOWER))
    return fact("train_longer_by", low=low, high=high, step=at)


def _turned(trend: Trend, curve: StepCurve) -> DecisionFact:
    """What to do about a curve that rises, jumps, or cannot be read."""
    kind: str = curve.shape if curve.shape in ("overfitting", "unstable", "unclear") else "rising"
    if kind == "rising" and trend.training is None:
        kind = "rising_without_training_loss"
    return fact(kind, best=curve.best.step)


def _gap(measured: Measurements, value: float, limit: float) -> dict[str, float | None]:
    """To the limit, by unit; 0 at the limit itself, which is not below it."""
    nats = max(0.0, math.log(value / limit))
    bits = measured.text.bits_per_byte if measured.text else None
    if bits is None or bits.value is None or value <= 1:
        return {"nats": nats, "bits": None}
    # Loss per token and bits per byte of one text and one tokenizer are proportional.
    return {"nats": nats, "bits": bits.value * nats / math.log(value)}


def _text_figures(measured: Measurements, value: float, limit: float) -> Iterator[DecisionFact]:
    """Perplexity, limit, the gap between them, and the next-token accuracies."""
    text = measured.text
    if text is not None:
        yield fact("perplexity_measured", value=text.perplexity, limit=limit)
        gap = _gap(measured, value, limit)
        yield fact("gap" if gap["bits"] is None else "gap_in_bits", **gap)
        yield fact("next_token", top1=text.top1.value, top5=text.top5.value)


def _training_figures(trend: Trend) -> Iterator[DecisionFact]:
    change = trend.training
    if change is not None:
        ends = {"since": change.since, "until": change.until}
        yield fact("training_change", before=change.before, after=change.after, **ends)
    elif trend.training_at_end is not None:
        yield fact("training_loss", loss=trend.training_at_end)


def _far_from_training(trend: Trend, curve: StepCurve) -> bool:
    """Whether the held-out loss of the last step is far above the training loss."""
    value = curve.points[-1].value.value
    if trend.training_at_end is None or curve.measure != "perplexity" or not value:
        return False
    return math.log(value) - trend.training_at_end >= FAR


def _next_size(measured: Measurements, gate: Gate) -> Iterator[DecisionFact]:
    limits = gate.perplexity_max
    if limits is not None and measured.size_class not in (None, SIZE_CLASSES[-1]):
        larger = SIZE_CLASSES[SIZE_CLASSES.index(measured.size_class) + 1]
        yield fact("next_size", size=larger, limit=limits[larger])
