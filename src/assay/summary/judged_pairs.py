"""What a judge's outcomes of pairs come to: a win rate, and the judge's own leanings beside it."""

from collections.abc import Sequence

from assay.stats import estimates
from assay.types.results import JudgedPair, PairJudging


def score_of_pair(outcomes: Sequence[float | None]) -> float | None:
    """Both orders say the same, or it is a tie; None where one of them could not be read."""
    if None in outcomes:
        return None
    return outcomes[0] if len(set(outcomes)) == 1 else 0.5


def pair_judging(
    judge: str, pairs: Sequence[JudgedPair], *, notes: Sequence[str] = ()
) -> PairJudging:
    """A test counts once: the mean over its answers where it was asked several times."""
    tests: dict[tuple[str, str], list[float]] = {}
    for pair in pairs:
        scores = tests.setdefault((pair.suite, pair.id), [])
        scores += [] if pair.score is None else [pair.score]
    known = [sum(scores) / len(scores) for scores in tests.values() if scores]
    both = [each.outcomes for each in pairs if each.outcomes and None not in each.outcomes]
    # Whoever is shown first is the first side, then the second.
    first = [
        outcome == place
        for outcomes in both
        for place, outcome in enumerate(outcomes)
        if outcome != 0.5
    ]
    longer = [
        each.score == (each.lengths[1] > each.lengths[0])
        for each in pairs
        if each.score in (0.0, 1.0) and each.lengths[0] != each.lengths[1]
    ]
    return PairJudging(
        judge=judge,
        pairs=tuple(pairs),
        win_rate=estimates.mean_of(known, unscored=len(tests) - len(known)),
        wins=sum(score > 0.5 for score in known),
        ties=sum(score == 0.5 for score in known),
        losses=sum(score < 0.5 for score in known),
        inconsistent=estimates.proportion(sum(len(set(each)) > 1 for each in both), len(both)),
        first_preferred=estimates.proportion(sum(first), len(first)),
        length=estimates.average(
            [each.lengths[1] - each.lengths[0] for each in pairs], unit="characters"
        ),
        longer_preferred=estimates.proportion(sum(longer), len(longer)),
        notes=tuple(notes),
    )
