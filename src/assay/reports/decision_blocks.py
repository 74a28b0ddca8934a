"""What a run decided: which checkpoint to ship and why, the figures of all, what to change next.

In: a Report with its Decision. Out: blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from assay.messages import tr
from assay.reports.checkpoint_table import checkpoint_block
from assay.reports.decision import (
    OVER_STEPS,
    SPEED_AGAINST_QUALITY,
    CriterionShown,
    Detail,
    Group,
    groups,
    over_steps_title,
    speed_title,
)
from assay.reports.decision_sentences import Headline, Mark
from assay.reports.pictures.curves import over_steps, speed_against_quality
from assay.reports.samples_shown import (
    SampleShown,
    checks_told,
    samples,
    samples_heading,
    samples_legend,
)
from assay.types.decisions import Measured
from assay.types.documents import (
    Block,
    Bullets,
    Files,
    Fold,
    Heading,
    Item,
    Note,
    Picture,
    Sentence,
    Span,
    Tone,
    Verbatim,
    bullets,
    sign,
    table,
)
from assay.types.results import Report

TONES: dict[Mark, Tone] = {"pass": "good", "fail": "bad", "unknown": "warning"}
PASSED: dict[Mark, bool | None] = {"pass": True, "fail": False, "unknown": None}


def decision_blocks(report: Report) -> Iterator[Block]:
    """Every group: a model folder, all of them together, or the checkpoints named singly."""
    for group in groups(report):
        yield from group_blocks(group)


def group_blocks(group: Group) -> Iterator[Block]:
    """One model folder, or what there is in its place."""
    yield Heading(group.title)
    for headline in group.headlines:
        yield from _headline(headline)
    if group.table is not None:
        yield checkpoint_block(group.table)
    for name, why in group.failed:
        failed = tr("{name} could not be evaluated: {why}", name=name, why=why)
        yield Sentence(failed, "warning")
    yield from _pictures(group)
    for detail in group.details:
        yield from _detail(detail)
    if group.files:
        yield Heading(tr("Files"), 3)
        yield Files(tuple((str(file.path), file.about) for file in group.files))
    shown = {detail.name for detail in group.details}
    for checkpoint in group.table.checkpoints if group.table else ():
        if checkpoint.samples:
            yield _samples(checkpoint, long=checkpoint.name not in shown)


def _headline(headline: Headline) -> Iterator[Block]:
    yield Sentence(Span(headline.text, "strong"), TONES[headline.mark])
    yield from map(Sentence, headline.told)
    yield from map(Note, headline.notes)


def _pictures(group: Group) -> Iterator[Block]:
    if group.drawn is None or group.table is None:
        return
    for title, draw, name in (
        (over_steps_title(group), over_steps, OVER_STEPS),
        (speed_title(group), speed_against_quality, SPEED_AGAINST_QUALITY),
    ):
        yield Picture(title=title, draw=partial(draw, group.table), path=str(group.drawn / name))


def _detail(detail: Detail) -> Iterator[Block]:
    if detail.criteria:
        yield Heading(detail.heading, 3)
        yield table(("", tr("criterion"), tr("why")), map(_criterion, detail.criteria))
    if detail.advice:
        yield Heading(tr("Advice"), 3)
        items = tuple(Item(each.advice, tuple(each.figures)) for each in detail.advice)
        yield Bullets(items, numbered=True)


def _criterion(criterion: CriterionShown) -> tuple[Span, str | tuple[str | Span, ...], str]:
    marginal = Span(tr(", marginal"), "warning")
    name = (criterion.name, marginal) if criterion.marginal else criterion.name
    return sign(PASSED[criterion.mark]), name, criterion.reason


def _samples(checkpoint: Measured, *, long: bool) -> Fold:
    written = (block for each in samples(checkpoint) for block in _sample(each))
    legend = Sentence(samples_legend(), "dim")
    return Fold(samples_heading(checkpoint), (legend, *written), long=long)


def _sample(of: SampleShown) -> Iterator[Block]:
    yield Sentence((Span(of.sample.id, "strong"), f": {of.sample.prompt}"))
    if not of.sample.failed:
        yield Verbatim(of.sample.text)
    yield bullets((sign(PASSED[mark]), f" {told}") for mark, told in checks_told(of))
