"""Two sides on the same tests, and many models in one order."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.stats import estimates
from assay.stats.pairs import (
    Difference,
    detectable_difference,
    holm,
    paired_difference,
    paired_difference_by_category,
    tell_apart,
)
from assay.types import Estimate, OutcomeKind
from assay.types.results import (
    Baselines,
    CategoryComparison,
    Direction,
    Flip,
    LeftOut,
    ModelReport,
    PairComparison,
    Side,
    Standing,
    SuiteComparison,
    SuiteRanking,
    SuiteSummary,
    TestRow,
    WhyLeftOut,
)

SIGNIFICANT = 0.05

Pair = tuple[TestRow, TestRow]
Scores = tuple[list[float], list[float]]


def compare_suites(
    a: SuiteSummary, b: SuiteSummary, *, same: frozenset[str] | None = None
) -> SuiteComparison:
    """How b differs from a, under b's weights. `same`: tests of equal content (None: all)."""
    pairs, groups, left_out = _paired(a, b, same)
    difference = _difference(groups, b.weights)
    unscored = sum(test.reason == "unscored" for test in left_out)
    p_value = difference.p_value if difference.estimate.n else None
    compared = SuiteComparison(
        suite=b.suite,
        a=_score({name: first for name, (first, _) in groups.items()}, b.weights),
        b=_score({name: second for name, (_, second) in groups.items()}, b.weights),
        difference=replace(difference.estimate, unscored=unscored),
        p_value=p_value,
        adjusted_p=p_value,
        method=difference.method,
        verdict="undecided",
        categories=tuple(_category(name, scores) for name, scores in groups.items()),
        gained=difference.gained,
        lost=difference.lost,
        flips=tuple(_flips(pairs)),
        left_out=left_out,
        detectable=_detectable(groups, b.weights),
    )
    return replace(compared, verdict=_direction(compared))


def with_holm(pairs: Sequence[PairComparison]) -> tuple[PairComparison, ...]:
    """P-values adjusted over all suites of all pairs, and the directions that follow from them."""
    p_values = [s.p_value for pair in pairs for s in pair.suites if s.p_value is not None]
    adjusted = iter(holm(p_values))

    def adjust(suite: SuiteComparison) -> SuiteComparison:
        if suite.p_value is None:
            return suite
        new = replace(suite, adjusted_p=next(adjusted))
        return replace(new, verdict=_direction(new))

    return tuple(replace(pair, suites=tuple(map(adjust, pair.suites))) for pair in pairs)


def find_leads(run: str, models: Sequence[ModelReport]) -> tuple[PairComparison, ...]:
    """Of each suite, the best model (the second side) against the next one that has other weights;
    letters written apart from likelihoods.
    """
    ranked: dict[tuple[str, str], list[tuple[SuiteSummary, Side]]] = {}
    known: set[tuple[str, str, str]] = set()
    for model in models:
        for summary in model.suites:
            if summary.score.value is None or summary.score.incomplete:
                continue
            if model.weights and (summary.suite, summary.method, model.weights) in known:
                continue
            known.add((summary.suite, summary.method, model.weights))
            side = Side(run=run, model=model.spec)
            ranked.setdefault((summary.suite, summary.method), []).append((summary, side))
    leads = []
    for of_suite in ranked.values():
        best, *others = sorted(of_suite, key=lambda each: -(each[0].score.value or 0.0))
        if others:
            found = compare_suites(others[0][0], best[0])
            leads.append(PairComparison(a=others[0][1], b=best[1], suites=(found,)))
    return with_holm(leads)


def rank(
    suite: str, standings: Sequence[Standing], *, baselines: Baselines | None = None, **about: Any
) -> SuiteRanking:
    """Best first, equal scores by name. Below them, without a rank: scores whose interval reaches
    down to what guessing gets, then incomplete and empty ones.
    """
    guess = baselines.best if baselines else None

    def within_guessing(score: Estimate) -> bool:
        low = score.value if score.low is None else score.low
        return guess is not None and low is not None and low <= guess

    def order(standing: Standing) -> tuple[bool, bool, float, str]:
        score = standing.score
        value = -score.value if score.value is not None else math.inf
        return not _complete(standing), within_guessing(score), value, standing.model

    rows: list[Standing] = []
    for place, standing in enumerate(sorted(standings, key=order), start=1):
        guessed = _complete(standing) and within_guessing(standing.score)
        ranked = _complete(standing) and not guessed
        tie = ranked and bool(rows) and not tell_apart(rows[-1].score, standing.score)
        rows.append(
            replace(standing, rank=place if ranked else None, tie=tie, within_guessing=guessed)
        )
    return SuiteRanking(suite=suite, rows=tuple(rows), baselines=baselines, **about)


