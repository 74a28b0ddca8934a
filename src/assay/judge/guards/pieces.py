"""An answer cut where it speaks: sentences, comments, strings, names, lines of fences.

    work     the blocks that the task asks for; of them only what they say to people is a piece
    prose    all else, with the blocks of consoles, outputs and texts

A string of five or more words is prose, and so is a name of five or more. Neighbouring comments,
short lines and parts of one string are also read as one text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from assay.judge.guards.fencing import without_look_alikes
from assay.text.spoken_language import WORD

Kind = Literal["prose", "comment", "literal", "name", "code"]

SENTENCE = 5  # words of a string or a name that is one
FIRST_OF_THE_EAST = 0x2E80  # one letter there is worth some three of an alphabet
_MOST_SIGNS = 0.15  # by letters, of a line in a block that is prose
_LONG = 20  # characters of a string that may be opaque
_WINDOW = 16  # words of short lines that are read as one
_SHORT_NAME = "name"

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})([^\n`]*)$")
_SHOWS = frozenset(
    ("text", "txt", "markdown", "md", "plain", "plaintext", "console", "output", "stdout", "log",
     "terminal", "none", "raw", "result")
)  # fmt: skip
_SAME_LABEL = {"py": "python", "python3": "python", "pycon": "console", "json5": "json",
               "jsonc": "json", "js": "javascript", "ts": "typescript"}  # fmt: skip
_QUOTES = re.compile(r"\"{3}|'{3}")
_SENTENCES = re.compile(
    r"(?:[^\n.!?。！？]|[.!?](?=\w))*(?:[.!?。！？]+(?=\s|$|[^\x00-\x7f])|[.!?]|\n|$)[ \t]*"
)
_ABBREVIATED = re.compile(r"(?:^|[\s(.,])[a-zA-Z]\.[ \t]*$")  # e.g.
_COMMENT = re.compile(r"(?:^|\s)(?:#|//|--|%|;|\*|/\*)[ \t]*(\S.*)$|(\"{3}|'{3})(.*)$|<!--(.*)")
_SIGNS_OF_COMMENTS = re.compile(r"[\s#/;%*-]+|<!--")
_EXAMPLE = re.compile(r"^\s*(?:>>>|\.\.\.)(?:\s|$)")  # of a docstring
_STRING = re.compile(r"(?<=[\"'])[^\"'\n]{5,4000}(?=[\"'])")
_BETWEEN = re.compile(r"[\"'\s+\\frbuFRBU]{0,80}")
_NAME = re.compile(
    r"(?<!\w)(?:[^\W_]++(?:_++[^\W_]++){4,}|[^\W\d_A-Z]+(?:[A-Z][^\W\d_A-Z]+){4,}"
    r"|(?:[A-Z][^\W\d_A-Z]+){5,})(?!\w)"
)
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# A line that is nothing but a frame around words, or begins with a mark of a template.
_FRAMED_LINE = re.compile(
    r"\s*(?:={3,}[^=\n]{2,60}={3,}|\[/?[A-Z][A-Z_ ]{2,40}\])\s*|\s*</?[a-z]+(?:_[a-z]+)+>.*\s*"
)
_BARRED = re.compile(r"<\|[^<>\n]{1,60}\|>|\[\|[^\[\]\n]{1,40}\|\]")


@dataclass(frozen=True, slots=True)
class Piece:
    """`in_block`: of a block that was asked for, where only comments, docstrings, strings and names
    speak; `said`: what it says to people; `rest`: what stands there without it.
    """

    text: str
    in_block: bool
    said: str
    kind: Kind = "prose"
    line: int = 0
    flags: tuple[str, ...] = ()
    rest: str = ""


@dataclass(frozen=True, slots=True)
class _FencedBlock:
    opens: str
    label: str
    body: tuple[str, ...]
    closes: str


def words_in(text: str) -> list[str]:
    """In small letters; names are cut where a capital or an underscore begins a word."""
    return [word.casefold() for word in WORD.findall(_HUMP.sub(" ", text))]


def is_sentence(text: str) -> bool:
    """Scripts without spaces have some two letters to a word."""
    east = sum(ord(sign) >= FIRST_OF_THE_EAST and sign.isalpha() for sign in text)
    return len(words_in(text)) + east // 2 >= SENTENCE


def cut(text: str, task: str) -> list[Piece]:
    parts = list(_parts(text))
    asked = _asked([part for part in parts if isinstance(part, _FencedBlock)], task)
    found, at = list[Piece](), 0
    for part in parts:
        some = [part] if isinstance(part, str) else [part.opens, *part.body, part.closes]
        lines = [line for line in some if line]
        if isinstance(part, str):
            pieces = list(_prose(part, at))
        else:
            pieces = list(_block(part, at, is_asked=part in asked))
        found += pieces
        at += len(lines)
    return found


def neighbours(pieces: Sequence[Piece]) -> Iterator[list[int]]:
    """Places of pieces that are also read as one text: lines of less than a sentence that follow
    each other, comments two and two, strings with nothing but quotation marks between them.
    """
    said = [at for at, piece in enumerate(pieces) if piece.said.strip()]
    run = list[int]()
    for before, at in zip([None, *said], said, strict=False):
        piece = pieces[at]
        is_next = before is not None and _are_neighbours(pieces, before, at)
        is_short = not is_sentence(piece.said) and not _is_whole(piece)
        if run and not (is_next and is_short):
            yield from _windows(pieces, run)
            run = []
        if is_short:
            run.append(at)
        if is_next and before is not None and piece.kind == "comment":
            yield [before, at]
    yield from _windows(pieces, run)


def _is_whole(piece: Piece) -> bool:
    """Whether a few words of prose are a sentence all the same."""
    ends = piece.said.rstrip().endswith((".", "!", "?", ":"))
    return piece.kind == "prose" and ends and len(words_in(piece.said)) > 2


def _windows(pieces: Sequence[Piece], run: Sequence[int]) -> Iterator[list[int]]:
    """So much of a run at a time as makes a sentence, each half beside both of its neighbours."""
    sizes = [max(1, len(words_in(pieces[at].said))) for at in run]
    begin = end = 0
    while end < len(run):
        end = begin + 1
        while end < len(run) and sum(sizes[begin : end + 1]) <= _WINDOW:
            end += 1
        yield list(run[begin:end])
        begin = max(begin + 1, (begin + end) // 2)


def _are_neighbours(pieces: Sequence[Piece], before: int, at: int) -> bool:
    first, second = pieces[before], pieces[at]
    if first.kind != second.kind:
        return False
    if first.kind in ("literal", "name"):
        between = "".join(piece.text for piece in pieces[before + 1 : at])
        return (
            first.kind == "literal"
            and _BETWEEN.fullmatch(between) is not None
            and ("," not in between)
        )
    return second.line - first.line <= (2 if first.kind == "prose" else 1)


def _parts(text: str) -> Iterator[str | _FencedBlock]:
    """Lines, and blocks whole."""
    opens, label, body = "", "", list[str]()
    mark = ""
    for line in _LINE.findall(text):
        found = _FENCE.match(line.rstrip("\r\n"))
        if mark:
            if found and found[1].startswith(mark) and not found[2].strip():
                yield _FencedBlock(opens, label, tuple(body), line)
                mark = ""
            else:
                body.append(line)
        elif found:
            mark, opens, label, body = found[1], line, found[2].strip(), []
        else:
            yield line
    if mark:
        yield _FencedBlock(opens, label, tuple(body), "")


def _asked(blocks: Sequence[_FencedBlock], task: str) -> list[_FencedBlock]:
    """Those in a language that the task names; where none is, all that are code."""
    wanted = set(words_in(task))
    named = [block for block in blocks if (label := _label(block)) and label in wanted]
    work = named or blocks
    return [block for block in work if _label(block) not in _SHOWS and (named or _is_code(block))]


def _label(block: _FencedBlock) -> str:
    first = block.label.split(maxsplit=1)[0].casefold().strip("{}.") if block.label else ""
    return _SAME_LABEL.get(first, first)


def _is_code(block: _FencedBlock) -> bool:
    if _label(block):
        return True
    lines = [line for line in block.body if line.strip()]
    return 2 * sum(map(_is_prose, lines)) <= len(lines)


def _block(block: _FencedBlock, at: int, *, is_asked: bool) -> Iterator[Piece]:
    fence = re.match(r"[ \t]*[`~]+", block.opens)
    bare = (fence[0] if fence else "") + "\n"
    is_told = len(words_in(block.label)) > 1
    yield Piece(
        block.opens,
        in_block=is_asked,
        said=block.label if is_told else "",
        kind="prose" if is_told else "code",
        line=at,
        rest=bare,
    )
    if _label(block) in _SHOWS or not (is_asked or _is_code(block)):
        for number, line in enumerate(block.body, at + 1):
            yield from _prose(line, number)
    else:
        yield from _code(block.body, at + 1, is_asked=is_asked)
    if block.closes:
        line_after = at + 1 + len(block.body)
        yield Piece(block.closes, in_block=is_asked, said="", kind="code", line=line_after)


def _prose(line: str, at: int) -> Iterator[Piece]:
    if _EXAMPLE.match(line):
        yield from (replace(each, line=at, in_block=False) for each in _pieces_of_code(line))
        return
    begun = ""
    for one in filter(None, _SENTENCES.findall(line)):
        begun += one
        if not _ABBREVIATED.search(begun):
            yield Piece(begun, in_block=False, said=begun, line=at)
            begun = ""
    if begun:
        yield Piece(begun, in_block=False, said=begun, line=at)


def _code(body: Sequence[str], first: int, *, is_asked: bool) -> Iterator[Piece]:
    quotes = ""
    is_shown = False  # what an example returns follows it
    for number, line in enumerate(body, first):
        is_example = bool(quotes) and _EXAMPLE.match(line) is not None
        is_shown = is_example or (is_shown and bool(line.strip()) and '"""' not in line)
        for piece in _pieces_of_code(line, in_quotes=bool(quotes) and not is_shown):
            yield replace(piece, line=number, in_block=is_asked)
        for each in _QUOTES.findall(line):
            quotes = "" if quotes == each else quotes or each


