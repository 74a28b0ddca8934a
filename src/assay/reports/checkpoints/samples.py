"""What a checkpoint wrote after the sample prompts, with every check of its health."""

from __future__ import annotations

from collections.abc import Iterator

from assay.messages import tr, trn
from assay.types.decisions import Measurements, Sample
from assay.types.documents import Block, Fold, Line, Paragraph, Span, Verbatim, bullets, sign


def samples_block(checkpoint: Measurements, *, long: bool) -> Fold:
    """Every sample, under how many there are and how many fail."""
    written = checkpoint.samples or ()
    failing = sum(bool(each.health and each.health.failures) for each in written)
    title = trn(
        "{count} sample of {name}", "{count} samples of {name}", len(written), name=checkpoint.name
    )
    if failing:
        title = tr("{samples}: {failing} fail", samples=title, failing=failing)
    legend = tr("At the gate count loop, repetition and nonsense; all other checks are notes.")
    blocks = (block for each in written for block in _sample(each))
    return Fold(title, (Paragraph(legend, "dim"), *blocks), long=long)


def _sample(of: Sample) -> Iterator[Block]:
    yield Paragraph((Span(of.id, "strong"), f": {of.prompt}"))
    if not of.failed:
        yield Verbatim(of.text)
    yield bullets(_checks(of))


def _checks(of: Sample) -> Iterator[Line]:
    """A line for each check that says something, and one for all that passed."""
    if of.failed:
        yield sign(None), " " + tr("The request failed: {why}", why=of.failed)
    checks = of.health.checks if of.health else ()
    failures = of.health.failures if of.health else ()
    notes = [each for each in checks if each.passed is False and each not in failures]
    for check in (*failures, *notes, *(each for each in checks if each.passed is None)):
        said = tr("{check}: {why}", check=check.name, why=check.explanation)
        yield sign(check.passed), f" {said}"
    if passed := [check.name for check in checks if check.passed]:
        yield sign(True), f" {', '.join(passed)}"
