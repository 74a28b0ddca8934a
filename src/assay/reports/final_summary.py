"""The final summary: how good each model is, what it is for, what to improve, how sure that is, how
good the judge is; and one closing sentence.

In: a Judged. Out: Markdown, whose last line is the closing sentence. What a judge, a model or a
file wrote is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.messages import tr
from assay.reports import judge_deviation
from assay.reports import judged_sentences as said
from assay.reports.markdown_blocks import bullets, joined, table
from assay.text import number_format as numbers
from assay.text.safe_text import markdown_inline as inline
from assay.types.judged import DomainJudged, Judged, ModelJudged
from assay.types.judgements import Band, Deviation

FITS: frozenset[Band] = frozenset({"EXCELLENT", "GOOD"})
FITS_WITH_CARE: frozenset[Band] = frozenset({"ACCEPTABLE"})
SHOWN_FAULTS = 3


def final_summary(of: Judged) -> str:
    """The whole page."""
    return joined(_blocks(of))


def _blocks(of: Judged) -> Iterator[str | None]:
    yield f"# {tr('Final summary')}"
    if of.use_case:
        yield inline(tr("Judged for this use: {use_case}", use_case=of.use_case))
    yield f"## {tr('Overall performance')}"
    yield _performance(of) if of.models else tr("No model was judged.")
    yield f"## {tr('Best-fit scenarios')}"
    yield bullets(line for model in of.models for line in _fits(model))
    yield f"## {tr('Areas for improvement')}"
    yield bullets(line for model in of.models for line in _faults(model))
    yield f"## {tr('Confidence')}"
    for model in of.models:
        for domain in model.domains:
            named = tr("{model}, {domain}", model=model.model, domain=_name(domain))
            yield f"**{inline(named)}**"
            yield bullets([*said.certainty(domain), said.evidence_told(domain)])
    yield from _judge(of.deviations)
    kept_apart = list(said.isolation(of))
    if kept_apart:
        yield f"## {tr('What was run')}"
        yield bullets(kept_apart)
    yield bullets(of.notes)
    yield f"## {tr('Which model to use')}"
    yield inline(said.closing_sentence(of))


def _name(of: DomainJudged) -> str:
    return said.domain_name(of.domain)


def _performance(of: Judged) -> str:
    heads = (
        tr("model"),
        tr("all domains alike"),
        *(said.domain_name(domain) for domain in of.domains),
        tr("tokens/s"),
        tr("first token"),
        tr("memory"),
    )
    return table(heads, (_row(model, of.domains) for model in of.models))


def _row(model: ModelJudged, domains: Sequence[str]) -> tuple[str, ...]:
    pace = model.pace
    return (
        inline(model.model),
        inline(numbers.figure(model.overall)),
        *(_cell(model.domain(domain)) for domain in domains),
        "–"
        if pace is None or not pace.tokens_per_s.n
        else inline(numbers.figure(pace.tokens_per_s)),
        "–"
        if pace is None or not pace.first_token_s.n
        else inline(numbers.figure(pace.first_token_s)),
        said.memory(pace),
    )


def _cell(of: DomainJudged | None) -> str:
    if of is None:
        return "–"
    band = "" if of.band is None else f" {of.band}"
    return inline(numbers.figure(of.mean)) + band


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
                if domain.category_bands.get(category) in bands and not mean.incomplete
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


def _judge(deviations: Sequence[Deviation]) -> Iterator[str | None]:
    if not deviations:
        return
    yield f"## {tr('How far the judge is from known scores')}"
    yield inline(judge_deviation.legend(deviations) or "")
    rows = (tuple(map(inline, judge_deviation.cells(each))) for each in deviations)
    yield table(judge_deviation.heads(), rows, right=range(3, 10))
    yield bullets(judge_deviation.doubts(deviations))
