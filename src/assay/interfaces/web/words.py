"""The words of the pages for what the store has as codes."""

from assay.messages import Message, fill, message, message_n, tr
from assay.types.views import RunRow, Show

OUTCOMES = {
    # letter in the store -> (class, sign, word): never by colour alone
    "p": ("pass", "✓", message("pass")),
    "f": ("fail", "✗", message("fail")),
    "n": ("none", "∅", message("no answer")),
    "c": ("none", "–", message("not checked")),  # it has no block to read
    "u": ("open", "?", message("unscored")),
    "x": ("open", "!", message("request failed")),
    ".": ("wait", "·", message("not asked yet")),
}

SHOWS: dict[Show, tuple[str, Message]] = {
    # filter -> (key, label)
    "all": ("a", message("all")),
    "failed": ("f", message_n("failed", "failed")),
    "failed_all": ("b", message("failed by all")),
    "differ": ("d", message("differ")),
    "unscored": ("x", message("unscored")),
    "waiting": ("w", message("not asked yet")),
}


MOST_SHOWN = 200_000  # characters of one text: 10 MB in short lines took a page 18 s
MOST_COMPARED = 20_000


def cut(text: str, most: int = MOST_SHOWN) -> str:
    left = len(text) - most
    if left <= 0:
        return text
    return text[:most] + "\n" + tr("… {count} characters more; `assay export` has all", count=left)


def outcome(name: str, unread: bool = False) -> str:
    """The word for an outcome as a comparison names it."""
    letter = "c" if unread else "x" if name == "failed" else name[0]
    return fill(OUTCOMES[letter][2], {})


def state(run: RunRow, is_running: bool) -> tuple[str, str]:
    """A class and a word."""
    if run.finished:
        return "done", tr("finished")
    return ("live", tr("running")) if is_running else ("open", tr("not finished"))
