"""The final summary: how good each model is, what it is for, what to improve, how sure that is, how
good the judge is; and one closing sentence.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.messages import tr
from assay.reports.judge_card import judges_blocks
from assay.reports.judged import sentences as said
from assay.reports.judged.agreement import agreement_blocks
from assay.reports.judged.deviation import deviation_blocks
from assay.text import number_format as numbers
from assay.types import Estimate
from assay.types.documents import Block, Document, Heading, Note, Paragraph, Table, bullets, table
from assay.types.judged import DomainJudged, Judged, ModelJudged
from assay.types.judgements import Band

FITS: frozenset[Band] = frozenset({"EXCELLENT", "GOOD"})
FITS_WITH_CARE: frozenset[Band] = frozenset({"ACCEPTABLE"})
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
    yield bullets(line for model in of.models for line in _fits(model))
    yield Heading(tr("Areas for improvement"))
    yield bullets(line for model in of.models for line in _faults(model))
    yield Heading(tr("Confidence"))
    for model in of.models:
        for domain in model.domains:
            named = tr("{model}, {domain}", model=model.model, domain=_name(domain))
            yield Paragraph(named, "strong")
            yield bullets([*said.certainty(domain), said.evidence_sentence(domain)])
    yield from judges_blocks(of.judged_by, level=2)
    if of.deviations:
        yield Heading(tr("How far the judge is from known scores"))
        yield from deviation_blocks(of.deviations)
    yield from agreement_blocks(of.agreements, level=2)
    kept_apart = list(said.isolation(of))
    if kept_apart:
        yield Heading(tr("What was run"))
        yield bullets(kept_apart)
    if of.costs:
        yield Heading(tr("What judging took"))
        yield bullets(map(said.cost, of.costs))
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


def _fits(model: ModelJudged) -> Iterator[str]:
    """Categories by band: what it can be used for, with a reader's check, and what not."""
    for domain in model.domains:
        thin = [
            name or tr("all tests") for name, mean in domain.categories.items() if mean.incomplete
        ]
        for bands, sentence in (
            (FITS, tr("{model} fits: {what}.")),
            (FITS_WITH_CARE, tr("{model} fits where somebody checks its answers: {what}.")),
            (frozenset({"POOR", "FAILED"}), tr("{model} does not fit: {what}.")),
        ):
            named = [
                tr(
                    "{category} ({domain}, {figure})",
                    category=category or tr("all tests"),
                    domain=_name(domain),
                    figure=numbers.figure(mean),
                )
                for category, mean in domain.categories.items()
                if _band(domain, category) in bands and not mean.incomplete
            ]
            if named:
                yield sentence.format(model=model.model, what=", ".join(named))
        if thin:
            yield tr(
                "Too many answers of {model} are unscored to say it of {what} ({domain}).",
                model=model.model,
                what=", ".join(thin),
                domain=_name(domain),
            )


def _band(of: DomainJudged, category: str) -> Band | None:
    """What a model fails to show, it does not fit."""
    return "FAILED" if category in of.unshown else of.category_bands.get(category)


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
