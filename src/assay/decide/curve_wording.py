"""A curve in a few words: the change that its shape rests on, or its values.

In: a Curve. Out: short text.
"""

from __future__ import annotations

from assay.decide import wording
from assay.decide.trend import Curve
from assay.messages import tr

SHOWN = 8  # values of a curve in one line


def curve_figure(curve: Curve) -> str:
    """The change that the shape rests on; the last values where there is none."""
    change = curve.telling
    shown = curve.points[-SHOWN:]
    if change is None or curve.shape in ("unstable", "too_few"):
        return tr(
            "{measure} at steps {first} to {last}: {values}, n = {n}",
            measure=measure_name(curve),
            first=wording.step(shown[0].step),
            last=wording.step(shown[-1].step),
            values=", ".join(wording.number(point.value.value or 0.0) for point in shown),
            n=wording.count(shown[-1].value.n),
        )
    return tr(
        "step {since} to {until}: {unit} {change}",
        since=wording.step(change.since),
        until=wording.step(change.until),
        unit=unit_name(curve),
        change=wording.change(change.estimate),
    )


def measure_name(curve: Curve) -> str:
    """As a reader says it."""
    if curve.measure == "perplexity":
        return tr("perplexity")
    if curve.measure == "bits_per_byte":
        return tr("bits per byte")
    if curve.measure == "weighted_score":
        return tr("weighted score")
    return tr("score of {suite}", suite=curve.measure.removeprefix("suite:"))


def unit_name(curve: Curve) -> str:
    """What a change is in."""
    return {
        "nats": tr("held-out nats per token"),
        "bits": tr("held-out bits per byte"),
        "points": tr("points of the {measure}", measure=measure_name(curve)),
        "score": tr("weighted score"),
    }[curve.unit]