def _complete(standing: Standing) -> bool:
    return standing.score.value is not None and not standing.score.incomplete


def _paired(
    a: SuiteSummary, b: SuiteSummary, same: frozenset[str] | None
) -> tuple[list[Pair], dict[str, Scores], tuple[LeftOut, ...]]:
    """The tests that both could score, their scores by category, and all other tests."""
    firsts = {row.id: row for row in a.tests}
    seconds = {row.id for row in b.tests}
    pairs: list[Pair] = []
    groups: dict[str, Scores] = {}
    left_out: list[LeftOut] = []

    def leave_out(row: TestRow, reason: WhyLeftOut) -> None:
        left_out.append(LeftOut(id=row.id, category=row.category, reason=reason))

    for row in b.tests:
        first = firsts.get(row.id)
        if first is None:
            leave_out(row, "only_in_second")
        elif same is not None and row.id not in same:
            leave_out(row, "changed")
        elif first.score is None or row.score is None:
            leave_out(row, "unscored")
        else:
            pairs.append((first, row))
            scores = groups.setdefault(row.category, ([], []))
            scores[0].append(first.score)
            scores[1].append(row.score)
    for row in a.tests:
        if row.id not in seconds:
            leave_out(row, "only_in_first")
    return pairs, groups, tuple(left_out)


def _difference(groups: Mapping[str, Scores], weights: Mapping[str, float]) -> Difference:
    """The same figures whichever side is named first: drawn with the better one as the second."""
    found = paired_difference_by_category(groups, weights)
    if (found.estimate.value or 0.0) >= 0:
        return found
    swapped = {name: (second, first) for name, (first, second) in groups.items()}
    turned = paired_difference_by_category(swapped, weights)
    negated = turned.estimate.mapped(lambda value: -value, falling=True)
    return replace(turned, estimate=negated, gained=turned.lost, lost=turned.gained)


def _score(groups: Mapping[str, list[float]], weights: Mapping[str, float]) -> Estimate:
    return estimates.weighted(
        [(estimates.mean_of(scores), weights.get(name, 0.0)) for name, scores in groups.items()]
    )


def _category(name: str, scores: Scores) -> CategoryComparison:
    difference = paired_difference(*scores)
    return CategoryComparison(
        name=name,
        a=estimates.mean_of(scores[0]),
        b=estimates.mean_of(scores[1]),
        difference=difference.estimate,
        p_value=difference.p_value,
    )


def _flips(pairs: Sequence[Pair]) -> Iterator[Flip]:
    for first, second in pairs:
        if (first.outcome is OutcomeKind.PASS) != (second.outcome is OutcomeKind.PASS):
            yield Flip(
                id=second.id,
                category=second.category,
                outcome_a=first.outcome,
                outcome_b=second.outcome,
                score_a=first.score,
                score_b=second.score,
                unread_a=first.unread,
                unread_b=second.unread,
            )


def _direction(compared: SuiteComparison) -> Direction:
    value = compared.difference.value
    if value is None or compared.adjusted_p is None:
        return "nothing_in_common"
    if compared.adjusted_p >= SIGNIFICANT or value == 0:
        return "undecided"
    return "better" if value > 0 else "worse"


def _detectable(groups: Mapping[str, Scores], weights: Mapping[str, float]) -> float | None:
    """In points, by the tests that the weights leave and the spread of the differences seen."""
    used = {name: scores for name, scores in groups.items() if weights.get(name, 0.0) > 0}
    if not used:
        return None
    total = sum(weights[name] for name in used)
    effective = 1 / sum((weights[name] / total) ** 2 / len(used[name][0]) for name in used)
    squares = [(y - x) ** 2 for pair in used.values() for x, y in zip(*pair, strict=True)]
    spread = math.sqrt((math.fsum(squares) + 1) / (len(squares) + 4))
    found = detectable_difference(effective, spread=spread)
    return None if found is None else found * 100
