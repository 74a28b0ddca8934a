"""Takes an answer apart into the places where something can be claimed.

In: an answer as a model wrote it, and the source files that it may have copied. Out: Passage: a
sentence or a row of a table, with what stands over it.

    # Sales            depth 1      a heading
    **By customer:**   depth 8      a line of bold, one that ends with a colon, a few words alone
    words, | a | b |   depth 9      a paragraph, the row of a table
    1. Anna            depth 10     an item; deeper by its indent
       - 12 orders     depth 17     what is deeper belongs to what stands over it

Lines of the source are left out: who repeats the data has claimed nothing. Everything is bounded,
for an answer can be anything.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.evidence.json_blocks import with_json_written_out

_LONGEST_ANSWER = 60_000  # characters that are read, some 15,000 tokens
_LONGEST_LINE = 4_000
_MOST_LINES = 3_000
_LONGEST_CONTEXT = 300  # characters of a line that is seen from under it
_LONGEST_GROUP = 2_500  # characters of a heading with all that stands under it
_LONGEST_GROUPS = 150_000  # characters of all of them
_MOST_EARLIER = 6  # sentences and lines before a sentence that may have named its thing
_MOST_WORDS = 6  # of a heading that nothing marks as one
_MOST_RUN_IN = 3  # of one that ends with a full stop on the line of its text

_HEADING = re.compile(r"[ ]{0,3}(#{1,6})[ \t]+(.*?)[ \t#]*\Z")
_ITEM = re.compile(r"([ \t]*)([-*+•–]|[0-9]{1,3}[.)]|\([0-9a-z]\)|[a-z]\))[ \t]+(.*)\Z")
_BOLD_LINE = re.compile(r"[ ]{0,3}(?:\*\*|__)[^*_]{1,120}(?:\*\*|__)[ ]?:?\Z")
_BARE_HEADING = re.compile(
    r"(?:(?:part|step|section)[ ])?(?:[0-9]{1,2}[.:)]?[ ]+)?(?P<words>[A-Z][^\d.:;,!?|]{2,58})\Z",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"[ ]{0,3}[0-9]{1,3}[.)][ \t]")
_RUN_IN = re.compile(r"([A-Z][^\d.:;,!?|]{2,40})([.:?])(?=[ ])")  # "Late orders. O-1 and O-2 ..."
_NOT = re.compile(r"(?<=[a-z])n['’]t\b", re.IGNORECASE)
_RULE = re.compile(r"[ \t|:=_*-]{2,}\Z")
_UNDERLINE = re.compile(r"[ ]{0,3}(=+|-{3,})[ ]*\Z")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)+\Z")
_FENCE = re.compile(r"[ ]{0,3}(?:```|~~~)")
_MARKS = re.compile(r"\*{1,3}|`+|~~|\\(?=[$%_*#&|])|(?<!\w)_{1,2}(?=\S)|(?<=\S)_{1,2}(?!\w)")
_BREAK = re.compile(r"<br\s?/?>|&nbsp;", re.IGNORECASE)
_SENTENCE_END = re.compile(
    r"(?<=[.!])(?<!\b[A-Z]\.)(?<!e\.g\.)(?<!i\.e\.)(?<!approx\.)(?<!ca\.)(?<!vs\.)(?<!No\.)"
    r"(?<!nr\.)[ ]+(?=[A-Z0-9\"'“(€$£À-Ý])"
)
_PERIOD = re.compile(
    r"(week|wk|day|month|quarter|year)(?:[ ](?:no\.?|nr\.?|number|#))?", re.IGNORECASE
)
_NUMBER = re.compile(r"[0-9]{1,2}(?=\Z|[ ]?[(*])")  # "7", "7 (forecast)"
_FIELD = re.compile(r"field|attribute|property|details?|metric|item|category", re.IGNORECASE)
_MOST_ROWS = 30  # of a table that is read by its columns as well
_DEPTH_LEAD, _DEPTH_TEXT, _DEPTH_ITEM = 8, 9, 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell of a table's row: where it stands in the passage's text, and its column's header."""

    start: int
    end: int
    header: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A sentence or a row. `context`: the lines it stands under, the nearest first. `before`: the
    sentence before it in its paragraph. `earlier`: what comes before that, there and in the lines
    beside its own, the nearest first.
    """

    text: str
    context: tuple[str, ...] = ()
    cells: tuple[Cell, ...] = ()
    before: str = ""
    earlier: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of an answer, plain, with its depth."""

    text: str
    depth: int
    cells: tuple[Cell, ...] = ()
    heading: bool = False


