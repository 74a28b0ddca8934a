"""What kind each line of an answer is: prose, code or data.

In: any text. Out: its lines that are not blank, with their kind.

A line is told by its form. The words of prose are letters and sentence marks; names with digits,
signs or capitals inside, brackets, paths, options and operators are structure. A short line that
could be either (`weekly`, `rotate 8`) is what the lines around it are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from assay.checks.shell.programs import KNOWN_PROGRAMS, names
from assay.checks.shell.prose import is_command_line

Kind = Literal["prose", "code", "data"]

COMMANDS_TRIED = 200  # lines that are parsed as shell
LONGEST_LINE = 2_000  # characters that are looked at
STRUCTURE, BARE_STRUCTURE = 0.5, 0.3  # share of a line's words; where it has no small words
SENTENCE_FROM, SENTENCE_SHARE = 5, 0.2  # words; share of small words
OPEN_WORDS = 10  # a line of so many words can be told by its neighbours
LONGEST_CODE, LISTED = 40, 0.2  # words; a longer line is data only with so many commas
AROUND = 4  # lines before and after it

_FENCE = re.compile(r"[ \t>]*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})")
_ITEM = re.compile(
    r"[ \t>]*(?:(?:[-*+•◦▪]|\(?\d{1,3}[.)]|#{1,6}|(?:step|étape)\s+\d+\s*[:.)])[ \t]+)+", re.I
)
_PROMPT = re.compile(r"\s*(?:\[?[\w.-]+@[\w.-]+[^$#\n]{0,60}[$#]|[$%❯]|>>>|In \[\d+\]:)\s+\S")
_TABLE = re.compile(
    r"\s*[│┃║├┌└╔╚┏┗]|\s*\+[-=+]{3,}|\s*\|.*\|\s*$|[^|\n]*\|[^|\n]*\|[^|\n]*\||\s*:?-{3,}:?\s*\|"
)
_SETTING = re.compile(
    r"\s*(?:"
    r"[$@%]?[A-Za-z_][\w.\-\[\]]*\s*(?:=|:=|\+=)\s*\S.*"  # name = value
    r"|\[[\w.:\- ]+\]\s*$"  # [section]
    r"|[\"']?[\w.\-/]+[\"']?\s*:\s*(?:[\"'\[{|>&\d]|true\b|false\b|null\b|\S+\s*$|$)"  # key: value
    r"|.*[;{}]\s*$|[)\]}]+[;,]?\s*$"
    r"|</?[A-Za-z!][^>]*>.*"
    r"|(?:#|//|/\*|--)\s*\S.*|\S{1,40}(?:\s{2,}|\t)(?:#|//)\s.*"
    r"|[-+]{3}\s\S+$|@@\s"
    r")"
)
_STATEMENT = re.compile(
    r"\s*(?:from \S+ import \S.*|import [\w.]+(?:(?: as|,) ?[\w., ]+)?|@[\w.]+(?:\(.*)?"
    r"|(?:async )?def \w+\(.*|class \w+(?:\(.*\))?:|(?:el)?if\b.*(?::|; then|then|\{)|else:?|fi"
    r"|done|esac|do|then|try:|finally:|except\b.*:"
    r"|(?:for|while|with|case|switch)\b.*(?::| do| in|\{)"
    r"|(?:return|raise|yield|local|export|unset|assert|del|echo|await|const|let|var|my|our|use"
    r"|package|sub|function|public|private|static|void|int|char|struct|typedef|#include|#define)"
    r"\b(?! (?:the|a|an|to|of|is|and)\b).*|pass|break|continue|end)\s*"
)
_CODE_SIGNS = re.compile(r":\s*$|\w\(|[=!<>]=|\w_\w|\bNone\b|\{\s*$|&&|\|\|")
_LOG = re.compile(
    r"\s*(?:\[\s*\d+[.:\d]*\]"  # [    1.234567]
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s+\d{1,2}\s+\d\d:\d\d"
    r"|\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d"
    r"|\d{1,3}(?:\.\d{1,3}){3}\b"
    r"|[0-9a-fA-F]{4,16}[:|]?\s+[0-9a-fA-F]{2,8}\b"
    r"|[0-9a-fA-F]{2,4}:[0-9a-fA-F]{2}[.:]"
    r"|\S+\s+\d+(?:[.,]\d+)?[KMGT%]?\s+\d"
    r"|\d+ bytes from |[bcdlps-][rwxsStT-]{9}[.+@]?\s"
    # columns
    r"|\S+(?: \S+){0,3}(?:\t+| {2,})\S+(?: \S+){0,3}(?:(?:\t+| {2,})\S+(?: \S+){0,3})+\s*$)"
)
_VALUE = re.compile(r"(?:^|\s)\w+=\S")
_WORDY = re.compile(
    r"[\"'“‘«(\[*_`]*[^\W\d_]+(?:['’\-/][^\W\d_]+)*(?:\(s\))?[\"'”’»)\]*_`]*[.,;:!?…]*[\"'”’»)*_]*"
)
_NUMBER = re.compile(r"[#+\-(]?\d[\d.,:]*%?[.,;:!?)]*|[-–—&*•+]")
_INNER_CAPITAL = re.compile(r"[^\W\d_A-Z][A-Z]")
_SENTENCE_END = re.compile(r"[.!?…][\"')\]*_`]*$")


class Line(NamedTuple):
    """A line that is not blank, and where it stands, without the spaces around it."""

    start: int
    end: int
    kind: Kind


def without_marker(line: str) -> str:
    """A line without its bullet, number or header signs."""
    return _ITEM.sub("", line, count=1)


def lines_of(text: str) -> list[Line]:
    """The lines of a text that are not blank."""
    places: list[tuple[int, int]] = []
    kinds: list[Kind | None] = []
    fence, tried = "", 0
    for match in re.finditer(r"[^\r\n]+", text):
        line = match[0]
        if not line.strip():
            continue
        opens = _FENCE.match(line)
        kind: Kind | None = "code"
        if opens and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else opens[1]
        elif not fence:
            kind, parsed = _kind(line[:LONGEST_LINE], tried < COMMANDS_TRIED)
            tried += parsed
        start = match.start() + len(line) - len(line.lstrip())
        places.append((start, match.start() + len(line.rstrip())))
        kinds.append(kind)
    told = _told_by_neighbours(kinds)
    return [Line(start, end, kind) for (start, end), kind in zip(places, told, strict=True)]


def _told_by_neighbours(kinds: Sequence[Kind | None]) -> list[Kind]:
    """Lines that could be either are code where most of those around them are."""
    told: list[Kind] = []
    for at, kind in enumerate(kinds):
        around = [*told[max(0, at - AROUND) : at], *kinds[at + 1 : at + 1 + AROUND]]
        sure = [each for each in around if each is not None]
        structured = sum(each != "prose" for each in sure)
        told.append(kind or ("code" if sure and 2 * structured >= len(sure) else "prose"))
    return told


def _kind(line: str, may_parse: bool) -> tuple[Kind | None, bool]:
    """The kind of a line, None where it could be either; and whether it was parsed as shell."""
    if _PROMPT.match(line):
        return "code", False
    bare = without_marker(line).strip().strip("`*")
    if _TABLE.match(line) or _LOG.match(bare) or len(_VALUE.findall(bare)) > 1:
        return "data", False
    sentence = is_sentence_like(bare)
    statement = _STATEMENT.fullmatch(line) is not None
    if statement and (not sentence or _CODE_SIGNS.search(line)):
        return "code", False
    if not sentence and _SETTING.fullmatch(line):
        return "code", False
    words = bare.split()
    if words and may_parse and words[0] in KNOWN_PROGRAMS and not sentence:
        if is_command_line(bare, KNOWN_PROGRAMS):
            return "code", True
        return ("prose" if len(words) > OPEN_WORDS else None), True
    return _by_structure(words, sentence), False


def _by_structure(words: Sequence[str], sentence: bool) -> Kind | None:
    listed = sum(word.endswith((",", ";")) for word in words)
    if len(words) > LONGEST_CODE and listed < LISTED * len(words):
        return "prose"
    telling = [word for word in words if not _NUMBER.fullmatch(word)]
    structured = sum(
        _WORDY.fullmatch(word) is None or _INNER_CAPITAL.search(word) is not None
        for word in telling
    )
    share = structured / max(1, len(telling))
    ends = bool(words) and _SENTENCE_END.search(words[-1]) is not None
    small = sum(word.strip(_EDGE).lower() in _SMALL for word in words)
    if not sentence and share >= STRUCTURE and len(telling) > 1 and not (ends and small):
        return "data"
    if not small and not ends and share >= BARE_STRUCTURE and len(words) > 1:
        return "data"
    return None if len(words) <= OPEN_WORDS and not sentence and not ends else "prose"


_EDGE = ".,;:!?()\"'"
_SMALL = names(
    "the a an is are was to of and that it this you your for with in on if when then will le la "
    "les un une est sont et des du que qui pour dans vous avec ce cette"
)


def is_sentence_like(line: str) -> bool:
    """Whether small words make up a good part of a line."""
    words = [word.strip(_EDGE).lower() for word in line.split()]
    if len(words) < SENTENCE_FROM:
        return False
    return sum(word in _SMALL for word in words) >= SENTENCE_SHARE * len(words)
