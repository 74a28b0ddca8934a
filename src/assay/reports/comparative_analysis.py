"""The comparative analysis: each model by domain, its strengths and weaknesses, its trends, what
the models differ in, and what each is for.

In: a Judged. Out: Markdown. What a judge, a model or a file wrote is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.messages import tr
from assay.reports import judged_sentences as said
from assay.reports.markdown_blocks import bullets, figures, joined, table
from assay.text import number_format as numbers
from assay.text.safe_text import markdown_inline as inline
from assay.types import Estimate
from assay.types.judged import DomainDifference, DomainJudged, Judged, ModelJudged, Remark

LONGEST_REMARK = 300


def comparative_analysis(of: Judged) -> str:
    """The whole page."""
    return joined(_blocks(of))


def _blocks(of: Judged) -> Iterator[str | None]:
    yield f"# {tr('Comparative analysis')}"
    if of.judges:
        yield inline(tr("Judged by {judges}.", judges=", ".join(of.judges)))
    if of.use_case:
        yield inline(tr("Judged for this use: {use_case}", use_case=of.use_case))
    if not of.models:
        yield tr("No model was judged.")
    for model in of.models:
        yield from _model(model)
    if of.differences:
        yield f"## {tr('Differences between models')}"
        yield inline(
            tr(
                "Paired by test: the second model less the first, in points of 10. Two models are "
                "told apart where the 95 % interval leaves out 0 and p is below 0.05."
            )
        )
        yield _differences(of.differences)
    yield f"## {tr('Recommendations for use')}"
    yield bullets(said.choice_sentence(choice) for choice in of.choices)
    yield bullets(told for choice in of.choices if (told := said.left_out(choice)) is not None)
    yield bullets(of.notes)


# --------------------------------------------------------------------------------------- one model


def _model(model: ModelJudged) -> Iterator[str | None]:
    yield f"## {inline(model.model)}"
    rows = [(tr("all domains alike"), model.overall)] if len(model.domains) > 1 else []
    rows += [(said.domain_name(each.domain), each.mean) for each in model.domains]
    yield figures(rows)
    for domain in model.domains:
        yield from _domain(domain)
    yield from _over_runs(model)
    if model.pace is not None:
        measured = list(said.pace_figures(model.pace))
        if measured or model.pace.memory_bytes:
            yield f"### {tr('Speed and size')}"
        if measured:
            yield figures(measured)
        if model.pace.memory_bytes:
            yield inline(tr("Memory: {size}.", size=said.memory(model.pace)))


def _domain(of: DomainJudged) -> Iterator[str | None]:
    yield f"### {inline(said.domain_name(of.domain))}"
    yield inline(f"{said.bands(of)}.")
    yield figures(_criteria(of))
    yield bullets([*_extremes(of), said.evidence_told(of)])
    yield from _remarks(tr("Strengths"), of.strengths)
    yield from _remarks(tr("Weaknesses"), of.weaknesses)
    yield from _remarks(tr("What the evidence shows against it"), of.failed_checks)
    yield from _remarks(tr("Unscored"), of.unscored)
    if len(of.categories) > 1:
        yield f"#### {tr('Across categories')}"
        yield _categories(of)


def _criteria(of: DomainJudged) -> Iterator[tuple[str, Estimate]]:
    yield tr("overall"), of.mean
    if of.capped:
        yield tr("overall by the judge alone"), of.judge_only
    for one in of.criteria:
        yield one.label, one.mean
        if one.mean != one.judged:
            yield tr("{criterion} by the judge alone", criterion=one.label), one.judged


def _extremes(of: DomainJudged) -> Iterator[str]:
    if of.best is not None:
        yield tr("Best criterion: {criterion}.", criterion=of.best)
    if of.weakest is not None:
        yield tr("Weakest criterion: {criterion}.", criterion=of.weakest)


def _remarks(title: str, remarks: Sequence[Remark]) -> Iterator[str | None]:
    if remarks:
        yield f"#### {title}"
        yield "\n".join(
            f"- {inline(tests)}: {inline(text, longest=LONGEST_REMARK)}"
            for text, tests in said.by_reason(remarks)
        )


def _categories(of: DomainJudged) -> str:
    heads = (
        tr("category"), tr("mean of 10"), tr("95 % interval"), tr("tests"), tr("unscored"),
        tr("band"),
    )  # fmt: skip
    rows = (
        (
            inline(name or "–"),
            numbers.value(mean),
            inline(numbers.interval(mean)),
            numbers.count(mean.n),
            numbers.count(mean.unscored),
            of.category_bands.get(name, "–"),
        )
        for name, mean in of.categories.items()
    )
    return table(heads, rows, right=(1, 2, 3, 4))


def _over_runs(model: ModelJudged) -> Iterator[str | None]:
    if not model.over_runs:
        return
    yield f"### {tr('Over runs')}"
    for each in model.over_runs:
        heads = (
            tr("run"), tr("when"), said.domain_name(each.domain), tr("95 % interval"), "n",
            tr("unscored"),
        )  # fmt: skip
        rows = (
            (
                inline(point.run),
                inline(point.when),
                numbers.value(point.mean),
                inline(numbers.interval(point.mean)),
                numbers.count(point.mean.n),
                numbers.count(point.mean.unscored),
            )
            for point in each.points
        )
        yield table(heads, rows, right=(2, 3, 4, 5))
        yield bullets(said.over_runs(each))


# ---------------------------------------------------------------------------------- between models


def _differences(found: Sequence[DomainDifference]) -> str:
    heads = (
        tr("domain"), tr("first"), tr("second"), tr("difference, 95 % interval"), tr("pairs"),
        tr("higher"), tr("lower"), "p", "",
    )  # fmt: skip
    rows = (
        (
            inline(said.domain_name(each.domain)),
            inline(each.a),
            inline(each.b),
            inline(numbers.difference(each.difference)),
            numbers.count(each.difference.n),
            numbers.count(each.higher),
            numbers.count(each.lower),
            inline(numbers.p_value(each.p_value)),
            said.difference(each),
        )
        for each in found
    )
    return table(heads, rows, right=(3, 4, 5, 6, 7))
