"""One score out of four parts, and a scale that all candidates share.

    0.4 · (10 / perplexity) + 0.3 · os_benchmark.avg + 0.2 · mmlu_cs + 0.1 · (tokens_per_s / 50)

A missing part adds 0 and is named; nothing is capped. Where tokenizers differ, the bits per byte of
every candidate become the perplexity of one common token, as many bytes as a token has on average
over the tokenizers at hand: the order is then that of bits per byte.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from assay.stats import estimates, intervals
from assay.types import Estimate
from assay.types.decisions import (
    OS_AVERAGED,
    OS_SUITE,
    PARTS,
    DecisionFact,
    Measurements,
    Part,
    SpeedFigures,
    WeightedScore,
    fact,
)

WEIGHTS: dict[Part, float] = {"perplexity": 0.4, "os_benchmark": 0.3, "mmlu_cs": 0.2, "speed": 0.1}
GOOD_PERPLEXITY = 10.0  # counts 1, and so does
USUAL_SPEED = 50.0  # tokens per second
TESTS: dict[Part, tuple[str, tuple[str, ...]]] = {
    "os_benchmark": (OS_SUITE, OS_AVERAGED),
    "mmlu_cs": ("mmlu", ("computer_science",)),
}
LEAST_BITS = 1e-9
SAMPLED = "sampled"  # the method of shares whose predictions were sampled, not searched for


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingScale:
    """`stretches`: by tokenizer, how many common tokens one of its own stands for; empty where all
    have one tokenizer. `speeds`: by shape, the newest one, so that equal shapes are equally fast.
    """

    parts: tuple[Part, ...]
    stretches: Mapping[str, float] = field(default_factory=dict)
    speeds: Mapping[str, SpeedFigures] = field(default_factory=dict)
    notes: tuple[DecisionFact, ...] = ()

    def stretch(self, measured: Measurements) -> float:
        """1 where nothing needs to be stretched."""
        return 1.0 if measured.text is None else self.stretches.get(measured.text.tokenizer, 1.0)

    def speed(self, measured: Measurements) -> SpeedFigures | None:
        return self.speeds.get(measured.shape, measured.speed)


OWN_SCALE = RankingScale(parts=PARTS)


def weigh(measured: Measurements, scale: RankingScale = OWN_SCALE) -> WeightedScore:
    found = parts_of(measured, scale)
    parts = {part: _weighted(part, found[part]) if part in found else None for part in scale.parts}
    return WeightedScore(estimate=_sum(found), parts=parts)


def _weighted(part: Part, of: Estimate) -> Estimate:
    return of.mapped(lambda x: WEIGHTS[part] * x, unit="score")


def _sum(parts: Mapping[Part, Estimate]) -> Estimate | None:
    """With the interval of independent parts (MOVER, Zou and Donner 2008), where all have one."""
    if not parts:
        return None
    total = math.fsum(WEIGHTS[part] for part in parts)
    _, low, high = intervals.mover([(of, WEIGHTS[part]) for part, of in parts.items()])
    return Estimate(
        value=math.fsum(WEIGHTS[part] * (of.value or 0.0) for part, of in parts.items()),
        low=None if low is None else low * total,
        high=None if high is None else high * total,
        n=sum(of.n for of in parts.values()),
        unscored=0,
        unit="score",
        method="mover",
    )


def parts_of(measured: Measurements, scale: RankingScale = OWN_SCALE) -> dict[Part, Estimate]:
    """Before their weights: 1 is a good perplexity, all tests passed, or the usual speed."""
    if measured.failed:
        return {}
    stretch = scale.stretch(measured)
    found: dict[Part, Estimate | None] = {
        "os_benchmark": os_average(measured),
        "mmlu_cs": measured.mmlu_cs,
    }
    if measured.text is not None:
        found["perplexity"] = measured.text.perplexity.mapped(
            lambda x: _inverse(x, stretch), falling=True
        )
    if speed := scale.speed(measured):
        found["speed"] = speed.tokens_per_s.mapped(lambda x: x / USUAL_SPEED)
    return {
        part: of
        for part in scale.parts
        if (of := found.get(part)) is not None and of.value is not None
    }


def _inverse(perplexity: float, stretch: float) -> float:
    if stretch == 1.0:
        return GOOD_PERPLEXITY / perplexity
    return GOOD_PERPLEXITY * math.pow(perplexity, -stretch)


def os_average(measured: Measurements) -> Estimate | None:
    """os_benchmark.avg: the mean of three tasks, None unless all three were run."""
    suite = measured.suites.get(OS_SUITE)
    if suite is None:
        return None
    return estimates.even_mean([suite.categories.get(task) for task in OS_AVERAGED])


def common_scale(candidates: Sequence[Measurements], noise: Collection[str] = ()) -> RankingScale:
    """The scale of those that could be evaluated, without the parts of suites that are noise."""
    having = [parts_of(candidate) for candidate in candidates]
    parts = [part for part in PARTS if having and all(part in each for each in having)]
    notes: list[DecisionFact] = []
    stretches: Mapping[str, float] = {}
    if "perplexity" in parts:
        found, note = _stretches(candidates)
        if note:
            notes.append(note)
        if found is None:
            parts.remove("perplexity")
        else:
            stretches = found
    if "os_benchmark" in parts and _asked_in_two_ways(candidates):
        parts.remove("os_benchmark")
        notes.append(fact("os_left_out"))
    for part, (suite, _) in TESTS.items():
        if part in parts and suite in noise:
            parts.remove(part)
            notes.append(fact("part_is_noise", part=part, suite=suite))
    speeds = {
        each.shape: each.speed
        for each in sorted(candidates, key=lambda each: each.timestamp)
        if each.shape and each.speed
    }
    return RankingScale(parts=tuple(parts), stretches=stretches, speeds=speeds, notes=tuple(notes))


def _stretches(
    candidates: Sequence[Measurements],
) -> tuple[Mapping[str, float] | None, DecisionFact | None]:
    """By tokenizer, and a warning; None where perplexities cannot be compared at all."""
    texts = [candidate.text for candidate in candidates if candidate.text is not None]
    if len({text.text for text in texts}) > 1:
        return None, fact("texts_differ")
    if len({text.tokenizer for text in texts}) < 2:
        return {}, None
    lengths: dict[str, list[float]] = {}
    for text in texts:
        bits = None if text.bits_per_byte is None else text.bits_per_byte.value
        if bits is None or bits < 0:
            return None, fact("bits_unknown")
        if bits > LEAST_BITS:  # a text predicted without fail says nothing of its tokens
            of_token = math.log2(text.perplexity.value or 1.0) / bits
            lengths.setdefault(text.tokenizer, []).append(of_token)
    bytes_per_token = {
        tokenizer: math.fsum(found) / len(found) for tokenizer, found in lengths.items()
    }
    usual = math.fsum(bytes_per_token.values()) / len(bytes_per_token) if bytes_per_token else 1.0
    stretches = {name: usual / length for name, length in bytes_per_token.items() if length > 0}
    return stretches, fact("tokenizers_differ")


def _asked_in_two_ways(candidates: Sequence[Measurements]) -> bool:
    ways = {
        tuple(candidate.suites[OS_SUITE].categories[task].method == SAMPLED for task in OS_AVERAGED)
        for candidate in candidates
        if OS_SUITE in candidate.suites
    }
    return len(ways) > 1
