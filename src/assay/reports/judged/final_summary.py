"""The final summary: how good each model is, what it is for, what to improve, how sure that is, how
good the judge is; and one closing sentence.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.messages import tr
from assay.reports.judged import sentences as said
from assay.reports.judged.judging import judging_blocks
from assay.text import number_format as numbers
from assay.types import Estimate
from assay.types.documents import Block, Document, Heading, Note, Paragraph, Table, bullets, table
from assay.types.judged import DomainJudged, Judged, ModelJudged
from assay.types.judgements import Band

FITS: dict[Band | None, bool] = {"EXCELLENT": True, "GOOD": True, "ACCEPTABLE": False}
SHOWN_FAULTS = 3


def final_summary(of: Judged) -> Document:
    return Document(title=tr("Final summary"), blocks=tuple(_blocks(of)))


def _blocks(of: Judged) -> Iterator[Block]:
    yield Heading(tr("Final summary"), 1)
    if of.use_case:
        yield Paragraph(tr("Judged for this use: {use_case}", use_case=of.use_case))
    yield Heading(tr("Overall performance"))
    yield _performance(of) if of.models else Paragraph(tr("No model was judged."))
    yield Heading(tr("Best-fit scenarios"))
    yield _fits(of)
    yield Heading(tr("Areas for improvement"))
    yield bullets(line for model in of.models for line in _faults(model))
    yield Heading(tr("Confidence"))
    for model in of.models:
        for domain in model.domains:
            named = tr("{model}, {domain}", model=model.model, domain=_name(domain))
            yield Paragraph(named, "strong")
            yield bullets([*said.certainty(domain), said.evidence_sentence(domain)])
    yield from judging_blocks(of, level=2)
    yield from map(Note, of.notes)
    yield Heading(tr("Which model to use"))
    yield Paragraph(said.closing_sentence(of))


def _name(of: DomainJudged) -> str:
    return said.domain_name(of.domain)


def _performance(of: Judged) -> Table:
    heads = (
        tr("model"),
        tr("all domains alike"),
        *(said.domain_name(domain) for domain in of.domains),
        tr("tokens/s"),
        tr("first token"),
        tr("memory"),
    )
    return table(heads, (_row(model, of) for model in of.models))


def _row(model: ModelJudged, of: Judged) -> tuple[str, ...]:
    pace = model.pace
    return (
        model.model,
        numbers.figure(model.overall),
        *(_cell(model.domain(domain)) for domain in of.domains),
        _measured(None if pace is None else pace.tokens_per_s),
        _measured(None if pace is None else pace.first_token_s),
        said.memory(pace),
    )


def _measured(of: Estimate | None) -> str:
    return "–" if of is None or not of.n else numbers.figure(of)


def _cell(of: DomainJudged | None) -> str:
    if of is None:
        return "–"
    return numbers.figure(of.mean) + ("" if of.band is None else f" {of.band}")


def _fits(of: Judged) -> Table:
    """Category by category: what a model can be used for."""
    rows = (
        (
            model.model,
            f"{category or tr('all tests')}, {_name(domain)}",
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
    if category in of.unshown or band not in FITS:
        return tr("no")
    return tr("yes") if FITS[band] else tr("where somebody checks its answers")


def _faults(model: ModelJudged) -> Iterator[str]:
    for domain in model.domains:
        gaps = {"model": model.model, "domain": _name(domain)}
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
