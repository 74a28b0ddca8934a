"""What a reader sees of a text in Markdown, as a browser shows it.

In: the text. Out: the text without what is hidden, crossed out, styled, or overwritten by control
characters. A report needs no styles, so nothing inside an element with one counts.
"""

import re
import unicodedata
from html.parser import HTMLParser

_MOST_TAGS, _MOST_LINES = 2_000, 5_000  # no report has as many; searching among more takes long
_SHOWN_AS_OTHER = frozenset((  # their content is never shown, or only on demand
    "del", "s", "strike", "script", "style", "template", "noscript", "head", "title", "iframe",
    "object", "audio", "video", "canvas", "datalist", "details", "dialog", "svg", "textarea",
))  # fmt: skip
_STYLED = frozenset(("style", "hidden", "color", "bgcolor"))
_SIZES = frozenset(("size", "width", "height"))
_BY_SHEET = frozenset(("class", "id"))  # where there is a style sheet
_VOID = frozenset((
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
))  # fmt: skip
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_CODE = re.compile(r"`[^`\n]{1,200}`")
_STAND_IN = "\ue000"  # for < in code, which is shown as it is
_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_UNSEEN = (
    re.compile(r"~~.+?~~", re.DOTALL),
    re.compile(r"!\[[^\]\n]{0,500}\]"),
    re.compile(r"(?<=\])\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)"),
    re.compile(r"(?m)^ {0,3}\[[^\]\n]+\]:.*$"),
    re.compile(r"\\(?:[hv]?phantom|(?:text)?color)\{[^{}]*\}(?:\{[^{}]*\})?"),
)


def visible_text(text: str) -> str:
    """The text as a reader sees it; "" where it is mostly marks."""
    if text.count("<") > _MOST_TAGS or text.count("\n") > _MOST_LINES:
        return ""
    lines = re.sub(r"\r\n?", "\n", text).split("\n")
    text = "\n".join(line for line in lines if not _is_overwritten(line))
    text = _CODE.sub(lambda found: found[0].replace("<", _STAND_IN), text)
    text = _COMMENT.sub(" ", text)
    page = _Page(has_sheet=bool(re.search(r"<(?:style|link)\b", text, re.IGNORECASE)))
    try:
        page.feed(text)
        page.close()
    except AssertionError:  # a declaration that the parser does not know
        return ""
    text = "".join(page.shown).replace(_STAND_IN, "<")
    for hidden in _UNSEEN:
        text = hidden.sub(" ", text)
    # What has no width is not seen, and what it stands in is.
    text = "".join(one for one in text if unicodedata.category(one) != "Cf")
    return unicodedata.normalize("NFKC", text)


def _is_overwritten(line: str) -> bool:
    """Whether it has characters that move what is shown: backspaces, escapes, directions."""
    return any(
        one in _CONTROLS or (one < " " and one != "\t") or "\x7f" <= one < "\xa0" for one in line
    )


class _Page(HTMLParser):
    """The text of elements that are shown."""

    def __init__(self, *, has_sheet: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.unseen = _STYLED | (_BY_SHEET if has_sheet else frozenset())
        self.open: list[tuple[str, bool]] = []  # elements, and whether each is shown
        self.shown: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.shown.append(" ")
        if tag in _VOID:
            return
        named = {name for name, _ in attrs}
        named |= {"hidden" for name, value in attrs if name in _SIZES and (value or "0")[0] in "-0"}
        is_open = tag == "details" and "open" in named
        is_shown = (tag not in _SHOWN_AS_OTHER or is_open) and not self.unseen & named
        self.open.append((tag, is_shown and self._is_shown()))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.shown.append(" ")

    def handle_endtag(self, tag: str) -> None:
        self.shown.append(" ")
        last = max((at for at, one in enumerate(self.open) if one[0] == tag), default=None)
        if last is not None:
            del self.open[last:]

    def handle_data(self, data: str) -> None:
        if self._is_shown():
            self.shown.append(data)

    def _is_shown(self) -> bool:
        return not self.open or self.open[-1][1]
