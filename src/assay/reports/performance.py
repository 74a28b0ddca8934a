"""performance.md: the quantitative side of a run, there without a judge too: the machine, and
model by model what it is, how quick and how it ended.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from assay.messages import tr
from assay.reports import quantities, sentences
from assay.types.documents import (
    Block,
    Document,
    Figures,
    Heading,
    Note,
    Paragraph,
    Span,
    bullets,
    facts,
)
from assay.types.results import ModelReport, Report


def performance_document(report: Report) -> Document:
    """Requests answered and failed, seconds and tokens, model by model."""
    title = tr("Performance of run {run}", run=report.run)
    return Document(title=title, blocks=(Heading(title, 1), *_blocks(report)), out=report.out)


def _blocks(report: Report) -> Iterator[Block]:
    yield Paragraph(sentences.state(report))
    yield from map(Note, report.notes)
    if report.machine is not None:
        yield Heading(tr("The machine that asked"))
        yield facts(sentences.machine(report.machine))
    for model in report.models:
        yield from _model(model)
    command = f"assay export {shlex.quote(report.run)} --format csv"
    yield Paragraph((tr("Every try: "), Span(command, "code")))
    yield Paragraph(
        tr(
            "Seconds are those of the whole request by the client's clock; loading and "
            "prefill are by the server's. Tokens are as the model counted them; "
            "“unscored” counts answers without the figure."
        )
    )


def _model(model: ModelReport) -> Iterator[Block]:
    measured = model.performance
    seen = () if model.observed is None else sentences.observed(model.observed)
    yield Heading(model.spec)
    yield facts([*model.about.items(), *seen])
    yield from map(Note, sentences.speed_notes(model))
    yield Paragraph(quantities.answered(measured))
    yield Figures(tuple(quantities.figures(measured)))
    yield bullets(quantities.notes(measured))
