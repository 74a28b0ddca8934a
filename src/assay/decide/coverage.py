"""What a decision does not cover: accuracy targets missed, suites at or below guessing, greedy
decoding that fails, parts that the weighted score lacks. What a criterion of the gate asks for is
covered by it.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from assay.decide.scores import WEIGHTS
from assay.stats import estimates
from assay.types import Estimate
from assay.types.decisions import (
    TARGETS,
    DecisionFact,
    Gate,
    Measurements,
    Sample,
    SuiteFigures,
    WeightedScore,
    fact,
    group_samples,
)


def find_not_covered(
    measured: Measurements, gate: Gate, score: WeightedScore
) -> tuple[DecisionFact, ...]:
    if measured.failed:
        return ()
    return (*_accuracy(measured, gate), *_suites(measured, gate), *_greedy(measured, gate),
            *(fact("part_missing", part=part, weight=WEIGHTS[part]) for part in score.missing)
            )  # fmt: skip


def accuracies(measured: Measurements) -> dict[str, Estimate | None]:
    text = measured.text
    return {
        "accuracy_top1": text.top1 if text else None,
        "accuracy_top5": text.top5 if text else None,
    }


def _accuracy(measured: Measurements, gate: Gate) -> Iterator[DecisionFact]:
    for name, share in accuracies(measured).items():
        target = TARGETS[name]
        if share is None or share.value is None or share.value > target:
            continue
        if gate.accuracy_min.get(name, 0.0) < target:
            yield fact("target_missed", name=name, value=share, target=target)


def _suites(measured: Measurements, gate: Gate) -> Iterator[DecisionFact]:
    asked = {limit.name for limit in gate.suites if limit.above_guessing}
    for name, suite in measured.suites.items():
        share, guess = beside_guessing(suite)
        if name not in asked and share and guess is not None and not is_above(share, guess):
            yield fact("at_guessing", suite=name, value=share, guess=guess)


def beside_guessing(
    suite: SuiteFigures, categories: Sequence[str] = ()
) -> tuple[Estimate | None, float | None]:
    """The share of a suite or of some categories, and the best baseline of the same."""
    if not categories:
        score = suite.score
        return (score.mapped(lambda x: x / 100) if score.n else None), suite.baseline
    known = [each for each in suite.baselines if all(name in each for name in categories)]
    means = [math.fsum(each[name] for name in categories) / len(categories) for each in known]
    shares = [suite.categories.get(name) for name in categories]
    return estimates.even_mean(shares), max(means, default=None)


def is_above(share: Estimate, guess: float) -> bool:
    """The whole interval."""
    return share.low is not None and share.low > guess


def _greedy(measured: Measurements, gate: Gate) -> Iterator[DecisionFact]:
    decides = gate.generation_max_failures is not None and gate.generation_greedy == "gate"
    found = describe_greedy(measured.samples or ())
    if not decides and found and found.kind == "greedy_samples":
        yield found


def describe_greedy(samples: Sequence[Sample]) -> DecisionFact | None:
    """What greedy decoding does beside the samples; None where it was not tried."""
    _, greedy = group_samples(samples)
    if not greedy:
        return None
    kinds = Counter(kind for each in greedy for kind in each.kinds)
    return fact(
        "greedy_samples" if kinds else "greedy_samples_passed",
        samples=len(greedy),
        kinds=tuple(f"{count} {name}" for name, count in kinds.most_common()),
    )
