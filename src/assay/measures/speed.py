"""Tokens per second decoded on the CPU, in a process of its own. It belongs to a shape: checkpoints
of one shape share the timed runs, and speed decides nothing between them.
"""

import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import ConfigDict

from assay.files.fields import Doc
from assay.files.shapes import Positive, Shape
from assay.measures.limits import Limits, by_size_class, failing, limit_for, limited
from assay.messages import message, tr
from assay.plugins import measure
from assay.stats import composite, estimates
from assay.types import Estimate, Failed, Reply, Timed, ToTime
from assay.types.decisions import (
    Acceptance,
    DecisionFact,
    Gate,
    GateCriterion,
    Measurements,
    Recommendation,
    SpeedFigures,
    fact,
)
from assay.types.measures import (
    Asking,
    FigureColumn,
    JsonKey,
    Measure,
    MeasureRequest,
    Places,
    TakenReplies,
)
from assay.types.score_parts import Bound, CommonScale, ScorePiece, WeighedPart
from assay.types.score_units import FigureRow, ScoreUnits
from assay.types.trends import Trend

NAME = "speed"
USUAL = 50.0  # tokens per second, which count 1


@dataclass(frozen=True)
class SpeedTable:
    min_tokens_per_s: Annotated[
        Limits,
        Doc("The tokens per second must be above this: one number, or one for each size class."),
    ]


class SpeedShape(Shape):
    """The runs, and whatever the machine noted beside them."""

    model_config = ConfigDict(extra="allow")

    runs_per_s: tuple[Positive, ...]


@measure(NAME, unit="tokens/s", better="higher")
class Speed(Measure):
    """How fast it writes on the CPU."""

    places = Places(keys=60, gate=30, advice=50, asking=40)
    kind = metric = NAME
    by_default = True
    keys = (JsonKey("inference_speed", "positive", "Tokens per second, written on the CPU.", True),)
    shapes = {NAME: (SpeedShape | None, ...)}
    table = SpeedTable
    table_about = Doc("How fast it must write on the CPU.")
    gate_fields = ("speed_min",)
    weight = 0.1
    part_names = (NAME,)
    sentences = {
        "speed_passes": message(
            "It writes {value:beside} tokens per second, above {limit:beside}."
        ),
        "speed_fails": message(
            "It writes {value:beside} tokens per second, not above {limit:beside}."
        ),
        "speed_not_measured": message("Speed was not measured."),
        "range": message("Its runs range from {low:beside} to {high:beside}."),
        "range_marginal": message(
            "This is marginal: its runs range from {low:beside} to {high:beside}, across the limit."
        ),
        "machines_differ": message(
            "Speeds were measured on different machines, and are ranked as they are."
        ),
        "smaller_or_quantised": message(
            "A smaller model, or quantise before this gate; profile it for bottlenecks, with "
            "torch.profiler or py-spy. It must become {factor} times as fast."
        ),
        "speed_level": message("{value} tokens per second; limit above {limit}"),
    }

    def ask(self, asking: Asking) -> Iterator[MeasureRequest]:
        for number in asking.timed_runs:
            yield MeasureRequest(
                test_id=f"cpu_{number}",
                work=ToTime(repeats=1),
                content=list(asking.machine),
                of_shape=True,
            )

    def take(self, measured: Measurements, taken: TakenReplies) -> Measurements:
        speed, _, why = speed_figures(taken.of(self.kind))
        noted = {NAME: why} if why else {}
        return replace(measured, speed=speed, not_measured={**measured.not_measured, **noted})

    def drop(self, measured: Measurements) -> Measurements:
        return replace(measured, speed=None)

    def figures(self, measured: Measurements) -> Mapping[str, Estimate | None]:
        return {"inference_speed": measured.speed.tokens_per_s if measured.speed else None}

    def details(self, measured: Measurements) -> Mapping[str, object]:
        speed = measured.speed
        shown = None if speed is None else {**speed.details, "runs_per_s": speed.runs_per_s}
        return {**self.figures(measured), "speed": shown}

    def read(self, measured: Measurements, details: Any) -> Measurements:
        if details.speed is None or details.inference_speed is None:
            return measured
        noted = details.speed.model_dump()
        runs = noted.pop("runs_per_s")
        figures = SpeedFigures(tokens_per_s=details.inference_speed, runs_per_s=runs, details=noted)
        return replace(measured, speed=figures)

    def columns(self, gate: Gate, shown: object) -> Iterator[FigureColumn]:
        yield FigureColumn(tr("tokens/s"), "inference_speed", 85, 60)

    def limits_of(self, table: SpeedTable) -> Mapping[str, Any]:
        return {"speed_min": by_size_class(table.min_tokens_per_s)}

    def criteria(self, measured: Measurements, gate: Gate) -> Mapping[str, GateCriterion]:
        if gate.speed_min is None:
            return {}
        found = measured.speed.tokens_per_s if measured.speed else None
        limit = limit_for(measured, gate.speed_min)
        # A speed has the range of its runs.
        return {NAME: limited(NAME, measured, found, limit, better="higher", ends="range")}

    def counted(self, value: float) -> float:
        return _in_usual(value)

    def specified_part(self) -> WeighedPart:
        return SpeedPart(name=NAME, weight=self.weight)

    def score_part(self, key: str, weight: float, gate: Gate) -> WeighedPart:
        bound = Bound(better="higher", limits=gate.speed_min)
        return SpeedPart(name=key, weight=weight, bound=bound)

    def measured_parts(self, measured: Measurements) -> Iterator[str]:
        yield from (NAME,) if measured.speed else ()

    def remedies(
        self, measured: Measurements, acceptance: Acceptance, trend: Trend | None, gate: Gate
    ) -> Iterator[list[Recommendation]]:
        at = failing(acceptance.criteria, NAME)
        if at and measured.speed is not None:
            value, least = at
            level = fact("speed_level", value=measured.speed.tokens_per_s, limit=least)
            advice = fact("smaller_or_quantised", factor=least / value if value > 0 else None)
            yield [Recommendation(NAME, advice, (level,))]