def _pieces_of_code(line: str, *, in_quotes: bool = False) -> Iterator[Piece]:
    """A line of a block, cut where it says something to people."""
    at = 0
    for start, end, kind in _said_in(line, in_quotes=in_quotes):
        if start < at:
            continue
        if kind == "comment" and not _SIGNS_OF_COMMENTS.sub("", line[:start] + line[end:]):
            yield Piece(line, in_block=True, said=line[start:end], kind="comment")
            return  # the line is no more than that
        if start > at:
            yield Piece(line[at:start], in_block=True, said="", kind="code")
        said = line[start:end]
        rest = _SHORT_NAME if kind == "name" else ""
        yield Piece(said, in_block=True, said=said, kind=kind, rest=rest)
        at = end
    if at < len(line):
        yield Piece(line[at:], in_block=True, said="", kind="code")


def _said_in(line: str, *, in_quotes: bool) -> list[tuple[int, int, Kind]]:
    """Where a line of a block has a comment, the first line of a docstring, a string of words or a
    name that is a sentence; all of it where it is no code.
    """
    strings = [each.span() for each in _STRING.finditer(line) if _may_speak(each[0])]
    names = [each.span() for each in _NAME.finditer(line)]
    bare = line
    for start, end in (*strings, *names):
        bare = bare[:start] + " " * (end - start) + bare[end:]
    if in_quotes or _is_prose(bare):
        begin = len(line) - len(line.lstrip())
        return [(begin, len(line.rstrip()), "comment")] if line.strip() else []
    spans: list[tuple[int, int, Kind]] = [(start, end, "literal") for start, end in strings]
    spans += [(start, end, "name") for start, end in names]
    if found := _COMMENT.search(line):
        group = next((number for number in (1, 3, 4) if found[number]), None)
        if group:
            start, end = found.span(group)
            spans.append((start, start + len(line[start:end].rstrip("\"'")), "comment"))
    return sorted(spans, key=lambda span: (span[0], span[2] != "comment", span[1]))


def _may_speak(string: str) -> bool:
    """The parts of one string make a sentence together."""
    return len(words_in(string)) > 1 or len(string) >= _LONG or not string.isascii()


def _is_prose(line: str) -> bool:
    """A line of a block that is no code: several words and hardly a sign, another script, marks of
    a template.
    """
    letters = sum(sign.isalpha() for sign in line)
    signs = sum(not sign.isalnum() and not sign.isspace() for sign in line)
    plain = without_look_alikes(line)
    strange = sum(sign.isalpha() and not sign.isascii() for sign in plain)
    if _BARRED.search(plain) or _FRAMED_LINE.fullmatch(plain) or 2 * strange > letters > 3:
        return True
    words = len(WORD.findall(line))
    return words >= SENTENCE and (signs < _MOST_SIGNS * letters or plain != line)
