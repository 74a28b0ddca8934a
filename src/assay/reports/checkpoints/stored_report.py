"""evaluation_report.json read back. Nothing in it is trusted: what is missing, out of bounds or at
odds with another figure is refused with its key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from assay.errors import InvalidFiles
from assay.messages import tr
from assay.reports.checkpoints.file_names import REPORT_FILE
from assay.reports.checkpoints.json_documents import headline
from assay.types import FileFinding, Health
from assay.types.decisions import Measurements, Sample, SpeedFigures, TextFigures

if TYPE_CHECKING:
    from assay.reports.checkpoints.report_shapes import (
        Details,
        EvaluationReport,
        SampleShape,
    )


def measured_from(document: object, *, source: str = REPORT_FILE) -> Measurements:
    """What was measured. `source` names the file in what is refused."""
    report = _checked(document, source)
    details, model = report.details, report.details.model
    written = details.generation
    measured = Measurements(
        name=report.checkpoint,
        **model.model_dump(exclude={"failed"}),
        text=_text(details),
        suites=details.suites,
        mmlu_cs=details.mmlu_cs,
        hellaswag=details.hellaswag,
        speed=_speed(details),
        memory_mb=details.memory_usage_mb,
        memory=details.memory or {},
        samples=None if written is None else tuple(map(_sample, written.samples)),
        tokenizer=details.tokenizer,
        not_measured=details.not_measured,
        training_loss=dict(details.training_loss),
        timestamp=report.timestamp,
        provenance=details.provenance,
        failed=model.failed or "",
    )
    above = report.model_dump(exclude={"details"})
    for key, value in headline(measured).items():  # a difference was made by hand
        if above[key] != value:
            _refuse(source, tr("{key} is at odds with details.{key}.", key=key))
    return measured


def _checked(document: object, source: str) -> EvaluationReport:
    from pydantic import ValidationError

    from assay.reports.checkpoints.report_shapes import EvaluationReport

    try:
        return EvaluationReport.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"])) or source
        _refuse(
            source, tr("{key}: {what}.", key=key, what=first["msg"].removeprefix("Value error, "))
        )


def _refuse(source: str, sentence: str) -> NoReturn:
    raise InvalidFiles(
        tr("{file} cannot be used: {why}", file=source, why=sentence),
        [FileFinding(file=source, line=1, column=1, message=sentence)],
        hint=tr("Evaluate the checkpoint again with: assay run"),
    )


def _text(details: Details) -> TextFigures | None:
    """None where a figure beside it is missing: then all of them were not measured."""
    text = details.text
    perplexity, top1, top5 = details.perplexity, details.accuracy_top1, details.accuracy_top5
    if text is None or perplexity is None or top1 is None or top5 is None:
        return None
    return TextFigures(
        perplexity=perplexity,
        per_word=details.perplexity_per_word,
        per_byte=details.perplexity_per_byte,
        bits_per_byte=details.bits_per_byte,
        top1=top1,
        top5=top5,
        **text.model_dump(),
    )


def _speed(details: Details) -> SpeedFigures | None:
    if details.speed is None or details.inference_speed is None:
        return None
    noted = details.speed.model_dump()
    return SpeedFigures(
        tokens_per_s=details.inference_speed,
        runs_per_s=noted.pop("runs_per_s"),
        details=noted,
    )


def _sample(of: SampleShape) -> Sample:
    health = None if of.checks is None else Health(checks=of.checks)
    as_stored = of.model_dump(exclude={"all_passed", "checks", "failed"})
    return Sample(health=health, failed=of.failed or "", **as_stored)
