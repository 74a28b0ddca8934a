"""The loss on the training text, which shows whether a run overfits: read again, or as logged."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.files.shapes import Number
from assay.measures.perplexity import reading, text_figures
from assay.plugins import measure
from assay.types import Reply
from assay.types.decisions import DecisionPlan, Measurements, PlannedCheckpoint
from assay.types.measures import Asking, Measure, MeasureRequest, Places, TakenReplies


@measure("training", unit="nats", better="lower")
class TrainingLoss(Measure):
    """The loss per token on a sample of the training text."""

    places = Places(keys=90, asking=15)
    kind = "training"
    shapes = {"training_loss": (tuple[tuple[Number, Number], ...], ...)}

    def ask(self, asking: Asking) -> Iterator[MeasureRequest]:
        return reading(asking, self.kind)

    def take(self, measured: Measurements, taken: TakenReplies) -> Measurements:
        losses, why, noted = training_figures(taken.subject, taken.of(self.kind), taken.deciding)
        reasons = {"training_loss": why} if why else {}
        return replace(
            measured,
            training_loss=losses,
            not_measured={**measured.not_measured, **reasons},
            provenance={**measured.provenance, **noted},
        )

    def details(self, measured: Measurements) -> Mapping[str, object]:
        return {"training_loss": list(measured.training_loss.items())}

    def read(self, measured: Measurements, details: Any) -> Measurements:
        return replace(measured, training_loss=dict(details.training_loss))


def training_figures(
    subject: PlannedCheckpoint, replies: Sequence[Reply], deciding: DecisionPlan | None
) -> tuple[Mapping[float, float], str, Mapping[str, object]]:
    """The losses by step, why there are none where there should be, and what to note of them."""
    if deciding is None or "training" not in deciding.measures:
        return dict(subject.training), subject.training_note, {}
    figures, why = text_figures(replies, text=deciding.train_text_digest, tokenizer="")
    if figures is None or figures.perplexity.value is None:
        return {}, why, {}
    loss = math.log(figures.perplexity.value)
    # The final one has no step to draw a curve by; its loss is in the provenance alone.
    losses = {} if subject.step is None else {subject.step: loss}
    text = {
        "text": deciding.train_text,
        "digest": deciding.train_text_digest,
        "loss": loss,
        "tokens": figures.perplexity.n,
    }
    return losses, "", {"training_text": text}
