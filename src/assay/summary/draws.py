"""What the wording of the tests and the order of their options change: the spread over draws, and
whether the order of the models survives it.
"""

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from assay.stats import estimates
from assay.types import Estimate, Trial
from assay.types.results import DrawnOrder, DrawnScores, ModelReport


def drawn_scores(
    asked: Sequence[Sequence[Trial]], weights: Mapping[str, float]
) -> DrawnScores | None:
    """`asked`: the trials of each test. None where every test has one wording and order."""
    many = max((trials[0].case.ways for trials in asked), default=1)
    if many < 2:
        return None
    by_test = [_by_draw(trials, trials[0].case.ways) for trials in asked]
    categories = [trials[0].case.category for trials in asked]
    scores = tuple(
        _suite_score(
            zip(categories, (each[draw % len(each)] for each in by_test), strict=True), weights
        )
        for draw in range(many)
    )
    spread: list[float | None] = []
    for each in by_test:
        known = [value for value in each if value is not None]
        if len(each) > 1:
            spread.append(statistics.stdev(known) if len(known) > 1 else None)
    return DrawnScores(scores=scores, spread=_mean(spread), wordings=_by_wording(asked))


def drawn_orders(models: Sequence[ModelReport]) -> tuple[DrawnOrder, ...]:
    """Of each suite with draws that two models or more were asked."""
    found: dict[str, dict[str, tuple[float, DrawnScores]]] = {}
    for model in models:
        for suite in model.suites:
            if suite.draws is not None and suite.score.value is not None:
                sides = found.setdefault(suite.suite, {})
                sides[model.name] = suite.score.value, suite.draws
    return tuple(_order(name, sides) for name, sides in found.items() if len(sides) > 1)


def _order(suite: str, sides: Mapping[str, tuple[float, DrawnScores]]) -> DrawnOrder:
    ranked = sorted(sides, key=lambda name: -sides[name][0])
    of = {name: draws for name, (_, draws) in sides.items()}
    many = min(len(each.scores) for each in of.values())
    in_draws = [
        (draw + 1, behind, ahead)
        for draw in range(many)
        for ahead, behind in combinations(ranked, 2)
        if _is_ahead(of[behind].scores[draw], of[ahead].scores[draw])
    ]
    changed = {draw for draw, _, _ in in_draws}
    in_wordings = [
        (category, wording, behind, ahead)
        for category, wordings in of[ranked[0]].wordings.items()
        for wording in wordings
        for ahead, behind in combinations(ranked, 2)
        if _is_ahead(
            of[behind].wordings.get(category, {}).get(wording),
            of[ahead].wordings.get(category, {}).get(wording),
        )
    ]
    return DrawnOrder(
        suite=suite,
        models=tuple(ranked),
        draws=many,
        same=many - len(changed),
        draw_changes=tuple(in_draws),
        wording_changes=tuple(in_wordings),
    )


def _is_ahead(first: Estimate | None, second: Estimate | None) -> bool:
    values = [each.value if each else None for each in (first, second)]
    return None not in values and values[0] > values[1] + 1e-9  # type: ignore[operator]


def _by_draw(trials: Sequence[Trial], ways: int) -> list[float | None]:
    """The score of a test in each draw, over its repeats."""
    values: list[list[float]] = [[] for _ in range(ways)]
    for trial in trials:
        if trial.score is not None and trial.score.value is not None:
            values[trial.repeat % ways].append(trial.score.value)
    return [math.fsum(each) / len(each) if each else None for each in values]


def _by_wording(asked: Sequence[Sequence[Trial]]) -> dict[str, dict[str, Estimate]]:
    values: dict[str, dict[str, list[float | None]]] = {}
    for trial in (each for trials in asked for each in trials if each.case.wording):
        of = values.setdefault(trial.case.category, {}).setdefault(trial.case.wording, [])
        of.append(trial.score.value if trial.score else None)
    return {
        category: {wording: _mean(of) for wording, of in sorted(wordings.items())}
        for category, wordings in values.items()
    }


def _suite_score(
    scores: Iterable[tuple[str, float | None]], weights: Mapping[str, float]
) -> Estimate:
    by_category: dict[str, list[float | None]] = {}
    for category, score in scores:
        by_category.setdefault(category, []).append(score)
    return estimates.weighted([(_mean(of), weights[name]) for name, of in by_category.items()])


def _mean(scores: Sequence[float | None]) -> Estimate:
    scored = [score for score in scores if score is not None]
    return estimates.mean_of(scored, unscored=len(scores) - len(scored))