@dataclass(frozen=True, kw_only=True)
class SpeedPart(WeighedPart):
    """`bound` None: as many times the usual speed."""

    bound: Bound | None = None

    def part_of(self, measured: Measurements, scale: CommonScale) -> Estimate | None:
        speed, count = _of_shape(measured, scale), self._count(measured, scale)
        return speed.tokens_per_s.mapped(count) if speed and count else None

    def common_scale(self, candidates: Sequence[Measurements], noise: object) -> CommonScale:
        """By shape the newest one, so that equal shapes are equally fast."""
        speeds = {
            each.shape: each.speed
            for each in sorted(candidates, key=lambda each: each.timestamp)
            if each.shape and each.speed
        }
        limit = self.bound.common_limit(candidates) if self.bound else None
        return CommonScale(by=speeds, limit=limit)

    def difference(
        self, a: Measurements, b: Measurements, scale: CommonScale
    ) -> tuple[ScorePiece | None, tuple[DecisionFact, ...]]:
        of_a, of_b = (self._runs(each, scale) for each in (a, b))
        if not of_a or not of_b:
            return None, ()
        return composite.repeated_runs(a=of_a, b=of_b, weight=self.weight), ()

    def units(
        self, candidates: Sequence[Measurements], scale: CommonScale
    ) -> Sequence[ScoreUnits] | None:
        """The median of few runs varies 1.25 times as far as their mean."""
        runs = [self._runs(each, scale) for each in candidates]
        if not all(runs):
            return None
        groups: dict[object, int] = {}
        errors = [
            self.weight * 1.25 * statistics.stdev(each) / math.sqrt(len(each))
            if len(each) > 1
            else math.inf
            for each in runs
        ]
        row = FigureRow(
            values=[self.weight * statistics.median(each) for each in runs],
            errors=errors,
            freedom=min(map(len, runs)) - 1,
            groups=[groups.setdefault(each.shape or place, len(groups))
                    for place, each in enumerate(candidates)],
        )  # fmt: skip
        return (row,)

    def is_equal(self, a: Measurements, b: Measurements) -> bool:
        return bool(a.shape) and a.shape == b.shape

    def notes_on(self, candidates: Sequence[Measurements]) -> tuple[DecisionFact, ...]:
        several = len({_machine(each) for each in candidates}) > 1
        return (fact("machines_differ"),) if several else ()

    def _count(self, measured: Measurements, scale: CommonScale) -> Callable[[Any], Any] | None:
        return _in_usual if self.bound is None else self.bound.function(measured, scale)

    def _runs(self, measured: Measurements, scale: CommonScale) -> list[float]:
        """What each timed run counts."""
        speed, count = _of_shape(measured, scale), self._count(measured, scale)
        return [count(each) for each in speed.runs_per_s] if speed and count else []


def _in_usual(speed: float) -> float:
    return speed / USUAL


def _of_shape(measured: Measurements, scale: CommonScale) -> SpeedFigures | None:
    speeds: Mapping[str, SpeedFigures] = scale.by or {}
    return speeds.get(measured.shape, measured.speed)


def _machine(measured: Measurements) -> tuple[str, str]:
    """What decides how fast a processor is, as far as it was noted."""
    noted = measured.provenance.get("machine")
    known = noted if isinstance(noted, Mapping) else {}
    return str(known.get("processor", "")), str(known.get("cores", ""))


def speed_figures(replies: Sequence[Reply]) -> tuple[SpeedFigures | None, Estimate | None, str]:
    """Tokens a second and megabytes over all timed runs, or why there are none."""
    timed = [reply.details for reply in replies if isinstance(reply, Timed)]
    if not timed:
        return None, None, next((r.reason for r in replies if isinstance(r, Failed)), "")
    details = _pooled(timed)
    runs = tuple(float(each) for each in details["runs_per_s"])
    middle, ends = float(details["tokens_per_s"]), (min(runs), max(runs))
    speed = estimates.estimate(middle, ends, len(runs), unit="tokens/s", method="median and range")
    used = float(details["memory_usage_mb"])
    memory = estimates.estimate(used, (used, used), 1, unit="MB", method="counted")
    return SpeedFigures(tokens_per_s=speed, runs_per_s=runs, details=details), memory, ""


def _pooled(timed: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The details of several timings as one: all runs, and of what is not a run the median."""
    pooled = dict(timed[0])
    for name, first in pooled.items():
        values = [each.get(name) for each in timed]
        if isinstance(first, list | tuple):
            pooled[name] = [run for value in values for run in value or ()]
        elif isinstance(first, int | float) and any(value != first for value in values):
            pooled[name] = statistics.median(value for value in values if value is not None)
    runs = pooled["runs_per_s"]
    pooled["tokens_per_s"] = statistics.median(runs)
    pooled["mean_per_s"] = statistics.fmean(runs)
    pooled["spread_per_s"] = statistics.stdev(runs) if len(runs) > 1 else None
    if rate := pooled.get("memory_bytes_per_s"):
        read = pooled["bytes_per_token"] * pooled["tokens_per_s"]
        pooled["share_of_bandwidth"] = read / rate
    return pooled
