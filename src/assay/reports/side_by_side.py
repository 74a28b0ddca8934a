"""Answers of several models to the same prompts, beside each other."""

from collections.abc import Iterator

from assay.messages import tr
from assay.reports.sentences import spoken
from assay.types.conversations import conversation_text
from assay.types.documents import Beside, Block, Document, Heading, Paragraph, Verbatim
from assay.types.results import ModelReport, Report, TestRow


def answers_document(report: Report) -> Document:
    return Document(title=tr("Answers"), blocks=tuple(_blocks(report)), out=report.out)


def _blocks(report: Report) -> Iterator[Block]:
    rows = {model.spec: list(_rows(model)) for model in report.models}
    for index, asked in enumerate(_rows(report.models[0])):
        yield Heading(asked.id)
        yield Verbatim(conversation_text(asked.turns, spoken) if asked.turns else asked.question)
        yield Beside(
            tuple(
                (model, tuple(_answer(tests[index])))
                for model, tests in rows.items()
                if index < len(tests)
            )
        )


def _rows(model: ModelReport) -> Iterator[TestRow]:
    for suite in model.suites:
        yield from suite.tests


def _answer(row: TestRow) -> Iterator[Paragraph | Verbatim]:
    for number, one in enumerate(row.repeats or (row,), start=1):
        if row.repeats:
            yield Paragraph(tr("try {number}", number=number), "dim")
        if one.answer is None:
            yield Paragraph(one.explanation, "bad")
        else:
            yield Verbatim(one.answer)
