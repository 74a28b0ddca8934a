"""Checkpoints made by hand, whose figures can be worked out on paper."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from assay.stats import estimates
from assay.types import Estimate, Health, HealthCheck
from assay.types.decisions import (
    Gate,
    Measurements,
    Sample,
    SpeedFigures,
    SuiteFigures,
    SuiteLimit,
    TextFigures,
)

OS = ("hardware_id", "driver_select", "command_complete")
WHEN = "2026-02-08T12:34:56Z"
GATE = Gate(
    source="default",
    perplexity_max={"tiny": 50, "small": 30, "medium": 20, "large": 15},
    suites=(SuiteLimit(name="os", categories=OS, min=0.70),),
    speed_min=dict.fromkeys(("tiny", "small", "medium", "large"), 10),
    generation_max_failures=0,
    memory_max_mb={"tiny": 150, "small": 400, "medium": 1200, "large": 4000},
)


def estimate(
    value: float,
    low: float | None = None,
    high: float | None = None,
    *,
    n: int = 100,
    unscored: int = 0,
    unit: str = "share",
    method: str = "by hand",
) -> Estimate:
    return Estimate(
        value=value, low=low, high=high, n=n, unscored=unscored, unit=unit, method=method
    )


def text(
    perplexity: float,
    low: float | None = None,
    high: float | None = None,
    *,
    blocks: int = 20,
    wobble: float = 0.0,
    of: str = "the held-out text",
    tokenizer: str = "one",
    bytes_per_token: float | None = 4.0,
) -> TextFigures:
    """Blocks of 1,000 tokens that are a little easier and a little harder in turn; together they
    have exactly the perplexity asked for.
    """
    nats = math.log(perplexity)
    bits = None if bytes_per_token is None else nats / math.log(2) / bytes_per_token
    return TextFigures(
        perplexity=estimate(perplexity, low, high, n=blocks * 1000, unit="perplexity"),
        per_word=None,
        per_byte=None if bits is None else estimate(2**bits, unit="perplexity per byte"),
        bits_per_byte=None if bits is None else estimate(bits, unit="bits per byte"),
        top1=estimate(0.31, 0.30, 0.32),
        top5=estimate(0.60, 0.59, 0.61),
        blocks=tuple(
            (-1000.0 * nats + (wobble if place % 2 else -wobble), 1000) for place in range(blocks)
        ),
        text=of,
        tokenizer=tokenizer,
        window=256,
        stride=256,
    )


def suite(right: Mapping[str, Sequence[float]], unscored: int = 0) -> SuiteFigures:
    """Scores by category; the ids are numbered."""
    categories = {name: estimates.mean_of(of, unscored=unscored) for name, of in right.items()}
    return SuiteFigures(
        score=estimates.weighted([(share, 1.0) for share in categories.values()]),
        categories=categories,
        scores={
            name: {f"{name}_{number:03d}": score for number, score in enumerate(of, 1)}
            for name, of in right.items()
        },
    )


def right(count: int, n: int = 100) -> list[float]:
    return [1.0] * count + [0.0] * (n - count)


def os_suite(*counts: int, n: int = 100, **further: int) -> SuiteFigures:
    """So many right of n in each of the three tasks."""
    return suite({name: right(count, n) for name, count in zip(OS, counts, strict=True)}, **further)


def speed(*runs: float) -> SpeedFigures:
    middle = sorted(runs)[len(runs) // 2]
    return SpeedFigures(
        tokens_per_s=estimate(middle, min(runs), max(runs), n=len(runs), unit="tokens/s"),
        runs_per_s=runs,
        details={"threads": 2, "machine": "a machine"},
    )


def sample(number: int, *failures: str, failed: str = "") -> Sample:
    checks = tuple(
        HealthCheck(
            name=name,
            passed=name not in failures,
            passage="the the the" if name in failures else "",
            explanation="said so",
            failure=name in failures,
        )
        for name in ("loop", "repetition", "nonsense")
    )
    return Sample(
        id=f"sample_{number:03d}",
        prompt="PCI device 8086:10d3 is",
        text="" if failed else "an Intel network controller.",
        health=None if failed else Health(checks=checks),
        failed=failed,
    )


def candidate(name: str = "tiny/step_100", **changed: Any) -> Measurements:
    """One that passes the shipped gate with room to spare, except for what is changed."""
    last = name.rsplit("_", 1)[-1]
    figures: dict[str, Any] = {
        "path": f"models/{name}",
        "step": float(last) if last.isdigit() else None,
        "parameters": 8_000_000,
        "size_class": "tiny",
        "fingerprint": "f00d",
        "text": text(40.0, 39.0, 41.0),
        "suites": {"os": os_suite(80, 90, 85)},
        "speed": speed(30.0, 31.0, 32.0),
        "memory_mb": estimate(60.0, n=1, unit="MB"),
        "samples": tuple(sample(number) for number in range(1, 13)),
        "timestamp": WHEN,
    }
    return Measurements(name=name, **(figures | changed))
