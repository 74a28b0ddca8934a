"""Confidence in a final judgement: computed from what can be seen, never asked for.

In: the evidence and the judgements. Out: high, medium or low, with the reasons.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.judge.guards.quotes import verified_share
from assay.messages import tr, trn
from assay.types.judgements import BOUND_CLOSELY, Confidence, Evidence, Judgement, lower_median

SPREAD_OF_HIGH = 1  # points between judgements of one criterion
SPREAD_OF_LOW = 4
VERIFIED_OF_HIGH = 0.9  # share of quotes that are in the answer
VERIFIED_OF_LOW = 0.7
APART_OF_LOW = 4  # points between the judge and what the evidence allows
# A pasted page may bring zero-width characters along; no one writes scores by accident.
_HARMLESS_FLAGS = frozenset({"hidden_characters", "base64"})


def confidence_in(
    evidence: Evidence, judgements: Sequence[Judgement], doubts: Sequence[str] = ()
) -> tuple[Confidence, tuple[str, ...]]:
    """High unless something speaks against it. `judgements`: unscored ones as well; `doubts`: why
    their judges are little trusted.
    """
    found: list[_Doubt] = [
        *(("low", doubt) for doubt in doubts),
        *_about_number(judgements),
        *_about_spread(judgements),
        *_about_quotes(judgements),
        *_about_evidence(evidence, judgements),
        *_about_flags(judgements),
    ]
    if any(level == "low" for level, _ in found):
        worst: Confidence = "low"
    else:
        worst = "medium" if found else "high"
    return worst, tuple(reason for _, reason in found)


_Doubt = tuple[Confidence, str]


def _scored(judgements: Sequence[Judgement]) -> list[Judgement]:
    return [each for each in judgements if each.unscored_reason is None and each.scores]


def _about_number(judgements: Sequence[Judgement]) -> Iterator[_Doubt]:
    scored = len(_scored(judgements))
    if scored == 1:
        yield "medium", tr("it was judged once")
    if lost := len(judgements) - scored:
        yield (
            "medium",
            trn("{count} judgement is unscored", "{count} judgements are unscored", lost),
        )


def _about_spread(judgements: Sequence[Judgement]) -> Iterator[_Doubt]:
    given: dict[str, list[int]] = {}
    for each in _scored(judgements):
        for one in each.scores:
            given.setdefault(one.criterion, []).append(one.score)
    spread = max((max(scores) - min(scores) for scores in given.values()), default=0)
    if spread > SPREAD_OF_HIGH:
        level: Confidence = "low" if spread >= SPREAD_OF_LOW else "medium"
        yield level, tr("the judgements lie up to {points} points apart", points=spread)


def _about_quotes(judgements: Sequence[Judgement]) -> Iterator[_Doubt]:
    scored = _scored(judgements)
    quotes = [quote for each in scored for quote in each.quotes]
    share = verified_share(quotes)
    if share is not None and share < VERIFIED_OF_HIGH:
        level: Confidence = "low" if share < VERIFIED_OF_LOW else "medium"
        found = sum(quote.status in ("exact", "approximate") for quote in quotes)
        checked = sum(quote.status != "too_short" for quote in quotes)
        yield (
            level,
            tr("{found} of {checked} quotes are in the answer", found=found, checked=checked),
        )
    elif share is None and any(each.form == "reasoned" and each.attempts for each in scored):
        yield "medium", tr("the judge quoted nothing that can be checked")


def _about_evidence(evidence: Evidence, judgements: Sequence[Judgement]) -> Iterator[_Doubt]:
    if evidence.share is None:
        yield "medium", evidence.missing or tr("nothing was run or computed")
        return
    given = [
        score for each in _scored(judgements) if (score := each.score_of(BOUND_CLOSELY)) is not None
    ]
    least, most = evidence.bounds_of(BOUND_CLOSELY)
    judged = lower_median(given) if given else least
    apart = max(least - judged, judged - most)
    if apart > SPREAD_OF_HIGH:
        yield (
            "low" if apart >= APART_OF_LOW else "medium",
            tr(
                "the judge gives {judged} for correctness, the checks allow {least} to {most}",
                judged=judged,
                least=least,
                most=most,
            ),
        )


def _about_flags(judgements: Sequence[Judgement]) -> Iterator[_Doubt]:
    flags = sorted({flag for each in judgements for flag in each.flags})
    if flags:
        level: Confidence = "medium" if _HARMLESS_FLAGS.issuperset(flags) else "low"
        yield level, tr("the answer seems to address its judge ({flags})", flags=", ".join(flags))
