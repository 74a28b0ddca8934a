"""What to look at where a model loops, repeats itself or writes nonsense.

In: the samples of a checkpoint, its criterion, and the trend. Out: recommendations, each with
prompts and passages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assay.decide import wording
from assay.decide.trend import Trend
from assay.messages import tr
from assay.types import HealthCheck
from assay.types.decisions import Criterion, Measured, Recommendation, Sample

QUOTED = 3  # samples with their passage


def on_samples(
    measured: Measured, criterion: Criterion, trend: Trend | None
) -> list[Recommendation]:
    """For more generation failures than the gate allows; nothing otherwise."""
    if criterion.passed is not False or not measured.samples:
        return []
    failing = [(one, one.health.failures) for one in measured.samples if one.health is not None]
    failing = [(sample, checks) for sample, checks in failing if checks]
    if not failing:
        return []
    kinds = Counter(check.name for _, checks in failing for check in checks)
    figures = (
        tr(
            "{failed} of {samples} samples failed, {allowed} may: {kinds}",
            failed=len(failing),
            samples=len(measured.samples),
            allowed=wording.count(criterion.limit or 0),
            kinds=", ".join(f"{name} {count}" for name, count in sorted(kinds.items())),
        ),
        *(_quoted(sample, checks) for sample, checks in failing[:QUOTED]),
    )
    found = []
    repeated = [one.id for one, checks in failing if _any(checks, "loop", "repetition")]
    nonsense = [one.id for one, checks in failing if _any(checks, "nonsense")]
    if repeated:
        found.append(_generation(_repeats(repeated), figures))
    if nonsense:
        found.append(_generation(_nonsense(nonsense, trend), figures))
    return found


def _repeats(ids: Sequence[str]) -> str:
    return tr(
        "The model repeats itself after {prompts}: look for repeated documents and templates in "
        "the training data, and whether an end-of-text token stands between documents there; "
        "where a greater sampling temperature cures it, the distribution is only too narrow.",
        prompts=", ".join(ids),
    )


def _nonsense(ids: Sequence[str], trend: Trend | None) -> str:
    curve = trend.text if trend is not None else None
    prompts = ", ".join(ids)
    if curve is not None and curve.shape == "improving":
        return tr(
            "The model writes nonsense after {prompts}: its held-out loss still falls, so train "
            "longer before looking at the data.",
            prompts=prompts,
        )
    return tr(
        "The model writes nonsense after {prompts}: look whether the tokenizer is the one it was "
        "trained with, and for broken text (wrong encodings, shuffled lines) in the training data.",
        prompts=prompts,
    )


def _any(checks: Sequence[HealthCheck], *names: str) -> bool:
    return any(check.name in names for check in checks)


def _quoted(sample: Sample, checks: Sequence[HealthCheck]) -> str:
    return tr(
        "{id} “{prompt}”: {kinds}, “{passage}”",
        id=sample.id,
        prompt=wording.short(sample.prompt),
        kinds=", ".join(check.name for check in checks),
        passage=wording.short(checks[0].passage or sample.text),
    )


def _generation(advice: str, figures: tuple[str, ...]) -> Recommendation:
    return Recommendation(concern="generation", advice=advice, figures=figures)
