"""What a reader sees of a text in Markdown, as a browser shows it.

In: the text. Out: its lines as a CommonMark parser reads them, without what is hidden, struck out,
in a formula, or overwritten by control characters. A report needs no HTML: a block with a tag that
is not in a short list, or has an attribute, is not read, nor is a footnote; and nothing behind a
block that leaves such a tag open.
"""

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# What may be around shown text, without attributes. Anything else may hide what is in it.
_PLAIN_TAGS = "br|hr|b|i|u|em|strong|code|p|ul|ol|li|table|caption|thead|tbody|tfoot|tr|td|th"
_TAG = re.compile(
    rf"(?P<comment><!--[^<>]*?-->)|<(?P<ends>/?)(?P<name>{_PLAIN_TAGS})[ \t]*/?>"
    r"|(?P<html><[a-z/!?])",
    re.IGNORECASE,
)
# A whole tag, as CommonMark has it; those without an end; and those that a browser reads otherwise
# than by where they open and close.
_WHOLE_TAG = re.compile(
    r"<(?P<ends>/?)(?P<name>[a-z][a-z0-9-]*)(?:\s+[a-z_:][\w.:-]*"
    r"(?:\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'=<>`]+))?)*\s*/?>",
    re.IGNORECASE,
)
_WITHOUT_END = frozenset(("area", "br", "col", "embed", "hr", "img", "input", "wbr"))
_OF_THEIR_OWN = frozenset(
    ("frameset", "iframe", "math", "noembed", "noframes", "noscript", "plaintext", "select", "svg",
     "template", "textarea", "title", "xmp")
)  # fmt: skip
_BREAKS = ("br", "hr", "p", "ul", "ol", "li", "table", "caption", "tr")
_ACTS_ON_ALL = re.compile(r"<(?:style|link|script|meta|base)\b|\bstyle\s*=", re.IGNORECASE)
_CONTROLS = frozenset("\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_DIRECTIONS = _CONTROLS | frozenset("\u200e\u200f")
_KEPT_FORMS = ("<super>", "<sub>", "<circle>", "<fraction>", "<square>")  # ² is no 2
_SAME_PARAGRAPH = r"\n(?![ \t]*(?:\n|\Z))"
_UNSEEN = (
    re.compile(r"~~.+?~~", re.DOTALL),
    re.compile(rf"(?<![~\w])~(?=[^\s~])(?:[^~\n]|{_SAME_PARAGRAPH})*[^\s~]~(?![~\w])"),
    re.compile(r"\$\$.*?(?:\$\$|\Z)|\\\[.*?(?:\\\]|\Z)", re.DOTALL),
    re.compile(r"\\(?:[hv]?phantom|(?:text)?color)\{[^{}]*\}(?:\{[^{}]*\})?"),
)
_FOOTNOTE = re.compile(r"^[ \t>*+-]*(?:\d{1,9}[.)][ \t]+)?\[\^[^\]\n]{1,200}\]:")
_ITEM = re.compile(r"[ \t>]*(?:[*+-]|\d{1,9}[.)])[ \t]")
_MARKDOWN = ("markdown", "md")  # fences around a report; what is in others is no report
_LONGEST_PARAGRAPH = 8_000  # characters; a parser may take the square of it
_DEEPEST = 40  # levels of tokens, two for each list


@dataclass(slots=True)
class ShownLine:
    """A line as it is shown: `text` without marks of Markdown but those of headings, quotes and
    tables; `marked` also with those of lists and bold words. `block`: lines of one paragraph have
    the same; `depth`: in lists; `begins`: no text is shown before it on the same line.
    """

    text: str
    marked: str
    block: int
    depth: int
    begins: bool = True


def visible_text(text: str) -> str:
    """The text as a reader sees it, with the marks that show its parts."""
    return text_of(visible_lines(text))


def text_of(lines: Sequence[ShownLine]) -> str:
    """Blocks with empty lines between them."""
    shown: list[str] = []
    before = 0
    for line in lines:
        if line.block != before and shown:
            shown.append("")
        shown.append(line.marked)
        before = line.block
    return "\n".join(shown)


def visible_lines(text: str) -> list[ShownLine]:
    """The lines that a reader sees."""
    tokens = _parse(re.sub(r"\r\n?", "\n", text))
    if any(_ACTS_ON_ALL.search(one.content) for one in _all_html(tokens)):
        return []
    reader = _TokenReader()
    reader.read(tokens)
    lines = reader.lines
    for field in ("text", "marked") if lines else ():
        whole = normalised("\n".join(getattr(line, field) for line in lines))
        for hidden in _UNSEEN:
            whole = hidden.sub(lambda one: " " + "\n" * one[0].count("\n"), whole)
        for line, one in zip(lines, whole.split("\n"), strict=True):
            setattr(line, field, one)
    return lines


def normalised(text: str) -> str:
    """One form for letters that look alike, single spaces, nothing without a width, and nothing on
    lines with characters that move what is shown: backspaces, escapes, directions.
    """
    lines = ("" if _is_overwritten(line) else line for line in text.split("\n"))
    return plain_forms("\n".join(lines))


def plain_forms(text: str) -> str:
    """One form for letters that look alike, single spaces, and nothing without a width."""
    plain = re.sub(r"[^\S\n]+", " ", text)
    if not plain.isascii():
        seen = (one for one in plain if not _is_without_width(one))
        plain = unicodedata.normalize("NFC", "".join(map(_plain_form, seen)))
    return re.sub(r" {2,}", " ", plain)


@cache
def _parser() -> "MarkdownIt":
    # Imported for the checkers that read reports: it takes a tenth of a second.
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
    # The one would make one text of "\\[" and "[", the other read paragraphs of any length.
    return parser.disable(["text_join", "inline"])


def _parse(text: str) -> list["Token"]:
    """Blocks, and what is in their lines; nothing of footnotes and of long paragraphs."""
    parser, names = _parser(), {}  # type: ignore[var-annotated]
    tokens = parser.parse(text, names)
    lines = text.split("\n")
    # A note of one word is read as the address of a link; what goes on below it is of the note.
    ended = {one["map"][1] for name, one in names.get("references", {}).items() if name[:1] == "^"}
    ended |= {one["map"][1] for one in names.get("duplicate_refs", ()) if one["label"][:1] == "^"}
    for token in tokens:
        if token.type != "inline" or len(token.content) > _LONGEST_PARAGRAPH:
            continue
        first, last = token.map or (0, 0)
        goes_on = first in ended and not _ITEM.match(lines[first])
        if goes_on or any(map(_FOOTNOTE.match, lines[first:last])):
            continue
        token.children = []
        parser.inline.parse(token.content, parser, names, token.children)
    return tokens


def _all_html(tokens: Sequence["Token"]) -> Iterator["Token"]:
    for token in tokens:
        if token.type in ("html_block", "html_inline"):
            yield token
        elif token.children:
            yield from _all_html(token.children)


class _Hidden(Exception):
    """From here on nothing is read."""


class _TokenReader:
    """Makes lines of tokens."""

    def __init__(self) -> None:
        self.lines: list[ShownLine] = []
        self._block = self._depth = self._quotes = 0
        self._heading = ""
        self._item = False  # whether the next line is the first of an item
        self._row: list[tuple[str, str]] | None = None
        self._is_row_odd = False  # with a tag that is not in the list
        self._loose = False  # in JSON without a fence

    def read(self, tokens: Sequence["Token"]) -> None:
        try:
            for token in tokens:
                self._read_one(token)
        except _Hidden:
            pass

    def _read_one(self, token: "Token") -> None:
        kind = token.type
        if kind == "inline":
            self._read_inline(token)
        elif kind == "html_block":
            self._read_html(token.content)
        elif kind == "fence" and token.info.strip().lower() in _MARKDOWN and not self._quotes:
            self.lines += (inner := _TokenReader())._read_again(token.content, self._block)
            self._block = inner._block
        elif kind in ("bullet_list_open", "ordered_list_open"):
            self._depth += 1
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self._depth -= 1
        elif kind in ("blockquote_open", "blockquote_close"):
            self._quotes += token.nesting
        elif kind == "list_item_open":
            self._item = True
        elif kind in ("heading_open", "heading_close"):
            self._heading = f"{'#' * int(token.tag[1])} " if token.nesting > 0 else ""
        elif kind == "tr_open":
            self._row, self._is_row_odd = [], False
        elif kind == "tr_close":
            cells, self._row = self._row or [("", "")], None
            text, marked = ("| " + " | ".join(one) + " |" for one in zip(*cells, strict=True))
            if not self._is_row_odd:
                self._add(text, marked)
        elif kind == "table_open":
            self._block += 1

    def _read_again(self, text: str, block: int) -> list[ShownLine]:
        """The text of a fence that is meant as Markdown."""
        self._block = block
        self.read(_parse(text))
        return self.lines

    def _read_html(self, text: str) -> None:
        lines, is_whole = _from_html(text)
        self._block += 1
        if is_whole or not _is_closed([text]):
            self._add_lines(lines)
            if not is_whole:
                raise _Hidden

    def _read_inline(self, token: "Token") -> None:
        if self._is_loose(token.content):
            return
        tags = [one.content for one in _all_html(token.children or ())]
        is_odd = any(_has_odd_tag(one) for one in tags)
        if is_odd and _is_closed(tags):
            self._is_row_odd = True
            return
        lines = [["", ""]]
        begins = [True]
        struck = 0
        for one in token.children or ():
            kind = one.type
            if kind in ("s_open", "s_close"):
                struck += one.nesting
            elif struck or kind == "image":
                continue
            elif kind in ("softbreak", "hardbreak"):
                lines.append(["", ""])
                begins.append(kind == "hardbreak")
            elif kind in ("strong_open", "strong_close"):
                lines[-1][1] += "**"
            elif kind == "html_inline":
                if _has_odd_tag(one.content):
                    break
                found = _TAG.fullmatch(one.content.strip())
                if found and found["name"] and found["name"].lower() in _BREAKS:
                    lines.append(["", ""])
                    begins.append(True)
            elif kind in ("text", "text_special", "code_inline"):
                bracket = kind == "text_special" and one.markup in ("\\[", "\\]")
                shown = one.markup if bracket else one.content
                lines[-1][0] += shown
                lines[-1][1] += shown
        if self._row is not None:
            text, marked = (" ".join(each) for each in zip(*lines, strict=True))
            self._row.append((text.replace("|", "¦"), marked.replace("|", "¦")))
        else:
            self._block += 1
            self._add_lines([(text, marked) for text, marked in lines], begins)
        if is_odd:
            raise _Hidden

    def _is_loose(self, text: str) -> bool:
        """JSON that lacks its fence: from a line with its first brace to one with its last."""
        begins = text.startswith("{") and (text[1:2] in ("", "\n") or text[1:].lstrip()[:1] == '"')
        is_loose = self._loose or begins
        self._loose = is_loose and not text.rstrip().endswith("}")
        return is_loose

    def _add_lines(
        self, lines: Sequence[tuple[str, str]], begins: Sequence[bool] | None = None
    ) -> None:
        goes_on = False  # behind text on the same line
        for (text, marked), is_new in zip(lines, begins or [True] * len(lines), strict=True):
            goes_on = goes_on and not is_new
            if text.strip():
                self._add(text, marked, begins=not goes_on)
                goes_on = True

    def _add(self, text: str, marked: str, *, begins: bool = True) -> None:
        before = "> " * bool(self._quotes) + self._heading
        item = "- " if self._item and not self._heading else ""
        indent = "  " * max(self._depth - 1, 0)
        self._item = False
        text, marked = (one.replace("\n", " ").strip() for one in (text, marked))
        whole = indent + item + before + marked
        self.lines.append(ShownLine(before + text, whole, self._block, self._depth, begins))


def _from_html(text: str) -> tuple[list[tuple[str, str]], bool]:
    """The lines of a block of HTML, rows of tables as rows, up to the first tag that may hide
    something; and whether there is none.
    """
    shown, at, is_whole = [], 0, True
    for found in _TAG.finditer(text):
        shown.append(html.unescape(text[at : found.start()]).replace("\n", " "))
        at = found.end()
        name = (found["name"] or "").lower()
        if found["html"]:
            is_whole = False
            break
        if name == "tr":
            shown.append("\n| " if not found["ends"] else "\n")
        elif name in ("td", "th"):
            shown.append(" | " if found["ends"] else "")
        elif name in _BREAKS:
            shown.append("\n")
    else:
        shown.append(html.unescape(text[at:]).replace("\n", " "))
    return [(one, one) for one in "".join(shown).split("\n")], is_whole


def _is_without_width(one: str) -> bool:
    """A character of format that is not shown; some are, such as the Arabic signs of numbers."""
    if unicodedata.category(one) != "Cf":
        return False
    return unicodedata.bidirectional(one) == "BN" or one in _DIRECTIONS


def _has_odd_tag(text: str) -> bool:
    found = _TAG.fullmatch(text.strip())
    return found is None or bool(found["html"])


def _is_closed(parts: Sequence[str]) -> bool:
    """Whether every tag is a whole one, and closed where it was opened, in order."""
    text = _TAG.sub(lambda one: "" if one["comment"] else one[0], "".join(parts))
    opened: list[str] = []
    for found in _WHOLE_TAG.finditer(text):
        name = found["name"].lower()
        if name in _OF_THEIR_OWN:
            return False
        if found["ends"]:
            if not opened or opened.pop() != name:
                return False
        elif name not in _WITHOUT_END:
            opened.append(name)
    return not opened and not re.search(r"<[a-z/!?]", _WHOLE_TAG.sub("", text), re.IGNORECASE)


def _plain_form(one: str) -> str:
    if one < "\x80" or unicodedata.decomposition(one).startswith(_KEPT_FORMS):
        return one
    return unicodedata.normalize("NFKC", one)


def _is_overwritten(line: str) -> bool:
    return any(
        one in _CONTROLS or (one < " " and one != "\t") or "\x7f" <= one < "\xa0" for one in line
    )
