"""What to do about a perplexity at or above its limit: train longer, a larger model, better data.

In: a checkpoint, its criterion, the trend of its folder. Out: recommendations, the most useful
first.

Which of the three follows from the trend: a loss that still falls asks for steps, one that is flat
for parameters or data, one that rises while the training loss falls for data; one that jumps for
steadier training. Without a trend nobody can tell, and the advice is to measure one.
"""

from __future__ import annotations

import math
import shlex
from pathlib import PurePath

from assay.decide import wording
from assay.decide.curve_wording import curve_figure
from assay.decide.outlook import FACTOR, steps_to_reach
from assay.decide.trend import Curve, Trend
from assay.messages import tr
from assay.types.decisions import SIZE_CLASSES, Criterion, Gate, Measured, Recommendation

FAR = 0.3  # nats from training to held-out loss: much of what was learnt does not carry over


def on_text(
    measured: Measured, criterion: Criterion, trend: Trend | None, gate: Gate | None = None
) -> list[Recommendation]:
    """For a perplexity that is not below its limit; nothing otherwise."""
    if criterion.passed is not False or criterion.value is None or criterion.limit is None:
        return []
    gap = text_figures(measured, criterion)
    curve = trend.text if trend is not None else None
    if trend is None or curve is None or curve.shape == "too_few":
        return [_measure_more_steps(measured, curve, gap)]
    later = _later_below(measured, curve, criterion.limit)
    if later is not None:
        return [_perplexity(later, *gap, curve_figure(curve))]
    figures = (*gap, curve_figure(curve), *_training_figures(trend))
    if curve.shape == "improving":
        return _still_falling(measured, criterion, trend, curve, figures, gate)
    if curve.shape == "flat":
        return _flat(measured, trend, curve, figures, gate)
    return [_perplexity(turned(trend, curve), *figures)]


def on_the_run(criterion: Criterion | None, trend: Trend | None) -> list[Recommendation]:
    """For a run that goes wrong, although the perplexity of this checkpoint is good enough."""
    curve = trend.text if trend is not None else None
    if trend is None or curve is None or (criterion is not None and criterion.passed is False):
        return []
    if curve.shape not in ("worsening", "overfitting", "unstable"):
        return []
    return [
        Recommendation(
            concern="trend",
            advice=turned(trend, curve),
            figures=(curve_figure(curve), *_training_figures(trend)),
        )
    ]


def _perplexity(advice: str, *figures: str) -> Recommendation:
    return Recommendation(concern="perplexity", advice=advice, figures=figures)


# ---------------------------------------------------------------------------------- what is advised


def _measure_more_steps(
    measured: Measured, curve: Curve | None, gap: tuple[str, ...]
) -> Recommendation:
    known = len(curve.points) if curve is not None else 1
    return _perplexity(
        tr(
            "Whether longer training, a larger model or better data would bring the perplexity "
            "below its limit shows over at least three steps of the run: `assay run {folder}`.",
            folder=shlex.quote(_folder(measured)),
        ),
        *gap,
        tr("steps with a perplexity: {count}", count=known),
    )


def _later_below(measured: Measured, curve: Curve, limit: float) -> str | None:
    if measured.step is None or curve.measure != "perplexity":
        return None
    for point in curve.points:
        value = point.value.value
        if point.step > measured.step and value is not None and value < limit:
            return tr(
                "This step was too early: at step {step} of the same run the perplexity is "
                "{value}, below the limit of {limit}.",
                step=wording.step(point.step),
                value=wording.number(value, beside=limit),
                limit=wording.number(limit),
            )
    return None


def _still_falling(
    measured: Measured,
    criterion: Criterion,
    trend: Trend,
    curve: Curve,
    figures: tuple[str, ...],
    gate: Gate | None,
) -> list[Recommendation]:
    outlook = steps_to_reach(curve, _limit_on(curve, measured, criterion))
    if outlook is None:
        advice = tr(
            "Train longer: the held-out loss still falls. How many steps the limit is away cannot "
            "be read from these points."
        )
        return [_perplexity(advice, *figures)]
    if outlook.low is None:
        further = tr(
            "more than {factor} times the {steps} steps done",
            factor=wording.number(FACTOR),
            steps=wording.step(outlook.at),
        )
        slow = tr(
            "The held-out loss still falls, but too slowly for longer training alone: at this pace "
            "the limit takes {further}.",
            further=further,
        )
        advice = f"{slow} {_data_or_size(_distance(trend, curve))}"
        return [_perplexity(advice, *figures, *_size_figures(measured, gate))]
    if outlook.high is None:
        more = tr("at least {low}", low=wording.roughly(outlook.low))
    else:
        more = tr(
            "about {low} to {high}",
            low=wording.roughly(outlook.low),
            high=wording.roughly(outlook.high),
        )
    advice = tr(
        "Train longer: the held-out loss still falls, and going on as before the limit is {more} "
        "steps beyond step {step}. If the learning rate has already been decayed, plan a longer "
        "schedule instead of adding steps at its end.",
        more=more,
        step=wording.step(outlook.at),
    )
    return [_perplexity(advice, *figures)]


def _data_or_size(apart: float | None) -> str:
    """Which of the two comes first, by the distance of the held-out to the training loss."""
    if apart is None:
        return tr("A larger model or better data comes first.")
    if apart >= FAR:
        return tr(
            "Better data comes first: the held-out loss is {apart} nats above the training loss, "
            "so much of what is learnt does not carry over.",
            apart=wording.number(apart),
        )
    return tr(
        "A larger model comes first: the held-out loss is {apart} nats from the training loss, so "
        "what is learnt carries over.",
        apart=wording.signed(apart),
    )


