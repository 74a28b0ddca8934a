"""What neighbours in code say together: numbers that spell letters, and rows of strings and names.

    numbers    eight or more, decimal, hexadecimal or octal, or one long number: letters and spaces
    strings    of a few words each, with signs and numbers between: lists, and keys and values
    names      in one pair of brackets, and joined by dots

A row of five or more words is read as prose is.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from assay.judge.guards.pieces import SENTENCE, Piece, is_sentence, words_in

LEAST_NUMBERS = 8
_WINDOW = 16  # words of a row that are read as one
_NUMBER = r"(?:0[xX][0-9a-fA-F]{2}|0[oO][0-7]{2,3}|\b(?:[0-9]{2,3}|[0-9a-fA-F]{2}))\b"
_ROW_OF_NUMBERS = re.compile(
    rf"{_NUMBER}(?:[^\w\[\]{{}}=]{{1,40}}(?:chr\W{{1,3}})?{_NUMBER}){{{LEAST_NUMBERS - 1},}}"
)
_ONE_NUMBER = re.compile(r"\b(?:0[xX][0-9a-fA-F]{16,4000}|[0-9]{20,4000})\b")
_LEAST_LETTERS = 0.7  # of what is seen
_LONGEST_WORD = 14  # letters, on average
_TEXT = re.compile(r"[A-Za-z0-9 \n.,;:!?'\"/()%-]+")
_MIXED_CASE = re.compile(r"[a-z][A-Z]")
_STRING = re.compile(r"([\"'])([^\"'\n\\]{1,60})\1")
_BETWEEN = re.compile(r"[\W\d]{1,60}")
_BRACKETS = re.compile(r"[(\[{]([^()\[\]{}\"']{9,600})[)\]}]")
_ITEM = re.compile(r"\s*\*{0,2}([^\W\d]\w*)\s*(?:[:=][^,]*)?")
_CHAIN = re.compile(r"(?<![\w.])[^\W\d]\w*(?:\.[^\W\d]\w*){3,}")
_SHORT_NAME = "name"


@dataclass(frozen=True, slots=True)
class SaidRow:
    """`spans`: where it stands, with what is left of each."""

    said: str
    spans: tuple[tuple[int, int, str], ...]


def rows_of(pieces: Sequence[Piece]) -> Iterator[SaidRow]:
    """Of five words or more, by places in the whole text."""
    code = "".join(
        "\n" * len(piece.text) if piece.kind in ("prose", "comment") else piece.text
        for piece in pieces
    )
    yield from _strings(code)
    for found in _BRACKETS.finditer(code):
        items = [_ITEM.fullmatch(item) for item in found[1].rstrip(", \n").split(",")]
        names = [item[1] for item in items if item]
        if len(names) == len(items) and is_sentence(" ".join(names)):
            yield SaidRow(" ".join(names), ((*found.span(1), _SHORT_NAME),))
    for found in _CHAIN.finditer(code):
        if is_sentence(found[0]):
            yield SaidRow(found[0], ((*found.span(), _SHORT_NAME),))


def spelt(text: str) -> Iterator[tuple[int, int, str]]:
    """Where numbers spell a text."""
    for found in _ROW_OF_NUMBERS.finditer(text):
        numbers = re.findall(_NUMBER, found[0])
        if any(is_text(letters) for letters in _decoded(numbers)):
            yield (*found.span(), "")
    for found in _ONE_NUMBER.finditer(text):
        value = int(found[0], 16 if found[0][:2] in ("0x", "0X") else 10)
        letters = value.to_bytes((value.bit_length() + 7) // 8, "big").decode("latin-1")
        if len(letters) >= LEAST_NUMBERS and is_text(letters):
            yield (*found.span(), "0")


def edited(
    pieces: Sequence[Piece], spans: Sequence[tuple[int, int, str]]
) -> Iterator[tuple[int, str]]:
    """Places of the pieces that these spans touch, with what is left of each."""
    places = list(accumulate((len(piece.text) for piece in pieces), initial=0))
    of_piece = dict[int, list[tuple[int, int, str]]]()
    for first, last, left in sorted(set(spans)):
        at = bisect_right(places, first) - 1
        while at < len(pieces) and places[at] < last:
            begin, size = places[at], len(pieces[at].text)
            kept = left if first >= begin else ""
            of_piece.setdefault(at, []).append(
                (max(first - begin, 0), min(last - begin, size), kept)
            )
            at += 1
    for at, some in of_piece.items():
        text, parts, done = pieces[at].text, list[str](), 0
        for begin, end, kept in some:
            if begin >= done:
                is_line = "\n" in text[begin:end]  # what stands next stays on its own line
                parts += [text[done:begin], kept, "\n" if is_line else ""]
                done = end
        yield at, "".join([*parts, text[done:]])


def is_text(letters: str) -> bool:
    """Letters in words of an ordinary length, with small and capital ones as texts have them."""
    if not _TEXT.fullmatch(letters):
        return False
    seen = "".join(letters.split())
    if sum(map(str.isalpha, seen)) < _LEAST_LETTERS * len(seen) or len(set(seen)) < SENTENCE:
        return False
    words = words_in(letters)
    has_vowels = 0.2 <= sum(sign in "aeiouyAEIOUY" for sign in seen) / len(seen) <= 0.65
    is_long = len(letters) > LEAST_NUMBERS * 2
    is_spaced = len(words) > 1 and len(seen) <= _LONGEST_WORD * len(words)
    return has_vowels and not _MIXED_CASE.search(letters) and (is_spaced or is_long)


def _decoded(numbers: Sequence[str]) -> Iterator[str]:
    for base in (10, 16, 8):
        try:
            values = [int(one, 0 if one[1:2] in tuple("xXoO") else base) for one in numbers]
        except ValueError:
            continue
        if all(value < 128 for value in values) and values != sorted(values):
            yield "".join(map(chr, values))


def _strings(code: str) -> Iterator[SaidRow]:
    row = list[re.Match[str]]()
    for found in _STRING.finditer(code):
        is_short = not is_sentence(found[2])
        is_next = bool(row) and _BETWEEN.fullmatch(code, row[-1].end(), found.start())
        if row and not (is_next and is_short):
            yield from _windows(code, row)
            row = []
        if is_short:
            row.append(found)
    yield from _windows(code, row)


def _windows(code: str, row: Sequence[re.Match[str]]) -> Iterator[SaidRow]:
    """So much of a row at a time as makes a sentence, each half beside both of its neighbours."""
    sizes = [len(words_in(each[2])) for each in row]
    begin = end = 0
    while end < len(row):
        end = begin + 1
        while end < len(row) and sum(sizes[begin : end + 1]) <= _WINDOW:
            end += 1
        some = row[begin:end]
        behind = re.compile(r"[^\w\"']{0,4}\d{0,3}").match(code, some[-1].end())
        said = code[some[0].start() : behind.end() if behind else some[-1].end()]
        if sum(sizes[begin:end]) >= SENTENCE or len(some) > 1:
            spans = tuple((*each.span(2), "") for each in some)
            yield SaidRow(re.sub(r"[\"'\[\]{}]+", " ", said), spans)
        begin = max(begin + 1, (begin + end) // 2)


_Reads = Callable[[str], tuple[str, ...]]


def flagged_rows(
    pieces: Sequence[Piece], reads: _Reads
) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """Places of pieces, what is left of each, and why; `reads`: the flags of a text."""
    spans: dict[tuple[int, int, str], tuple[str, ...]] = dict.fromkeys(
        spelt("".join(piece.text for piece in pieces)), ("foreign",)
    )
    for row in rows_of(pieces):
        if flags := reads(row.said):
            spans |= dict.fromkeys(row.spans, flags)
    flags = tuple(dict.fromkeys(flag for some in spans.values() for flag in some))
    for at, left in edited(pieces, list(spans)):
        yield at, left, flags
