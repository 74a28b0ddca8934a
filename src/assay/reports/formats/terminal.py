"""Documents on a terminal, with rich. Every text goes in as `Text`, never as markup, and what a
model or a file wrote through `safe_text` first.
"""

import io
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from rich import table as rich
from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.text import Text

from assay.messages import labelled, tr, trn
from assay.plugins import report_format
from assay.reports.formats.card_text import card_lines
from assay.reports.formats.terminal_columns import (
    BETWEEN,
    NARROWEST_CELL,
    TablePart,
    cut_text,
    parts_of,
    single_line_part,
)
from assay.reports.run_report import run_document
from assay.text import number_format as numbers
from assay.text.safe_text import one_line, visible
from assay.types import Estimate, documents
from assay.types.documents import Block, Bullets, Line, Row, Table, Tone, spans
from assay.types.results import Report

NARROWEST = 36  # columns in which a sentence can still be read
LONGEST_CELL = 200

STYLES: dict[Tone, str] = {
    "plain": "default",
    "dim": "dim",
    "strong": "bold",
    "good": "green",
    "bad": "red",
    "warning": "yellow",
    "name": "bold cyan",
    "code": "default",
    "basis": "dim",
    "count": "dim",
}
APART = (Table, documents.Figures, documents.Files, documents.Beside)  # a blank line follows them


def draw(
    document: documents.Document | Iterable[Block], console: Console, *, verbose: bool = False
) -> None:
    """Every block; with `verbose` folds and the details of rows too. What ends in a card is shown
    whole only with `verbose`, and always ends in it.
    """
    out = document.out if isinstance(document, documents.Document) else ""
    page = _ConsoleDocument(console, out=out, verbose=verbose)
    if not isinstance(document, documents.Document) or document.card is None:
        page.blocks(document)
        return
    before = [*(document.blocks if verbose else ()), *document.scores]
    page.blocks(before)
    page.card(document.card)


def render_text(
    document: documents.Document, *, width: int | None = None, verbose: bool = False
) -> str:
    stream = io.StringIO()
    draw(document, console_for(stream, width=width), verbose=verbose)
    return stream.getvalue()


@report_format("text")
def write_text(report: Report) -> str:
    return render_text(run_document(report))


def console_for(stream: TextIO | None = None, *, width: int | None = None) -> Console:
    """A console that takes no text for markup; characters a stream cannot write become ?."""
    target = stream if stream is not None else sys.stdout
    if isinstance(target, io.TextIOWrapper) and not target.encoding.lower().startswith("utf"):
        target.reconfigure(errors="replace")
    return _Console(file=target, width=width, markup=False, highlight=False, emoji=False)


