"""Counts characters, words, sentences and Markdown elements of an answer.

Markdown is read by a CommonMark parser with tables, so "#" in a fence is no header and "1." in a
sentence no list.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# An answer has at most some 16,000 tokens; the parser is quadratic on junk such as "[" * 200_000.
_MOST_MARKDOWN = 32_000
_MOST_PROSE = 100_000  # more sentences than any limit a test sets
# CommonMark knows no "•"; readers and models do, so it counts as an item, though not as Markdown.
_BULLET = re.compile(r"^([ \t]*)[•◦▪‣●]([ \t]+)(?=\S)", re.MULTILINE)

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
    """The elements of an answer, named as in test files, and its list items at any depth."""

    elements: frozenset[str]
    list_items: int


@cache
def _parser() -> MarkdownIt:
    # Imported for the rules that need it: it takes longer than a small suite.
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


def read_markdown(text: str) -> Markdown:
    """Parse once, and again where "•" marks a list; see everything."""
    text = text[:_MOST_MARKDOWN]
    tokens = _parser().parse(text)
    kinds = [each.type for token in tokens for each in (token, *(token.children or ()))]
    elements = frozenset(_ELEMENT_OF_TOKEN[kind] for kind in kinds if kind in _ELEMENT_OF_TOKEN)
    if "table" not in elements and any(map(_is_table, tokens)):
        elements |= {"table"}
    if _BULLET.search(text):
        bulleted = _parser().parse(_BULLET.sub(r"\1-\2", text))
        kinds = [token.type for token in bulleted]
    return Markdown(elements, kinds.count("list_item_open"))


def _is_table(token: Token) -> bool:
    """Whether a fence has a Markdown table in it: shown as code, it is one all the same."""
    if token.type != "fence" or token.info.strip().lower() not in ("", "markdown", "md", "table"):
        return False
    return any(each.type == "table_open" for each in _parser().parse(token.content))


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
