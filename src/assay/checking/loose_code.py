"""Code that does not stand by itself: among prose, in a session, with characters nobody sees.

Nothing is run, and every step is linear in the text's length.
"""

import re
from collections.abc import Callable, Iterator
from textwrap import dedent

# Zero-width characters and marks of direction vanish; blanks that only look like one become one.
_UNSEEN: dict[int, str | None] = {
    ord(one): None for one in "\ufeff\u200b\u200c\u200d\u200e\u200f\u2060"
}
_UNSEEN |= {ord(one): " " for one in "\u00a0\u2007\u202f\u3000"}
_PROMPT = re.compile(r"(?:>>>|\.\.\.)(?: |$)")
_MOST_STATEMENTS = 5_000
_MARGIN = re.compile(r"^([ \t]*)(?:async +def|def|class) +\w", re.MULTILINE)
_BEGINS = re.compile(
    r"(?:async +def|def|class|import|from|if|for|while|try|with)\b|@|\"\"\"|'''"
    r"|[^\W\d][\w.\[\]'\"]{0,80}(?: *:[^=\n]{1,80})? *=|[^\W\d][\w.]{0,80}\("
)
_GOES_ON = re.compile(r"[ \t#)\]}]|$|(?:else|elif|except|finally)\b")


def repaired(text: str) -> Iterator[str]:
    """What to try instead: without characters nobody sees, then without the session in it."""
    seen = dedent(text.translate(_UNSEEN))
    if seen != text:
        yield seen
    if ">>>" in seen:
        yield _without_session(seen)


def _without_session(text: str) -> str:
    """Sessions are at the margin; further in they belong to a docstring."""
    kept, shown = [], False
    for line in text.split("\n"):
        if _PROMPT.match(line):
            shown = True
        elif not line.strip() or _MARGIN.match(line) or not shown:
            shown = False
            kept.append(line)
    return "\n".join(kept)


def loose_code(text: str, is_code: Callable[[str], bool]) -> Iterator[str]:
    """Code between lines of prose, without a fence: statements at the margin that parse alone."""
    lines = text.translate(_UNSEEN).split("\n")
    piece: list[str] = []
    for statement in _statements(lines):
        if _BEGINS.match(statement) and is_code(statement):
            piece.append(statement)
        elif piece:
            yield "\n".join(piece) + "\n"
            piece = []
    if piece:
        yield "\n".join(piece) + "\n"


def _statements(lines: list[str]) -> Iterator[str]:
    """Lines at the margin with all that belongs to them; prose is cut in the same way."""
    margin = min((len(one[1]) for line in lines if (one := _MARGIN.match(line))), default=0)
    current: list[str] = []
    quotes = count = 0
    for line in lines:
        moved = line[margin:] if not line[:margin].strip() else line
        in_text = quotes % 2 == 1 and _BEGINS.match(current[0]) is not None
        decorated = bool(current) and current[-1].startswith("@")
        if current and not in_text and not decorated and not _GOES_ON.match(moved):
            yield "\n".join(current)
            current, quotes, count = [], 0, count + 1
            if count > _MOST_STATEMENTS:
                return
        current.append(moved)
        quotes += moved.count('"""') + moved.count("'''")
    if current:
        yield "\n".join(current)
