"""Finds which of the words that name things a figure belongs to.

In: dimensions such as customer or measure, and a passage. Out: for each figure, its key in each
dimension: firm where words stand near it or over it, loose where they merely stand about. Refuses
to know: values, and whether they are right.

A figure belongs to the label with the cheapest gap: "12 orders, $300 revenue" gives 12 to orders,
because a comma costs more than a blank. In a table the cell, the row and the header come first.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, islice
from typing import Literal

from assay.evidence.figures import Figure, read_figures, with_unit_of
from assay.evidence.passages import Cell, Passage
from assay.evidence.phrases import MOST, Dimension, Label, find_labels

Kind = Literal["money", "count", "percent"]

_PAUSE = 25  # what a comma costs, in characters
_STOP = 35  # what a semicolon costs besides
_BETWEEN = 15  # what another figure in between costs
_FAR = 70  # from here on a label in the same sentence merely stands about
_PAUSES = re.compile(r"[;|—]|,(?![0-9])|\.(?= )|\b(?:and|but|while|whereas|et)\b| – ")
_RANK = re.compile(r"(?:rank\b|#|no\.?\Z|nr\.?\Z|position\b|place\b)", re.IGNORECASE)
_STOPS = re.compile(r";|\.(?= )")
_BRACKETS = re.compile(r"\([^()]{1,80}\)")
_PARTS = re.compile(r";|\.(?= )|\b(?:while|whereas|but)\b")
_MOST_BRACKETS = 40  # of one sentence
_LEADS_ON = re.compile(
    r"\s?(?:(?:[a-z]+\s)?(?:in|for|on|of|during|at|from|per|as)\s)?(?:(?:the|a|an|its)\s)?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A figure and what it belongs to, by dimension."""

    figure: Figure
    passage: Passage
    firm: Mapping[str, frozenset[str]] = field(default_factory=dict)
    loose: Mapping[str, frozenset[str]] = field(default_factory=dict)
    here: frozenset[str] = frozenset()  # dimensions of things that the sentence or row names
    over: frozenset[str] = frozenset()  # dimensions that at most the lines around it name


def bind(passage: Passage, dimensions: Sequence[Dimension]) -> tuple[Bound, ...]:
    """Every figure of the passage with its labels."""
    claiming = _claiming(passage)
    found = _without_parts(
        {one.name: _without_units(find_labels(passage.text, one), claiming) for one in dimensions}
    )
    every = [label for labels in found.values() for label in labels]
    figures = [
        figure
        for figure in claiming
        if not any(label.start < figure.end and figure.start < label.end for label in every)
    ][:MOST]
    bound: list[Bound] = [Bound(figure=figure, passage=passage) for figure in figures]
    for one in dimensions:
        labels = found[one.name]
        if one.narrowed_by and not passage.cells:
            labels = tuple(_narrowed(label, passage, one) for label in labels)
        places = _place(passage, figures, labels, one)
        bound = [
            Bound(
                figure=item.figure,
                passage=passage,
                firm={**item.firm, one.name: firm},
                loose={**item.loose, one.name: loose},
                here=item.here | ({one.name} if here and not one.owns_one else set()),
                over=item.over | (set() if here else {one.name}),
            )
            for item, (firm, loose, here) in zip(bound, places, strict=True)
        ]
    return tuple(bound)


def _claiming(passage: Passage) -> list[Figure]:
    """The figures that can claim something, in a table with the unit of their column."""
    figures = [figure for figure in read_figures(passage.text) if not figure.aside]
    if not passage.cells:
        return figures
    placed = [(figure, _cell_of(passage, figure).header) for figure in figures]
    return [with_unit_of(figure, header) for figure, header in placed if not _RANK.match(header)]


def _cell_of(passage: Passage, figure: Figure) -> Cell:
    return next(
        (one for one in passage.cells if one.start <= figure.start <= one.end), passage.cells[0]
    )


def _without_parts(found: Mapping[str, tuple[Label, ...]]) -> dict[str, tuple[Label, ...]]:
    """Without the labels that are part of a longer one: the mailing of "after a mailing"."""
    every = [label for labels in found.values() for label in labels]

    def is_part(label: Label) -> bool:
        size = label.end - label.start
        return any(
            other.start <= label.start and label.end <= other.end and other.end - other.start > size
            for other in every
        )

    return {
        name: tuple(label for label in labels if not is_part(label))
        for name, labels in found.items()
    }


