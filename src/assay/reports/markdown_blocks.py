"""What every Markdown report is made of: tables, lists, pages.

In: cells, sentences, named figures. Out: blocks of GitHub-flavoured Markdown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.messages import tr
from assay.text import number_format as numbers
from assay.text.safe_text import markdown_inline as inline
from assay.types import Estimate


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, right: Iterable[int] = ()) -> str:
    """A table of cells that are escaped already; `right` names the columns of numbers."""
    aligned = set(right)
    rule = ["--:" if place in aligned else "---" for place in range(len(heads))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [heads, rule, *rows])


def figures(rows: Iterable[tuple[str, Estimate]]) -> str:
    """A table of named figures, each with interval, n and unscored."""
    heads = ("", tr("value"), tr("95 % interval"), "n", tr("unscored"), "")
    return table(heads, (_figure(name, estimate) for name, estimate in rows), right=(1, 2, 3, 4))


def facts(rows: Iterable[tuple[str, str]]) -> str | None:
    """A table of names and texts, or nothing where there are none."""
    cells = [(inline(name), inline(text)) for name, text in rows]
    return table(("", ""), cells) if cells else None


def bullets(sentences_: Iterable[str]) -> str:
    """Sentences as a list."""
    return "\n".join(f"- {inline(sentence)}" for sentence in sentences_)


def joined(blocks: Iterable[str | None]) -> str:
    """A page of the blocks that are there."""
    return "\n\n".join(block for block in blocks if block) + "\n"


def _figure(name: str, estimate: Estimate) -> tuple[str, ...]:
    return (
        inline(name),
        numbers.with_unit(estimate),
        inline(numbers.interval(estimate)),
        numbers.count(estimate.n),
        numbers.count(estimate.unscored),
        tr("incomplete") if estimate.incomplete else "",
    )
