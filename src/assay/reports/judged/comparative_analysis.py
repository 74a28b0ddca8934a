"""The comparative analysis: each model by domain, its strengths and weaknesses, its trends, what
the models differ in, and what each is for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.messages import tr
from assay.reports.judged import sentences as said
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types import Estimate
from assay.types.documents import (
    Block,
    Document,
    Figures,
    Heading,
    Note,
    Paragraph,
    Table,
    bullets,
    table,
)
from assay.types.judged import DomainDifference, DomainJudged, Judged, ModelJudged, Remark

LONGEST_REMARK = 300


def comparative_analysis(of: Judged) -> Document:
    return Document(title=tr("Comparative analysis"), blocks=tuple(_blocks(of)))


def _blocks(of: Judged) -> Iterator[Block]:
    yield Heading(tr("Comparative analysis"), 1)
    if of.judges:
        yield Paragraph(tr("Judged by {judges}.", judges=", ".join(of.judges)))
    if of.use_case:
        yield Paragraph(tr("Judged for this use: {use_case}", use_case=of.use_case))
    if not of.models:
        yield Paragraph(tr("No model was judged."))
    for model in of.models:
        yield from _model(model)
    if of.differences:
        yield Heading(tr("Differences between models"))
        yield Paragraph(
            tr(
                "Paired by test: the second model less the first, in points of 10. A difference is "
                "significant where the 95 % interval leaves out 0 and p is below 0.05."
            )
        )
        yield _differences(of.differences)
    yield Heading(tr("Recommendations for use"))
    yield bullets(said.choice_sentence(choice) for choice in of.choices)
    yield bullets(told for choice in of.choices if (told := said.left_out(choice)))
    yield from map(Note, of.notes)


def _model(model: ModelJudged) -> Iterator[Block]:
    yield Heading(model.model)
    rows = [(tr("all domains alike"), model.overall)] if len(model.domains) > 1 else []
    rows += [(said.domain_name(each.domain), each.mean) for each in model.domains]
    yield Figures(tuple(rows))
    for domain in model.domains:
        yield from _domain(domain)
    if model.over_runs:
        yield Heading(tr("Over runs"), 3)
    for each in model.over_runs:
        name = said.domain_name(each.domain)
        rows = [(f"{name}, {point.run}, {point.when}", point.mean) for point in each.points]
        yield Figures(tuple(rows))
        yield bullets(said.over_runs(each))


def _domain(of: DomainJudged) -> Iterator[Block]:
    yield Heading(said.domain_name(of.domain), 3)
    yield Paragraph(f"{said.bands(of)}.")
    yield Figures(tuple(_criteria(of)))
    yield Paragraph(said.evidence_sentence(of))
    yield from _remarks(tr("Strengths"), of.strengths)
    yield from _remarks(tr("Weaknesses"), of.weaknesses)
    yield from _remarks(tr("What the evidence shows against it"), of.failed_checks)
    yield from _remarks(tr("Unscored"), of.unscored)
    if len(of.categories) > 1:
        yield Heading(tr("Across categories"), 4)
        bands = of.category_bands
        named = (
            (f"{name or '–'} {bands.get(name, '')}", of.categories[name]) for name in of.categories
        )
        yield Figures(tuple(named))


def _criteria(of: DomainJudged) -> Iterator[tuple[str, Estimate]]:
    yield tr("overall"), of.mean
    if of.bounded:
        yield tr("overall by the judge alone"), of.judge_only
    for one in of.criteria:
        yield one.label, one.mean
        if one.mean != one.judged:
            yield tr("{criterion} by the judge alone", criterion=one.label), one.judged


def _remarks(title: str, remarks: Sequence[Remark]) -> Iterator[Block]:
    if remarks:
        yield Heading(title, 4)
        yield bullets(
            f"{tests}: {one_line(text, longest=LONGEST_REMARK)}"
            for text, tests in said.by_reason(remarks)
        )


def _differences(found: Sequence[DomainDifference]) -> Table:
    heads = (
        tr("domain"), tr("first"), tr("second"), tr("difference, 95 % interval"), tr("pairs"),
        tr("higher"), tr("lower"), "p",
    )  # fmt: skip
    rows = (
        (
            said.domain_name(each.domain),
            each.a,
            each.b,
            numbers.difference(each.difference),
            numbers.count(each.difference.n),
            numbers.count(each.higher),
            numbers.count(each.lower),
            numbers.p_value(each.p_value),
        )
        for each in found
    )
    return table(heads, rows, right=(3, 4, 5, 6, 7))
