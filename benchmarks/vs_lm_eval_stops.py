"""Stop strings that end texts at different places.

In: texts a model wrote without any. Out: a few strings.

A model with random weights writes no line ends, so the strings are parts of its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

COUNT = 3
ENDED = 0.75  # of the texts; the others run to the limit, as happens with real models
LETTERS = range(2, 5)


def choose_stops(drafts: Sequence[str]) -> list[str]:
    """Strings that end about three texts of four, early and late."""
    candidates = sorted({piece for draft in drafts for piece in _pieces(draft)})
    chosen: list[str] = []
    for _ in range(COUNT):
        best = min(candidates, key=lambda piece: _fault(drafts, [*chosen, piece]))
        if chosen and _fault(drafts, [*chosen, best]) >= _fault(drafts, chosen):
            break
        chosen.append(best)
    return chosen


def _pieces(draft: str) -> Iterator[str]:
    for found in re.finditer(r"[a-z]+", draft):
        word = found[0]
        yield from (word[at : at + n] for n in LETTERS for at in range(len(word) - n + 1))


def _fault(drafts: Sequence[str], stops: Sequence[str]) -> float:
    """How far from the wish: some end early, some late, a quarter never."""
    ends = sorted(_end(draft, stops) for draft in drafts)
    wish = [min(1.0, (number + 0.5) / (ENDED * len(ends))) for number in range(len(ends))]
    return sum(abs(one - other) for one, other in zip(ends, wish, strict=True))


def _end(draft: str, stops: Sequence[str]) -> float:
    """Where a text ends, as a share of its length."""
    places = [draft.find(stop) for stop in stops if stop in draft]
    return min(places) / max(1, len(draft)) if places else 1.0
