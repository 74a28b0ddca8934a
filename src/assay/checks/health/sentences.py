"""The sentences of an answer's prose, as the coherence check sees them.

In: an answer as read. Out: sentences with their words and places.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from assay.checks.health.line_kinds import without_marker
from assay.checks.health.reading import Read

SENTENCES_READ = 200

_END = re.compile(r"[.!?…。！？]+[\"'”’»)\]*_`]*(?=\s|$)|[。！？]")
_WORD = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")


class Sentence(NamedTuple):
    """A sentence, its words in small letters, and where it stands. An `item` stands in a list."""

    words: tuple[str, ...]
    start: int
    end: int
    item: bool


def sentences_of(about: Read) -> list[Sentence]:
    """The sentences of the lines that are prose; consecutive lines without an end are joined."""
    found: list[Sentence] = []
    for line in about.lines:
        if line.kind != "prose":
            continue
        raw = about.text[line.start : line.end]
        at = len(raw) - len(without_marker(raw))
        item = at > 0
        ends = [match.end() for match in _END.finditer(raw, at)]
        for end in [*(each for each in ends if each < len(raw)), len(raw)]:
            words = tuple(_WORD.findall(raw[at:end].lower()))
            if words:
                found.append(Sentence(words, line.start + at, line.start + end, item))
            at = end
    return found[:SENTENCES_READ]
