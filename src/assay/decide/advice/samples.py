"""What to look at where a model loops, repeats itself or writes nonsense."""

from __future__ import annotations

from collections import Counter

from assay.decide.trend.curves import Trend
from assay.types.decisions import Measurements, Recommendation, fact

QUOTED = 3  # samples with their passage


def on_samples(measured: Measurements, allowed: float, trend: Trend | None) -> list[Recommendation]:
    failing = [
        (sample, sample.health.failures)
        for sample in measured.samples or ()
        if sample.health is not None and sample.health.failures
    ]
    kinds = Counter(check.name for _, checks in failing for check in checks)
    figures = (
        fact(
            "failing_samples",
            failed=len(failing),
            samples=len(measured.samples or ()),
            allowed=int(allowed),
            kinds=tuple(f"{name} {count}" for name, count in sorted(kinds.items())),
        ),
        *(
            fact(
                "sample_quoted",
                id=sample.id,
                prompt=sample.prompt,
                kinds=tuple(check.name for check in checks),
                passage=checks[0].passage or sample.text,
            )
            for sample, checks in failing[:QUOTED]
        ),
    )

    def with_any(*names: str) -> tuple[str, ...]:
        return tuple(one.id for one, checks in failing if any(c.name in names for c in checks))

    found = []
    if repeated := with_any("loop", "repetition"):
        found.append(Recommendation("generation", fact("repeats", prompts=repeated), figures))
    if nonsense := with_any("nonsense"):
        falls = trend is not None and trend.text is not None and trend.text.shape == "improving"
        kind = "nonsense_still_learning" if falls else "nonsense"
        found.append(Recommendation("generation", fact(kind, prompts=nonsense), figures))
    return found
