"""Reports on a terminal, with rich: narrow ones, without colour and into files too.

In: a Report, a Comparison or a Leaderboard, and a Console. Out: lines on that console. Every text
goes in as `Text`, never as markup, and what a model or a file wrote goes through `safe_text` first.
"""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.messages import tr, trn
from assay.reports import quantities, sentences, surroundings
from assay.reports.decision_terminal import decided, suites_in_brief
from assay.reports.judge_section import judged_on_terminal
from assay.reports.terminal_blocks import (
    ROOM_FOR_BARS,
    console_for,
    figures,
    line,
    line_if_any,
    notes_and_hints,
)
from assay.text import number_format as numbers
from assay.text.safe_text import one_line, visible
from assay.types import Outcome
from assay.types.results import (
    Comparison,
    Leaderboard,
    ModelReport,
    PairComparison,
    RepeatRow,
    Report,
    SuiteComparison,
    SuiteRanking,
    SuiteSummary,
    TestRow,
)

__all__ = [
    "comparison",
    "console_for",
    "figures",
    "leaderboard",
    "line",
    "line_if_any",
    "report",
]

SHOWN_FLIPS = 20

STYLES = {
    Outcome.PASS: "green",
    Outcome.FAIL: "red",
    Outcome.NO_ANSWER: "yellow",
    Outcome.UNSCORED: "magenta",
    Outcome.FAILED: "bold magenta",
}
VERDICT_STYLES = {"better": "bold green", "worse": "bold red"}


def report(document: Report, console: Console, *, verbose: bool = False) -> None:
    """One run: what was decided, then every model, every suite; with `verbose` every test before
    them. Several checkpoints have their suites in brief unless `verbose`.
    """
    if verbose:
        _tests(console, document)
    line(console, tr("Run {run}", run=document.run), style="bold")
    line(console, sentences.state(document), style="dim")
    if document.machine is not None:
        line(console, surroundings.machine_line(document.machine), style="dim")
    line_if_any(console, sentences.nothing_to_show(document))
    decided(document, console)
    if document.decision is not None and len(document.models) > 1 and not verbose:
        suites_in_brief(document, console)
    else:
        for model in document.models:
            _model(console, model)
    if document.judged is not None:
        judged_on_terminal(document.judged, console)
    if document.selected is not None:
        line(console, tr("Selected: {model}", model=document.selected), style="bold green")
    notes_and_hints(console, document.notes, document.hints)


def comparison(document: Comparison, console: Console) -> None:
    """Paired comparisons: differences, intervals, significance, the tests that flipped."""
    line_if_any(console, sentences.nothing_to_show(document))
    for pair in document.pairs:
        _pair(console, pair)
    notes_and_hints(console, document.notes)


def leaderboard(document: Leaderboard, console: Console) -> None:
    """Every model, suite by suite, best first."""
    line_if_any(console, sentences.nothing_to_show(document))
    for suite in document.suites:
        _ranking(console, suite)
    notes_and_hints(console, document.notes)


# ------------------------------------------------------------------------------------- every test


def _tests(console: Console, document: Report) -> None:
    """Every test with its answer, whole: who writes tests reads answers. The scores come last."""
    for model in document.models:
        for summary in model.suites:
            suite = f"{summary.suite}/" if len(model.suites) > 1 else ""
            for row in summary.tests:
                name = one_line(f"{suite}{row.category}/{row.id}")
                _test(console, row, name, model.spec if len(document.models) > 1 else "")
    console.print()


def _test(console: Console, row: TestRow, name: str, model: str) -> None:
    _try(console, row, name, model, answer=None if row.repeats else row.answer)
    for repeat in row.repeats:
        number = tr("try {number}", number=repeat.repeat + 1)
        _try(console, repeat, number, answer=repeat.answer, indent="  ")


def _try(
    console: Console,
    row: TestRow | RepeatRow,
    name: str,
    model: str = "",
    *,
    answer: str | None,
    indent: str = "",
) -> None:
    head = Text(indent + sentences.outcome(row.outcome), style=STYLES[row.outcome])
    head.append(f"  {numbers.score(row.score)}  ", style="default")
    head.append(name, style="bold default")
    if model:
        head.append(f"  {one_line(model)}", style="cyan")
    console.print(head, soft_wrap=True)
    if answer is not None:
        for line in visible(answer or tr("(empty)")).splitlines():
            console.print(Text(f"{indent}  | {line}"), soft_wrap=True)
    console.print(Text(f"{indent}  {one_line(row.explanation)}", style="dim"), soft_wrap=True)


# ---------------------------------------------------------------------------------------- one run


def _model(console: Console, model: ModelReport) -> None:
    console.print()
    title = Text(one_line(model.spec), style="bold cyan")
    accepted = sentences.acceptance(model)
    if accepted:
        title.append(f"  {accepted}", style="bold green" if model.accepted else "bold red")
    console.print(title)
    for facts in (surroundings.about_line(model.about), surroundings.observed_line(model.observed)):
        line_if_any(console, facts, style="dim")
    for summary in model.suites:
        _suite(console, summary)
    if model.measurements:
        console.print()
        line(console, tr("Measurements"), style="bold")
        console.print(figures(console, quantities.measurements(model.measurements)))
    console.print()
    line(console, quantities.answered(model.performance))
    line_if_any(console, quantities.decoding(model.performance))
    notes_and_hints(console, sentences.model_notes(model))


