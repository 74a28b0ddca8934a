"""Counts characters, words, sentences and Markdown elements of an answer.

Markdown is read by a CommonMark parser with tables, so "#" in a fence is no header and "1." in a
sentence no list.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# An answer has at most some 16,000 tokens; the parser is quadratic on junk such as "[" * 200_000.
_MOST_MARKDOWN = 32_000
_MOST_PROSE = 100_000  # more sentences than any limit a test sets
# CommonMark knows no "•" and no "–"; readers and models do.
_BULLET = re.compile(r"^([ \t]*)[•◦▪‣●–—]([ \t]+)(?=\S)", re.MULTILINE)
_IN_LINE = re.compile(r"(?<=\w) +[•◦▪‣●] +(?=\S)")  # "• a • b • c" in one line
_NUMBERED_LINE = re.compile(r"[\W_]*(?:[^\W\d_]+ )?(\d{1,3})[\W_]{1,6}\S")  # "**Step 1:** …"
_JOINER = re.compile(r"\S\s+(?!\d)([^\W\d]{1,4})\s+\S")  # "… and c": a short word before the last
_AND = frozenset(["and", "et", "und", "e", "y", "na", "ve", "dan", "da", "kple", "eye", "en"])
_LONGEST_LINE, _LONGEST_ITEM = 6, 4  # words of an item of a list that has no marks

_ELEMENT_OF_TOKEN = {
    "heading_open": "header",
    "list_item_open": "list",
    "strong_open": "bold",
    "em_open": "italic",
    "code_inline": "code",
    "fence": "code_block",
    "code_block": "code_block",
    "table_open": "table",
    "link_open": "link",
    "blockquote_open": "quote",
}


@dataclass(frozen=True, slots=True)
class Markdown:
    """The elements of an answer, named as in test files, and how many list items it has: at any
    depth, and without those inside others. Without marks, what lines or commas make a list.
    """

    elements: frozenset[str]
    list_items: int
    counts: frozenset[int]


@cache
def _parser() -> MarkdownIt:
    # Imported for the rules that need it: it takes longer than a small suite.
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


def read_markdown(text: str) -> Markdown:
    """Parse once; text in a fence without a language is read as Markdown too."""
    text = _IN_LINE.sub("\n- ", text[:_MOST_MARKDOWN])
    tokens = _parser().parse(text)
    kinds = [each.type for token in tokens for each in (token, *(token.children or ()))]
    elements = {_ELEMENT_OF_TOKEN[kind] for kind in kinds if kind in _ELEMENT_OF_TOKEN}
    if _BULLET.search(text):
        tokens = _parser().parse(_BULLET.sub(r"\1-\2", text))
        elements |= {"list"} if any(token.type == "list_item_open" for token in tokens) else set()
    every, outermost = _list_items(tokens)
    for token in tokens:
        if token.type == "fence" and token.info.strip().lower() in _SHOWN:
            inside = read_markdown(token.content)
            elements |= inside.elements & {"table", "list"}
            every, outermost = every + inside.list_items, outermost + min(inside.counts)
    counts = frozenset((every, outermost)) if every else _unmarked_items(text.strip())
    return Markdown(frozenset(elements), every or max(counts), counts)


_SHOWN = ("", "markdown", "md", "text", "table")  # fences whose text is meant to be read


def _list_items(tokens: Sequence[Token]) -> tuple[int, int]:
    """How many there are, and how many that are in no other; an empty one is none."""
    every = outermost = depth = 0
    for token, following in pairwise(tokens):
        if token.type == "list_item_open":
            depth += 1
            if following.type != "list_item_close":
                every += 1
                outermost += depth == 1
        elif token.type == "list_item_close":
            depth -= 1
    return every, outermost


def _unmarked_items(text: str) -> frozenset[int]:
    """How many items a list has that no mark shows: lines that are counted ("Step 1: …") or no
    sentences, or an answer that is a series and nothing else. A joining word may be before the last
    item of a series: "a, b and c" has two commas and three items.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    numbers = [found[1] for line in lines if (found := _NUMBERED_LINE.match(line))]
    if len(numbers) > 1 and numbers == [str(at) for at in range(1, len(numbers) + 1)]:
        return frozenset((len(numbers),))
    if lines and lines[0].endswith((":", "：")):
        lines = lines[1:]
    if len(lines) > 1:
        are_items = all(
            count_words(line) <= _LONGEST_LINE and line[-1] not in ".!?" for line in lines
        )
        return frozenset((len(lines),)) if are_items else frozenset((0,))
    line = lines[0] if lines else ""
    items = re.split(r"[,;、，](?!\d)\s*", line.rstrip(" .!。"))
    longest = [*[_LONGEST_ITEM] * (len(items) - 1), 2 * _LONGEST_ITEM]  # the last may be two
    if len(items) < 2 or any(
        not 0 < count_words(item) <= most or re.search(r"[.!?:]\s", item)
        for item, most in zip(items, longest, strict=True)
    ):
        return frozenset((0,))
    joins = {word.lower() for word in _JOINER.findall(items[-1])}
    if not joins:
        return frozenset((len(items),))
    more = len(items) + 1
    return frozenset((more,)) if joins & _AND else frozenset((len(items), more))


