"""What can go wrong between us and a server (Fault), and who tries again (Patience). Threads share
a Patience: when one is told to wait, all wait.
"""

import json
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from assay.errors import ServerGone
from assay.messages import tr
from assay.types import Cause

# Worth another try: the server is busy, restarting, or one of several failed.
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
SHOWN_OF_A_MESSAGE = 300


@dataclass(eq=False)
class Fault(Exception):
    """`sentence` is for the user, `message` the server's own; `away`: nobody took the call. `hint`:
    what to do, where that is known here; `instead`: the URL that would do.
    """

    cause: Cause
    sentence: str
    retry: bool = False
    retry_after_s: float | None = None
    status: int | None = None
    message: str = ""
    partial: str = ""
    attempts: int = 1
    away: bool = False
    hint: str = ""
    instead: str = ""

    def __str__(self) -> str:
        return self.sentence


def fault_of_status(url: str, status: int, headers: Mapping[str, str], message: str) -> Fault:
    cause: Cause = "server_error" if status >= 500 else "refused"
    if status == 429:
        cause = "rate_limited"
    elif status in (408, 504, 524):
        cause = "timeout"
    sentence = tr("{url} answered {status}: {message}", url=url, status=status, message=message)
    if 300 <= status < 400:
        place = readable(headers.get("location", "?"))
        sentence = tr("{url} redirects to {place}; use that URL instead", url=url, place=place)
    elif not message:
        sentence = tr("{url} answered {status} without a message", url=url, status=status)
    return Fault(
        cause,
        sentence,
        retry=status in PASSING,
        retry_after_s=retry_after(headers.get("retry-after")),
        status=status,
        message=message,
    )


def message_in(body: str) -> str:
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
    line = " ".join("".join(c if c.isprintable() else " " for c in text[:4000]).split())
    return line if len(line) <= SHOWN_OF_A_MESSAGE else line[:SHOWN_OF_A_MESSAGE] + "…"


def retry_after(value: str | None) -> float | None:
    """Seconds; a date and whatever else is no number are as if they were not there."""
    try:
        seconds = float(value or "nan")
    except ValueError:
        return None
    return max(0.0, seconds) if seconds == seconds else None


T = TypeVar("T")

ATTEMPTS = 4
LONGEST_PAUSE_S = 30.0
LONGEST_ASKED_S = 120.0  # a server that wants more is not going to answer this run
# At 120 s each a hundred of them are three hours that end in nothing. Requests that stall
# together count once, and any answer of the server begins the row anew.
TIMEOUTS_IN_A_ROW = 5
LOADING = 503  # said by a server that is back and not ready yet
# A restart takes seconds. Before, each request was tried, failed and had to be asked again by
# hand: one restart cost 88 requests.
LOOK_FOR_IT_S = 1.0


class Patience:
    """`away`: why nobody takes our calls; after `timeout_s` of it nothing more is asked."""

    def __init__(
        self, called_off: threading.Event, *, first_pause_s: float, timeout_s: float
    ) -> None:
        self._called_off = called_off
        self._first_pause_s = first_pause_s
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._not_before = 0.0
        self._away_since = 0.0
        self.away: Fault | None = None
        self._timeouts = 0
        self._last_timeout = 0.0

    def tried(self, attempt: Callable[[], T]) -> tuple[T, int]:
        """Raises the last Fault, or ServerGone. A server that is away costs no attempt."""
        if self._timeouts >= TIMEOUTS_IN_A_ROW:
            raise ServerGone(
                tr(
                    "{count} requests in a row timed out; the remaining ones were not sent. "
                    "A longer --timeout or a smaller model may help",
                    count=TIMEOUTS_IN_A_ROW,
                )
            )
        began = time.monotonic()
        number = 1
        while True:
            self._wait_until_allowed()
            try:
                result = attempt()
            except Fault as fault:
                fault.attempts = number
                if fault.retry and self._is_away(fault):
                    self._called_off.wait(min(LOOK_FOR_IT_S, 2 * self._first_pause_s))
                    continue
                self._learn(fault, began)
                if not fault.retry or number == ATTEMPTS:
                    raise
                self._pause(number, fault)
                number += 1
            else:
                self._learn(None, began)
                return result, number

    def _is_away(self, fault: Fault) -> bool:
        """Whether to wait for it. Raises ServerGone when it has been waited for long enough."""
        now = time.monotonic()
        with self._lock:
            if not fault.away and not (self.away and fault.status == LOADING):
                return False
            if self.away is None:
                self._away_since = now
            self.away = fault
            waited = now - self._away_since
        if waited < self._timeout_s:
            return True
        raise ServerGone(
            tr(
                "{fault}; it did not come back within {seconds:.0f} s, and the remaining "
                "requests were not sent",
                fault=fault.sentence,
                seconds=waited,
            )
        )

    def _learn(self, fault: Fault | None, began: float) -> None:
        with self._lock:
            self.away = None
            if fault is None or fault.status is not None:
                self._timeouts = 0  # somebody is there, whatever he says
            elif fault.cause == "timeout" and began >= self._last_timeout:
                # Eight at once are one stall: only what began after the last one counts anew.
                self._timeouts += 1
                self._last_timeout = time.monotonic()

    def _pause(self, number: int, fault: Fault) -> None:
        asked = fault.retry_after_s or 0.0
        if asked > LONGEST_ASKED_S:
            fault.sentence = tr(
                "{fault} (it asks for a wait of {seconds:.0f} s, which is too long)",
                fault=fault.sentence,
                seconds=asked,
            )
            raise fault
        with self._lock:
            self._not_before = max(self._not_before, time.monotonic() + asked)
        pause = min(LONGEST_PAUSE_S, self._first_pause_s * 2 ** (number - 1))
        # Jitter, so that eight connections do not come back at the same moment.
        self._called_off.wait(pause * random.uniform(0.75, 1.25))

    def _wait_until_allowed(self) -> None:
        while (left := self._not_before - time.monotonic()) > 0:
            if self._called_off.wait(left):
                break
        if self._called_off.is_set():
            raise Fault("other", tr("cancelled"))


LARGEST = 10**15  # bytes, tokens or nanoseconds beyond this are no measurement


def reported_count(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST:
        return value
    return None


def reported_number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if -LARGEST <= value <= LARGEST else None  # NaN is neither


def reported_seconds(value: object, *, unit: float = 1.0) -> float | None:
    """Seconds from 0 on; `unit` is what the server counts in, such as 1e-9."""
    number = reported_number(value)
    return number * unit if number is not None and number >= 0 else None
