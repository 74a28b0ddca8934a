"""Who computes now, who waits, who is sent away.

In: requests that want to compute with a model. Out: how long each waited. One model's requests wait
for that model's slots, first come first served; the limit of the queue counts all that wait.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tests.servers.wire import LOOK_EVERY_S, ClientLeftError, Exchange


class QueueFullError(Exception):
    """More wait than the server allows."""


class Slots:
    """The places of one server."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._settings = settings  # `slots` and `queue`, which may change meanwhile
        self._busy: dict[str, int] = {}
        self._waiting: deque[tuple[str, object]] = deque()
        self._changed = threading.Condition()

    @contextmanager
    def place(self, model: str, exchange: Exchange) -> Iterator[float]:
        """Hold a slot; gives the seconds that were waited for it."""
        waited = self._enter(model, exchange)
        exchange.at_end(lambda: self._leave(model))
        try:
            yield waited
        finally:
            exchange.ending()

    def _leave(self, model: str) -> None:
        with self._changed:
            self._busy[model] -= 1
            self._changed.notify_all()

    def _enter(self, model: str, exchange: Exchange) -> float:
        ticket = (model, object())
        with self._changed:
            if self._busy.get(model, 0) < self._settings["slots"] and not self._before(ticket):
                self._busy[model] = self._busy.get(model, 0) + 1
                return 0.0
            if len(self._waiting) >= self._settings["queue"]:
                raise QueueFullError
            self._waiting.append(ticket)
            started = time.monotonic()
            try:
                while self._busy.get(model, 0) >= self._settings["slots"] or self._before(ticket):
                    self._changed.wait(LOOK_EVERY_S)
                    if exchange.is_over() or exchange.client_left():
                        raise ClientLeftError
                self._busy[model] = self._busy.get(model, 0) + 1
            finally:
                self._waiting.remove(ticket)
                self._changed.notify_all()
            return time.monotonic() - started

    def _before(self, ticket: tuple[str, object]) -> bool:
        """Someone waits for the same model and came earlier."""
        for other in self._waiting:
            if other is ticket:
                return False
            if other[0] == ticket[0]:
                return True
        return False
