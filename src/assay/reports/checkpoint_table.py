"""The checkpoints of a model folder as a table: on a terminal with rich, and as Markdown.

In: an `Evaluated`, and how wide the terminal is. Out: a rich Table, Markdown, or plain cells.

On a terminal the least important columns go first where room is short; a number is never broken.
Markdown has all of them, every figure with its interval and n.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len, set_cell_size
from rich.table import Table
from rich.text import Text

from assay.messages import tr
from assay.reports import checkpoint_figures as known
from assay.reports.checkpoint_figures import Evaluated, Figure, figures
from assay.reports.markdown_blocks import table as markdown_table
from assay.reports.pictures.labels import harmless
from assay.text.number_format import readable
from assay.text.safe_text import markdown_inline, one_line
from assay.types.decisions import OS_SUITE, Measured

BETWEEN = 2  # blanks between two columns
LEAST_NAME = 9  # step_8000
SELECTED = "*"  # every terminal has it
LONGEST_HEAD = 16
ROOM_FOR_WORDS = 60  # columns; with fewer, marginal is a mark
KEPT = 99  # the rank of a column that stays


class _Column(NamedTuple):
    """`rank`: the lowest goes first. `form` writes the number of the figure `name`."""

    head: str
    name: str
    rank: int
    form: Callable[[Figure], str]


Row = dict[str, Figure | None]


# ----------------------------------------------------------------------------------- on a terminal


def checkpoint_table(of: Evaluated, *, width: int = 80) -> Table:
    """One row a checkpoint; the selected one has a star."""
    rows = [figures(of, checkpoint) for checkpoint in of.checkpoints]
    parent = known.parent_of(of.checkpoints)
    stars = [f"{SELECTED} " if each.name == of.selected else "" for each in of.checkpoints]
    plain = [harmless(known.short_name(each, parent)) for each in of.checkpoints]
    names = [star + name for star, name in zip(stars, plain, strict=True)]
    verdicts = [known.verdict(of, each, brief=width < ROOM_FOR_WORDS) for each in of.checkpoints]
    head, accepted = tr("checkpoint"), tr("accepted")
    verdict_room = max(cell_len(text) for text in (accepted, *verdicts))
    columns, room = _fitting(of, rows, width - verdict_room - BETWEEN, [head, *names])

    table = Table(
        box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, BETWEEN - 1, 0, 0),
        title=Text(one_line(parent)) if parent else None, title_justify="left",
        caption=_caption(of, brief=width < ROOM_FOR_WORDS), caption_justify="left",
    )  # fmt: skip
    table.add_column(Text(head), no_wrap=True, overflow="ellipsis", max_width=room)
    for column in columns:
        table.add_column(Text(column.head), justify="right", no_wrap=True)
    table.add_column(Text(accepted), no_wrap=True)
    for checkpoint, row, name, verdict in zip(of.checkpoints, rows, names, verdicts, strict=True):
        cells = [Text(_cell(row, column)) for column in columns]
        style = "bold" if checkpoint.name == of.selected else _style(of, checkpoint)
        table.add_row(Text(_shortened(name, room)), *cells, Text(verdict), style=style)
    return table


def _caption(of: Evaluated, *, brief: bool) -> Text | None:
    told = []
    if any(checkpoint.name == of.selected for checkpoint in of.checkpoints):
        told.append(tr("{star} selected", star=SELECTED))
    if brief and any(known.marginal(of, checkpoint) for checkpoint in of.checkpoints):
        told.append(tr("{mark} marginal", mark=known.MARGINAL))
    return Text("   ".join(told)) if told else None


def _style(of: Evaluated, checkpoint: Measured) -> str:
    acceptance = of.acceptances.get(checkpoint.name)
    if checkpoint.failed or acceptance is None:
        return "dim"
    return "" if acceptance.accepted else "default"


def _fitting(
    of: Evaluated, rows: Sequence[Row], room: int, names: Sequence[str]
) -> tuple[list[_Column], int]:
    """The columns there is room for, in their order, and the room for names. A long name gives way
    before the last columns do, down to a third of the terminal.
    """
    columns = [each for each in _columns(of, rows) if any(row.get(each.name) for row in rows)]
    longest = max(cell_len(name) for name in names)
    wanted = min(longest, max(LEAST_NAME, room // 3))
    while True:
        taken = sum(_width(column, rows) + BETWEEN for column in columns)
        least = min(columns, key=lambda column: column.rank, default=None)
        if room - taken >= wanted or least is None or least.rank == KEPT:
            return columns, max(min(longest, room - taken), min(longest, LEAST_NAME))
        columns.remove(least)


def _width(column: _Column, rows: Sequence[Row]) -> int:
    return max(cell_len(column.head), *(cell_len(_cell(row, column)) for row in rows))


def _cell(row: Row, column: _Column) -> str:
    figure = row.get(column.name)
    return "–" if figure is None else column.form(figure)


def _shortened(name: str, room: int) -> str:
    """Cut in the middle; a star in front stays."""
    if cell_len(name) <= room:
        return name
    star = f"{SELECTED} " if name.startswith(f"{SELECTED} ") else ""
    room -= len(star)
    shown = harmless(name[len(star) :], longest=room)
    fits = cell_len(shown) <= room
    return star + (shown if fits else set_cell_size(shown, room - 1).rstrip() + "…")


# --------------------------------------------------------------------------- with every column


class Cell(NamedTuple):
    """A figure, and what it rests on: its interval and n. Plain text, not escaped."""

    shown: str
    basis: str = ""


def checkpoint_cells(of: Evaluated) -> tuple[list[str], list[list[Cell]]]:
    """Heads and rows of all columns but the first and the last, for every kind of page."""
    rows = [figures(of, checkpoint) for checkpoint in of.checkpoints]
    columns = [
        column
        for column in _columns(of, rows)
        if column.form is not _interval and any(row.get(column.name) for row in rows)
    ]
    heads = [column.head for column in columns]
    return heads, [[_whole_cell(row, column) for column in columns] for row in rows]


def _whole_cell(row: Row, column: _Column) -> Cell:
    figure = row.get(column.name)
    if figure is None:
        return Cell("–")
    has_limits = figure.low is not None or figure.high is not None
    limits = [_interval(figure, column.form)] if has_limits else []
    counted = [] if figure.n is None else [f"n={figure.n:,}"]
    return Cell(column.form(figure), " ".join([*limits, *counted]))


def checkpoint_markdown(of: Evaluated) -> str:
    """The same as Markdown."""
    heads, rows = checkpoint_cells(of)
    lines = [
        (
            _markdown_name(of, checkpoint),
            *(markdown_inline(" ".join(filter(None, cell))) for cell in row),
            markdown_inline(known.verdict(of, checkpoint)),
        )
        for checkpoint, row in zip(of.checkpoints, rows, strict=True)
    ]
    titles = (tr("checkpoint"), *map(markdown_inline, heads), tr("accepted"))
    return markdown_table(titles, lines, right=range(1, len(heads) + 1))


def _markdown_name(of: Evaluated, checkpoint: Measured) -> str:
    name = markdown_inline(harmless(checkpoint.name, longest=120))
    return tr("**{name}** (selected)", name=name) if checkpoint.name == of.selected else name


# --------------------------------------------------------------------------------- which columns


def _columns(of: Evaluated, rows: Sequence[Row]) -> Iterator[_Column]:
    """In the order of reading; the ranks say which go first."""
    yield _Column(tr("perplexity"), "perplexity", KEPT, _long)
    yield _Column(tr("95 %"), "perplexity", 50, _interval)
    yield _Column(tr("top-1"), "accuracy_top1", 62, _share)
    yield _Column(tr("top-5"), "accuracy_top5", 60, _share)
    yield from _suites(of, rows)
    yield _Column("mmlu", "mmlu_cs", 70, _share)
    yield _Column("hellaswag", "hellaswag", 58, _share)
    yield _Column(tr("tokens/s"), "inference_speed", 85, _long)
    yield _Column("MB", "memory_usage_mb", 75, _long)
    yield _Column(tr("loops"), "generation_failures", 80, _count)
    yield _Column(tr("score"), "weighted_score", 95, _share)


def _suites(of: Evaluated, rows: Sequence[Row]) -> Iterator[_Column]:
    """The mean of each suite of the gate with its categories, the first ones last to go; then the
    points of the others.
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    asked = known.suites_asked(of)
    seen: set[str] = set()
    for each in asked:
        head = OS_SUITE if each.criterion == "os_benchmark" else each.criterion[len("suite:") :]
        head = harmless(head, longest=LONGEST_HEAD)
        yield _Column(head, each.figure, KEPT if each is asked[0] else 90, _share)
        yield _Column(tr("95 %"), each.figure, 49, _interval)
        parent = "os_benchmark" if each.limit.name == OS_SUITE else f"suite:{each.limit.name}"
        if parent in seen:  # asked for twice, of other categories
            continue
        seen.add(parent)
        inside = [n for n in names if n.startswith(f"{parent}.") and n != known.OS_AVERAGE]
        for place, name in enumerate(n for n in inside if not n.endswith(".score")):
            head = harmless(name[len(parent) + 1 :], longest=LONGEST_HEAD)
            yield _Column(head, name, max(1, 40 - place), _share)
    if all(each.limit.name != OS_SUITE for each in asked):
        yield _Column(OS_SUITE, known.OS_AVERAGE, 56, _share)
    known_already = {f"suite:{each.limit.name}.score" for each in asked}
    for name in names:
        if name.endswith(".score") and name not in known_already:
            suite = name.removeprefix("suite:").removesuffix(".score")
            yield _Column(harmless(suite, longest=LONGEST_HEAD), name, 45, _long)


def _share(figure: Figure) -> str:
    """0.915; a score above 1 is possible and loses no digit."""
    return f"{figure.value:.3f}" if 0 <= figure.value < 1000 else readable(figure.value)


def _long(figure: Figure) -> str:
    """46.8, 1,234.5; huge ones in three digits."""
    return f"{figure.value:,.1f}" if 0.1 <= figure.value < 1e6 else readable(figure.value)


def _count(figure: Figure) -> str:
    return f"{figure.value:,.0f}"


def _interval(figure: Figure, form: Callable[[Figure], str] | None = None) -> str:
    """[42.9–51.0]; – where there is none."""
    if figure.low is None and figure.high is None:
        return "–"
    write = form or (_share if figure.unit == "share" else _long)
    ends = ("?" if end is None else write(figure._replace(value=end)) for end in figure[1:3])
    return f"[{'–'.join(ends)}]"
