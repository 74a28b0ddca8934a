"""Whether an answer runs in a circle: the same unit over and over, back to back.

Three readings of the text are searched for stretches of period p, in which every item equals the
one p before it:

    words       folded, without punctuation: a word, a sentence, a paragraph said again
    counted     the same with numbers that go up by one left out: "1. Install it 2. Install it"
    characters  "ababab", and scripts that write no spaces

docs/reference/health.md says how often a unit has to come, and what is no loop.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from assay.checks.health.reading import QUOTED_AT_MOST, READ_AT_MOST, AnswerWords, Word, quote, read
from assay.messages import tr
from assay.text.number_format import exact
from assay.types.measured.samples import HealthCheck

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAME = "loop"
LONGEST_UNIT_WORDS = 200
LONGEST_UNIT_CHARACTERS = 240
ITEMS_COMPARED = 4_000  # words; characters twice as many

# (N, times): a unit of at most N words or characters loops if it comes that many times.
_AT_END = ((2, 4.0), (4, 3.0), (7, 2.7), (17, 2.4), (LONGEST_UNIT_WORDS, 1.9))
_IN_MIDDLE = ((1, 6.0), (2, 5.0), (4, 4.0), (7, 3.5), (17, 3.0), (LONGEST_UNIT_WORDS, 2.2))
_COUNTED = ((2, 7.0), (4, 4.0), (8, 3.0), (LONGEST_UNIT_WORDS, 2.5))
_CHARACTERS = ((1, 16.0), (3, 8.0), (8, 5.0), (20, 4.0), (LONGEST_UNIT_CHARACTERS, 3.0))
_LEAST_CHARACTERS = 18  # of a stretch of equal characters
_STAMMER = 3  # letters; "aaaa" and "hahaha" are no code
_UNLETTERED_SHARE = 0.6  # of the text, for units without letters
_FLOOD_TIMES, _FLOOD_CHARACTERS = 12, 40  # of signs or tags up to the very end
_RULER = frozenset("-=_*#~.+")
# Lines of tables, logs and code may come this much more often: short ones, and longer ones.
_DATA_TIMES, _LONG_DATA_TIMES, _LONG_DATA_UNIT = 2.0, 1.5, 4

_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_NUMBER = re.compile(r"\d+")
_LETTER = re.compile(r"[^\W\d_]")

Found = tuple[int, int, int, float]  # start, end, end of the first unit, times


class RepeatedStretch(NamedTuple):
    """Items from `start` to `end` in which each equals the one `period` before it."""

    start: int
    end: int
    period: int

    @property
    def times(self) -> float:
        """How often the unit comes, the last time perhaps in part."""
        return (self.end - self.start) / self.period


def find_loop(text: str) -> Found | None:
    """The first stretch that a unit fills back to back: its start, its end, the end of its first
    unit, and how often that comes.
    """
    tail = text[-READ_AT_MOST:]
    about = read(tail)
    found = _of_words(about) or _counted(about) or _of_characters(about)
    if found is None:
        return None
    before = len(text) - len(tail)
    start, end, unit_end, times = found
    return before + start, before + end, before + unit_end, times


def loop(text: str) -> HealthCheck:
    """Passes unless a unit is repeated back to back."""
    found = find_loop(text)
    if found is None:
        return HealthCheck(name=NAME, passed=True, passage="", explanation=tr("Nothing loops."))
    start, end, unit_end, times = found
    unit = " ".join(quote(text, start, unit_end).split())
    return HealthCheck(
        name=NAME,
        passed=False,
        passage=quote(text, start, max(unit_end, min(end, start + QUOTED_AT_MOST))),
        explanation=tr(
            "The same unit comes {times} times in a row: {unit}",
            times=exact(round(times, 1)),
            unit=unit[:120],
        ),
        failure=True,
    )


def _stretches(
    items: NDArray[np.int64], longest: int, least: Callable[[int], float]
) -> Iterator[RepeatedStretch]:
    """The longest stretch of every period and the last one, of at least `least(period)` items."""
    import numpy as np

    for period in range(1, min(longest, len(items) // 2) + 1):
        same = items[period:] == items[:-period]
        if int(same.sum()) + period < int(least(period)):
            continue
        breaks = np.flatnonzero(np.concatenate(([True], ~same, [True])))
        runs = np.diff(breaks) - 1
        for best in {int(runs.argmax()), len(runs) - 1}:
            if runs[best] + period >= int(least(period)):
                start = int(breaks[best])
                yield RepeatedStretch(start, start + int(runs[best]) + period, period)


def _stretches_of_words(words: Sequence[str], times: float) -> Iterator[RepeatedStretch]:
    import numpy as np

    numbers: dict[str, int] = {}
    items = np.array([numbers.setdefault(word, len(numbers)) for word in words], dtype=np.int64)
    return _stretches(items, LONGEST_UNIT_WORDS, lambda period: times * period)


def _times(table: Sequence[tuple[int, float]], size: int) -> float:
    return next(times for most, times in table if size <= most)


def _folded(words: Sequence[Word]) -> list[str]:
    return [_EDGES.sub("", word.text).casefold() or word.text for word in words]


def _data_times(about: AnswerWords, word: Word, period: int) -> float:
    """How much more often a unit may come that is no prose."""
    if about.is_prose_at(word.start):
        return 1.0
    return _DATA_TIMES if period < _LONG_DATA_UNIT else _LONG_DATA_TIMES


def _place(words: Sequence[Word], found: RepeatedStretch) -> Found:
    unit_end = words[found.start + found.period - 1].end
    return words[found.start].start, words[found.end - 1].end, unit_end, found.times


def _of_words(about: AnswerWords) -> Found | None:
    words = about.words[-ITEMS_COMPARED:]
    folded = _folded(words)
    for found in _stretches_of_words(folded, _AT_END[-1][1]):
        unit = folded[found.start : found.start + found.period]
        at_end = found.end >= len(words) - 1  # the last word may be cut
        table = _AT_END if at_end else _IN_MIDDLE
        needed = _times(table, found.period)
        if len(set(unit)) == 1:
            needed = max(needed, table[0][1] / found.period)
        lettered = sum(1 for word in unit if _LETTER.search(word) and len(word) > 1)
        if not lettered or (lettered == 1 and len(set(unit)) > 2):
            start, end, *_ = _place(words, found)
            covered = (end - start) / len(about.text)
            of_signs = not any(map(str.isalnum, "".join(unit)))
            flood = at_end and found.times >= _FLOOD_TIMES and of_signs
            if not flood and (covered < _UNLETTERED_SHARE or found.times < 6):
                continue
        if found.times >= needed * _data_times(about, words[found.start], found.period):
            return _place(words, found)
    return None


def _counted(about: AnswerWords) -> Found | None:
    """Units that differ in numbers only, each of which stays or goes up by one."""
    words = about.words[-ITEMS_COMPARED:]
    plain = _folded(words)
    masked = [_NUMBER.sub("#", word) for word in plain]
    if masked == plain:
        return None
    for found in _stretches_of_words(masked, 2):
        unit = masked[found.start : found.start + found.period]
        lettered = sum(1 for word in unit if len(_LETTER.findall(word)) > 1)
        needed = _times(_COUNTED, lettered)
        needed *= _data_times(about, words[found.start], found.period)
        if lettered and found.times >= needed and _only_counts(plain, found):
            return _place(words, found)
    return None


def _only_counts(words: Sequence[str], found: RepeatedStretch) -> bool:
    for at in range(found.start + found.period, found.end):
        pair = words[at], words[at - found.period]
        now, before = ([int(each[:18]) for each in _NUMBER.findall(word)] for word in pair)
        if any(abs(a - b) > 1 for a, b in zip(now, before, strict=True)):
            return False
    return True


def _of_characters(about: AnswerWords) -> Found | None:
    import numpy as np

    text = about.text.casefold()
    text = text if len(text) == len(about.text) else about.text
    offset = max(0, len(text) - 2 * ITEMS_COMPARED)
    part = text[offset:].rstrip()
    items = np.frombuffer(part.encode("utf-32-le", errors="surrogatepass"), dtype="<u4")

    def least(period: int) -> float:
        return max(_LEAST_CHARACTERS, _times(_CHARACTERS, period) * period)

    for found in _stretches(items.astype(np.int64), LONGEST_UNIT_CHARACTERS, least):
        unit = part[found.start : found.start + found.period]
        size = found.end - found.start
        mostly = size >= _UNLETTERED_SHARE * len(part)
        letters = sum(1 for letter in unit if _LETTER.match(letter))
        at_end = found.end == len(part) and found.times >= _FLOOD_TIMES
        flood = at_end and size >= _FLOOD_CHARACTERS and not set(unit) <= _RULER
        lettered = flood or mostly or letters >= 0.3 * found.period
        if not unit.strip() or not lettered:
            continue
        stammers = found.period <= _STAMMER and letters == found.period
        often = mostly and found.times >= _DATA_TIMES * _times(_CHARACTERS, found.period)
        middle = offset + (found.start + found.end) // 2
        if stammers or flood or often or about.is_prose_at(middle):
            start = offset + found.start
            return start, start + size, start + found.period, found.times
    return None
