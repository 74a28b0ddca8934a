"""How far judgements of the same answers agree: repeats, judges, imported evaluations, people.

What is rated is a criterion of an answer, by the points that a judge gave it before the evidence
bounds them. Left out are answers that no judge was asked about, and criteria that the evidence had
decided.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from assay.stats.agreement import icc, krippendorff_alpha, quadratic_kappa, share_within, spearman
from assay.types import Estimate
from assay.types.judging.judged import AgreementKind, AgreementName, RaterAgreement
from assay.types.judging.judgements import FinalJudgement, Judgement, lower_median

DRAWS = 500  # each statistic is computed anew for each: 2,000 would take a second

Rated = tuple[int, str]  # the number of the answer, the criterion
Scores = Mapping[Rated, Sequence[float]]


def agreements_of(finals: Sequence[FinalJudgement]) -> Iterator[RaterAgreement]:
    """Each judge with itself, the judges with each other, and each with imported evaluations."""
    judges: dict[str, dict[Rated, list[int]]] = {}
    imported: dict[Rated, list[int]] = {}
    for number, final in enumerate(finals):
        for judgement in final.judgements:
            judge = judgement.judge
            into = imported if judgement.is_imported else judges.setdefault(judge, {})
            for criterion, score in _given(judgement):
                into.setdefault((number, criterion), []).append(score)
    tests = [(final.suite, final.test_id) for final in finals]
    for name, scores in judges.items():
        yield from _agreement("repeats", (name,), scores, tests)
    medians = {name: _medians(scores) for name, scores in judges.items()}
    yield from _agreement("judges", tuple(judges), _beside(medians.values()), tests)
    for name, median in medians.items():
        both = _beside((median, _medians(imported)))
        yield from _agreement("imported", (name,), both, tests)


def people_agreements(
    people: Mapping[str, Mapping[Rated, float]],
    machine: Mapping[Rated, float],
    tests: Sequence[tuple[str, str]],
) -> Iterator[RaterAgreement]:
    """Every two people on what both reviewed, and each with the machine; in points of 10."""
    for one, other in combinations(people, 2):
        both = _beside((people[one], people[other]))
        yield from _agreement("people", (one, other), both, tests)
    for name, given in people.items():
        yield from _agreement("machine", (name,), _beside((given, machine)), tests)


def _given(judgement: Judgement) -> Iterator[tuple[str, int]]:
    if judgement.trivial or judgement.unscored_reason is not None:
        return
    for one in judgement.scores:
        if judgement.form != "likelihood" or one.raw is not None:
            yield one.criterion, one.score


def _medians(scores: Mapping[Rated, Sequence[int]]) -> dict[Rated, int]:
    return {rated: lower_median(given) for rated, given in scores.items()}


def _beside(raters: Iterable[Mapping[Rated, float]]) -> dict[Rated, list[float]]:
    first, *others = [*raters] or [{}]
    common = [rated for rated in first if all(rated in each for each in others)]
    return {rated: [first[rated], *(each[rated] for each in others)] for rated in common}


def _agreement(
    kind: AgreementKind, raters: tuple[str, ...], scores: Scores, tests: Sequence[tuple[str, str]]
) -> Iterator[RaterAgreement]:
    """Over what was scored as often as anything; nothing where that is once."""
    most = max(map(len, scores.values()), default=0)
    rows = {rated: given for rated, given in scores.items() if len(given) == most}
    if most < 2:
        return
    clusters = [tests[number] for number, _ in rows]
    table = [*rows.values()]
    first, second = ([row[place] for row in table] for place in (0, 1))

    def figure(measure: Callable[..., Estimate], *given: object) -> Estimate:
        return measure(*given, clusters=clusters, draws=DRAWS)

    figures: dict[AgreementName, Estimate] = {"alpha": figure(krippendorff_alpha, table)}
    if kind in ("imported", "people", "machine"):
        figures["kappa"] = figure(quadratic_kappa, first, second)
        figures["spearman"] = figure(spearman, first, second)
    else:
        figures["icc"] = figure(icc, table)
    figures["exact"] = figure(share_within, table)
    figures["within_one"] = figure(share_within, table, 1)
    answers = len({number for number, _ in rows})
    yield RaterAgreement(kind=kind, raters=raters, answers=answers, figures=figures)
