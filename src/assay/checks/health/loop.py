"""Whether an answer runs in a circle: the same unit over and over, back to back.

In: an answer. Out: a HealthCheck; `loop` fails the gate.

Three readings of the text are searched for stretches of period p, in which every item equals the
one p before it:

    words       folded, without punctuation: a word, a sentence, a paragraph said again
    counted     the same with numbers that go up by one left out: "1. Install it 2. Install it"
    characters  "ababab", and scripts that write no spaces

A unit of one word has to come more often than a paragraph before it is a loop; a stretch in the
middle of an answer more often than one at its end. Rulers, tables, dumps and runs of digits have
units without letters and count only where nearly nothing else is there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from assay.checks.health.reading import QUOTED_AT_MOST, READ_AT_MOST, quote, read
from assay.messages import tr
from assay.types.samples import HealthCheck

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAME = "loop"
LONGEST_UNIT_WORDS = 200
LONGEST_UNIT_CHARACTERS = 240
ITEMS_COMPARED = 4_000  # words; characters twice as many

# Times a unit has to come: (unit of at most so many words, times at the end, times in the middle).
_WORD_TIMES = ((1, 4.0, 6.0), (2, 4.0, 5.0), (4, 3.0, 4.0), (7, 2.7, 3.5), (17, 2.4, 3.0))
_LONG_UNIT_TIMES = (1.9, 2.2)
_COUNTED_TIMES = ((2, 7.0), (4, 4.0), (8, 3.0))
_LONG_COUNTED_TIMES = 2.5
_LEAST_CHARACTERS = 18  # of a stretch of equal characters
_CHARACTER_TIMES = ((1, 16.0), (3, 8.0), (8, 5.0), (20, 4.0))
_LONG_CHARACTER_TIMES = 3.0
_STAMMER = 3  # letters; "aaaa" and "hahaha" are no code
_UNLETTERED_SHARE = 0.6  # of the text, for units without letters
_FLOOD_TIMES, _FLOOD_CHARACTERS = 12, 40  # of signs or tags up to the very end
_RULER = frozenset("-=_*#~.+")
# Lines of tables, logs and code may come this much more often: short ones, and longer ones.
_DATA_TIMES, _LONG_DATA_TIMES, _LONG_DATA_UNIT = 2.0, 1.5, 4

_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_NUMBER = re.compile(r"\d+")
_LETTER = re.compile(r"[^\W\d_]")


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
    found = _of_words(tail) or _counted(tail) or _of_characters(tail)
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
            times=f"{times:.1f}".removesuffix(".0"),
            unit=unit[:120],
        ),
        failure=True,
    )


Found = tuple[int, int, int, float]  # start, end, end of the first unit, times


def stretches(
    items: NDArray[np.int64], longest: int, least: Sequence[int]
) -> list[RepeatedStretch]:
    """The longest stretch of every period, where it has at least `least[period]` items."""
    import numpy as np

    found = []
    for period in range(1, min(longest, len(items) // 2) + 1):
        same = items[period:] == items[:-period]
        if int(same.sum()) + period < least[period]:
            continue
        breaks = np.flatnonzero(np.concatenate(([True], ~same, [True])))
        runs = np.diff(breaks) - 1
        for best in {int(runs.argmax()), len(runs) - 1}:
            if runs[best] + period >= least[period]:
                start = int(breaks[best])
                found.append(RepeatedStretch(start, start + int(runs[best]) + period, period))
    return found


def _numbered(items: Sequence[str]) -> NDArray[np.int64]:
    import numpy as np

    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(item, len(numbers)) for item in items], dtype=np.int64)


def _folded(word: str) -> str:
    return _EDGES.sub("", word).casefold() or word


# ----------------------------------------------------------------------------------------- words


def _of_words(text: str) -> Found | None:
    about = read(text)
    words = about.words[-ITEMS_COMPARED:]
    folded = [_folded(word.text) for word in words]
    shortest = _LONG_UNIT_TIMES[0]
    least = [0, *(int(shortest * period) for period in range(1, LONGEST_UNIT_WORDS + 1))]
    for found in stretches(_numbered(folded), LONGEST_UNIT_WORDS, least):
        unit = folded[found.start : found.start + found.period]
        at_end = found.end >= len(words) - 1  # the last word may be cut
        needed = _times_needed(found.period, at_end)
        if len(set(unit)) == 1:
            needed = max(needed, _WORD_TIMES[0][1 if at_end else 2] / found.period)
        if about.kind_at(words[found.start].start) != "prose":
            needed *= _DATA_TIMES if found.period < _LONG_DATA_UNIT else _LONG_DATA_TIMES
        lettered = sum(1 for word in unit if _LETTER.search(word) and len(word) > 1)
        if not lettered or (lettered == 1 and len(set(unit)) > 2 * lettered):
            covered = (words[found.end - 1].end - words[found.start].start) / max(1, len(text))
            flood = at_end and found.times >= _FLOOD_TIMES and _is_of_signs(unit)
            if not flood and (covered < _UNLETTERED_SHARE or found.times < 6):
                continue
        if found.times >= needed:
            first_end = words[found.start + found.period - 1].end
            return words[found.start].start, words[found.end - 1].end, first_end, found.times
    return None


def _is_of_signs(unit: Sequence[str]) -> bool:
    return not any(map(str.isalnum, "".join(unit)))


def _times_needed(period: int, at_end: bool) -> float:
    for most, end, middle in _WORD_TIMES:
        if period <= most:
            return end if at_end else middle
    return _LONG_UNIT_TIMES[0 if at_end else 1]


# --------------------------------------------------------------------------------------- counted


def _counted(text: str) -> Found | None:
    """Units that differ in numbers only, each of which stays or goes up by one."""
    about = read(text)
    words = about.words[-ITEMS_COMPARED:]
    plain = [_folded(word.text) for word in words]
    masked = [_NUMBER.sub("#", word) for word in plain]
    if masked == plain:
        return None
    least = [0, *(2 * period for period in range(1, LONGEST_UNIT_WORDS + 1))]
    for found in stretches(_numbered(masked), LONGEST_UNIT_WORDS, least):
        unit = masked[found.start : found.start + found.period]
        lettered = sum(1 for word in unit if len(_LETTER.findall(word)) > 1)
        needed = next(
            (times for most, times in _COUNTED_TIMES if lettered <= most), _LONG_COUNTED_TIMES
        )
        if about.kind_at(words[found.start].start) != "prose":
            needed *= _DATA_TIMES if found.period < _LONG_DATA_UNIT else _LONG_DATA_TIMES
        if not lettered or found.times < needed:
            continue
        if _only_counts(plain, found):
            first_end = words[found.start + found.period - 1].end
            return words[found.start].start, words[found.end - 1].end, first_end, found.times
    return None


def _only_counts(words: Sequence[str], found: RepeatedStretch) -> bool:
    for at in range(found.start + found.period, found.end):
        if words[at] == words[at - found.period]:
            continue
        now = _NUMBER.findall(words[at])
        before = _NUMBER.findall(words[at - found.period])
        steps = {int(a[:18]) - int(b[:18]) for a, b in zip(now, before, strict=True)}
        if not steps <= {0, 1, -1}:
            return False
    return True


# ------------------------------------------------------------------------------------ characters


def _of_characters(text: str) -> Found | None:
    import numpy as np

    text = text[-2 * ITEMS_COMPARED :].casefold() if len(text.casefold()) == len(text) else text
    offset = 0
    if len(text) > 2 * ITEMS_COMPARED:
        offset = len(text) - 2 * ITEMS_COMPARED
    part = text[offset:].rstrip()
    items = np.frombuffer(part.encode("utf-32-le", errors="surrogatepass"), dtype="<u4")
    least = [
        0,
        *(
            max(_LEAST_CHARACTERS, int(_character_times(period) * period))
            for period in range(1, LONGEST_UNIT_CHARACTERS + 1)
        ),
    ]
    about = read(text)
    for found in stretches(items.astype(np.int64), LONGEST_UNIT_CHARACTERS, least):
        unit = part[found.start : found.start + found.period]
        covered = (found.end - found.start) / max(1, len(part))
        letters = sum(1 for letter in unit if _LETTER.match(letter))
        if not unit.strip():
            continue
        flood = (
            found.end == len(part)
            and found.times >= _FLOOD_TIMES
            and found.end - found.start >= _FLOOD_CHARACTERS
            and not set(unit) <= _RULER
        )
        if not flood and letters < 0.3 * found.period and covered < _UNLETTERED_SHARE:
            continue
        middle = offset + (found.start + found.end) // 2
        stammer = found.period <= _STAMMER and letters == found.period
        if (
            not stammer
            and not flood
            and about.kind_at(middle) != "prose"
            and (
                covered < _UNLETTERED_SHARE
                or found.times < _DATA_TIMES * _character_times(found.period)
            )
        ):
            continue
        start = offset + found.start
        return start, offset + found.end, start + found.period, found.times
    return None


def _character_times(period: int) -> float:
    return next(
        (times for most, times in _CHARACTER_TIMES if period <= most), _LONG_CHARACTER_TIMES
    )
