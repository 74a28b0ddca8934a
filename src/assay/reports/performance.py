"""performance.md: the machine; how quick each model was and how it ended; every try."""

import shlex
from collections.abc import Iterator

from assay.messages import tr
from assay.reports import quantities, sentences
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types import documents
from assay.types.documents import Block, Document, Heading, Note, Paragraph, Span, facts, table
from assay.types.performance import TryFigures
from assay.types.results import ModelReport, Report

SHOWN_TRIES = 2000  # rows a browser still shows at once; the export has them all
LONGEST_FINISH = 40


def performance_document(report: Report) -> Document:
    title = tr("Performance of run {run}", run=report.run)
    return Document(title=title, blocks=(Heading(title, 1), *_blocks(report)), out=report.out)


def _blocks(report: Report) -> Iterator[Block]:
    yield Paragraph(sentences.state(report))
    yield from map(Note, report.notes)
    if report.machine is not None:
        yield Heading(tr("The machine that asked"))
        yield facts(sentences.machine(report.machine))
    for model in report.models:
        yield from _model(report, model)
    yield Paragraph(
        tr(
            "Seconds are those of the whole request by the client's clock; loading and "
            "prefill are by the server's. Tokens are as the model counted them; "
            "“unscored” counts answers without the figure."
        )
    )


def _model(report: Report, model: ModelReport) -> Iterator[Block]:
    measured = model.performance
    seen = () if model.observed is None else sentences.observed(model.observed)
    yield Heading(model.spec)
    yield facts([*model.about.items(), *seen])
    yield from map(Note, sentences.speed_notes(model))
    yield Paragraph(quantities.answered(measured))
    yield documents.Figures(tuple(quantities.figures(measured)))
    yield documents.bullets(quantities.notes(measured))
    if model.tries:
        yield Heading(tr("Every try"), 3)
        yield _tries(model.tries[:SHOWN_TRIES])
        left = len(model.tries) - SHOWN_TRIES
        if left > 0:
            more = tr("Tries not shown here: {count}; every one: ", count=numbers.count(left))
            command = f"assay export {shlex.quote(report.run)} --format csv"
            yield Paragraph((more, Span(command, "code")))


def _tries(tries: tuple[TryFigures, ...]) -> documents.Table:
    heads = (
        tr("suite"), tr("test"), tr("try"), tr("seconds"), tr("first token, s"), tr("load, s"),
        tr("other, s"), tr("prefill, tokens/s"), tr("decode, tokens/s"), tr("tokens in"),
        tr("tokens out"), tr("cold or warm"), tr("finish"), tr("attempts"), tr("failure"),
    )  # fmt: skip
    return table(heads, map(_try, tries), right=(*range(2, 11), 13))


def _try(row: TryFigures) -> tuple[str, ...]:
    prefill = numbers.raw(row.prefill_tokens_per_s, "tokens/s")
    return (
        row.suite,
        row.test,
        numbers.count(row.repeat + 1),
        numbers.raw(row.seconds, "s"),
        numbers.raw(row.first_token_s, "s"),
        numbers.raw(row.load_s, "s"),
        numbers.raw(row.other_s, "s"),
        f"≤ {prefill}" if row.prefill_at_most else prefill,
        numbers.raw(row.decode_tokens_per_s, "tokens/s"),
        numbers.raw(row.prompt_tokens, "tokens"),
        numbers.raw(row.output_tokens, "tokens"),
        quantities.cold_or_warm(row.cold),
        one_line(row.finish, longest=LONGEST_FINISH) or "–",
        numbers.count(row.attempts),
        "–" if row.failure is None else quantities.cause(row.failure),
    )