def plain(text: str) -> str:
    """Without the marks of Markdown, in one form of each character; "isn't" is "is not"."""
    text = unicodedata.normalize("NFKC", text.replace("\x00", "").replace("²", "^2"))
    text = _MARKS.sub("", _BREAK.sub(" ", text)).replace("\t", " ")
    return _NOT.sub(" not", re.sub(r"\b([Cc])an['’]t\b", r"\1annot", text))


def read_lines(answer: str, source: Iterable[str] = ()) -> tuple[Line, ...]:
    """The lines of an answer that are its own, with their depths."""
    copied = {_bare(line) for text in source for line in text.splitlines()} - {""}
    lines: list[Line] = []
    headers: tuple[str, ...] = ()
    raw = [one[:_LONGEST_LINE].rstrip() for one in answer[:_LONGEST_ANSWER].splitlines()]
    raw = with_json_written_out(raw[:_MOST_LINES], lambda line: _bare(line) in copied)[:_MOST_LINES]
    for number, one in enumerate(raw):
        following = raw[number + 1] if number + 1 < len(raw) else ""
        if "|" not in one:
            headers = ()
        if _is_no_text(one) or _bare(one) in copied:
            continue
        if "|" in one and _TABLE_RULE.match(following):
            headers = _headers(one)
            lines += _columns(raw[number + 2 : number + 2 + _MOST_ROWS], headers)
            continue
        if _is_bare_heading(raw, number):
            lines.append(Line(text=plain(one).strip(), depth=_DEPTH_LEAD, heading=True))
        else:
            lines.append(_line(one, following, headers))
    return tuple(lines)


def read_passages(lines: Sequence[Line]) -> tuple[Passage, ...]:
    """Sentences and rows, each under the lines it belongs to."""
    passages: list[Passage] = []
    above: list[Line] = []
    beside: dict[tuple[int, ...], list[str]] = {}
    for line in lines:
        while above and above[-1].depth >= line.depth:
            above.pop()
        context = tuple(one.text[:_LONGEST_CONTEXT] for one in reversed(above))
        earlier = beside.setdefault(tuple(id(one) for one in above), [])
        above.append(line)
        if line.cells:
            rows = tuple(reversed(earlier[-_MOST_EARLIER:]))
            passages.append(
                Passage(text=line.text, context=context, cells=line.cells, earlier=rows)
            )
            earlier.append(line.text[:_LONGEST_CONTEXT])
            continue
        passages += _sentences(line, context, earlier)
    return tuple(passages)


def _sentences(line: Line, context: tuple[str, ...], earlier: list[str]) -> list[Passage]:
    """The sentences of a line; what comes first with a full stop or a colon stands over the rest.
    Each is added to `earlier`, which is what the lines beside said.
    """
    match = _RUN_IN.match(line.text)
    lead = ""
    if match and len(match[1].split()) <= (_MOST_RUN_IN if match[2] == "." else _MOST_WORDS):
        lead = match[1]
    passages: list[Passage] = []
    before = ""
    for sentence in _SENTENCE_END.split(line.text):
        if not sentence.strip():
            continue
        over = (lead, *context) if passages and lead else context
        beside = tuple(reversed(earlier[-_MOST_EARLIER:]))
        passages.append(Passage(text=sentence, context=over, before=before, earlier=beside))
        before = sentence
        earlier.append(sentence[:_LONGEST_CONTEXT])
    return passages


def read_groups(lines: Sequence[Line]) -> tuple[str, ...]:
    """Each line together with all that stands under it; a row together with its headers."""
    groups: list[str] = []
    left = _LONGEST_GROUPS
    for index, line in enumerate(lines):
        parts = [_with_headers(line)]
        size = len(parts[0])
        for place in range(index + 1, len(lines)):
            other = lines[place]
            if other.depth <= line.depth or size > _LONGEST_GROUP:
                break
            parts.append(_with_headers(other))
            size += len(parts[-1])
        left -= size
        if left < 0:
            break
        if len(parts) > 1 or line.cells:
            groups.append("\n".join(parts))
    return tuple(groups)


