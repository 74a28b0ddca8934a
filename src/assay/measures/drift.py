"""How far a model may be from the one it was made of: the limits that `assay drift` applies."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from annotated_types import Ge, Le

from assay.files.fields import Doc, Mistake, Rule
from assay.measures.limits import Limit, unknown
from assay.messages import message, tr
from assay.plugins import measure
from assay.types.decisions import Gate, GateCriterion, Measurements, fact
from assay.types.measured.drift import DriftLimits
from assay.types.measures import Measure, Places


@dataclass(frozen=True)
class DriftTable:
    max_kl: Annotated[
        Limit | None, Doc("The mean KL divergence from the base, in nats, must not exceed this.")
    ] = None
    min_same_top: Annotated[
        Annotated[float, Ge(0), Le(1)] | None,
        Doc("How often the likeliest token must be the base's, from 0 to 1."),
    ] = None


def _refuse_empty(table: DriftTable) -> DriftTable:
    if table == DriftTable():
        raise Mistake(tr("'{name}' has no limit; give it '{one}' or '{other}'",
                         name="drift", one="max_kl", other="min_same_top"))  # fmt: skip
    return table


@measure("drift", unit="nats", better="lower")
class DriftFromBase(Measure):
    """How far its predictions moved from the base's."""

    places = Places(keys=95, gate=80)
    table = Annotated[DriftTable, Rule(_refuse_empty, schema={"minProperties": 1})]
    table_about = Doc("How far it may be from the model it was made of: for `assay drift`.")
    sentences = {
        "drift_not_measured": message(
            "Drift is measured against the model it was made of: assay drift BASE MODEL --gate "
            "FILE."
        ),
    }

    def limits_of(self, table: DriftTable) -> Mapping[str, Any]:
        return {"drift": DriftLimits(**asdict(table))}

    def criteria(self, measured: Measurements, gate: Gate) -> Mapping[str, GateCriterion]:
        if gate.drift is None:
            return {}
        return {"drift": unknown(None, gate.drift.max_kl, fact("drift_not_measured"))}