def _without_units(labels: Sequence[Label], figures: Sequence[Figure]) -> tuple[Label, ...]:
    """Without the labels that are the unit of a figure: the "percent" of "12 percent" is what the
    sign would be.
    """
    return tuple(
        label
        for label in labels
        if not any(
            (figure.percent or figure.currency)
            and figure.start < label.start
            and label.end <= figure.end
            for figure in figures
        )
    )


def _narrowed(label: Label, passage: Passage, dimension: Dimension) -> Label:
    """A label for several keys, with those alone that the nearest hint leaves."""
    if len(label.keys) == 1:
        return label
    told = (label.keys & keys for keys in _hints(label, passage, dimension.narrowed_by))
    return replace(label, keys=next(filter(None, told), label.keys))


def _hints(
    label: Label, passage: Passage, vocabularies: Sequence[Dimension]
) -> Iterator[frozenset[str]]:
    """What tells the meaning of a label: its own part of the sentence, the parts before it, the
    sentence before, the lines over it. What comes after may be about something else.
    """
    breaks = [match.start() for match in _PARTS.finditer(passage.text)]
    place = bisect_left(breaks, label.start)
    found = [find_labels(passage.text, one) for one in vocabularies]
    for hints in found:
        part = [one for one in hints if bisect_left(breaks, one.start) == place]
        part.sort(key=lambda one: max(one.start - label.end, label.start - one.end))
        yield from (one.keys for one in part[:1])
    before = [one for one in chain.from_iterable(found) if one.end <= label.start]
    before.sort(key=lambda one: -one.end)
    yield from (one.keys for one in before[:1])
    for text in (passage.before, *passage.context):
        hints = next(filter(None, (find_labels(text, one) for one in vocabularies)), ())
        if len({one.keys for one in hints}) == 1:
            yield hints[0].keys


def _fitting(labels: Sequence[Label], figure: Figure, dimension: Dimension) -> list[Label]:
    """The labels that a figure of this kind can belong to, each with the keys that fit."""
    kind: Kind | None = "percent" if figure.percent else "money" if figure.currency else None
    if kind is None or not dimension.kinds:
        return list(labels)
    fitting = []
    for label in labels:
        keys = frozenset(key for key in label.keys if kind in dimension.kinds.get(key, (kind,)))
        if keys:
            fitting.append(replace(label, keys=keys))
    return fitting


_Place = tuple[frozenset[str], frozenset[str], bool]
_NOTHING: frozenset[str] = frozenset()


def _place(
    passage: Passage, figures: Sequence[Figure], labels: Sequence[Label], dimension: Dimension
) -> list[_Place]:
    if passage.cells:
        return [_in_row(passage, figure, labels, dimension) for figure in figures]
    starts = [figure.start for figure in figures]
    costs = [
        [
            (_cost(passage.text, label, figure, starts), label)
            for label in _fitting(labels, figure, dimension)
        ]
        for figure in figures
    ]
    nearest = [min(some, key=lambda one: one[0], default=None) for some in costs]
    least: dict[int, int] = {}
    for cost, label in chain.from_iterable(costs):
        least[label.start] = min(cost, least.get(label.start, cost))
    claimed = _claimed(figures, costs, dimension)
    places: list[_Place] = []
    previous = _NOTHING
    for figure, near, also in zip(figures, nearest, claimed, strict=True):
        over = _over(passage, figure, dimension)
        if near is None:
            places.append((over[0], over[1] or _earlier(passage, figure, dimension), False))
            continue
        cost, label = near
        loose = also | over[0] | over[1]
        if dimension.owns_one and (cost > _PAUSE or label.keys <= previous):
            loose |= previous  # "12 orders, up from 9": the 9 is of what the 12 is of
        if cost >= _FAR or (dimension.owns_one and cost > least[label.start]):
            places.append((_NOTHING, loose | label.keys, True))
        elif dimension.owns_one:
            previous = label.keys | also
            places.append((label.keys, loose - label.keys, True))
        else:
            places.append((label.keys, _NOTHING, True))
    return places


def _claimed(
    figures: Sequence[Figure], costs: Sequence[Sequence[tuple[int, Label]]], dimension: Dimension
) -> list[frozenset[str]]:
    """For each figure the keys of the labels that have no nearer one: "the largest order is A1,
    with an amount of 12" says that 12 is an amount, and the largest. A figure with a unit comes
    before a bare one.
    """
    keys = [_NOTHING] * len(figures)
    if not dimension.owns_one:
        return keys
    best: dict[int, tuple[tuple[bool, int], int, Label]] = {}
    for place, some in enumerate(costs):
        bare = bool(dimension.kinds) and not (figures[place].currency or figures[place].percent)
        for cost, label in some:
            rank = (bare, cost)
            if label.start not in best or rank < best[label.start][0]:
                best[label.start] = (rank, place, label)
    for _, place, label in best.values():
        keys[place] |= label.keys
    return keys


