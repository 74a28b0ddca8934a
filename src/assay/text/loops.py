"""Loops: the same words over and over, back to back.

In: a text, or one that is being written. Out: the stretches in which every item equals the one a
period before it. An item is a word (a long one in parts), a number, a sign, an empty line, or one
character of a script without spaces; capitals do not count. Streams, the generation gate, the
causes of failures and the judge find loops here, and differ only in how many repetitions they ask
for.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from assay.text.structure import UNSPACED

READ_AT_MOST = 20_000  # characters, from the end: a model that is stuck is stuck there
LONGEST_UNIT = 500  # items
# (items, times): a unit of at most so many items loops if it comes so many times at the end of a
# text. With these figures none of 668 sound samples in tests/health_samples loops, and of 176 that
# are labelled as loops 145 do.
TIMES = ((4, 4.0), (8, 3.0), (14, 2.7), (34, 2.4), (LONGEST_UNIT, 1.9))
# A text that went on after a loop had it on purpose more often, as a numbered list or table has
# rows that differ only in their numbers.
IF_INSIDE, IF_NUMBERS_DIFFER = 1.25, 1.5
# Rows of figures and rulers: fewer zeros, or a ruler no wider than a terminal, are no loop.
TIMES_OF_FIGURES, WIDEST_RULER = 12, 80

# A text that is being written is stopped after so many repeated tokens.
TOKENS, TOKENS_IF_NUMBERS_DIFFER = 400, 1000
LOOK_EVERY = 20  # tokens
# A loop is counted from its first word, and its last item may not be whole.
UNCOUNTED = 5  # tokens
PROBE = 40  # characters

_ITEM = re.compile(rf"[{UNSPACED}]|[^\W\d_{UNSPACED}]{{1,4}}|\d{{1,3}}|[^\w\s]|_|\s{{2}}")
_WORD = re.compile(r"\w+|[^\w\s]")
_NUMBER = re.compile(r"\d+")


class Loop(NamedTuple):
    """A unit and its repetitions; `start`, `unit_end` and `end` are places in the text."""

    start: int
    unit_end: int
    end: int
    items: int
    """The items of the whole loop."""
    period: int
    """The items of one unit."""
    is_at_end: bool
    """Whether the text ends in the loop; its last item may be cut."""
    has_letters: bool
    has_digits: bool
    only_numbers_differ: bool
    """Whether the units are equal except for their numbers."""

    @property
    def times(self) -> float:
        """How often the unit comes, the last time perhaps in part."""
        return self.items / self.period

    def is_stuck(self, factor: float = 1.0) -> bool:
        """Return whether no text repeats itself so often; `factor` asks for more repetitions."""
        if not self.has_letters and not self.has_digits and self.items <= WIDEST_RULER:
            return False
        if not self.has_letters and self.times < TIMES_OF_FIGURES:
            return False
        if not self.is_at_end:
            factor *= IF_INSIDE
        if self.only_numbers_differ:
            factor *= IF_NUMBERS_DIFFER
        times = next(times for longest, times in TIMES if self.period <= longest)
        return self.times >= factor * times


def find_loop(text: str, factor: float = 1.0) -> Loop | None:
    """Return the first loop in which the text is stuck; `factor` asks for more repetitions."""
    return next((loop for loop in find_loops(text) if loop.is_stuck(factor)), None)


def find_loops(text: str) -> Iterator[Loop]:
    """Yield every stretch that repeats a unit, first those that are equal to the letter."""
    offset = max(0, len(text) - READ_AT_MOST)
    places = [match.span() for match in _ITEM.finditer(text, offset)]
    items = [text[start:end].casefold() for start, end in places]
    yield from _loops_of(items, places, only_numbers_differ=False)

    masked = ["0" if item.isdecimal() else item for item in items]
    if masked != items:
        yield from _loops_of(masked, places, only_numbers_differ=True)


def _loops_of(
    items: Sequence[str], places: Sequence[tuple[int, int]], *, only_numbers_differ: bool
) -> Iterator[Loop]:
    for start, end, period in _find_stretches(items):
        unit = items[start : start + period]
        # The full stop of the sentence before a loop equals the one inside it: quote from the word.
        first = next((at for at, item in enumerate(unit, start) if item.isalnum()), start)
        first = min(first, end - period)
        yield Loop(
            start=places[first][0],
            unit_end=places[first + period - 1][1],
            end=places[end - 1][1],
            items=end - start,
            period=period,
            is_at_end=end >= len(items) - 1,
            has_letters=any(item.isalpha() for item in unit),
            has_digits=any(item.isdecimal() for item in unit),
            only_numbers_differ=only_numbers_differ,
        )


def _find_stretches(items: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yield start, end and period of each longest stretch with a period.

    The distance of three items to where they last stood is a period to try; with one or two, words
    that every text has again would be tried. Each stretch is walked once for its period, so that
    the time grows as the text does.
    """
    last_places: dict[tuple[str, ...], int] = {}
    walked_to: dict[int, int] = {}  # by period
    for place, gram in enumerate(zip(items, items[1:], items[2:], strict=False)):
        before = last_places.get(gram)
        last_places[gram] = place
        if before is None:
            continue
        period = place - before
        if period > LONGEST_UNIT or place < walked_to.get(period, 0):
            continue

        end = place + len(gram)
        while end < len(items) and items[end] == items[end - period]:
            end += 1
        start = before
        while start > 0 and items[start - 1] == items[start - 1 + period]:
            start -= 1
        walked_to[period] = end
        yield start, end, period


class LoopWatch:
    """One answer while it is written, piece by piece."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def is_stuck_after(self, piece: str) -> bool:
        """Return whether the text, this piece included, ends in a loop that is to be stopped."""
        self._pieces.append(piece)
        if len(self._pieces) % LOOK_EVERY and len(piece) < LOOK_EVERY:
            return False
        del self._pieces[: -(TOKENS_IF_NUMBERS_DIFFER + 2 * LONGEST_UNIT)]
        return self._is_stuck()

    def _is_stuck(self) -> bool:
        text = "".join(self._pieces)
        # By far the usual case, and quickly seen: what stands at the end did not stand before it.
        letters = _NUMBER.sub("", text)
        if letters.find(letters[-PROBE:]) + PROBE >= len(letters):
            return False

        ends = list(accumulate(map(len, self._pieces)))
        for loop in find_loops(text):
            if not loop.is_at_end:
                continue
            # A piece is a token; a server that sends larger ones has its words and signs counted.
            pieces = len(ends) - bisect_left(ends, loop.unit_end)
            words = len(_WORD.findall(text, loop.unit_end, loop.end))
            limit = TOKENS_IF_NUMBERS_DIFFER if loop.only_numbers_differ else TOKENS
            if max(pieces, words) > limit - LOOK_EVERY - UNCOUNTED:
                return True
        return False
