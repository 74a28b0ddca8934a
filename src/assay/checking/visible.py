"""What a reader sees of a text in Markdown, as a browser shows it.

In: the text. Out: the text without what is hidden, crossed out, in a formula, or overwritten by
control characters; white space is single. A report needs no HTML: from the first tag on that is
not in a short list, or has an attribute, nothing is read. Every step is linear in the length.
"""

import html
import re
import unicodedata
from collections.abc import Iterator

# What may be around shown text, without attributes. Anything else may hide what follows it.
_PLAIN_TAGS = (
    "br|hr|b|i|u|em|strong|sub|sup|code|p|ul|ol|li|table|caption|thead|tbody|tfoot|tr|td|th"
)
_PIECE = re.compile(
    r"(?<![\\`])(?P<ticks>`+)(?!`)[^`\n]+(?P=ticks)(?!`)"
    r"|(?P<comment><!--[^<]*?-->)"
    r"|<(?P<link>[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[^\s<>@]+@[\w.-]+)>"
    rf"|<(?P<ends>/?)(?P<tag>{_PLAIN_TAGS})[ \t]*/?>"
    r"|(?P<html><[A-Za-z/!?])",
    re.IGNORECASE,
)
_ACTS_ON_ALL = re.compile(r"<(?:style|link|script|meta|base)\b|\bstyle\s*=", re.IGNORECASE)
_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_KEPT_FORMS = ("<super>", "<sub>", "<circle>", "<fraction>", "<square>")  # ² is no 2
_SAME_PARAGRAPH = r"\n(?![ \t]*(?:\n|\Z))"
_UNSEEN = (
    re.compile(r"~~.+?~~", re.DOTALL),
    re.compile(rf"(?<![~\w])~(?=[^\s~])(?:[^~\n]|{_SAME_PARAGRAPH})*[^\s~]~(?![~\w])"),
    re.compile(r"\$\$.*?(?:\$\$|\Z)|\\\[.*?(?:\\\]|\Z)", re.DOTALL),
    re.compile(r"!\[[^\]\n]{0,500}\]"),
    re.compile(r"(?<=\])\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)"),
    re.compile(r"\\(?:[hv]?phantom|(?:text)?color)\{[^{}]*\}(?:\{[^{}]*\})?"),
)


def visible_text(text: str) -> str:
    """The text as a reader sees it."""
    text = normalised(html.unescape(_without_html(re.sub(r"\r\n?", "\n", text))))
    for hidden in _UNSEEN:
        text = hidden.sub(" ", text)
    return "\n".join(_lines_outside_links(text))


def _lines_outside_links(text: str) -> Iterator[str]:
    """Definitions of links, and links not closed on their line, go on to the next empty line."""
    is_open = False
    for line in text.split("\n"):
        is_open = is_open and bool(line.strip())
        if is_open:
            continue
        begins = [at for at in (line.find("]("), line.find("![", line.rfind("]") + 1)) if at >= 0]
        if line.lstrip().startswith("[") and "]:" in line:
            begins = [0]
        is_open = bool(begins)
        yield line[: min(begins)] if begins else line


def normalised(text: str) -> str:
    """One form for letters that look alike, single spaces, nothing without a width, and no line
    with characters that move what is shown: backspaces, escapes, directions.
    """
    lines = (line for line in text.split("\n") if not _is_overwritten(line))
    plain = re.sub(r"[^\S\n]+", " ", "\n".join(lines))
    if not plain.isascii():
        seen = (one for one in plain if unicodedata.category(one) != "Cf")
        plain = unicodedata.normalize("NFC", "".join(map(_plain_form, seen)))
    return re.sub(r" {2,}", " ", plain)


def _plain_form(one: str) -> str:
    if one < "\x80" or unicodedata.decomposition(one).startswith(_KEPT_FORMS):
        return one
    return unicodedata.normalize("NFKC", one)


def _without_html(text: str) -> str:
    """Up to the first tag that may hide something; plain tags go, rows of tables become lines."""
    shown, at, is_html = [], 0, False
    for found in _PIECE.finditer(text):
        is_code = bool(found["ticks"])
        is_markdown = is_code or bool(found["link"])
        if found["html"] or (is_html and is_markdown and "<" in found[0]):
            if _ACTS_ON_ALL.search(text, found.start()):
                return ""
            text = text[: found.start()]
            break
        shown.append(text[at : found.start()])
        at = found.end()
        tag = (found["tag"] or "").lower()
        is_html = is_html or bool(tag)  # where code and links of Markdown may be none
        if is_code:
            shown.append(found[0].replace("&", "&amp;"))
        elif found["link"]:
            shown.append(found["link"])
        elif tag == "tr":
            shown.append("\n|" if not found["ends"] else "\n")
        else:
            shown.append(" | " if tag in ("td", "th") and found["ends"] else " ")
    shown.append(text[at:])
    return "".join(shown)


def _is_overwritten(line: str) -> bool:
    return any(
        one in _CONTROLS or (one < " " and one != "\t") or "\x7f" <= one < "\xa0" for one in line
    )
