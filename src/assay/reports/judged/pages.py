"""The two pages about judged tests: the comparative analysis and the final summary."""

from collections.abc import Iterator, Sequence

from assay.messages import labelled, tr
from assay.reports.judged import sentences as said
from assay.reports.judged.section import judging_blocks
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
from assay.types.judging.judged import DomainDifference, DomainJudged, Judged, ModelJudged
from assay.types.judging.judgements import Band

FITS: dict[Band | None, bool] = {"EXCELLENT": True, "GOOD": True, "ACCEPTABLE": False}
SHOWN_FAULTS = 3
LONGEST_REMARK = 300


def comparative_analysis(of: Judged) -> Document:
    return Document(title=tr("Comparative analysis"), blocks=tuple(_analysis(of)))


def _analysis(of: Judged) -> Iterator[Block]:
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
    yield bullets(told for choice in of.choices if (told := said.left_out(of, choice)))
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
    yield bullets(said.band_meanings([name for name, count in of.bands.items() if count]))
    yield Figures(tuple(_criteria(of)))
    yield Paragraph(said.evidence_sentence(of))
    for title, remarks in (
        (tr("Strengths"), of.strengths),
        (tr("Weaknesses"), of.weaknesses),
        (tr("What the evidence shows against it"), of.failed_checks),
        (tr("Unscored"), of.unscored),
    ):
        if remarks:
            yield Heading(title, 4)
            reasons = said.by_reason(remarks)
            yield bullets(labelled(tests, one_line(text, longest=LONGEST_REMARK))
                          for text, tests in reasons)  # fmt: skip
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


def final_summary(of: Judged) -> Document:
    return Document(title=tr("Final summary"), blocks=tuple(_summary(of)))


def _summary(of: Judged) -> Iterator[Block]:
    yield Heading(tr("Final summary"), 1)
    if of.use_case:
        yield Paragraph(tr("Judged for this use: {use_case}", use_case=of.use_case))
    yield Heading(tr("Overall performance"))
    yield _performance(of) if of.models else Paragraph(tr("No model was judged."))
    yield bullets(said.band_meanings(each.band for model in of.models for each in model.domains))
    yield Heading(tr("Best-fit scenarios"))
    yield _fits(of)
    yield Heading(tr("Areas for improvement"))
    yield bullets(line for model in of.models for line in _faults(model))
    yield Heading(tr("Confidence"))
    for model in of.models:
        for domain in model.domains:
            name = said.domain_name(domain.domain)
            named = tr("{model}, {domain}", model=model.model, domain=name)
            yield Paragraph(named, "strong")
            yield bullets([*said.certainty(domain), said.evidence_sentence(domain)])
    yield from judging_blocks(of, level=2)
    yield from map(Note, of.notes)
    yield Heading(tr("Which model to use"))
    yield Paragraph(said.closing_sentence(of))


def _performance(of: Judged) -> Table:
    domains = map(said.domain_name, of.domains)
    measured = (tr("tokens/s"), tr("first token"), tr("memory"))
    heads = (tr("model"), tr("all domains alike"), *domains, *measured)
    return table(heads, (_row(model, of) for model in of.models))


def _row(model: ModelJudged, of: Judged) -> tuple[str, ...]:
    pace = model.pace
    speeds = (pace.tokens_per_s, pace.first_token_s) if pace else (None, None)
    return (
        model.model,
        numbers.figure(model.overall),
        *(_cell(model.domain(domain)) for domain in of.domains),
        *map(_measured, speeds),
        numbers.memory(pace.memory_bytes) if pace and pace.memory_bytes else "–",
    )


def _measured(of: Estimate | None) -> str:
    return "–" if of is None or not of.n else numbers.figure(of)


def _cell(of: DomainJudged | None) -> str:
    if of is None:
        return "–"
    return numbers.figure(of.mean) + ("" if of.band is None else f" {of.band}")


def _fits(of: Judged) -> Table:
    everything = tr("all tests")
    rows = (
        (
            model.model,
            f"{category or everything}, {said.domain_name(domain.domain)}",
            numbers.figure(mean),
            _fit(domain, category),
        )
        for model in of.models
        for domain in model.domains
        for category, mean in domain.categories.items()
    )
    return table((tr("model"), tr("category"), tr("mean"), tr("fits")), rows)


def _fit(of: DomainJudged, category: str) -> str:
    """What a model fails to show, it does not fit."""
    band = of.category_bands.get(category)
    if of.categories[category].incomplete:
        return tr("not known: too many answers are unscored")
    if band not in FITS:
        return tr("no")
    if category in of.unshown:
        return tr("no: its checks that passed are less than half by weight")
    return tr("yes") if FITS[band] else tr("where somebody checks its answers")


def _faults(model: ModelJudged) -> Iterator[str]:
    for domain in model.domains:
        gaps = {"model": model.model, "domain": said.domain_name(domain.domain)}
        if domain.weakest is not None:
            mean = next(each.mean for each in domain.criteria if each.label == domain.weakest)
            yield tr(
                "{model}, {domain}: {criterion} is the weakest criterion ({figure}).",
                criterion=domain.weakest,
                figure=numbers.figure(mean),
                **gaps,
            )
        faults = [*domain.failed_checks[:SHOWN_FAULTS], *domain.weaknesses[:SHOWN_FAULTS]]
        for each in dict.fromkeys(faults):  # a judge may say what the evidence shows
            yield tr("{model}, {domain}: {test}: {what}", test=each.test_id, what=each.text, **gaps)
