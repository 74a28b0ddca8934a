"""The judged tests of a run in its report: one block for a terminal, one of Markdown.

In: a Judged, and a Console. Out: lines on that console, or a block of Markdown. Colour never
carries a meaning alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.messages import tr
from assay.reports import judge_deviation
from assay.reports import judged_sentences as said
from assay.reports.markdown_blocks import bullets, figures, joined, table
from assay.reports.terminal_blocks import figures as terminal_figures
from assay.reports.terminal_blocks import line, line_if_any, notes_and_hints
from assay.text import number_format as numbers
from assay.text.safe_text import markdown_inline as inline
from assay.text.safe_text import one_line
from assay.types import Estimate
from assay.types.judged import Judged, ModelJudged, TestJudged
from assay.types.judgements import Band

STYLES: dict[Band, str] = {
    "EXCELLENT": "bold green",
    "GOOD": "green",
    "ACCEPTABLE": "yellow",
    "POOR": "red",
    "FAILED": "bold red",
}
WIDEST_CELL = 22  # "7.2 ACCEPTABLE, 12/12"
NAME = 28
LONGEST_REASON = 200


def judged_on_terminal(of: Judged, console: Console) -> None:
    """Every test and model, the means, what is unscored, and which model to use."""
    if not of.models:
        return
    console.print()
    line(console, tr("Judged tests"), style="bold")
    _judges(of, console)
    if NAME + WIDEST_CELL * len(of.models) <= console.width:
        console.print(_table(of))
    else:
        _lines(of, console)
    line(console, _legend(of), style="dim")
    console.print()
    console.print(terminal_figures(console, _means(of)))
    told = list(_unscored(of))
    if told:
        console.print()
        for sentence in told:
            line(console, sentence, style="magenta")
    _deviations(of, console)
    for sentence in said.isolation(of):
        line(console, sentence, style="dim")
    for choice in of.choices:
        line_if_any(console, said.left_out(choice), style="yellow")
    notes_and_hints(console, of.notes)
    console.print()
    line(console, said.closing_sentence(of), style="bold")


def judged_markdown(of: Judged) -> str:
    """The same as Markdown, from a heading of the second level on; "" where nothing was judged."""
    return joined(_blocks(of)) if of.models else ""


# ----------------------------------------------------------------------------------------- terminal


def _judges(of: Judged, console: Console) -> None:
    if of.judges:
        line(console, tr("by {judges}", judges=", ".join(of.judges)), style="dim")


def _table(of: Judged) -> Table:
    shown = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    shown.add_column(Text(tr("test")), overflow="fold", max_width=NAME)
    for model in of.models:
        shown.add_column(Text(one_line(model.model, longest=WIDEST_CELL)), overflow="fold")
    for first, row in _rows(of):
        cells = [Text("–") if test is None else _cell(test) for test in row]
        shown.add_row(Text(one_line(said.test_name(first))), *cells)
    return shown


def _cell(test: TestJudged, between: str = "\n") -> Text:
    cell = Text(said.overall(test), style=STYLES[test.band] if test.band else "magenta")
    if test.evidence_total:
        cell.append(f", {said.evidence(test)}", style="default")
    for more in (said.judged_range(test), _alone(test)):
        if more:
            cell.append(f"{between}{more}", style="dim")
    return cell


def _alone(test: TestJudged) -> str:
    alone = said.judge_only(test)
    return tr("alone {overall}", overall=alone) if alone else ""


def _lines(of: Judged, console: Console) -> None:
    """The same where there is no room for a table."""
    for first, row in _rows(of):
        line(console, said.test_name(first), style="bold")
        for model, test in zip(of.models, row, strict=True):
            if test is not None:
                text = Text(f"  {one_line(model.model)}: ")
                console.print(text.append_text(_cell(test, between=", ")))


def _legend(of: Judged) -> str:
    told = tr("Overall of 10 and its band, checks that hold of all that were run.")
    if any(said.judge_only(test) for model in of.models for test in model.tests):
        told = tr("{told} “alone”: what the judge would give without them.", told=told)
    if any(said.judged_range(test) for model in of.models for test in model.tests):
        told = tr("{told} From–to: by the lowest and highest scores given.", told=told)
    return told


def _deviations(of: Judged, console: Console) -> None:
    for each in of.deviations:
        cells = judge_deviation.cells(each)
        told = "; ".join(
            f"{head} {cell}"
            for head, cell in zip(judge_deviation.heads()[3:], cells[3:], strict=True)
        )
        named = ", ".join(cells[:3])
        line(console, tr("{judge}: {deviation}", judge=named, deviation=told), style="dim")
    for sentence in judge_deviation.doubts(of.deviations):
        line(console, sentence, style="yellow")


# ----------------------------------------------------------------------------------------- Markdown


def _blocks(of: Judged) -> Iterator[str | None]:
    yield f"## {tr('Judged tests')}"
    if of.judges:
        yield inline(tr("Judged by {judges}.", judges=", ".join(of.judges)))
    heads = [tr("test")]
    for model in of.models:
        heads += [inline(model.model), tr("evidence"), tr("judge alone")]
    yield table(heads, (_markdown_row(first, row) for first, row in _rows(of)))
    yield figures(_means(of))
    yield bullets(_unscored(of))
    if of.deviations:
        yield inline(judge_deviation.legend(of.deviations) or "")
        rows = (tuple(map(inline, judge_deviation.cells(each))) for each in of.deviations)
        yield table(judge_deviation.heads(), rows, right=range(3, 10))
        yield bullets(judge_deviation.doubts(of.deviations))
    yield bullets(said.isolation(of))
    yield bullets(told for choice in of.choices if (told := said.left_out(choice)) is not None)
    yield bullets(of.notes)
    yield f"**{inline(said.closing_sentence(of))}**"


def _markdown_row(first: TestJudged, row: Sequence[TestJudged | None]) -> list[str]:
    cells = [inline(said.test_name(first))]
    for test in row:
        if test is None:
            cells += ["–", "–", ""]
        else:
            between = said.judged_range(test)
            shown = said.overall(test) + (f" ({between})" if between else "")
            cells += [shown, said.evidence(test), said.judge_only(test)]
    return cells


# ------------------------------------------------------------------------------------ what is told


def _rows(of: Judged) -> Iterator[tuple[TestJudged, list[TestJudged | None]]]:
    """Every test that any model was judged on, beside all models."""
    by_model = [{(test.suite, test.test_id): test for test in model.tests} for model in of.models]
    for key in dict.fromkeys(key for tests in by_model for key in tests):
        row = [tests.get(key) for tests in by_model]
        yield next(test for test in row if test is not None), row


def _means(of: Judged) -> Iterator[tuple[str, Estimate]]:
    for domain in of.domains:
        for model in of.models:
            judged = model.domain(domain)
            if judged is not None:
                yield _named(of, model, said.domain_name(domain)), judged.mean


def _named(of: Judged, model: ModelJudged, what: str) -> str:
    if len(of.models) == 1:
        return what
    return tr("{what}, {model}", what=what, model=model.model)


def _unscored(of: Judged) -> Iterator[str]:
    """A line for each reason: a judge that is down says the same of every test."""
    for model in of.models:
        remarks = [each for domain in model.domains for each in domain.unscored]
        for why, tests in said.by_reason(remarks):
            yield tr(
                "Unscored: {test}, {model}: {why}",
                test=tests,
                model=model.model,
                why=one_line(why, longest=LONGEST_REASON) or numbers.not_measured(),
            )