def _flat(
    measured: Measured,
    trend: Trend,
    curve: Curve,
    figures: tuple[str, ...],
    gate: Gate | None,
) -> list[Recommendation]:
    """A larger model or better data. Which first, the distance to the training loss says."""
    larger = _perplexity(
        tr(
            "A larger model: the held-out loss no longer falls, so more steps of the same run will "
            "not bring the perplexity below its limit."
        ),
        *figures,
        *_size_figures(measured, gate),
    )
    data = _perplexity(
        tr(
            "Better data: where the loss is flat, cleaner and more varied text, nearer to the "
            "held-out text, lowers it at the same size; remove duplicates and boilerplate first."
        ),
        *figures,
    )
    apart = _distance(trend, curve)
    return [data, larger] if apart is not None and apart >= FAR else [larger, data]


def turned(trend: Trend, curve: Curve) -> str:
    """What to do about a curve that rises, jumps, or cannot be read."""
    best = wording.step(curve.best.step)
    if curve.shape == "overfitting":
        return tr(
            "The run overfits since step {best}: keep that checkpoint, and train on more or better "
            "data (fewer passes over the same text, duplicates removed) before training longer.",
            best=best,
        )
    if curve.shape == "unstable":
        return tr(
            "The held-out loss rises and falls again by more than its noise: lower the learning "
            "rate, warm up for longer or take larger batches, before anything else is changed. "
            "The lowest is step {best}.",
            best=best,
        )
    if curve.shape == "unclear":
        return tr(
            "Whether the held-out loss still falls is hidden by its noise: measure on a longer "
            "text (`--text FILE`) before deciding between longer training and a larger model."
        )
    if trend.training is None:
        return tr(
            "The held-out loss is rising since step {best}: keep that checkpoint. Whether the run "
            "overfits, only the training loss can tell: give `--train-text FILE`, or keep the "
            "trainer_state.json beside the checkpoint.",
            best=best,
        )
    return tr(
        "The held-out loss is rising since step {best} and the training loss does not fall, so it "
        "is not overfitting: look at the learning rate and at what changed in the data there.",
        best=best,
    )


# ----------------------------------------------------------------------------------------- figures


def text_figures(measured: Measured, criterion: Criterion) -> tuple[str, ...]:
    """Perplexity, limit, the gap between them, and the next-token accuracies."""
    if criterion.value is None or criterion.limit is None:
        return ()
    limit = wording.number(criterion.limit)
    if measured.text is None:
        return (
            tr(
                "perplexity {value}, limit below {limit}",
                value=wording.number(criterion.value, beside=criterion.limit),
                limit=limit,
            ),
        )
    return (
        tr(
            "perplexity {value}; limit below {limit}",
            value=wording.estimate(measured.text.perplexity),
            limit=limit,
        ),
        _gap(measured, criterion.value, criterion.limit),
        tr(
            "next token right: {top1} (target above 30 %), among the first five: {top5} (target "
            "above 60 %)",
            top1=_share(measured.text.top1.value),
            top5=_share(measured.text.top5.value),
        ),
    )


def _gap(measured: Measured, value: float, limit: float) -> str:
    nats = max(0.0, math.log(value / limit))  # 0 at the limit itself, which is not below it
    bits = measured.text.bits_per_byte if measured.text else None
    if bits is None or bits.value is None or value <= 1:
        return tr("gap {nats} nats per token", nats=wording.number(nats))
    # Loss per token and bits per byte of one text and one tokenizer are proportional.
    return tr(
        "gap {nats} nats per token, {bits} bits per byte",
        nats=wording.number(nats),
        bits=wording.number(bits.value * nats / math.log(value)),
    )


def _training_figures(trend: Trend) -> tuple[str, ...]:
    if trend.training is not None:
        return (
            tr(
                "training loss at step {since}: {before}, at step {until}: {after}",
                since=wording.step(trend.training.since),
                before=wording.number(trend.training.before),
                until=wording.step(trend.training.until),
                after=wording.number(trend.training.after),
            ),
        )
    if trend.training_at_end is not None:
        loss = wording.number(trend.training_at_end)
        return (tr("training loss at the last step: {loss}", loss=loss),)
    return ()


def _distance(trend: Trend, curve: Curve) -> float | None:
    """Held-out less training loss at the last step, in nats per token."""
    value = curve.points[-1].value.value
    if trend.training_at_end is None or curve.measure != "perplexity" or not value:
        return None
    return math.log(value) - trend.training_at_end


def _size_figures(measured: Measured, gate: Gate | None) -> tuple[str, ...]:
    if measured.parameters is None:
        return ()
    found = [tr("{million} parameters", million=wording.million(measured.parameters))]
    limits = gate.perplexity_max if gate is not None else None
    if limits is not None and measured.size_class not in (None, SIZE_CLASSES[-1]):
        larger = SIZE_CLASSES[SIZE_CLASSES.index(measured.size_class) + 1]
        if larger in limits:
            found.append(
                tr(
                    "in the next size class, {size}, the limit is {limit}",
                    size=larger,
                    limit=wording.number(limits[larger]),
                )
            )
    return tuple(found)


def _limit_on(curve: Curve, measured: Measured, criterion: Criterion) -> float:
    """The limit on perplexity in the measure of the curve; in bits per byte it is the one of this
    checkpoint's tokenizer.
    """
    limit, value = criterion.limit or 0.0, criterion.value or 0.0
    if curve.measure == "perplexity":
        return limit
    bits = measured.text.bits_per_byte if measured.text else None
    if bits is None or bits.value is None or limit <= 1 or value <= 1:
        return 0.0
    return bits.value * math.log(limit) / math.log(value)


def _share(value: float | None) -> str:
    return tr("not measured") if value is None else wording.percent(value)


def _folder(measured: Measured) -> str:
    return str(PurePath(measured.path).parent) if measured.path else "FOLDER"