def _over(
    passage: Passage, figure: Figure, dimension: Dimension
) -> tuple[frozenset[str], frozenset[str]]:
    """Keys named by what stands over the passage: firm where it is one thing, else loose."""
    loose = _NOTHING
    for text in (passage.before, *passage.context):
        labels = _fitting(find_labels(text, dimension), figure, dimension) if text else ()
        named = {label.keys for label in labels}
        if len(named) == 1 and not (dimension.owns_one and text is passage.before):
            return next(iter(named)), loose
        for keys in named:
            loose |= keys
    return _NOTHING, loose


def _earlier(passage: Passage, figure: Figure, dimension: Dimension) -> frozenset[str]:
    """Keys of the nearest earlier sentence, or line beside the passage, that names any."""
    for text in passage.earlier:
        labels = _fitting(find_labels(text, dimension), figure, dimension)
        if labels:
            return _NOTHING.union(*(label.keys for label in labels))
    return _NOTHING


def _cost(text: str, label: Label, figure: Figure, starts: Sequence[int]) -> int:
    """How far a label stands from a figure; `starts` are where all figures do."""
    before = label.end <= figure.start
    low, high = (label.end, figure.start) if before else (figure.end, label.start)
    leads_on = not before and _LEADS_ON.fullmatch(text, low, high)
    cost = 1 if leads_on else high - low + (0 if before else 3)
    aside = [one for one in _bracket_places(text) if low <= one[0] and one[1] <= high]
    if not before:  # what stands in brackets belongs to what comes before them
        cost += _STOP * max(0, text.count(")", low, high) - text.count("(", low, high))
    for places, each in (
        (_pause_places(text), _PAUSE), (_stop_places(text), _STOP), (starts, _BETWEEN)
    ):  # fmt: skip
        cost += each * _count(places, low, high)
        cost -= each * sum(_count(places, *one) for one in aside)
    return cost - sum(end - start for start, end in aside)


def _count(places: Sequence[int], low: int, high: int) -> int:
    return bisect_left(places, high) - bisect_left(places, low)


@lru_cache(maxsize=8)
def _bracket_places(text: str) -> list[tuple[int, int]]:
    """What stands in brackets between a label and a figure does not part them: "carts (29 units)
    made 1,160".
    """
    return [match.span() for match in islice(_BRACKETS.finditer(text), _MOST_BRACKETS)]


@lru_cache(maxsize=8)
def _pause_places(text: str) -> list[int]:
    return [match.start() for match in _PAUSES.finditer(text)]


@lru_cache(maxsize=8)
def _stop_places(text: str) -> list[int]:
    return [match.start() for match in _STOPS.finditer(text)]


def _in_row(
    passage: Passage, figure: Figure, labels: Sequence[Label], dimension: Dimension
) -> _Place:
    """The figure's cell first. Then a measure is named by its column, its row or both, and a
    thing by its row, else by its column.
    """
    cell = _cell_of(passage, figure)
    labels = _fitting(labels, figure, dimension)
    own = [label for label in labels if cell.start <= label.start < cell.end]
    if own:
        near = min(own, key=lambda label: _cost(passage.text, label, figure, [figure.start]))
        return near.keys, _NOTHING, True
    header = _fitting(find_labels(cell.header, dimension), figure, dimension)
    others = [label for label in labels if not cell.start <= label.start < cell.end]
    if not dimension.owns_one:
        for candidates in (others, header):
            if candidates:
                return candidates[0].keys, _NOTHING, True
    elif header or others:
        every = _NOTHING.union(*(label.keys for label in (*header, *others)))
        firm = header[0].keys if header else _NOTHING
        if others:
            firm |= _leftward(passage, cell, others).keys
        return firm, every - firm, True
    firm, loose = _over(passage, figure, dimension)
    return firm, loose or _earlier(passage, figure, dimension), False


def _leftward(passage: Passage, cell: Cell, labels: Sequence[Label]) -> Label:
    """The first label of the nearest cell on the left that has any, else the first of all."""
    for other in reversed([one for one in passage.cells if one.start < cell.start]):
        for label in labels:
            if other.start <= label.start < other.end:
                return label
    return labels[0]
