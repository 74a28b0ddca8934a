"""How far judgements of the same answers agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.messages import tr, trn
from assay.types.documents import Block, Figures, Heading, Paragraph, Tone
from assay.types.judged import AgreementName, RaterAgreement


def agreement_blocks(of: Sequence[RaterAgreement], *, level: int) -> Iterator[Block]:
    """A sentence and its figures for each judge, the judges together, and imported scores."""
    if of:
        yield Heading(tr("How far judgements agree"), level)
    for each in of:
        tone: Tone = "warning" if each.reliable is None else "good" if each.reliable else "bad"
        yield Paragraph(_sentence(each), tone)
        yield Figures(tuple((_label(name), figure) for name, figure in each.figures.items()))


def _sentence(of: RaterAgreement) -> str:
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