def _suite(console: Console, summary: SuiteSummary) -> None:
    console.print()
    head = Text(one_line(summary.suite), style="bold")
    if summary.title:
        head.append(f" – {one_line(summary.title)}", style="default")
    console.print(head)
    score = tr("score {figure}", figure=numbers.figure(summary.score))
    console.print(Text(score, style="bold yellow" if summary.score.incomplete else "bold"))
    console.print(figures(console, summary.categories.items()))
    if summary.baselines is not None:
        console.print()
        line(console, tr("What answers that know nothing would score"), style="bold")
        console.print(figures(console, sentences.baselines(summary.baselines)))
        line_if_any(console, sentences.baselines_sampled(summary.baselines))
    console.print()
    line(console, sentences.outcomes(summary))


# ------------------------------------------------------------------------------------ comparisons


def _pair(console: Console, pair: PairComparison) -> None:
    console.print()
    for name, side in ((tr("first"), pair.a), (tr("second"), pair.b)):
        line = Text(f"{name:<7} ", style="dim")
        line.append(one_line(side.model), style="bold cyan")
        line.append(f"  {one_line(side.run)}", style="dim")
        console.print(line, soft_wrap=True)
    for compared in pair.suites:
        _compared(console, compared)
    notes_and_hints(console, pair.notes)


def _compared(console: Console, compared: SuiteComparison) -> None:
    console.print()
    head = Text(one_line(compared.suite), style="bold")
    head.append(
        "  " + sentences.verdict(compared), style=VERDICT_STYLES.get(compared.verdict, "default")
    )
    console.print(head)
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("", overflow="fold")
    for name in (tr("first"), tr("second")):
        table.add_column(Text(name), justify="right", no_wrap=True)
    table.add_column(Text(tr("difference, 95 % interval")))
    table.add_column(Text(tr("pairs")), justify="right", no_wrap=True)
    parts = [(one_line(c.name), c.a, c.b, c.difference) for c in compared.categories]
    whole = (tr("points"), compared.a, compared.b, compared.difference)
    for name, a, b, difference in [*parts, whole]:
        table.add_row(
            Text(name),
            Text(numbers.value(a)),
            Text(numbers.value(b)),
            Text(numbers.difference(difference)),
            Text(numbers.count(difference.n)),
        )
    console.print(table)
    if compared.p_value is not None:
        line(console, sentences.how_tested(compared))
    line_if_any(console, sentences.detectable(compared))
    for sentence in sentences.left_out(compared):
        line(console, sentence, style="dim")
    _flips(console, compared)


def _flips(console: Console, compared: SuiteComparison) -> None:
    for flip in compared.flips[:SHOWN_FLIPS]:
        style = "green" if flip.gained else "red"
        change = f"{sentences.outcome(flip.outcome_a)} → {sentences.outcome(flip.outcome_b)}"
        shown = Text(f"  {'+' if flip.gained else '−'} {one_line(flip.id)}  ", style=style)
        marks = f"{numbers.score(flip.score_a)} → {numbers.score(flip.score_b)}"
        shown.append(f"{change}  {marks}", style="default")
        console.print(shown, soft_wrap=True)
    more = len(compared.flips) - SHOWN_FLIPS
    if more > 0:
        more_of_them = trn(
            "… and {count} more; --format md shows all.",
            "… and {count} more; --format md shows all.",
            more,
        )
        line(console, more_of_them, style="dim")


# ------------------------------------------------------------------------------------ leaderboard


def _ranking(console: Console, suite: SuiteRanking) -> None:
    console.print()
    head = Text(one_line(suite.suite), style="bold")
    if suite.tests:
        tests = trn("{count} test", "{count} tests", suite.tests)
        head.append(f"  {tests}", style="dim")
    if suite.content:
        # Two versions or samples of one suite have one name; this tells them apart.
        head.append("  " + tr("content {digest}", digest=suite.content), style="dim")
    if suite.asked:
        head.append(f"  {suite.asked}", style="yellow")
    console.print(head)
    room = console.width >= ROOM_FOR_BARS
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column(Text("#"), justify="right", no_wrap=True)
    table.add_column(Text(tr("model")), overflow="fold")
    table.add_column(Text(tr("score, 95 % interval")), no_wrap=not room)
    table.add_column(Text("n"), justify="right", no_wrap=True)
    table.add_column(Text(tr("unscored")), justify="right", no_wrap=True)
    if room:
        table.add_column(Text(tr("run")), overflow="ellipsis", no_wrap=True)
    for row in suite.rows:
        place = "–" if row.rank is None else f"{'=' if row.tie else ''}{row.rank}"
        table.add_row(
            Text(place),
            Text(one_line(row.model)),
            Text(f"{numbers.value(row.score)} {numbers.interval(row.score)}"),
            Text(numbers.count(row.score.n)),
            Text(numbers.count(row.score.unscored)),
            *([Text(one_line(row.run))] if room else []),
            style="yellow" if row.score.incomplete else None,
        )
    console.print(table)
    for sentence in sentences.ranking_legend(suite):
        line(console, sentence, style="dim")
