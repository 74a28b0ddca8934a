"""Gain and forgetting of adapters: what became better than the base's, what worse."""

import math
from collections.abc import Iterator, Sequence

from assay.messages import joined, tr
from assay.text.number_format import count, fixed, readable
from assay.types.decisions import ChangeFromBase, Decision
from assay.types.documents import Block, Heading, Note, Span, table


def base_change_blocks(decision: Decision, names: Sequence[str]) -> Iterator[Block]:
    adapted = [name for name in names if decision.changes.get(name)]
    if not adapted:
        return
    yield Heading(tr("Gain and forgetting"), 3)
    heads = (tr("adapter"), tr("gained"), tr("forgot"), tr("no significant difference"))
    yield table(
        heads,
        (
            (
                name.rpartition("/")[2],
                Span(_listed(decision.changes[name], 1), "good"),
                Span(_listed(decision.changes[name], -1), "bad"),
                _listed(decision.changes[name], 0),
            )
            for name in adapted
        ),
    )
    yield Note(
        tr("Against the base, on the same tests and text: points of a suite, and the factor of the "
           "perplexity, with 95 % intervals; what counts does so for all figures of a row at once.")
    )  # fmt: skip


def _listed(changes: Sequence[ChangeFromBase], direction: int) -> str:
    """1: better; -1: worse; 0: neither for sure."""
    shown = [
        _in_words(each)
        for each in changes
        if (direction * each.gain > 0 if each.counts else not direction)
    ]
    return joined(shown) or "–"


def _in_words(of: ChangeFromBase) -> str:
    ends = (of.change.value, of.change.low, of.change.high)
    name = of.measure.removeprefix("suite:")
    if of.measure == "perplexity":
        value, low, high = ("?" if end is None else readable(math.exp(end)) for end in ends)
        return f"{name} ×{value} [{low}–{high}] n={count(of.change.n)}"
    value, low, high = ("?" if end is None else fixed(end, 1, "+") for end in ends)
    return f"{name} {value} [{low} – {high}] n={count(of.change.n)}"
