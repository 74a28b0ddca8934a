"""Model folders as they are after an evaluation, for the tests of pictures and tables."""

from __future__ import annotations

import math

from assay.reports.checkpoints.figures import EvaluatedFolder
from assay.types import Estimate, Health, HealthCheck
from assay.types.decisions import (
    OS_TASKS,
    SIZE_CLASSES,
    Acceptance,
    Gate,
    GateCriterion,
    Measurements,
    Sample,
    SpeedFigures,
    SuiteFigures,
    SuiteLimit,
    TextFigures,
    WeightedScore,
    fact,
)

GATE = Gate(
    source="default",
    perplexity_max=dict(zip(SIZE_CLASSES, (50.0, 30.0, 20.0, 15.0), strict=True)),
    suites=(SuiteLimit(name="os", min=0.7, categories=OS_TASKS[:3]),),
    speed_min=dict.fromkeys(SIZE_CLASSES, 10.0),
    generation_max_failures=0,
    memory_max_mb=dict(zip(SIZE_CLASSES, (150.0, 400.0, 1200.0, 4000.0), strict=True)),
)
HOSTILE = (
    "<script>alert(1)</script> \u202egnp.exe \x1b[2J\x00 \uffff \ud800 & \" ' ]]> " + "W" * 300
)


def estimate(
    value: float, low: float | None, high: float | None, n: int, unit: str = "share"
) -> Estimate:
    return Estimate(value=value, low=low, high=high, n=n, unscored=0, unit=unit, method="bootstrap")


def checkpoint(
    name: str,
    step: float | None,
    *,
    perplexity: float | None = None,
    around: float = 4.0,
    os: float | None = None,
    speed: float | None = None,
    failed: str = "",
) -> Measurements:
    """One checkpoint; what is not given was not measured. All tasks of `os` have the same share."""
    return Measurements(
        name=name,
        path=name,
        step=step,
        size_class="tiny",
        text=None if perplexity is None else text_of(perplexity, around),
        suites={} if os is None else {"os": suite_of(os)},
        speed=None if speed is None else speed_of(speed),
        memory_mb=None if speed is None else estimate(30.4, None, None, 1, "MB"),
        failed=failed,
    )


def text_of(perplexity: float, around: float) -> TextFigures:
    return TextFigures(
        perplexity=estimate(perplexity, perplexity - around, perplexity + around, 27, "perplexity"),
        per_word=None,
        per_byte=None,
        bits_per_byte=estimate(1.5, 1.4, 1.6, 27, "bits"),
        top1=estimate(0.31, 0.3, 0.32, 27_000),
        top5=estimate(0.58, 0.57, 0.59, 27_000),
        blocks=(),
        text="text",
        tokenizer="tokenizer",
    )


def suite_of(share: float, categories: tuple[str, ...] = OS_TASKS) -> SuiteFigures:
    low, high = max(0.0, share - 0.06), min(1.0, share + 0.04)
    return SuiteFigures(
        score=estimate(share * 100, low * 100, high * 100, 400, "points"),
        categories={name: estimate(share, low, high, 100) for name in categories},
        scores={},
    )


def speed_of(per_second: float) -> SpeedFigures:
    interval = (per_second * 0.9, per_second * 1.1)
    return SpeedFigures(
        tokens_per_s=estimate(per_second, *interval, 3, "tokens/s"), runs_per_s=(per_second,)
    )


def samples(*, failing: int, of: int) -> tuple[Sample, ...]:
    loop = HealthCheck(name="loop", passed=False, passage="a a a", explanation="x", failure=True)
    fine = HealthCheck(name="loop", passed=True, passage="", explanation="x")
    return tuple(
        Sample(
            id=f"s{n}", prompt="p", text="t", health=Health(checks=(loop if n < failing else fine,))
        )
        for n in range(of)
    )


