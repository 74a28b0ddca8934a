"""A figure against its limit: what the criteria of all measures share.

Limits are strict and the point estimate decides; an interval across the limit is marginal, whether
the value passes or not. A figure that is missing is unknown. One that is incomplete can fail and
cannot pass.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Annotated, Any

from annotated_types import Ge, Le, Lt

from assay.files.fields import ValueWords
from assay.messages import message, tr
from assay.stats.documents import BY_BLOCKS
from assay.stats.intervals import Z95
from assay.types import Estimate
from assay.types.decisions import (
    SIZE_CLASSES,
    DecisionFact,
    GateCriterion,
    Measurements,
    SizeClass,
    fact,
)
from assay.types.score_parts import Better

ROUNDING = 1e-9  # the mean of 0.6, 0.7 and 0.8 is 0.7 to a reader, which is not above 0.7
MOST = 1_000_000_000  # beyond every model, and a float and an int alike on every machine

Limit = Annotated[float, Ge(0), Le(MOST)]
ShareLimit = Annotated[float, Ge(0), Lt(1)]


@dataclass(frozen=True)
class BySizeClass:
    tiny: Limit
    small: Limit
    medium: Limit
    large: Limit


Limits = (
    Limit
    | Annotated[BySizeClass, ValueWords(wanted=lambda: tr("a table with one for each size class"))]
)

SENTENCES = {
    "size_unknown": message(
        "Its limit depends on the size class, and the number of parameters is not known."
    ),
    "interval": message("Its 95 % interval is {low:beside} to {high:beside}."),
    "interval_marginal": message(
        "This is marginal: its 95 % interval, {low:beside} to {high:beside}, includes the limit."
    ),
    "interval_in_document": message(
        "Its 95 % interval for more of this document is {low:beside} to {high:beside}."
    ),
    "interval_in_document_marginal": message(
        "This is marginal: its 95 % interval for more of this document, {low:beside} to "
        "{high:beside}, includes the limit."
    ),
    "incomplete": message(
        "It is incomplete, {unscored} of {total} without a figure, and no gate passes on it."
    ),
    "category_incomplete": message(
        "{name} is incomplete, {unscored} of {total} without a score, and no gate passes on it."
    ),
    "judge_not_qualified": message(
        "It rests on a judge that is not qualified ({judges}), and no gate passes on it."
    ),
    "not_evaluated_because": message("The checkpoint could not be evaluated: {why}"),
}


def by_size_class(limit: Any) -> Mapping[SizeClass, float] | None:
    """One limit for each size class, of one for all or of a table."""
    if limit is None:
        return None
    if isinstance(limit, BySizeClass):
        return {name: getattr(limit, name) for name in SIZE_CLASSES}
    return dict.fromkeys(SIZE_CLASSES, limit)


def limit_for(measured: Measurements, limits: Mapping[SizeClass, float]) -> float | None:
    """That of its size class; limits that are all alike need no class."""
    if measured.size_class is not None:
        return limits[measured.size_class]
    return min(limits.values()) if len(set(limits.values())) == 1 else None


def limited(
    kind: str,
    measured: Measurements,
    estimate: Estimate | None,
    limit: float | None,
    *,
    better: Better,
    ends: str = "interval",
    noted_as: str = "",
    **named: str,
) -> GateCriterion:
    """`kind` begins the names of the sentences: KIND_passes, KIND_fails, KIND_not_measured.
    `ends`: what the ends of the estimate are; `noted_as`: under what it says why there is none.
    """
    if estimate is None or estimate.value is None:
        why = why_not(measured, noted_as or kind)
        return unknown(None, limit, fact(f"{kind}_not_measured", **named), *why)
    if limit is None:
        return unknown(estimate.value, None, fact("size_unknown"))
    incomplete = [("", estimate)] if estimate.incomplete else []
    ends = "interval_in_document" if estimate.method == BY_BLOCKS else ends
    found = against(kind, estimate, limit, better=better, ends=ends, **named)
    return doubted(found, incomplete)


def against(
    kind: str, estimate: Estimate, limit: float, *, better: Better, ends: str = "interval",
    **named: str,
) -> GateCriterion:  # fmt: skip
    """The point estimate decides; the interval says whether it could have gone the other way."""
    value = estimate.value
    assert value is not None
    below = better == "lower"
    passed: bool | None = clears(value, limit, below=below)
    low = value if estimate.low is None else estimate.low
    high = value if estimate.high is None else estimate.high
    marginal = clears(low, limit, below=below) != clears(high, limit, below=below)
    compared = f"{kind}_passes" if passed else f"{kind}_fails"
    reasons = [fact(compared, value=value, limit=limit, **named)]
    if estimate.low != estimate.high:
        name = f"{ends}_marginal" if marginal else ends
        reasons.append(fact(name, value=value, limit=limit, low=estimate.low, high=estimate.high))
    return GateCriterion(
        passed=passed, marginal=marginal, value=value, limit=limit, reasons=tuple(reasons)
    )


def clears(value: float, limit: float, *, below: bool) -> bool:
    if math.isclose(value, limit, rel_tol=ROUNDING):
        return False
    return value < limit if below else value > limit


def doubted(
    criterion: GateCriterion,
    incomplete: Sequence[tuple[str, Estimate]],
    doubts: Sequence[DecisionFact] = (),
) -> GateCriterion:
    """What is incomplete or rests on a judge that is not qualified can fail and cannot pass."""
    reasons = [
        fact(
            "category_incomplete" if name else "incomplete",
            name=name,
            unscored=of.unscored,
            total=of.n + of.unscored,
        )
        for name, of in incomplete
    ]
    if not reasons and not doubts:
        return criterion
    passed = None if criterion.passed else criterion.passed
    return replace(criterion, passed=passed, reasons=(*criterion.reasons, *reasons, *doubts))


def unknown(value: float | None, limit: float | None, *reasons: DecisionFact) -> GateCriterion:
    return GateCriterion(passed=None, marginal=False, value=value, limit=limit, reasons=reasons)


def why_not(measured: Measurements, name: str) -> tuple[DecisionFact, ...]:
    """The reason that was noted when it was not measured, or why nothing could be."""
    if measured.failed:
        return (fact("not_evaluated_because", why=measured.failed),)
    why = measured.not_measured.get(name)
    return (fact("text", text=why),) if why else ()


def wider(estimate: Estimate, tail: float) -> Estimate:
    """With another tail beyond each end than 0.025, as a normal has it."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return replace(estimate, low=None, high=None)
    by = NormalDist().inv_cdf(1 - tail) / Z95
    value = estimate.value
    low, high = value + (estimate.low - value) * by, value + (estimate.high - value) * by
    return replace(estimate, low=low, high=high)


def is_beyond(estimate: Estimate | None, limit: float | None, *, better: Better) -> bool:
    """The whole interval, on the side that is better; without an interval nothing is."""
    if estimate is None or limit is None or estimate.low is None or estimate.high is None:
        return False
    if better == "lower":
        return clears(estimate.high, limit, below=True)
    return clears(estimate.low, limit, below=False)


def all_of(passed: Collection[bool | None]) -> bool | None:
    if False in passed:
        return False
    return None if None in passed else True


def failing(criteria: Mapping[str, GateCriterion], name: str) -> tuple[float, float] | None:
    """Value and limit of a criterion that failed."""
    each = criteria.get(name)
    if each is None or each.passed is not False or each.value is None or each.limit is None:
        return None
    return each.value, each.limit
