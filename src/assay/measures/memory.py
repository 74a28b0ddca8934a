"""Megabytes that it takes: weights in 16 bits, cache and activations of the timed runs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from assay.files.fields import Doc
from assay.measures.limits import Limits, by_size_class, failing, limit_for, limited
from assay.measures.speed import speed_figures
from assay.messages import message, tr
from assay.plugins import measure
from assay.types import Estimate
from assay.types.decisions import (
    Acceptance,
    Gate,
    GateCriterion,
    Measurements,
    Recommendation,
    fact,
)
from assay.types.measures import FigureColumn, JsonKey, Measure, Places, TakenReplies
from assay.types.trends import Trend

NAME = "memory"
SIZES = ("memory_usage_mb", "weights_mb", "cache_mb", "activations_mb", "resident_mb")


@dataclass(frozen=True)
class MemoryTable:
    max_mb: Annotated[
        Limits,
        Doc("memory_usage_mb must be below this: one number, or one for each size class."),
    ]


@measure(NAME, unit="MB", better="lower")
class Memory(Measure):
    """How much memory it takes."""

    places = Places(keys=70, gate=50, advice=40, asking=40)
    kind = "speed"
    metric = NAME
    by_default = True
    keys = (
        JsonKey(
            "memory_usage_mb", "number", "Weights in 16 bits, cache and activations, in MB.", True
        ),
    )
    shapes = {NAME: (dict[str, Any] | None, ...)}
    table = MemoryTable
    table_about = Doc("How much memory it may take.")
    gate_fields = ("memory_max_mb",)
    sentences = {
        "memory_passes": message("It takes {value:beside} MB of memory, below {limit:beside}."),
        "memory_fails": message("It takes {value:beside} MB of memory, not below {limit:beside}."),
        "memory_not_measured": message("Memory was not measured."),
        "smaller_model": message(
            "A smaller model or a shorter context: it takes {excess} MB too much."
        ),
        "memory_level": message("memory {value:beside} MB, limit below {limit} MB"),
        "memory_of_weights": message("weights {size} MB"),
        "memory_of_cache": message("cache {size} MB"),
        "memory_of_activations": message("activations {size} MB"),
    }

    def take(self, measured: Measurements, taken: TakenReplies) -> Measurements:
        speed, memory, why = speed_figures(taken.of(self.kind))
        noted = {NAME: why} if why else {}
        return replace(
            measured,
            memory_mb=memory,
            memory={name: speed.details.get(name) for name in SIZES} if speed else {},
            not_measured={**measured.not_measured, **noted},
        )

    def drop(self, measured: Measurements) -> Measurements:
        return replace(measured, memory_mb=None, memory={})

    def figures(self, measured: Measurements) -> Mapping[str, Estimate | None]:
        return {"memory_usage_mb": measured.memory_mb}

    def details(self, measured: Measurements) -> Mapping[str, object]:
        sizes = measured.memory if measured.memory or measured.memory_mb else None
        return {**self.figures(measured), "memory": sizes}

    def read(self, measured: Measurements, details: Any) -> Measurements:
        return replace(measured, memory_mb=details.memory_usage_mb, memory=details.memory or {})

    def columns(self, gate: Gate, shown: object) -> Iterator[FigureColumn]:
        yield FigureColumn(tr("MB"), "memory_usage_mb", 75, 61)

    def limits_of(self, table: MemoryTable) -> Mapping[str, Any]:
        return {"memory_max_mb": by_size_class(table.max_mb)}

    def criteria(self, measured: Measurements, gate: Gate) -> Mapping[str, GateCriterion]:
        if gate.memory_max_mb is None:
            return {}
        limit = limit_for(measured, gate.memory_max_mb)
        return {NAME: limited(NAME, measured, measured.memory_mb, limit, better="lower")}

    def remedies(
        self, measured: Measurements, acceptance: Acceptance, trend: Trend | None, gate: Gate
    ) -> Iterator[list[Recommendation]]:
        if not (at := failing(acceptance.criteria, NAME)):
            return
        value, limit = at
        parts = ("weights", "cache", "activations")
        sizes = {name: measured.memory.get(f"{name}_mb") for name in parts}
        known = {name: size for name, size in sizes.items() if size is not None}
        figures = (
            fact("memory_level", value=value, limit=limit),
            *(fact(f"memory_of_{name}", size=size) for name, size in known.items()),
        )
        yield [Recommendation(NAME, fact("smaller_model", excess=value - limit), figures)]
