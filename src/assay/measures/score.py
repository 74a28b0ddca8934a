"""The weights of a gate's own score (`[score]`), in place of the specification's.

Every part is bounded, so that no figure outvotes the rest by its scale: shares count on 0 to 1, a
figure with a limit or a scale by these. What has neither cannot have a weight.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from annotated_types import Gt, Le, Len

from assay.files.fields import MAX_WEIGHT, Doc
from assay.files.wording import did_you_mean, shown
from assay.messages import tr
from assay.plugins import measure
from assay.types.decisions import Gate
from assay.types.measures import Measure, Places, every_measure, measure_of_part
from assay.types.score_parts import Unbounded

BY_NAME = ("suite:NAME", "text:NAME")


@dataclass(frozen=True)
class ScoreTable:
    weights: Annotated[
        dict[str, Annotated[float, Gt(0), Le(MAX_WEIGHT)]],
        Len(1),
        Doc("By part its weight; they are divided by their sum."),
    ]


@measure("score", unit="score", better="higher")
class OwnScore(Measure):
    """The weighted score."""

    places = Places(table=110)
    table = ScoreTable
    table_about = Doc("What checkpoints are ranked on, in place of the specification's weights.")
    gate_fields = ("score",)

    def is_needed(self, gate: Gate) -> bool:
        return False

    def limits_of(self, table: ScoreTable) -> Mapping[str, Any]:
        return {"score": table.weights}

    def mistakes(self, gate: Gate) -> Iterator[tuple[tuple[str | int, ...], str]]:
        for key, weight in gate.score.items():
            if found := _mistake(key, weight, gate):
                yield ("score", "weights", key), found


def _mistake(key: str, weight: float, gate: Gate) -> str:
    measure = measure_of_part(key)
    known = [name for each in every_measure() for name in (each.part_names or (each.name,))
             if each.has_part(name)]  # fmt: skip
    if measure is None:
        problem = tr("'{key}' is no part of a score", key=shown(key))
        return did_you_mean(problem, key, [*known, *BY_NAME])
    try:
        measure.score_part(key, weight, gate)
    except Unbounded:
        return tr(
            "'{key}' has a weight and nothing that bounds it: give it a limit above 0 in this "
            "gate, or, where it is a plugin's measure, a 'scale'",
            key=shown(key),
        )
    return ""
