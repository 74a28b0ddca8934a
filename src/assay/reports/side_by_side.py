"""Answers of several models to the same prompts, beside each other."""

from collections.abc import Iterator, Mapping

from assay.messages import tr
from assay.reports.json_values import JsonObject
from assay.reports.sentences import spoken
from assay.text import number_format as numbers
from assay.types.conversations import conversation_text
from assay.types.documents import Beside, Block, Document, Heading, Paragraph, Verbatim
from assay.types.measured.performance import TrialFigures
from assay.types.requests import LOOP
from assay.types.results import ModelReport, Report, TestRow

Figures = Mapping[tuple[str, int], TrialFigures]
CUT = "length"  # as servers have it


def answers_document(report: Report) -> Document:
    return Document(title=tr("Answers"), blocks=tuple(_blocks(report)), out=report.out)


def _blocks(report: Report) -> Iterator[Block]:
    rows = {model.spec: (list(_rows(model)), figures_of(model)) for model in report.models}
    for index, asked in enumerate(_rows(report.models[0])):
        yield Heading(asked.id)
        yield Verbatim(conversation_text(asked.turns, spoken) if asked.turns else asked.question)
        yield Beside(
            tuple(
                (model, tuple(_answer(tests[index], figures)))
                for model, (tests, figures) in rows.items()
                if index < len(tests)
            )
        )


def figures_of(model: ModelReport) -> Figures:
    return {(each.test, each.repeat): each for each in model.trials}


def answer_figures(of: TrialFigures | None, temperature: float | None) -> JsonObject:
    """What an answer took, as JSON has it; None is unknown."""
    return {
        "seconds": of.seconds if of else None,
        "tokens": of.output_tokens if of else None,
        "tokens_per_s": of.decode_tokens_per_s if of else None,
        "cut": bool(of and of.finish in (CUT, LOOP)),
        "temperature": temperature,
    }


def _rows(model: ModelReport) -> Iterator[TestRow]:
    for suite in model.suites:
        yield from suite.tests


def _answer(row: TestRow, figures: Figures) -> Iterator[Paragraph | Verbatim]:
    for number, one in enumerate(row.repeats or (row,), start=1):
        if row.repeats:
            yield Paragraph(tr("try {number}", number=number), "dim")
        if one.answer is None:
            yield Paragraph(one.explanation, "bad")
            continue
        yield Verbatim(one.answer)
        took = figures.get((row.id, one.repeat))
        if said := ", ".join(_took(took, row.temperature)):
            is_cut = took is not None and took.finish in (CUT, LOOP)
            yield Paragraph(said, "warning" if is_cut else "dim")


def _took(of: TrialFigures | None, temperature: float | None) -> Iterator[str]:
    if of is not None:
        if of.seconds is not None:
            yield numbers.duration(of.seconds)
        if of.output_tokens is not None:
            yield tr("{count} tokens", count=numbers.count(of.output_tokens))
        if of.decode_tokens_per_s is not None:
            yield tr("{speed} tokens/s", speed=numbers.readable(of.decode_tokens_per_s))
        if of.finish == CUT:
            yield tr("cut at its maximum of tokens")
        if of.finish == LOOP:
            yield tr("stopped: it repeated itself")
    if temperature is not None:
        yield tr("temperature {value}", value=numbers.exact(temperature))