def count_characters(text: str) -> int:
    """NFC code points of the stripped text."""
    return len(unicodedata.normalize("NFC", text.strip()))


_WORD_CHARACTER = re.compile(r"\w")


def count_words(text: str) -> int:
    """White-space-separated pieces with at least one word character: "-" and "…" are none."""
    pieces = text.split()
    return sum(1 for piece in pieces if piece.isalnum() or _WORD_CHARACTER.search(piece))


_STOP = re.compile(r"[.!?…؟।]+[\"'”»’)\]*_`]{0,6}(?=\s|\Z)|[。！？｡]+[」』”）)]{0,4}")
# A blank line, or a line that is a list item or a header, ends what came before it.
_BLOCK = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+•]|\d{1,3}[.)]|#{1,6})[ \t])")
_ITEM_MARK = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)]|#{1,6})[ \t]+")
# Followed by a name or a number, these never end a sentence.
_BEFORE_NAMES = frozenset({
    "dr", "mr", "mrs", "ms", "prof", "st", "sr", "sra", "jr", "mt", "rev", "hon", "gen", "col",
    "capt", "lt", "sgt", "m", "mm", "mme", "mlle", "me", "pr", "no", "nr", "nº", "p", "pp", "fig",
    "eq", "art", "vol", "ch", "sec", "cf", "vs", "e.g", "i.e", "ex", "approx", "ca", "env", "z.b",
    "d.h", "bzw", "vgl", "p.ej",
})  # fmt: skip
_INITIAL = re.compile(r"(?:\A|\s)([A-ZÀ-ÞƉƑƔŊƆƐƲ]\S{0,30}\s+)?[A-ZÀ-ÞƉƑƔŊƆƐƲ]\Z")


def count_sentences(text: str) -> int:
    """Sentences, by their stops; a last one without a stop counts, and so does each list item.

    "e.g.", "Dr. Mensah", "3.5", "J. K. Rowling" and an ellipsis before a small letter end nothing.
    """
    count = 0
    for block in _BLOCK.split(text[:_MOST_PROSE].strip()):
        mark = _ITEM_MARK.match(block)
        body = block[mark.end() :] if mark else block
        count += _sentences_in(body)
    return count


def _sentences_in(block: str) -> int:
    count = 0
    word = _WORD_CHARACTER.search(block)
    for stop in _STOP.finditer(block):
        if word is None:
            break
        if word.start() < stop.start() and _ends_sentence(block, stop):
            count += 1
            word = _WORD_CHARACTER.search(block, stop.end())
    return count + (word is not None)


def _ends_sentence(block: str, stop: re.Match[str]) -> bool:
    following = block[stop.end() : stop.end() + 12].lstrip().lstrip("\"'“«([*_`")[:1]
    if stop[0][0] in "。！？｡" or not following:
        return True
    if following.islower():
        return False
    if stop[0] != ".":
        return True
    before = block[max(0, stop.start() - 80) : stop.start()]
    last_word = before.split()[-1] if before.split() else ""
    if last_word.lstrip("(\"'“«").casefold() in _BEFORE_NAMES:
        return False
    initial = _INITIAL.search(before)
    return not (initial and (initial[1] or not before[: initial.start()].strip()))
