"""Whether a checkpoint is good enough: every limit of a gate against what was measured.

Each measure knows its criteria, and what its figures say that no criterion covers. Any that is
false: not accepted; else any that is unknown: unknown.
"""

from collections.abc import Collection
from dataclasses import replace

from assay.types.decisions import (
    Acceptance,
    DecisionFact,
    Gate,
    GateCriterion,
    Measurements,
    WeightedScore,
    fact,
)
from assay.types.measures import by_caveats, by_gate


def accept(measured: Measurements, gate: Gate, *, tail: float = 0.025) -> Acceptance:
    """Apply the gate. A checkpoint that could not be evaluated is neither accepted nor refused.
    `tail`: what lies beyond each end of the intervals by which a pass is clear.
    """
    criteria: dict[str, GateCriterion] = {}
    for measure in by_gate():
        for name, found in measure.criteria(measured, gate).items():
            clear = bool(found.passed) and measure.is_clear(name, found, measured, gate, tail)
            criteria[name] = replace(found, clear=clear)
    accepted = None if measured.failed else _all_of([each.passed for each in criteria.values()])
    return Acceptance(accepted=accepted, criteria=criteria)


def _all_of(passed: Collection[bool | None]) -> bool | None:
    if False in passed:
        return False
    return None if None in passed else True


def find_not_covered(
    measured: Measurements, gate: Gate, score: WeightedScore
) -> tuple[DecisionFact, ...]:
    """The heaviest first: a model that repeats itself when decoded greedily."""
    if measured.failed:
        return ()
    return (
        *(told for measure in by_caveats() for told in measure.not_covered(measured, gate)),
        *(fact("part_missing", part=part, weight=score.weights[part]) for part in score.missing),
    )
