"""Tries again where that helps, waits as long as the server asks, and knows when to stop.

Threads may share a Patience: when one of them is told to wait, all of them wait, and when the
server is gone, nobody waits for it a hundred times.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from assay.messages import tr
from assay.models.http.faults import Fault

T = TypeVar("T")

ATTEMPTS = 4
LONGEST_PAUSE_S = 30.0
LONGEST_ASKED_S = 120.0  # a server that wants more is not going to answer this run
TIMEOUTS_IN_A_ROW = 5


class Patience:
    """How long one server is tried. `called_off` ends every wait."""

    def __init__(self, called_off: threading.Event, *, first_pause_s: float) -> None:
        self._called_off = called_off
        self._first_pause_s = first_pause_s
        self._lock = threading.Lock()
        self._not_before = 0.0
        self._gone = False
        self._timeouts = 0
        self._last_timeout = 0.0

    def tried(self, attempt: Callable[[], T]) -> tuple[T, int]:
        """Try until it works or trying is useless. Raises the last Fault, with its attempts."""
        self._refuse_a_server_that_never_answers()
        began = time.monotonic()
        for number in range(1, ATTEMPTS + 1):
            self._wait_until_allowed()
            try:
                result = attempt()
            except Fault as fault:
                fault.attempts = number
                self._learn(fault, began, last=number == ATTEMPTS)
                if not fault.retry or number == ATTEMPTS or self._gone:
                    raise
                self._pause(number, fault)
            else:
                self._learn(None, began)
                return result, number
        raise AssertionError("the last attempt returns or raises")

    def _learn(self, fault: Fault | None, began: float, *, last: bool = False) -> None:
        with self._lock:
            if fault is None or fault.status is not None:
                self._gone, self._timeouts = False, 0  # somebody is there, whatever he says
            elif fault.cause == "timeout":
                # Eight at once are one stall: only what began after the last one counts anew.
                if began >= self._last_timeout:
                    self._timeouts += 1
                    self._last_timeout = time.monotonic()
            elif fault.cause == "unreachable" and last:
                # Nobody was there through all the pauses: the next requests try once, at once.
                self._gone = True

    def _refuse_a_server_that_never_answers(self) -> None:
        if self._timeouts >= TIMEOUTS_IN_A_ROW:
            raise Fault(
                "timeout",
                tr(
                    "not asked: {count} requests in a row had timed out; a longer --timeout or a "
                    "smaller model may help",
                    count=TIMEOUTS_IN_A_ROW,
                ),
                asked=False,
            )

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
