"""A run's decision on a terminal, and its suites in brief where it has several checkpoints.

In: a Report with its Decision, and a Console. Out: lines on that console. Colour never carries a
meaning alone, and where ✓ cannot be written there are words.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assay.messages import tr
from assay.reports import sentences, surroundings
from assay.reports.checkpoint_table import checkpoint_table
from assay.reports.decision import (
    AdviceShown,
    CriterionShown,
    Detail,
    File,
    Group,
    criterion_name,
    groups,
    name_of,
)
from assay.reports.decision_sentences import Headline, Mark
from assay.reports.terminal_blocks import ROOM_FOR_TABLES, figures, line, notes_and_hints
from assay.text.safe_text import one_line
from assay.types import Estimate
from assay.types.results import Report, SuiteSummary

STYLES: dict[Mark, str] = {"pass": "green", "fail": "red", "unknown": "yellow"}
SIGNS: dict[Mark, str] = {"pass": "✓", "fail": "✗", "unknown": "?"}
LONGEST_NAME = 24  # of a criterion, beside its reason
SHOWN_NAMES = 4


def decided(document: Report, console: Console) -> None:
    """Which checkpoint to ship and why, the figures of all, what to change next, the files."""
    for group in groups(document):
        one_group(console, group, Path(document.out))


def one_group(console: Console, group: Group, out: Path) -> None:
    """One model folder, or what stands in its place."""
    console.print()
    for headline in group.headlines:
        _headline(console, headline)
    if group.table is not None:
        console.print()
        console.print(checkpoint_table(group.table, width=console.width))
    for name, why in group.failed:
        failed = tr("{name} could not be evaluated: {why}", name=name, why=why)
        line(console, failed, style="bold magenta")
    for detail in group.details:
        _detail(console, detail)
    if group.files:
        console.print()
        line(console, tr("Files"), style="bold")
        for file in group.files:
            _file(console, file, out)


def _headline(console: Console, headline: Headline) -> None:
    line(console, headline.text, style=f"bold {STYLES[headline.mark]}")
    for sentence in headline.told:
        line(console, sentence)
    notes_and_hints(console, headline.notes)


def _file(console: Console, file: File, out: Path) -> None:
    here, whole = Path.cwd(), out / file.path
    shown = whole.relative_to(here) if whole.is_relative_to(here) else whole
    # A path to copy: never broken over two lines.
    console.print(Text(f"  {one_line(str(shown))}"), soft_wrap=True)
    if file.about:
        console.print(Padding(Text(one_line(file.about), style="dim"), (0, 0, 0, 4)))


# ---------------------------------------------------------------------------------- one checkpoint


def _detail(console: Console, detail: Detail) -> None:
    if detail.criteria:
        console.print()
        line(console, detail.heading, style="bold")
        if console.width < ROOM_FOR_TABLES:
            for criterion in detail.criteria:
                _criterion_line(console, criterion)
        else:
            console.print(_criteria(console, detail))
    if detail.advice:
        console.print()
        line(console, tr("Advice"), style="bold")
        for number, recommendation in enumerate(detail.advice, start=1):
            _recommendation(console, f"{number}. ", recommendation)


def _criteria(console: Console, detail: Detail) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(max_width=LONGEST_NAME, overflow="fold")
    table.add_column()
    for criterion in detail.criteria:
        name = Text(one_line(criterion.name))
        if criterion.marginal:
            name.append("\n" + tr("marginal"), style="yellow")
        sign = Text(_sign(console, criterion.mark), style=f"bold {STYLES[criterion.mark]}")
        table.add_row(sign, name, Text(one_line(criterion.reason)))
    return table


def _criterion_line(console: Console, criterion: CriterionShown) -> None:
    text = Text(_sign(console, criterion.mark), style=f"bold {STYLES[criterion.mark]}")
    told = f" {criterion_name(criterion)}: {criterion.reason}"
    text.append(one_line(told).rjust(len(told)), style="default")
    console.print(text)


def _sign(console: Console, mark: Mark) -> str:
    """? must stay the sign of what is not known: it is also what becomes of a ✓ that a console
    cannot write.
    """
    if console.options.ascii_only:
        return {"pass": tr("yes"), "fail": tr("no"), "unknown": "?"}[mark]
    return SIGNS[mark]


def _recommendation(console: Console, number: str, of: AdviceShown) -> None:
    row = Table.grid()
    row.add_column(no_wrap=True)
    row.add_column()
    row.add_row(Text(number), Text(one_line(of.advice)))
    console.print(row)
    for figure in of.figures:
        indented = Padding(Text(one_line(figure), style="dim"), (0, 0, 0, len(number) + 2))
        console.print(indented)


# ----------------------------------------------------------------------------------- the suites


def suites_in_brief(document: Report, console: Console) -> None:
    """What the models are, and the score of each, suite by suite, beside what knowing nothing would
    score.
    """
    for names, facts in _about(document):
        console.print()
        line(console, tr("{names}: {facts}", names=names, facts=facts), style="dim")
    for suite in dict.fromkeys(each.suite for model in document.models for each in model.suites):
        rows = list(_scores(document, suite))
        first = rows[0][1]
        console.print()
        head = Text(one_line(suite), style="bold")
        if first.title:
            head.append(f" – {one_line(first.title)}", style="default")
        console.print(head)
        known = _best_guess(first)
        scores = [(name, summary.score) for name, summary in rows]
        console.print(figures(console, [*scores, *known]))
    console.print()
    for model in document.models:
        name = name_of(document, model)
        told = (tr("{model}: {note}", model=name, note=n) for n in sentences.model_notes(model))
        notes_and_hints(console, told)
    line(console, tr("With -v: every suite, category and test of each model."), style="dim")


def _about(document: Report) -> Iterator[tuple[str, str]]:
    """What is known of the models, once for all that are alike."""
    alike: dict[str, list[str]] = {}
    for model in document.models:
        if facts := surroundings.about_line(model.about):
            alike.setdefault(facts, []).append(name_of(document, model))
    for facts, names in alike.items():
        more = len(names) - SHOWN_NAMES
        shown = ", ".join(names[:SHOWN_NAMES]) + (f", … (+{more})" if more > 0 else "")
        yield shown, facts


def _scores(document: Report, suite: str) -> Iterator[tuple[str, SuiteSummary]]:
    for model in document.models:
        for summary in model.suites:
            if summary.suite == suite:
                yield name_of(document, model), summary


def _best_guess(summary: SuiteSummary) -> list[tuple[str, Estimate]]:
    """The best of the answers that know nothing."""
    if summary.baselines is None:
        return []
    known = [each for each in sentences.baselines(summary.baselines) if each[1].value is not None]
    if not known:
        return []
    answer, score = max(known, key=lambda each: each[1].value or 0.0)
    return [(tr("guess: {answer}", answer=answer), score)]
