"""Whether a checkpoint is good enough: every limit of a gate against what was measured.

Each measure knows its criteria, and what its figures say that no criterion covers. Any that is
false: not accepted; else any that is unknown: unknown.
"""

from collections.abc import Collection

from assay.types.decisions import Acceptance, DecisionFact, Gate, Measurements, WeightedScore, fact
from assay.types.measures import by_gate, every_measure


def accept(measured: Measurements, gate: Gate) -> Acceptance:
    """Apply the gate. A checkpoint that could not be evaluated is neither accepted nor refused."""
    criteria = {
        name: criterion
        for measure in by_gate()
        for name, criterion in measure.criteria(measured, gate).items()
    }
    accepted = None if measured.failed else _all_of([each.passed for each in criteria.values()])
    return Acceptance(accepted=accepted, criteria=criteria)


def _all_of(passed: Collection[bool | None]) -> bool | None:
    if False in passed:
        return False
    return None if None in passed else True


def find_not_covered(
    measured: Measurements, gate: Gate, score: WeightedScore
) -> tuple[DecisionFact, ...]:
    if measured.failed:
        return ()
    return (
        *(told for measure in every_measure() for told in measure.not_covered(measured, gate)),
        *(fact("part_missing", part=part, weight=score.weights[part]) for part in score.missing),
    )
