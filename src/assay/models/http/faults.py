"""What can go wrong between us and a server: a Fault says what happened, whether trying again may
help, and how long the server asks us to wait.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from assay.messages import tr
from assay.types import Cause

# Worth another try: the server is busy, restarting, or one of several failed.
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
SHOWN_OF_A_MESSAGE = 300


@dataclass(eq=False)
class Fault(Exception):
    """One failed attempt. `sentence` is for the user; `message` is what the server itself said.
    `asked` is False where the server was not even tried.
    """

    cause: Cause
    sentence: str
    retry: bool = False
    retry_after_s: float | None = None
    status: int | None = None
    message: str = ""
    partial: str = ""
    attempts: int = 1
    asked: bool = True

    def __str__(self) -> str:
        return self.sentence


def fault_of_status(url: str, status: int, headers: Mapping[str, str], message: str) -> Fault:
    return Fault(
        _cause_of(status),
        _sentence(url, status, headers, message),
        retry=status in PASSING,
        retry_after_s=retry_after(headers.get("retry-after")),
        status=status,
        message=message,
    )


def _cause_of(status: int) -> Cause:
    if status == 429:
        return "rate_limited"
    if status in (408, 504, 524):
        return "timeout"
    return "server_error" if status >= 500 else "refused"


def _sentence(url: str, status: int, headers: Mapping[str, str], message: str) -> str:
    if 300 <= status < 400:
        return tr(
            "{url} redirects to {place}; use that URL instead",
            url=url,
            place=readable(headers.get("location", "?")),
        )
    if not message:
        return tr("{url} answered {status} without a message", url=url, status=status)
    return tr("{url} answered {status}: {message}", url=url, status=status, message=message)


def message_in(body: str) -> str:
    """The server's own words, wherever it put them, whole."""
    try:
        found: object = json.loads(body)
    except (ValueError, RecursionError):
        return body
    for _ in range(3):  # {"error": {"message": "…"}}, {"error": "…"}, {"detail": [{"msg": "…"}]}
        if isinstance(found, dict):
            names = ("error", "message", "detail", "msg")
            place = found.get("loc")
            found = next((found[name] for name in names if found.get(name)), "")
            if isinstance(found, str) and isinstance(place, list) and place:
                found = f"{found} ({place[-1]})"  # which field is wrong, as FastAPI tells it
        elif isinstance(found, list) and found:
            found = found[0]
    return found if isinstance(found, str) else body


def readable(text: str) -> str:
    """One line without control characters, cut where nobody reads on."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[:4000]).split())
    return line if len(line) <= SHOWN_OF_A_MESSAGE else line[:SHOWN_OF_A_MESSAGE] + "…"


def retry_after(value: str | None) -> float | None:
    """Seconds; a date and whatever else is no number are as if they were not there."""
    try:
        seconds = float(value or "nan")
    except ValueError:
        return None
    return max(0.0, seconds) if seconds == seconds else None
