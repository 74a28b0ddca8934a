"""Checkpoints made by hand for trend and advice: figures are chosen, so answers are known."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from assay.stats import estimates
from assay.types import Estimate, Health, HealthCheck
from assay.types.decisions import (
    Acceptance,
    Gate,
    GateCriterion,
    Measurements,
    Sample,
    SpeedFigures,
    SuiteFigures,
    SuiteLimit,
    TextFigures,
    fact,
)

BLOCKS = 20
BLOCK = 1000
BYTES_PER_TOKEN = 4.0

GATE = Gate(
    source="default",
    perplexity_max={"tiny": 50, "small": 30, "medium": 20, "large": 15},
    suites=(
        SuiteLimit(
            name="os", min=0.70, categories=("hardware_id", "driver_select", "command_complete")
        ),
    ),
    speed_min={"tiny": 10, "small": 10, "medium": 10, "large": 10},
    generation_max_failures=0,
    memory_max_mb={"tiny": 150, "small": 400, "medium": 1200, "large": 4000},
)


def text(
    loss: float,
    *,
    jitter: float = 0.002,
    seed: int = 0,
    blocks: int = BLOCKS,
    tokenizer: str = "t",
    name: str = "text",
) -> TextFigures:
    """Twenty blocks whose mean loss is exactly `loss`. Each is as hard for every checkpoint (half a
    nat up and down), and a little (`jitter`) harder or easier for this one; both sum to 0.
    """
    read = []
    for place in range(blocks):
        hardness = 0.5 if place % 2 else -0.5
        own = jitter if (place + seed) // 2 % 2 else -jitter
        read.append((-(loss + hardness + own) * BLOCK, BLOCK))
    mean = -math.fsum(each for each, _ in read) / (blocks * BLOCK)
    value = math.exp(mean)
    bits = mean / math.log(2) / BYTES_PER_TOKEN
    n = blocks * BLOCK
    return TextFigures(
        perplexity=made(value, value * 0.8, value * 1.25, n=n, unit="perplexity"),
        per_word=None,
        per_byte=None,
        bits_per_byte=made(bits, bits * 0.999, bits * 1.001, n=n, unit="bits"),
        top1=estimates.proportion(n * 28 // 100, n),
        top5=estimates.proportion(n * 55 // 100, n),
        blocks=tuple(read),
        text=name,
        tokenizer=tokenizer,
        window=1024,
        stride=1024,
    )


def made(
    value: float, low: float | None, high: float | None, *, n: int = 100, unit: str = "share"
) -> Estimate:
    return Estimate(value=value, low=low, high=high, n=n, unscored=0, unit=unit, method="made")


def suite(right: Mapping[str, Sequence[float]]) -> SuiteFigures:
    """Categories with the score of each test; ids are CATEGORY_NNN."""
    shares = {name: estimates.mean_of(list(scores)) for name, scores in right.items()}
    return SuiteFigures(
        score=estimates.weighted([(share, 1.0) for share in shares.values()]),
        categories=shares,
        scores={
            name: {f"{name}_{place:03}": mark for place, mark in enumerate(scores, 1)}
            for name, scores in right.items()
        },
        digest="d",
    )


def marks(right: int, of: int = 100) -> list[float]:
    """So many ones, then zeros."""
    return [1.0] * right + [0.0] * (of - right)


def os_suite(hardware: int, driver: int, command: int, installation: int = 50) -> SuiteFigures:
    return suite(
        {
            "hardware_id": marks(hardware),
            "driver_select": marks(driver),
            "command_complete": marks(command),
            "installation": marks(installation),
        }
    )


def speed(tokens_per_s: float, **details: Any) -> SpeedFigures:
    runs = (tokens_per_s * 0.99, tokens_per_s, tokens_per_s * 1.01)
    return SpeedFigures(
        tokens_per_s=made(tokens_per_s, runs[0], runs[-1], n=3, unit="tokens/s"),
        runs_per_s=runs,
        details=details,
    )


def sample(number: int, *kinds: str, passage: str = "the disk the disk the disk") -> Sample:
    checks = tuple(
        HealthCheck(name=kind, passed=False, passage=passage, explanation="it does.", failure=True)
        for kind in kinds
    )
    return Sample(
        id=f"sample_{number:03}",
        prompt="PCI device 8086:10d3 is",
        text="an Intel controller",
        health=Health(checks=checks),
    )


def checkpoint(step: float | None, **figures: Any) -> Measurements:
    name = "final" if step is None else f"step_{step:g}"
    given = {"parameters": 8_000_000, "size_class": "tiny", "mmlu_cs": made(0.25, 0.2, 0.3)}
    return Measurements(
        name=f"run/{name}", path=f"models/run/{name}", step=step, **{**given, **figures}
    )


def run(losses: Mapping[float, float], **figures: Any) -> list[Measurements]:
    """A folder: a loss for each step."""
    return [
        checkpoint(step, text=text(loss, seed=place), **figures)
        for place, (step, loss) in enumerate(losses.items())
    ]


def criterion(
    passed: bool | None, value: float | None, limit: float | None, *, marginal: bool = False
) -> GateCriterion:
    reason = "It was not measured." if passed is None else "It was compared."
    reasons = (fact("text", text=reason),)
    return GateCriterion(
        passed=passed, marginal=marginal, value=value, limit=limit, reasons=reasons
    )


def acceptance(**criteria: GateCriterion) -> Acceptance:
    told = [each.passed for each in criteria.values()]
    accepted = False if False in told else None if None in told else True
    return Acceptance(
        accepted=accepted,
        criteria={key.replace("suite_", "suite:"): each for key, each in criteria.items()},
    )
