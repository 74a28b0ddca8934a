"""One score out of the parts that measures have in it, and a scale that all candidates share.

    0.4 · (10 / perplexity) + 0.3 · os_benchmark.avg + 0.2 · mmlu_cs + 0.1 · (tokens_per_s / 50)

A missing part adds 0 and is named; nothing is capped. A gate's `[score]` takes the place of this
formula, with parts that are bounded; and where os was not run and the gate has suites, their mean
takes the place of os (`domain`), and the other parts are bounded in the same way. What each part
counts before its weight, and how the candidates are put on one scale, is in the file of its
measure.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.stats import intervals
from assay.types import Estimate
from assay.types.decisions import (
    OS_SUITE,
    DecisionFact,
    Gate,
    Measurements,
    Part,
    WeightedScore,
)
from assay.types.measures import Measure, measure_of_part, measures, with_parts
from assay.types.score_parts import CommonScale, Unbounded, WeighedPart, score_weights

DOMAIN = "domain"


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingScale:
    """The parts that candidates are ranked on, and what each needs to compare them."""

    parts: tuple[WeighedPart, ...]
    scales: Mapping[Part, CommonScale] = field(default_factory=dict)
    notes: tuple[DecisionFact, ...] = ()
    every: tuple[Part, ...] = ()  # of the score, those that not all candidates have too

    @property
    def names(self) -> tuple[Part, ...]:
        return tuple(each.name for each in self.parts)

    def of(self, part: Part) -> CommonScale:
        return self.scales.get(part, CommonScale())


def weigh(measured: Measurements, scale: RankingScale | None = None) -> WeightedScore:
    """On its own scale, with all the parts there are, unless candidates share one."""
    scale = scale or own_scale()
    found, weights = parts_of(measured, scale), {each.name: each.weight for each in scale.parts}
    parts = {
        part: found[part].mapped(lambda x, by=weight: by * x, unit="score")  # type: ignore[misc]
        if part in found
        else None
        for part, weight in weights.items()
    }
    return WeightedScore(estimate=_sum(found, weights), parts=parts, weights=weights)


def own_scale(gate: Gate | None = None, candidates: Sequence[Measurements] = ()) -> RankingScale:
    """All the parts there are: those of the gate's score, else those of the formula. `candidates`:
    all that a decision is about.
    """
    if gate is not None and gate.score:
        weights = score_weights(gate).items()
        return RankingScale(parts=tuple(_part(key, weight, gate) for key, weight in weights))
    own = tuple(part for each in with_parts() if (part := each.specified_part()) is not None)
    return RankingScale(parts=(gate and _of_domain(gate, candidates)) or own)


def _of_domain(gate: Gate, candidates: Sequence[Measurements]) -> tuple[WeighedPart, ...]:
    """Nothing where os was run, or no other suite is asked for, or a limit is not known."""
    has_own = any(limit.name != OS_SUITE for limit in gate.suites)
    if not has_own or not candidates or any(OS_SUITE in each.suites for each in candidates):
        return ()
    given = {name: limits for name, limits in gate.bounds.items() if getattr(gate, name) is None}
    bounded = replace(gate, **given)  # type: ignore[arg-type]
    try:
        return tuple(
            _part(DOMAIN if each.suite == OS_SUITE else each.name, each.weight, bounded)
            for each in with_parts()
        )
    except Unbounded:
        return ()


def _part(key: str, weight: float, gate: Gate) -> WeighedPart:
    measure = measures["suite"] if key == DOMAIN else measure_of_part(key)
    if not isinstance(measure, Measure):
        raise Unbounded(key)
    return measure.score_part(key, weight, gate)


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
    found = {each.name: each.part_of(measured, scale.of(each.name)) for each in scale.parts}
    return {part: of for part, of in found.items() if of is not None and of.value is not None}


def common_scale(
    candidates: Sequence[Measurements], gate: Gate | None = None, noise: Collection[str] = ()
) -> RankingScale:
    """The scale of those that could be evaluated, without the parts of suites that are noise."""
    own = own_scale(gate, candidates)
    having = [parts_of(candidate, own) for candidate in candidates]
    shared = [each for each in own.parts if having and all(each.name in parts for parts in having)]
    scales = {each.name: each.common_scale(candidates, noise) for each in shared}
    return RankingScale(
        parts=tuple(each for each in shared if scales[each.name].usable),
        scales=scales,
        notes=tuple(note for scale in scales.values() for note in scale.notes),
        every=own.names,
    )
