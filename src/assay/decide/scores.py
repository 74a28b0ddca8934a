"""One score out of the parts that measures have in it, and a scale that all candidates share.

    0.4 · (10 / perplexity) + 0.3 · os_benchmark.avg + 0.2 · mmlu_cs + 0.1 · (tokens_per_s / 50)

A missing part adds 0 and is named; nothing is capped. What each part counts before its weight, and
how the candidates are put on one scale, is in the file of its measure.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from assay.stats import intervals
from assay.types import Estimate
from assay.types.decisions import DecisionFact, Measurements, Part, WeightedScore
from assay.types.measures import CommonScale, Measure, with_parts


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingScale:
    """The measures that candidates are ranked on, and by part what each needs to compare them."""

    measures: tuple[Measure, ...]
    scales: Mapping[Part, CommonScale] = field(default_factory=dict)
    notes: tuple[DecisionFact, ...] = ()

    @property
    def parts(self) -> tuple[Part, ...]:
        return tuple(each.name for each in self.measures)

    def of(self, part: Part) -> CommonScale:
        return self.scales.get(part, CommonScale())


def weigh(measured: Measurements, scale: RankingScale | None = None) -> WeightedScore:
    """On its own scale, with all the parts there are, unless candidates share one."""
    scale = scale or own_scale()
    found, weights = parts_of(measured, scale), {each.name: each.weight for each in scale.measures}
    parts = {
        part: found[part].mapped(lambda x, by=weight: by * x, unit="score")  # type: ignore[misc]
        if part in found
        else None
        for part, weight in weights.items()
    }
    return WeightedScore(estimate=_sum(found, weights), parts=parts)


def own_scale() -> RankingScale:
    return RankingScale(measures=tuple(with_parts()))


def _sum(parts: Mapping[Part, Estimate], weights: Mapping[Part, float]) -> Estimate | None:
    """With the interval of independent parts (MOVER, Zou and Donner 2008), where all have one."""
    if not parts:
        return None
    total = math.fsum(weights[part] for part in parts)
    _, low, high = intervals.mover([(of, weights[part]) for part, of in parts.items()])
    return Estimate(
        value=math.fsum(weights[part] * (of.value or 0.0) for part, of in parts.items()),
        low=None if low is None else low * total,
        high=None if high is None else high * total,
        n=sum(of.n for of in parts.values()),
        unscored=0,
        unit="score",
        method="mover",
    )


def parts_of(measured: Measurements, scale: RankingScale) -> dict[Part, Estimate]:
    """Before their weights: 1 is a good perplexity, all tests passed, or the usual speed."""
    if measured.failed:
        return {}
    found = {each.name: each.part_of(measured, scale.of(each.name)) for each in scale.measures}
    return {part: of for part, of in found.items() if of is not None and of.value is not None}


def common_scale(candidates: Sequence[Measurements], noise: Collection[str] = ()) -> RankingScale:
    """The scale of those that could be evaluated, without the parts of suites that are noise."""
    own = own_scale()
    having = [parts_of(candidate, own) for candidate in candidates]
    shared = [
        each for each in own.measures if having and all(each.name in parts for parts in having)
    ]
    scales = {each.name: each.common_scale(candidates, noise) for each in shared}
    return RankingScale(
        measures=tuple(each for each in shared if scales[each.name].usable),
        scales=scales,
        notes=tuple(note for scale in scales.values() for note in scale.notes),
    )