class _Console(Console):
    """rich ends the process with 1 when its reader goes away; here that is the caller's to say."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class _ConsoleDocument:
    """Blocks one below the other."""

    def __init__(self, console: Console, *, out: str, verbose: bool, indent: int = 0) -> None:
        self.console = console
        self.out = out
        self.verbose = verbose
        self.indent = indent
        self.width = max(NARROWEST_CELL, console.width - indent)
        self.ascii_only = console.options.ascii_only
        self.box = None if self.ascii_only else SIMPLE_HEAD

    def blocks(self, blocks: Iterable[Block]) -> None:
        """A blank line before a heading and after what takes several lines."""
        before: Block | None = None
        for block in blocks:
            if not self._is_shown(block):
                continue
            heading = isinstance(block, documents.Heading | documents.Fold) and not self.indent
            if before is not None and (heading or isinstance(before, APART)):
                self.console.print()
            self.block(block)
            before = block

    def card(self, card: documents.Card) -> None:
        width = max(NARROWEST_CELL, self.console.width)
        rule = ("-" if self.ascii_only else "─") * width
        self.console.print(Text(rule, style=STYLES[card.tone]), soft_wrap=True)
        for line in card_lines(card, width):
            tone = card.tone if line.is_decision and card.tone != "plain" else "strong"
            style = f"bold {STYLES[tone]}" if line.is_title else ""
            self.console.print(Text(line.text, style=style), soft_wrap=True)

    def _is_shown(self, block: Block) -> bool:
        match block:
            case documents.Picture():
                return False
            case documents.Fold():
                return self.verbose
            case Table() | documents.Figures():
                return bool(block.rows)
            case Bullets():
                return bool(block.items)
        return True

    def block(self, block: Block) -> None:
        match block:
            case documents.RunLine(text):
                self._print(self._text(one_line(text, longest=self.width), "dim"), whole=True)
            case documents.Heading(line):
                self._print(self._text(line, "strong"))
            case documents.Paragraph(line, tone):
                copied = any(span.tone == "code" for span in spans(line))
                self._print(self._text(line, tone), whole=copied)
            case documents.Note(text):
                self._print(self._text(tr("Note: {note}", note=text), "warning"))
            case documents.Hint(text):
                arrow = "->" if self.ascii_only else "→"
                self._print(Text(f"{arrow} {one_line(text)}", style="cyan"), whole=True)
            case Bullets():
                self._bullets(block)
            case documents.Verbatim():
                self._verbatim(block)
            case documents.Files(paths):
                self._files(paths)
            case Table():
                self._table(block)
            case documents.Figures(rows):
                self._figures(rows)
            case documents.Beside(parts):
                self._beside(parts)
            case documents.Fold(title, blocks):
                if not self.indent:  # the details of a row have titles of their own
                    self._print(self._text(title, "strong"))
                self.blocks(blocks)

    def _print(self, shown: RenderableType, *, whole: bool = False) -> None:
        """`whole`: a command or a path to copy is never broken over two lines."""
        if whole and isinstance(shown, Text):
            self.console.print(Text(" " * self.indent).append_text(shown), soft_wrap=True)
        elif self.indent:
            self.console.print(Padding(shown, (0, 0, 0, self.indent), expand=False))
        else:
            self.console.print(shown)

    def _inside(self, more: int) -> "_ConsoleDocument":
        return _ConsoleDocument(
            self.console, out=self.out, verbose=self.verbose, indent=self.indent + more
        )

    def _text(
        self,
        line: Line,
        tone: Tone = "plain",
        *,
        longest: int | None = None,
        basis_below: bool = False,
        count: bool = True,
    ) -> Text:
        whole = Text(style=STYLES[tone] if tone != "plain" else "")
        for span in spans(line):
            if span.tone == "count" and not count:
                continue
            shown = one_line(span.text, longest=longest)
            # `one_line` drops the blanks at both ends, which part a span from its neighbours.
            left = len(span.text) - len(span.text.lstrip(" "))
            right = len(span.text) - len(span.text.rstrip(" ")) if shown else 0
            if self.ascii_only:
                shown = {"✓": tr("yes"), "✗": tr("no")}.get(shown, shown)
            style = STYLES[span.tone] if span.tone != "plain" else None
            if basis_below and span.tone == "basis" and whole.plain:
                whole.append("\n" + shown, style=style)
                continue
            whole.append(" " * left + shown + " " * right, style=style)
        return whole

    def _bullets(self, block: Bullets) -> None:
        for number, item in enumerate(block.items, start=1):
            line, under = (
                (item.line, item.under) if isinstance(item, documents.Item) else (item, ())
            )
            sign = f"{number}. " if block.numbered else "- "
            grid = rich.Table.grid()
            grid.add_column(no_wrap=True)
            grid.add_column(overflow="fold")
            grid.add_row(Text(sign), self._text(line))
            self._print(grid)
            inside = self._inside(len(sign) + 2)
            for each in under:
                inside._print(self._text(each, "dim"))

    def _verbatim(self, block: documents.Verbatim) -> None:
        if block.title:
            self._print(self._text(block.title, "dim"))
        for line in visible(block.text or tr("(empty)")).splitlines():
            self._print(Text(f"  | {line}"), whole=True)

    def _files(self, paths: Iterable[str]) -> None:
        here = Path.cwd()
        for path in paths:
            whole = Path(self.out) / path
            shown = whole.relative_to(here) if whole.is_relative_to(here) else whole
            self._print(Text(f"  {one_line(str(shown))}"), whole=True)

    def _beside(
        self, parts: Sequence[tuple[str, tuple[documents.Paragraph | documents.Verbatim, ...]]]
    ) -> None:
        grid = rich.Table.grid(expand=True)
        panels = [
            Panel(
                Text("\n").join(map(self._part, blocks)),
                title=self._text(title),
                title_align="left",
            )
            for title, blocks in parts
        ]
        if self.width // max(1, len(parts)) < NARROWEST:
            for panel in panels:
                grid.add_row(panel)
        else:
            for _ in panels:
                grid.add_column(ratio=1)
            grid.add_row(*panels)
        self._print(grid)

    def _part(self, block: documents.Paragraph | documents.Verbatim) -> Text:
        if isinstance(block, documents.Paragraph):
            return self._text(block.line, block.tone)
        return Text(visible(block.text) or tr("(empty)"))

    def _table(self, block: Table) -> None:
        left = len(block.rows) - (block.most_on_terminal or len(block.rows))
        if left > 0 and not self.verbose:
            self._table(replace(block, rows=block.rows[:-left], most_on_terminal=None))
            more = tr("… and {count} more; --format md shows all.", count=left)
            self._print(self._text(more, "dim"))
            return
        if self.verbose and any(row.details for row in block.rows):
            for row in block.rows:
                texts = [text for cell in row.cells if (text := self._text(cell)).plain]
                self._print(Text("  ").join(texts), whole=True)
                self._inside(2).blocks(row.details)
            return
        if not block.one_line or not self._table_of_single_lines(block):
            self._table_in_parts(block)

    def _table_in_parts(self, block: Table) -> None:
        for below in (False, True):
            cells = [
                [self._text(cell, longest=LONGEST_CELL, basis_below=below) for cell in row.cells]
                for row in block.rows
            ]
            every = self.verbose or not below
            parts = parts_of(block.columns, cells, width=self.width, every_column=every)
            if len(parts) == 1:
                break
        if not parts:
            self._as_lines(block)
        for number, part in enumerate(parts):
            if number:
                self.console.print()
            self._print(self._rich_table(block, cells, part))

    def _table_of_single_lines(self, block: Table) -> bool:
        """False: not even its first columns fit. With -v all columns come first, in parts."""
        for count in (True, False):
            cells = [
                [self._text(cell, longest=LONGEST_CELL, count=count) for cell in row.cells]
                for row in block.rows
            ]
            part = single_line_part(block.columns, cells, width=self.width)
            left_out = len(block.columns) - len(part.places) if part else 0
            if part and not left_out:
                break
        if part is None:
            return False
        if left_out and self.verbose:
            self._table_in_parts(block)
            self.console.print()
        for place, width in zip(part.places, part.widths, strict=True):
            for row in cells:
                row[place] = cut_text(row[place], width)
        self._print(self._rich_table(block, cells, part))
        if left_out and not self.verbose:
            more = trn("{count} more column with -v", "{count} more columns with -v", left_out)
            self._print(self._text(more, "dim"))
        return True

    def _rich_table(
        self, block: Table, cells: Sequence[Sequence[Text]], part: TablePart
    ) -> rich.Table:
        named = any(column.head for column in block.columns)
        if named:
            shown = rich.Table(
                box=self.box, show_edge=False, pad_edge=False, padding=(0, BETWEEN - 1, 0, 0)
            )
        else:
            shown = rich.Table.grid(padding=(0, BETWEEN, 0, 0))
        for place, width in zip(part.places, part.widths, strict=True):
            column = block.columns[place]
            head = Text(one_line(column.head))
            shown.add_column(head, justify=column.align, width=width, overflow="fold")
        for row, texts in zip(block.rows, cells, strict=True):
            style = STYLES[row.tone] if row.tone != "plain" else None
            shown.add_row(*(texts[place] for place in part.places), style=style)
        return shown

    def _as_lines(self, block: Table) -> None:
        for row in block.rows:
            self._print(self._text(row.cells[0], "strong"))
            inside = self._inside(2)
            for column, cell in zip(block.columns[1:], row.cells[1:], strict=True):
                name = labelled(one_line(column.head), "") if column.head else ""
                text = self._text(cell)
                if text.plain:
                    inside._print(Text(name).append_text(text))

    def _figures(self, rows: Sequence[tuple[str, Estimate]]) -> None:
        heads = ("", tr("value"), tr("95 % interval"), "n", tr("unscored"))
        self._table(documents.table(heads, (_figure(*row) for row in rows), right=range(1, 5)))


def _figure(name: str, estimate: Estimate) -> Row:
    unscored = numbers.count(estimate.unscored)
    cells = (
        name,
        numbers.with_unit(estimate),
        numbers.interval(estimate),
        numbers.count(estimate.n),
        tr("{count} incomplete", count=unscored) if estimate.incomplete else unscored,
    )
    return Row(cells, tone="warning" if estimate.incomplete else "plain")
