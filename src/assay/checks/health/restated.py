"""What of an answer was said before in other words.

In: an answer as read. Out: its statements, which of them say what an earlier one said, how few
different words carry it, and which lines come again.

A statement is a sentence or an item of a list, reduced to the stems of its content words: what is
left without the small words of any language. It is restated where an earlier statement has nearly
all of its stems and hardly any is new to the answer. Parallel sentences of healthy text ("Press F1
for help. Press F2 for setup.") bring something new each time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from assay.checks.health.line_kinds import without_marker
from assay.checks.health.reading import Read
from assay.checks.health.word_model import all_function_words

STATEMENTS_READ = 300
STEM = 6  # letters
HELD = 0.7  # share of a statement's stems that one earlier statement has
NEW = 0.19  # share that is new to the answer, at most
FEWEST_STEMS, FEW_STEMS = 2, 5  # with fewer than five all must be held
ITEM_COUNTS = 0.6  # a heading or an item of a list, which are alike by nature
LEAD = 4  # words before a comma, at most; and after it, at least
TELLING = 6  # letters and digits of a line that is more than a bracket

_END = re.compile(r"[.!?…。]+[\"'”’»)\]*_`]*(?=\s|$)")
_WORD = re.compile(r"[^\W_]+(?:['’.\-/+:][^\W_]+)*")
_ENDING = re.compile(r"(?<=[^\W\d_]{3})(?:ings?|ed|es|s|e)$")
_INNER_SPACE = re.compile(r"\s+")


class Statement(NamedTuple):
    """A sentence or an item: its stems, how many words it has, and where it stands."""

    stems: tuple[str, ...]
    words: int
    start: int
    end: int
    ends: bool  # with a full stop


class Restated(NamedTuple):
    """How many statements restate, their share of the answer, and the first of them."""

    statements: int
    share: float
    first: Statement | None


def statements(about: Read) -> list[Statement]:
    """The statements of the prose."""
    small = all_function_words()
    found: list[Statement] = []
    for start, end in _sentences(about):
        words = list(_WORD.finditer(about.text, start, end))
        stems = tuple(
            _stem(match[0].casefold())
            for match in _without_lead(about.text, words)
            if not match[0].isdigit()
            and (match[0].casefold() not in small or about.kind_at(match.start()) == "code")
        )
        if words:
            ends = _END.search(about.text, start, end) is not None
            found.append(Statement(stems, len(words), start, end, ends))
    return found[:STATEMENTS_READ]


def _stem(word: str) -> str:
    """What "start", "starts" and "starting" have in common."""
    return _ENDING.sub("", word)[:STEM]


def _without_lead(text: str, words: Sequence[re.Match[str]]) -> Sequence[re.Match[str]]:
    """Without "In conclusion," and the like, which add nothing."""
    for at, word in enumerate(words[:LEAD], start=1):
        if text[word.end() : word.end() + 1] == "," and len(words) - at >= LEAD:
            return words[at:]
    return words


def _sentences(about: Read) -> list[tuple[int, int]]:
    """Where sentences and items stand; a line that does not end goes on in the next."""
    found: list[tuple[int, int]] = []
    for start, end in _paragraphs(about):
        at = start
        for match in _END.finditer(about.text, start, end):
            found.append((at, match.end()))
            at = match.end()
        if about.text[at:end].strip():
            found.append((at, end))
    return found


def _paragraphs(about: Read) -> list[tuple[int, int]]:
    """Lines of prose, joined with those that go on: without a marker, with a small letter."""
    found: list[tuple[int, int]] = []
    goes_on = False
    for line in about.lines:
        if line.kind != "prose":
            goes_on = False
            continue
        raw = about.text[line.start : line.end]
        marker = len(raw) - len(without_marker(raw))
        if goes_on and not marker and raw[0].islower():
            found[-1] = (found[-1][0], line.end)
        else:
            found.append((line.start + marker, line.end))
        goes_on = True
    return found


def restated(said: Sequence[Statement], words: int) -> Restated:
    """Which statements an earlier one has made, and their share of all words of the answer."""
    seen: set[str] = set()
    earlier: list[frozenset[str]] = []
    again: list[Statement] = []
    for statement in said:
        stems = frozenset(statement.stems)
        if len(stems) >= FEWEST_STEMS:
            held = max((len(stems & other) for other in earlier), default=0)
            needed = HELD if len(stems) >= FEW_STEMS else 1.0
            if held >= needed * len(stems) and len(stems - seen) <= NEW * len(stems):
                again.append(statement)
            earlier.append(stems)
        seen |= stems
    weighed = sum(statement.words * (1.0 if statement.ends else ITEM_COUNTS) for statement in again)
    share = weighed / max(1, words)
    return Restated(len(again), share, again[0] if again else None)


class Carried(NamedTuple):
    """The share of all words that the two commonest stems make up, and of stems that their own
    statement has said already.
    """

    commonest: float
    within: float


def carried(said: Sequence[Statement]) -> Carried:
    """How few different words carry the prose."""
    stems = Counter(stem for statement in said for stem in statement.stems)
    words = sum(statement.words for statement in said)
    within = sum(len(statement.stems) - len(set(statement.stems)) for statement in said)
    return Carried(
        sum(times for _, times in stems.most_common(2)) / max(1, words),
        within / max(1, stems.total()),
    )


class Lines(NamedTuple):
    """How many telling lines there are, how many stood there before, and the first that did."""

    telling: int
    again: int
    place: tuple[int, int] | None


def lines_again(about: Read) -> Lines:
    """Lines of any kind that come again as they stand, without their markers."""
    seen: set[str] = set()
    count, again = 0, 0
    place: tuple[int, int] | None = None
    for line in about.lines:
        raw = without_marker(about.text[line.start : line.end])
        said = _INNER_SPACE.sub(" ", raw).casefold().strip(" .,;:")
        if sum(map(str.isalnum, said)) < TELLING and not (" " in said and said[0].isalpha()):
            continue
        count += 1
        if said in seen:
            again += 1
            place = place or (line.start, line.end)
        seen.add(said)
    return Lines(count, again, place)
