"""The words of the pages for what the store has as codes."""

import datetime

from assay.messages import Message, message, tr
from assay.types.views import RunRow, Show

MOVING_S = 120.0  # an unfinished run without a newer answer has probably been stopped
OUTCOMES = {
    # letter in the store -> (class, sign, word): never by colour alone
    "p": ("pass", "✓", message("pass")),
    "f": ("fail", "✗", message("fail")),
    "n": ("none", "∅", message("no answer")),
    "u": ("open", "?", message("unscored")),
    "x": ("open", "!", message("request failed")),
    ".": ("wait", "·", message("not asked yet")),
}

SHOWS: dict[Show, tuple[str, Message]] = {
    # filter -> (key, label)
    "all": ("a", message("all")),
    "failed": ("f", message("failed")),
    "failed_all": ("b", message("failed by all")),
    "differ": ("d", message("differ")),
    "unscored": ("x", message("unscored")),
    "waiting": ("w", message("not asked yet")),
}


def is_moving(run: RunRow) -> bool:
    """Whether somebody is probably at work on it."""
    if run.finished:
        return False
    newest = datetime.datetime.fromisoformat(run.newest or run.created)
    age = datetime.datetime.now(datetime.UTC) - newest
    return age.total_seconds() < MOVING_S


def state(run: RunRow) -> str:
    if run.finished:
        return tr("finished")
    return tr("running") if is_moving(run) else tr("not finished")