def _with_headers(line: Line) -> str:
    if not line.cells:
        return line.text
    return " | ".join(f"{cell.header} {line.text[cell.start : cell.end]}" for cell in line.cells)


def _is_no_text(line: str) -> bool:
    return not line.strip() or bool(_RULE.fullmatch(line) or _FENCE.match(line))


def _is_bare_heading(raw: Sequence[str], number: int) -> bool:
    """Whether a line is a few words between blank lines, or before others, with no mark at all."""
    if number and raw[number - 1].strip():
        return False
    match = _BARE_HEADING.match(raw[number])
    if match is None or len(match["words"].split()) > _MOST_WORDS:
        return False
    after = next((line for line in raw[number + 1 : number + 4] if line.strip()), "")
    return bool(after) and not (_NUMBERED.match(raw[number]) and _NUMBERED.match(after))


def _line(raw: str, following: str, headers: tuple[str, ...]) -> Line:
    heading = _HEADING.match(raw)
    if heading:
        return Line(text=plain(heading[2]), depth=len(heading[1]), heading=True)
    if raw.lstrip().startswith("|") or (headers and "|" in raw):
        return _row(raw, headers)
    if _UNDERLINE.match(following) and len(raw) < 100 and not _ITEM.match(raw):
        return Line(text=plain(raw).strip(), depth=2, heading=True)
    if _BOLD_LINE.match(raw):
        return Line(text=plain(raw).strip(), depth=_DEPTH_LEAD, heading=True)
    item = _ITEM.match(raw)
    if item:
        indent = min(len(item[1].expandtabs(4)), 40)
        bold = bool(_BOLD_LINE.match(item[3])) and item[2][0].isdigit() and not indent
        depth = _DEPTH_ITEM + 2 * indent + (item[2][0] in "-*+•–")
        return Line(text=plain(item[3]).strip(), depth=depth, heading=bold)
    text = plain(raw)
    indented = len(text) - len(text.lstrip())
    text = text.strip()
    if text.endswith(":") and not indented:
        return Line(text=text, depth=_DEPTH_LEAD, heading=True)
    return Line(text=text, depth=_DEPTH_ITEM + 2 * min(indented, 40) if indented else _DEPTH_TEXT)


def _row(raw: str, headers: tuple[str, ...]) -> Line:
    """A row with its cells; in a first column with the header "Week", a bare 1 is "Week 1"."""
    text, cells = "", []
    for column, content in enumerate(_split_row(raw)):
        if column:
            text += " | "
        shown = plain(content).strip()
        header = headers[column] if column < len(headers) else ""
        period = None if column else _PERIOD.fullmatch(header)
        if period and _NUMBER.match(shown):
            shown = f"{period[1]} {shown}"
        cells.append(Cell(start=len(text), end=len(text) + len(shown), header=header))
        text += shown
    return Line(text=text, depth=_DEPTH_TEXT, cells=tuple(cells))


def _headers(raw: str) -> tuple[str, ...]:
    """The headers of a table; under "Week", a bare 1 is "Week 1"."""
    first, *others = (plain(cell).strip() for cell in _split_row(raw))
    numbered = first and all(one.isdigit() for one in others)
    return (first, *(f"{first} {one}" if numbered else one for one in others))


def _columns(following: Sequence[str], headers: tuple[str, ...]) -> list[Line]:
    """The columns of a table that has its things side by side, each written as a row."""
    if headers[0] and not _FIELD.fullmatch(headers[0]):
        return []
    rows = []
    for raw in following:
        if "|" not in raw or _TABLE_RULE.match(raw):
            break
        rows.append(_split_row(raw))
    if len(headers) < 3 or any(len(row) != len(headers) for row in rows):
        return []
    names = (headers[0], *(plain(row[0]).strip() for row in rows))
    return [
        _row(" | ".join((header, *(row[column] for row in rows))), names)
        for column, header in enumerate(headers)
        if column
    ]


def _split_row(raw: str) -> list[str]:
    row = raw.strip()
    row = row.removeprefix("|")
    if row.endswith("|") and not row.endswith("\\|"):
        row = row[:-1]
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row)]


def _bare(line: str) -> str:
    """What is left of a line when its layout is taken away, to tell a copy of the source."""
    return re.sub(r"[\W_]+", " ", line).strip().casefold()
