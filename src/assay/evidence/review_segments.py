"""A review cut into the pieces in which it speaks of one thing each.

In: a review in Markdown, hostile. Out: segments: a list item with all that belongs to it, a
paragraph, a row of a table, each with the headings above it; and whole sections.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_LONGEST = 200_000
_MOST = 2_000
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*(\w*)")
_PROSE = {"markdown", "md", "text", "txt", "plaintext"}
_HEADING = re.compile(r"[ ]{0,3}(#{1,6})[ \t]+(.{1,300})")
_BOLD_LINE = re.compile(r"[ ]{0,3}\*\*[^*]{1,150}\*\*[ \t]*:?[ \t]*")
_ITEM = re.compile(r"([ \t]*)([-*+•]|\d{1,3}[.)])[ \t]+")


@dataclass(slots=True)
class _Piece:
    heading: str
    section: int
    numbered: bool = False
    prose: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Segment:
    """`prose` with its heading, `code` that stands in fences. `whole_section`: all that stands
    under a heading, for reviews that give each finding a section.
    """

    prose: str
    code: str
    whole_section: bool = False


class _Cutter:
    def __init__(self) -> None:
        self.pieces: list[_Piece] = []
        self.headings: list[tuple[int, str]] = []
        self.section = 0
        self.fence = ""
        self.after_blank = False

    def take(self, line: str) -> None:
        mark = _FENCE.match(line)
        if self.fence:
            if mark and mark.group(1).startswith(self.fence):
                self.fence = ""
            else:
                self._current().code.append(line.strip())
            return
        if mark and mark.group(2).lower() in _PROSE:
            return  # the review itself is in it
        if mark:
            self.fence = mark.group(1)
            self.after_blank = False
            return
        if not line.strip():
            self.after_blank = True
            return
        self._take_text(line)
        self.after_blank = False

    def _take_text(self, line: str) -> None:
        heading = _HEADING.match(line)
        item = _ITEM.match(line)
        if heading:
            self._open_section(len(heading.group(1)), heading.group(2))
        elif _BOLD_LINE.fullmatch(line):
            self._open_section(7, line)
        elif line.lstrip().startswith("|"):
            self._new(line)
        elif item:
            self._take_item(line, indented=len(item.group(1)) > 1, mark=item.group(2))
        elif self.after_blank and not line.startswith((" ", "\t")):
            self._new(line)
        else:
            self._current().prose.append(line)

    def _take_item(self, line: str, *, indented: bool, mark: str) -> None:
        numbered = mark[0].isdigit()
        under_number = self.pieces and self.pieces[-1].numbered and not numbered
        if self.pieces and (indented or under_number):
            self._current().prose.append(line)
        else:
            self._new(line)
            self.pieces[-1].numbered = numbered

    def _open_section(self, level: int, text: str) -> None:
        self.headings = [one for one in self.headings if one[0] < level] + [(level, text)]
        self.section += 1
        self._new("")

    def _new(self, line: str) -> None:
        heading = " / ".join(text for _, text in self.headings)
        self.pieces.append(_Piece(heading=heading, section=self.section, prose=[line]))

    def _current(self) -> _Piece:
        if not self.pieces:
            self._new("")
        return self.pieces[-1]


def segments(review: str) -> tuple[Segment, ...]:
    """The pieces of a review, then its sections."""
    cutter = _Cutter()
    for line in review[:_LONGEST].splitlines():
        cutter.take(line[:4_000])
        if len(cutter.pieces) > _MOST:
            break
    found = [
        Segment(f"{piece.heading}\n" + "\n".join(piece.prose), "\n".join(piece.code))
        for piece in cutter.pieces
    ]
    sections: dict[int, list[_Piece]] = {}
    for piece in cutter.pieces:
        sections.setdefault(piece.section, []).append(piece)
    for pieces in sections.values():
        if len(pieces) > 1:
            prose = [pieces[0].heading, *(line for piece in pieces for line in piece.prose)]
            code = [line for piece in pieces for line in piece.code]
            found.append(Segment("\n".join(prose), "\n".join(code), whole_section=True))
    return tuple(found)
