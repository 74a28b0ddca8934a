"""What shall go wrong, and for whom.

In: orders {kind, when, path, times, and the kind's details}. Out: the fault that a request meets.

`when` is a part of the last user message, or "*". `times` counts down; null is for ever. Without
`path` only requests for an answer are hit (not a load or an unload); with it, every request whose
path starts so, for example "/api/show".
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.servers.spoiling import INSTEAD, SPOILT, Refusal
from tests.servers.wire import Answer, Exchange


@dataclass
class Fault:
    """One order, still to be carried out `times` times."""

    kind: str
    when: str
    path: str | None
    times: int | None
    details: Mapping[str, Any]

    @property
    def comes_first(self) -> bool:
        """It needs no answer to spoil, and takes no place in the queue."""
        return self.kind in INSTEAD

    def hits(self, path: str, question: str | None) -> bool:
        if self.path is not None:
            return path.startswith(self.path) and (
                self.when == "*" or (question is not None and self.when in question)
            )
        return question is not None and (self.when == "*" or self.when in question)


class Faults:
    """The orders of one server, oldest first."""

    def __init__(self) -> None:
        self._orders: list[Fault] = []
        self._lock = threading.Lock()

    def clear(self) -> None:
        with self._lock:
            self._orders = []

    def add(self, order: Mapping[str, Any]) -> None:
        details = dict(order)
        kind = details.pop("kind")
        if kind not in INSTEAD and kind not in SPOILT:
            raise KeyError(f"no such fault: {kind}; there are {sorted([*INSTEAD, *SPOILT])}")
        fault = Fault(
            kind=kind,
            when=details.pop("when", "*"),
            path=details.pop("path", None),
            times=details.pop("times", 1),
            details=details,
        )
        with self._lock:
            self._orders.append(fault)

    def take(self, path: str, question: str | None) -> Fault | None:
        """The fault that this request meets."""
        if not self._orders:
            return None
        with self._lock:
            for fault in self._orders:
                if fault.times != 0 and fault.hits(path, question):
                    if fault.times is not None:
                        fault.times -= 1
                    return fault
        return None


def perform(fault: Fault, exchange: Exchange, answer: Answer, refusal: Refusal) -> None:
    """Send what this fault makes of the answer."""
    kind = INSTEAD.get(fault.kind) or SPOILT[fault.kind]
    kind(exchange, answer, fault.details, refusal)
