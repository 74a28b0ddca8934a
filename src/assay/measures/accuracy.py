"""How often the next token of the held-out text was the first guess, or among the first five.

Counted over the tokens that perplexity is measured on. Targets are reported; a gate may ask for its
own.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from assay.files.fields import Doc, Mistake, Rule
from assay.files.shapes import Flag, Number, Shape
from assay.measures.limits import ShareLimit, is_beyond, limited, wider
from assay.measures.text_parts import HitsPart
from assay.messages import message, tr
from assay.plugins import measure
from assay.stats import estimates
from assay.types import Estimate
from assay.types.decisions import DecisionFact, Gate, GateCriterion, Measurements, fact
from assay.types.measures import FigureColumn, FollowedFigure, JsonKey, Measure, Places
from assay.types.score_parts import WeighedPart

TARGETS = {"accuracy_top1": 0.30, "accuracy_top5": 0.60}


@dataclass(frozen=True)
class AccuracyTable:
    min_top1: Annotated[ShareLimit | None, Doc("accuracy_top1 must be above this.")] = None
    min_top5: Annotated[ShareLimit | None, Doc("accuracy_top5 must be above this.")] = None


def _refuse_empty(table: AccuracyTable) -> AccuracyTable:
    if table == AccuracyTable():
        raise Mistake(tr("'{name}' has no limit; give it '{one}' or '{other}'",
                         name="accuracy", one="min_top1", other="min_top5"))  # fmt: skip
    return table


class Target(Shape):
    above: Number
    reached: Flag | None


@measure("accuracy", unit="share", better="higher")
class Accuracy(Measure):
    """How often it predicts the next token."""

    places = Places(keys=20, gate=60, advice=60, asking=10)
    kind = "perplexity"
    metric = "accuracy"
    by_default = True
    keys = (
        JsonKey("accuracy_top1", "share", "Tokens that were the first guess.", True),
        JsonKey("accuracy_top5", "share", "Tokens among the first five guesses.", True),
    )
    shapes = {"targets": (dict[str, Target] | None, None)}
    table = Annotated[AccuracyTable, Rule(_refuse_empty, schema={"minProperties": 1})]
    table_about = Doc("How often it must predict the next token of the held-out text.")
    gate_fields = ("accuracy_min",)
    part_names = ("accuracy_top1", "accuracy_top5")
    sentences = {
        "accuracy_passes": message("{name} {value:beside} is above {limit:beside}."),
        "accuracy_fails": message("{name} {value:beside} is not above {limit:beside}."),
        "accuracy_not_measured": message("{name} was not measured."),
        "target_missed": message("{name}: {value} misses the target of {target}."),
    }

    def drop(self, measured: Measurements) -> Measurements:
        text = measured.text
        if text is None:
            return measured
        none = estimates.nothing(unit=text.top1.unit, method=text.top1.method)
        return replace(measured, text=replace(text, top1=none, top5=none))

    def figures(self, measured: Measurements) -> Mapping[str, Estimate | None]:
        text = measured.text
        return {
            "accuracy_top1": text.top1 if text else None,
            "accuracy_top5": text.top5 if text else None,
        }

    def details(self, measured: Measurements) -> Mapping[str, object]:
        found = self.figures(measured)
        targets = {}
        for name, least in TARGETS.items():
            share = found[name]
            reached = None if share is None or share.value is None else share.value > least
            targets[name] = {"above": least, "reached": reached}
        return {**found, "targets": targets}

    def read(self, measured: Measurements, details: Any) -> Measurements:
        return measured  # with the perplexity of the same text

    def columns(self, gate: Gate, shown: object) -> Iterator[FigureColumn]:
        yield FigureColumn(tr("top-1"), "accuracy_top1", 62, 20)
        yield FigureColumn(tr("top-5"), "accuracy_top5", 60, 21)

    def followed(self, gate: Gate) -> Iterator[FollowedFigure]:
        yield from (FollowedFigure(name, name) for name in TARGETS)

    def limits_of(self, table: AccuracyTable) -> Mapping[str, Any]:
        asked = {"accuracy_top1": table.min_top1, "accuracy_top5": table.min_top5}
        return {"accuracy_min": {name: each for name, each in asked.items() if each is not None}}

    def criteria(self, measured: Measurements, gate: Gate) -> Mapping[str, GateCriterion]:
        found = self.figures(measured)
        return {
            name: limited(
                "accuracy", measured, found[name], limit,
                better="higher", noted_as="perplexity", name=name,
            )
            for name, limit in gate.accuracy_min.items()
        }  # fmt: skip

    def is_clear(
        self,
        name: str,
        criterion: GateCriterion,
        measured: Measurements,
        gate: Gate,
        tail: float,
    ) -> bool:
        found = self.figures(measured)[name]
        return found is not None and is_beyond(wider(found, tail), criterion.limit, better="higher")

    def score_part(self, key: str, weight: float, gate: Gate) -> WeighedPart:
        among: Literal["top1", "top5"] = "top1" if key == "accuracy_top1" else "top5"
        return HitsPart(name=key, weight=weight, text=lambda of: of.text, among=among)

    def not_covered(self, measured: Measurements, gate: Gate) -> Iterator[DecisionFact]:
        for name, share in self.figures(measured).items():
            target = TARGETS[name]
            if share is None or share.value is None or share.value > target:
                continue
            if gate.accuracy_min.get(name, 0.0) < target:
                yield fact("target_missed", name=name, value=share, target=target)
