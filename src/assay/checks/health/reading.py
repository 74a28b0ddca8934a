"""An answer as the health checks read it: lines that are prose, and lines that are something else.

In: any text. Out: the part that is read, its lines with their kind, its white-space-separated words
with their places, and quotations of it.

Code, commands, tables, settings and logs repeat themselves and follow no grammar by nature, so the
checks ask less of them. A line is one of these by its outer form alone, never by what its words
mean.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from assay.checks.health.line_kinds import Kind, Line, is_sentence_like, lines_of

READ_AT_MOST = 20_000  # characters; 160 new tokens are a thousand
QUOTED_AT_MOST = 300  # characters of a passage

_INLINE_CODE = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]{1,400})\1(?!`)")


class Word(NamedTuple):
    """What stands between two white spaces, and where."""

    text: str
    start: int
    end: int


class Passage(NamedTuple):
    """Where something was found, and what is said of it."""

    start: int
    end: int
    said: str


@dataclass(frozen=True)
class Read:
    """The part of an answer that is looked at."""

    text: str
    words: tuple[Word, ...]
    lines: tuple[Line, ...]
    inline_code: tuple[tuple[int, int], ...]

    def kind_at(self, place: int) -> Kind:
        """What kind of line a place is in; inline code counts as code."""
        inside = bisect_right(self.inline_code, (place, len(self.text) + 1)) - 1
        if inside >= 0 and place < self.inline_code[inside][1]:
            return "code"
        at = bisect_right(self.lines, (place, len(self.text) + 1, "prose")) - 1
        return self.lines[at].kind if at >= 0 else "prose"


@lru_cache(maxsize=16)
def read(answer: str) -> Read:
    """Read an answer: at most its first 20,000 characters."""
    text = answer[:READ_AT_MOST]
    words = tuple(Word(m[0], m.start(), m.end()) for m in re.finditer(r"\S+", text))
    inline = tuple(
        (m.start(), m.end()) for m in _INLINE_CODE.finditer(text) if not is_sentence_like(m[2])
    )
    return Read(text, words, tuple(lines_of(text)), inline)


def quote(text: str, start: int, end: int) -> str:
    """A passage as it stands in the text, its beginning where it is long."""
    passage = text[start:end]
    lead = len(passage) - len(passage.lstrip())
    return passage[lead : lead + QUOTED_AT_MOST].rstrip()
