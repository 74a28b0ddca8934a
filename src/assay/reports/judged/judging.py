"""How far the judges of a run can be trusted, what was run beside them, and what judging took."""

from __future__ import annotations

from collections.abc import Iterator

from assay.messages import tr, trn
from assay.reports.judge_card import judges_blocks
from assay.reports.judged import sentences as said
from assay.reports.judged.evaluation_text import form_name
from assay.types.documents import Block, Figures, Heading, Paragraph, Tone, bullets
from assay.types.judged import AgreementName, Judged, RaterAgreement
from assay.types.judgements import Deviation


def judging_blocks(of: Judged, *, level: int) -> Iterator[Block]:
    yield from judges_blocks(of.judged_by, level=level)
    if of.deviations:
        yield Heading(tr("How far the judge is from known scores"), level)
        yield bullets(map(_deviation, of.deviations))
    if of.agreements:
        yield Heading(tr("How far judgements agree"), level)
    for each in of.agreements:
        tone: Tone = "warning" if each.reliable is None else "good" if each.reliable else "bad"
        yield Paragraph(_agreement(each), tone)
        yield Figures(tuple((_label(name), figure) for name, figure in each.figures.items()))
    for sentence in (*said.isolation(of), *map(said.cost, of.costs)):
        yield Paragraph(sentence, "dim")


def _deviation(of: Deviation) -> str:
    """On the rubric's own examples, whose scores are known, in points of 10."""
    return tr(
        "{judge} ({form}), {count} examples of {rubric}: mean distance {distance}, bias {bias} "
        "(above 0 is kindness), {near} within a point, {same} in the same band, rank correlation "
        "{rank}; {unscored} unscored.",
        judge=of.judge,
        form=form_name(of.form),
        count=of.n,
        rubric=of.rubric,
        distance=_around(of.mean_absolute, of.mean_absolute_interval, "{:.2f}"),
        bias=_around(of.bias, of.bias_interval, "{:+.2f}"),
        near=of.within_one,
        same=of.same_band,
        rank=_or_dash(of.spearman, "{:.2f}"),
        unscored=of.unscored,
    )


def _around(value: float | None, limits: tuple[float, float] | None, form: str) -> str:
    if value is None or limits is None:
        return _or_dash(value, form)
    low, high = (_or_dash(limit, form) for limit in limits)
    return tr("{value} [{low} to {high}]", value=_or_dash(value, form), low=low, high=high)


def _or_dash(value: float | None, form: str) -> str:
    return "–" if value is None else form.format(value).replace("-", "−")


def _agreement(of: RaterAgreement) -> str:
    gaps = {
        "raters": tr(" and ").join(of.raters),
        "answers": trn("{count} answer", "{count} answers", of.answers),
        "how": tr("reliable") if of.reliable else tr("not reliable"),
    }
    if of.reliable is None:
        gaps["how"] = tr("tentative") if of.figures["alpha"].n else tr("without spread")
    match of.kind:
        case "repeats":
            return tr("{raters} read {answers} several times: its scores are {how}.", **gaps)
        case "judges":
            return tr("{raters} read {answers}: their scores are {how} together.", **gaps)
        case "imported":
            return tr("{raters} and imported scores of {answers}: {how} together.", **gaps)


def _label(name: AgreementName) -> str:
    return {
        "alpha": tr("ordinal alpha"),
        "icc": tr("intraclass correlation"),
        "kappa": tr("quadratic kappa"),
        "spearman": tr("rank correlation"),
        "exact": tr("equal scores"),
        "within_one": tr("at most a point apart"),
    }[name]
