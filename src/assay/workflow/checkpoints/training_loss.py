"""A checkpoint's training loss, in nats per token: `trainer_state.json`, else `--train-text`."""

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from assay.files.file_text import Refused, read_bytes
from assay.messages import tr
from assay.models.http.faults import reported_number
from assay.summary.checkpoints import text_figures
from assay.types import Reply
from assay.types.decisions import DecisionPlan, PlannedCheckpoint

TRAINER_STATE = "trainer_state.json"
MOST_BYTES = 64_000_000
MOST_KEPT = 1_000  # of a longer log, neighbours are put together

Losses = tuple[tuple[float, float], ...]


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
    # The final one has no step to draw a curve by; its loss stands in the provenance alone.
    losses = {} if subject.step is None else {subject.step: loss}
    text = {
        "text": deciding.train_text,
        "digest": deciding.train_text_digest,
        "loss": loss,
        "tokens": figures.perplexity.n,
    }
    return losses, "", {"training_text": text}


def training_log(path: Path, folder: Path | None, step: float | None) -> tuple[Losses, str]:
    """The log beside a checkpoint, else in its parent, up to its step; and why it is not used."""
    beside = [path] if folder is not None and path == folder else [path, path.absolute().parent]
    for place in beside:
        file = place / TRAINER_STATE
        if os.path.lexists(file):
            read = _read(file)
            if isinstance(read, str):
                return (), tr("{file} is left out: {why}", file=file, why=read)
            until = math.inf if step is None else step
            return _fewer([each for each in read if each[0] <= until]), ""
    return (), ""


def _read(file: Path) -> Losses | str:
    try:
        document = json.loads(read_bytes(file, MOST_BYTES, kind=tr("a log is a JSON file")))
    except Refused as refused:
        return refused.finding.message
    except (ValueError, RecursionError):
        return tr("it is not JSON")
    history = document.get("log_history") if isinstance(document, dict) else None
    if not isinstance(history, list):
        return tr("it has no log_history")
    found = dict(_logged(history))  # a step that was trained again after a stop counts as it ended
    if not found:
        return tr("its log_history names no loss")
    return tuple(sorted(found.items()))


def _logged(history: Sequence[object]) -> Iterator[tuple[float, float]]:
    for entry in history:
        if isinstance(entry, dict):
            step, loss = (reported_number(entry.get(name)) for name in ("step", "loss"))
            # A cross-entropy is never below 0: one that is was of another objective.
            if step is not None and loss is not None and step >= 0 and loss >= 0:
                yield step, loss


def _fewer(losses: Sequence[tuple[float, float]]) -> Losses:
    together = -(-len(losses) // MOST_KEPT)
    if together <= 1:
        return tuple(losses)
    groups = (losses[start : start + together] for start in range(0, len(losses), together))
    return tuple(
        (group[-1][0], math.fsum(loss for _, loss in group) / len(group)) for group in groups
    )
