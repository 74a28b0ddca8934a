"""What a checkpoint wrote after the sample prompts, with every check of its health.

In: a Measured. Out: samples with their checks sorted by what they say, and sentences; plain text,
still unescaped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from assay.messages import tr, trn
from assay.reports.decision_sentences import Mark
from assay.types import HealthCheck
from assay.types.decisions import Measured, Sample


class SampleShown(NamedTuple):
    """What a checkpoint wrote, and its checks: those that count at the gate, those that are notes,
    those that cannot tell, each with why; and the names of the others.
    """

    sample: Sample
    failures: tuple[HealthCheck, ...]
    notes: tuple[HealthCheck, ...]
    unknown: tuple[HealthCheck, ...]
    passed: tuple[str, ...]


def samples(checkpoint: Measured) -> tuple[SampleShown, ...]:
    """Every sample with its checks."""
    return tuple(map(_sample, checkpoint.samples or ()))


def _sample(sample: Sample) -> SampleShown:
    if sample.health is None:
        return SampleShown(sample, (), (), (), ())
    checks = sample.health.checks
    return SampleShown(
        sample,
        sample.health.failures,
        sample.health.notes,
        tuple(check for check in checks if check.passed is None),
        tuple(check.name for check in checks if check.passed),
    )


def samples_heading(checkpoint: Measured) -> str:
    """How many there are, and how many fail."""
    written = checkpoint.samples or ()
    failing = sum(bool(each.health and each.health.failures) for each in written)
    shown = trn(
        "{count} sample of {name}", "{count} samples of {name}", len(written), name=checkpoint.name
    )
    if not failing:
        return shown
    return tr("{samples}: {failing} fail", samples=shown, failing=failing)


def samples_legend() -> str:
    """Which checks count."""
    return tr("At the gate count loop, repetition and nonsense; all other checks are notes.")


def checks_told(of: SampleShown) -> Iterator[tuple[Mark, str]]:
    """A line for each check that says something, and one for all that passed."""
    if of.sample.failed:
        yield "unknown", tr("The request failed: {why}", why=of.sample.failed)
    for check in (*of.failures, *of.notes):
        yield "fail", tr("{check}: {why}", check=check.name, why=check.explanation)
    for check in of.unknown:
        yield "unknown", tr("{check}: {why}", check=check.name, why=check.explanation)
    if of.passed:
        yield "pass", ", ".join(of.passed)
