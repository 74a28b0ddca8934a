"""A run's decision as Markdown.

In: a Report with its Decision, and the way from the page's folder to the run's `out`. Out: blocks
of Markdown.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from urllib.parse import quote

from assay.messages import tr
from assay.reports.checkpoint_table import checkpoint_markdown
from assay.reports.decision import (
    OVER_STEPS,
    SPEED_AGAINST_QUALITY,
    AdviceShown,
    Detail,
    File,
    Group,
    criterion_name,
    groups,
    over_steps_title,
    speed_title,
)
from assay.reports.decision_sentences import Headline, Mark
from assay.reports.markdown_blocks import bullets, table
from assay.reports.samples_shown import (
    SampleShown,
    checks_told,
    samples,
    samples_heading,
    samples_legend,
)
from assay.text.safe_text import markdown_block
from assay.text.safe_text import markdown_inline as inline
from assay.types.decisions import Measured
from assay.types.results import Report

SIGNS: dict[Mark, str] = {"pass": "✓", "fail": "✗", "unknown": "?"}


def decided(document: Report, *, out: str) -> Iterator[str | None]:
    """Every group; `out` leads from the page to the run's folder of results."""
    for group in groups(document):
        yield from _group(document, group, out)


def _group(document: Report, group: Group, out: str) -> Iterator[str | None]:
    yield f"## {inline(group.title)}"
    for headline in group.headlines:
        yield from _headline(headline)
    if group.table is not None:
        yield checkpoint_markdown(group.table)
    yield bullets(
        tr("{name} could not be evaluated: {why}", name=name, why=why) for name, why in group.failed
    )
    if group.drawn is not None:
        yield _image(over_steps_title(group), group.drawn / OVER_STEPS, out)
        yield _image(speed_title(group), group.drawn / SPEED_AGAINST_QUALITY, out)
    for detail in group.details:
        yield from _detail(detail)
    if group.files:
        yield f"### {tr('Files')}"
        yield "\n".join(_file(file, out) for file in group.files)
    shown = {detail.name for detail in group.details}
    for checkpoint in document.decision.measured if document.decision else ():
        if checkpoint.name in shown and checkpoint.samples:
            yield from _samples(checkpoint)


def _headline(headline: Headline) -> Iterator[str | None]:
    yield f"**{inline(headline.text)}**"
    for sentence in headline.told:
        yield inline(sentence)
    yield bullets(tr("Note: {note}", note=note) for note in headline.notes)


def _detail(detail: Detail) -> Iterator[str | None]:
    if detail.criteria:
        yield f"### {inline(detail.heading)}"
        rows = (
            (SIGNS[each.mark], inline(criterion_name(each)), inline(each.reason))
            for each in detail.criteria
        )
        yield table(("", tr("criterion"), tr("why")), rows)
    if detail.advice:
        yield f"### {tr('Advice')}"
        numbered = enumerate(detail.advice, start=1)
        yield "\n".join(_recommendation(number, each) for number, each in numbered)


def _recommendation(number: int, of: AdviceShown) -> str:
    indent = " " * len(f"{number}. ")
    figures = (f"{indent}- {inline(figure)}" for figure in of.figures)
    return "\n".join([f"{number}. {inline(of.advice)}", *figures])


# -------------------------------------------------------------------------------- files and samples


def _image(words: str, path: PurePosixPath, out: str) -> str:
    return f"![{inline(words)}]({_link(path, out)})"


def _file(file: File, out: str) -> str:
    about = f" ({inline(file.about)})" if file.about else ""
    return f"- [{inline(str(file.path))}]({_link(file.path, out)}){about}"


def _link(path: PurePosixPath, out: str) -> str:
    return quote(f"{out}/{path}", safe="/", errors="replace")


def _samples(checkpoint: Measured) -> Iterator[str]:
    yield f"### {inline(samples_heading(checkpoint))}"
    yield inline(samples_legend())
    for each in samples(checkpoint):
        yield from _sample(each)


def _sample(of: SampleShown) -> Iterator[str]:
    yield f"**{inline(of.sample.id)}**: {inline(of.sample.prompt)}"
    if not of.sample.failed:
        yield markdown_block(of.sample.text)
    told = (f"- {SIGNS[mark]} {inline(sentence)}" for mark, sentence in checks_told(of))
    yield "\n".join(told)