def evaluated(
    checkpoints: list[Measurements],
    *,
    selected: str | None = None,
    gate: Gate = GATE,
    scores: bool = True,
) -> EvaluatedFolder:
    """With acceptances and weighted scores as simple as tests need them."""
    return EvaluatedFolder(
        checkpoints=checkpoints,
        gate=gate,
        acceptances={each.name: acceptance(each) for each in checkpoints if not each.failed},
        weighted={each.name: score(each) for each in checkpoints} if scores else {},
        selected=selected,
    )


def acceptance(measured: Measurements) -> Acceptance:
    criteria = {}
    if measured.text is not None:
        criteria["perplexity"] = criterion(measured.text.perplexity, 50.0, below=True)
    if "os" in measured.suites:
        share = measured.suites["os"].categories["hardware_id"]
        criteria["os_benchmark"] = criterion(share, 0.7, below=False)
    passed = [each.passed for each in criteria.values()]
    return Acceptance(accepted=all(passed) if passed else None, criteria=criteria)


def criterion(of: Estimate, limit: float, *, below: bool) -> GateCriterion:
    assert of.value is not None
    assert of.low is not None
    assert of.high is not None
    return GateCriterion(
        passed=of.value < limit if below else of.value > limit,
        marginal=of.low < limit < of.high,
        value=of.value,
        limit=limit,
        reasons=(fact("text", text="a reason"),),
    )


def weighted(estimate: Estimate | None) -> WeightedScore:
    """With one part that was measured."""
    return WeightedScore(estimate=estimate, parts={"perplexity": estimate, "mmlu_cs": None})


def score(measured: Measurements) -> WeightedScore:
    if measured.text is None or measured.text.perplexity.value is None:
        return weighted(None)
    value = 4 / measured.text.perplexity.value
    return weighted(estimate(value, value * 0.9, value * 1.1, 300, "score"))


def three() -> EvaluatedFolder:
    """The checkpoints that ship, about."""
    return evaluated(
        [
            checkpoint("tiny/step_160", 160, perplexity=137.1, os=0.04, speed=410),
            checkpoint("tiny/step_3200", 3200, perplexity=50.4, os=0.90, speed=400),
            checkpoint("tiny/step_8000", 8000, perplexity=46.8, around=3, os=0.92, speed=395),
        ],
        selected="tiny/step_8000",
    )


def twelve() -> EvaluatedFolder:
    """One of them failed, one went astray, and a final one."""
    made = []
    for n in range(12):
        step = 1000.0 * (n + 1)
        perplexity = 95.0 if n == 8 else 30 + 200 * math.exp(-n / 2.2)
        share = 0.5 if n == 8 else 1 - 0.95 * math.exp(-n / 3)
        name = f"tiny/step_{step:.0f}"
        if n == 5:
            made.append(checkpoint(name, step, failed="weights are not finite"))
        else:
            made.append(
                checkpoint(name, step, perplexity=perplexity, os=share, speed=30 + 7 * (n % 5))
            )
    made.append(checkpoint("tiny/final", None, perplexity=31.2, os=0.965, speed=45))
    return evaluated(made, selected="tiny/final")


def many(count: int = 200) -> EvaluatedFolder:
    return evaluated(
        [
            checkpoint(
                f"tiny/step_{500 * n}",
                500.0 * n,
                perplexity=30 + 300 / (1 + n),
                os=0.9 - 0.8 / (1 + n / 9),
                speed=30 + (n * 37 % 101),
            )
            for n in range(count)
        ],
        selected=f"tiny/step_{500 * (count - 9)}",
    )


def hostile() -> EvaluatedFolder:
    return evaluated(
        [
            checkpoint(HOSTILE, 1, perplexity=1e300, around=1e299, os=0.5, speed=1e-5),
            checkpoint("שלום/עברית", 5, perplexity=1e-300, around=1e-301, os=0.6, speed=1e9),
            checkpoint("x" * 300, 1e15, perplexity=3e5, os=0.7, speed=5),
            checkpoint(HOSTILE + "2", None, failed=HOSTILE),
        ],
        selected=HOSTILE,
    )
