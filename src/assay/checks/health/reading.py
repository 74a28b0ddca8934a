"""An answer as the health checks read it: words with their places, lines that are prose or not.

Code, commands, tables, settings and logs repeat themselves and follow no grammar by nature, so the
checks ask less of them. A line is told by its outer form alone: prose is made of words, and names
with digits or signs inside, brackets, paths, options and operators are not.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from assay.checks.shell.programs import KNOWN_PROGRAMS
from assay.checks.shell.prose import is_command_line

READ_AT_MOST = 20_000  # characters; 160 new tokens are a thousand
QUOTED_AT_MOST = 300  # characters of a passage
LONGEST_LINE = 2_000  # characters that are looked at
COMMANDS_TRIED = 200  # lines that are parsed as shell

_FENCE = re.compile(r"[ \t>]*(?:[-*+]\s+|\d+[.)]\s+)?(?:`{3,}|~{3,})")
_MARKER = re.compile(
    r"[ \t>]*(?:(?:[-*+•◦▪]|\(?\d{1,3}[.)]|#{1,6}|(?:step|étape)\s+\d+\s*[:.)])[ \t]+)+", re.I
)
_TABLE_OR_PROMPT = re.compile(r"\s*(?:[|│┃║├┌└╔╚┏┗+]|[$%❯]\s)|.*(?:\t| {3,})\S")
_PROSE_WORD = re.compile(
    r"[\"'“‘«(\[*_`]*[^\W\d_]+(?:['’\-/][^\W\d_]+)*(?:\(s\))?[\"'”’»)\]*_`]*[.,;:!?…]*[\"'”’»)*_]*"
)


class Word(NamedTuple):
    """What is between two white spaces, and where."""

    text: str
    start: int
    end: int


class Line(NamedTuple):
    """A line that is not blank, and where it is, without the spaces around it."""

    start: int
    end: int
    is_prose: bool


@dataclass(frozen=True)
class AnswerWords:
    """The part of an answer that is looked at."""

    text: str
    words: tuple[Word, ...]
    lines: tuple[Line, ...]

    def is_prose_at(self, place: int) -> bool:
        at = bisect_right(self.lines, (place, len(self.text) + 1, True)) - 1
        return at < 0 or self.lines[at].is_prose


@lru_cache(maxsize=16)
def read(answer: str) -> AnswerWords:
    """Read an answer: at most its first 20,000 characters."""
    text = answer[:READ_AT_MOST]
    words = tuple(Word(m[0], m.start(), m.end()) for m in re.finditer(r"\S+", text))
    lines = []
    fenced, left = False, COMMANDS_TRIED
    for match in re.finditer(r"\S[^\r\n]*", text):
        line = match[0].rstrip()
        fence = _FENCE.match(line) is not None
        left -= 1
        is_prose = not (fenced or fence) and _is_prose(line[:LONGEST_LINE], may_parse=left > 0)
        fenced ^= fence
        lines.append(Line(match.start(), match.start() + len(line), is_prose))
    return AnswerWords(text, words, tuple(lines))


def without_marker(line: str) -> str:
    """A line without its bullet, number or header signs."""
    return _MARKER.sub("", line, count=1)


def _is_prose(line: str, *, may_parse: bool) -> bool:
    bare = without_marker(line).strip("`*")
    words = bare.split()
    if _TABLE_OR_PROMPT.match(line) or (may_parse and is_command_line(bare, KNOWN_PROGRAMS)):
        return False
    return 2 * sum(_PROSE_WORD.fullmatch(word) is not None for word in words) >= len(words)


def quote(text: str, start: int, end: int) -> str:
    """A passage as it is in the text, its beginning where it is long."""
    passage = text[start:end]
    lead = len(passage) - len(passage.lstrip())
    return passage[lead : lead + QUOTED_AT_MOST].rstrip()
