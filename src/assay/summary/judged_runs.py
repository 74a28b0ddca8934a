"""One model over its runs: the mean of each, and how this one differs from the one before it.

In: this run's tests, and the judgements of earlier runs of the same model. Out: OverRuns by domain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from assay.summary.judged_choice import paired, told_apart
from assay.summary.judged_scores import JudgedAnswer, mean_over, overall, per_test, scored, tests_of
from assay.types.judged import OverRuns, RunPoint, TestJudged
from assay.types.judgements import FinalJudgement


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierRun:
    """What a model was found to be in a run before this one. `when` is ISO 8601 in UTC."""

    run: str
    when: str
    model: str
    final_judgements: tuple[FinalJudgement, ...]


def over_runs(
    tests: Sequence[TestJudged],
    earlier: Sequence[EarlierRun],
    *,
    run: str,
    when: str,
    seed: int,
) -> Iterator[OverRuns]:
    """Every domain of this run that an earlier one has too."""
    before = sorted(earlier, key=lambda each: (each.when, each.run))
    sets = [(each, tuple(tests_of([JudgedAnswer(judgement=v) for v in each.final_judgements])))
            for each in before]  # fmt: skip
    for domain in dict.fromkeys(test.domain for test in tests):
        now = [test for test in tests if test.domain == domain]
        then = [
            (each, own)
            for each, found in sets
            if (own := [test for test in found if test.domain == domain])
        ]
        if not then:
            continue
        points = [
            RunPoint(run=each.run, when=each.when, mean=mean_over(own, overall, seed=seed))
            for each, own in then
        ]
        last = then[-1][1]
        change, p_value, _, _ = paired(per_test(last, overall), per_test(now, overall), seed=seed)
        yield OverRuns(
            domain=domain,
            points=(*points, RunPoint(run=run, when=when, mean=mean_over(now, overall, seed=seed))),
            change=change,
            told_apart=told_apart(change, p_value),
            same_judges=_judges(last) == _judges(now),
        )


def _judges(tests: Iterable[TestJudged]) -> frozenset[tuple[str, str]]:
    return frozenset(
        (one.judge, one.fingerprint)
        for test in tests
        for final in test.final_judgements
        for one in scored(final)
    )
