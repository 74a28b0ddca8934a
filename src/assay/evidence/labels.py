"""Finds the words that name things, and which of them a figure belongs to.

In: a vocabulary (dimensions such as customer or measure, each with keys and the phrases for them)
and a passage. Out: for each figure, its key in each dimension: firm where words stand near it or
over it, loose where they merely stand about. Refuses to know: values, and whether they are right.

A figure belongs to the label with the cheapest gap: "12 orders, $300 revenue" gives 12 to orders,
because a comma costs more than a blank. In a table the cell, the row and the header come first.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, groupby, islice
from typing import Literal

from assay.evidence.figures import Figure, read_figures, with_unit_of
from assay.evidence.passages import Cell, Passage

Kind = Literal["money", "count", "percent"]

_PAUSE = 25  # what a comma costs, in characters
_STOP = 35  # what a semicolon costs besides
_BETWEEN = 15  # what another figure in between costs
_FAR = 70  # from here on a label in the same sentence merely stands about
_PAUSES = re.compile(r"[;|—]|,(?![0-9])|\.(?= )|\b(?:and|but|while|whereas|et)\b| – ")
_RANK = re.compile(r"(?:rank\b|#|no\.?\Z|nr\.?\Z|position\b|place\b)", re.IGNORECASE)
_STOPS = re.compile(r";|\.(?= )")
_MOST = 80  # labels, and figures, of one sentence or row
_LEADS_ON = re.compile(
    r"\s?(?:(?:[a-z]+\s)?(?:in|for|on|of|during|at|from|per|as)\s)?(?:(?:the|a|an|its)\s)?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimension:
    """Keys and the phrases that name them. `owns_one`: one word names one figure ("average 12"),
    while a customer may have many. `kinds`: a key's figures are of these kinds; without an entry,
    of any.
    """

    name: str
    phrases: Mapping[str, tuple[str, ...]]
    owns_one: bool = False
    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    pattern: re.Pattern[str] = field(init=False, repr=False, compare=False)
    keys_of: tuple[frozenset[str], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        keys: dict[str, set[str]] = {}
        for key, phrases in self.phrases.items():
            for phrase in phrases:
                keys.setdefault(phrase, set()).add(key)
        ordered = _ordered(keys)
        object.__setattr__(self, "pattern", any_of(tuple(ordered)))
        object.__setattr__(self, "keys_of", tuple(frozenset(keys[one]) for one in ordered))


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A phrase found in a text. A phrase can stand for several keys."""

    keys: frozenset[str]
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A figure and what it belongs to, by dimension."""

    figure: Figure
    passage: Passage
    firm: Mapping[str, frozenset[str]] = field(default_factory=dict)
    loose: Mapping[str, frozenset[str]] = field(default_factory=dict)
    here: frozenset[str] = frozenset()  # dimensions of things that the sentence or row names
    over: frozenset[str] = frozenset()  # dimensions that at most the lines around it name


def _body(phrase: str) -> str:
    """Blanks and hyphens are alike, "*" stands for any end of a word."""
    words = [re.escape(word).replace(r"\*", r"\w*") for word in re.split(r"[\s-]+", phrase)]
    return r"[\s\-_/]{1,3}".join(words)


def _ending(phrase: str) -> str:
    """What may follow a phrase, by its last character: a plural or possessive "s", no letter."""
    if phrase[-1] == "*":
        return ""
    plural = r"(?:['’]?s)?" if phrase[-1].isalpha() else ""
    fraction = "|[.,][0-9]" if phrase[-1].isdigit() else ""
    return plural + (rf"(?![^\W_]{fraction})" if phrase[-1].isalnum() else "")


def _ordered(phrases: Iterable[str]) -> list[str]:
    """Words before signs, the longest first."""
    return sorted(phrases, key=lambda phrase: (not phrase[0].isalnum(), -len(phrase)))


@lru_cache(maxsize=512)
def any_of(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """One pattern with a group for each phrase, the longest first.

    That words begin where a word begins is asked once for all of them: asked for each, reading an
    answer takes about twice as long. What may follow is written once for neighbours that end alike:
    the patterns are compiled in half of the time.
    """
    words = [one for one in _ordered(phrases) if one[0].isalnum()]
    signs = [one for one in _ordered(phrases) if not one[0].isalnum()]
    parts = [rf"(?<![^\W_])(?:{_alternatives(words)})"] if words else []
    return re.compile("|".join([*parts, _alternatives(signs)] if signs else parts), re.IGNORECASE)


def _alternatives(phrases: Sequence[str]) -> str:
    return "|".join(
        f"(?:{'|'.join(f'({_body(one)})' for one in alike)}){ending}"
        for ending, alike in groupby(phrases, key=_ending)
    )


def find_labels(text: str, dimension: Dimension) -> tuple[Label, ...]:
    """The phrases of a dimension in a text, from left to right."""
    return tuple(
        Label(keys=dimension.keys_of[place], start=start, end=end)
        for place, start, end in _places(text, dimension.pattern)
    )


@lru_cache(maxsize=2048)  # what stands over or before a passage is looked at for each figure in it
def _places(text: str, pattern: re.Pattern[str]) -> tuple[tuple[int, int, int], ...]:
    return tuple(
        ((match.lastindex or 1) - 1, *match.span())
        for match in islice(pattern.finditer(text), _MOST)
    )


def bind(passage: Passage, dimensions: Sequence[Dimension]) -> tuple[Bound, ...]:
    """Every figure of the passage with its labels."""
    found = _without_parts({one.name: find_labels(passage.text, one) for one in dimensions})
    every = [label for labels in found.values() for label in labels]
    figures = [
        figure
        for figure in _claiming(passage)
        if not any(label.start < figure.end and figure.start < label.end for label in every)
    ][:_MOST]
    bound: list[Bound] = [Bound(figure=figure, passage=passage) for figure in figures]
    for one in dimensions:
        places = _place(passage, figures, found[one.name], one)
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
    if not before:  # what stands in brackets belongs to what comes before them
        cost += _STOP * max(0, text.count(")", low, high) - text.count("(", low, high))
    for places, each in ((_pause_places(text), _PAUSE), (_stop_places(text), _STOP)):
        cost += each * (bisect_left(places, high) - bisect_left(places, low))
    return cost + _BETWEEN * (bisect_left(starts, high) - bisect_left(starts, low))


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
