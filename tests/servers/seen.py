"""What a server was asked, in order.

In: one entry a request. Out: the list as JSON, how many were in work at once, how many came. Only
the last 20,000 are kept, so that a run of many requests measures the client's memory and not this
one's.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Any

from tests.servers.wire import Exchange

KEPT = 20_000


class Seen:
    """The log of one server."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.clear()

    def clear(self) -> None:
        with self._lock:
            self._entries: deque[dict[str, Any]] = deque(maxlen=KEPT)
            self.received = 0
            self._in_work: dict[int, Exchange] = {}
            self.max_at_once = 0

    def arrived(self, exchange: Exchange, body: Any, *, asks: bool) -> dict[str, Any]:
        """Note a request. `asks`: it wants an answer of a model, and counts as work."""
        with self._lock:
            self.received += 1
            if asks:
                self._count(exchange)
            entry = {
                "seq": self.received,
                "time": time.time(),
                "method": exchange.method,
                "path": exchange.path,
                "body": body,
                "headers": exchange.headers,
                "client_port": exchange.connection.getpeername()[1],
                "at_once": len(self._in_work),
                "asks": asks,
                "fault": None,
                "status": None,
                "ended": None,
            }
            self._entries.append(entry)
        return entry

    def _count(self, exchange: Exchange) -> None:
        """What a client has given up is no more in work for it, even if the server works on."""
        if len(self._in_work) >= self.max_at_once:
            for key, other in list(self._in_work.items()):
                if other.client_left():
                    del self._in_work[key]
        self._in_work[id(exchange)] = exchange
        self.max_at_once = max(self.max_at_once, len(self._in_work))

    def left(self, entry: dict[str, Any], exchange: Exchange) -> None:
        """Its answer is as good as sent."""
        with self._lock:
            self._in_work.pop(id(exchange), None)
            entry["status"] = exchange.status
            entry["ended"] = entry["ended"] or "complete"
            entry["finished"] = time.time()

    def document(self) -> dict[str, Any]:
        with self._lock:
            return {
                "received": self.received,
                "max_at_once": self.max_at_once,
                "in_work": len(self._in_work),
                "requests": [dict(entry) for entry in self._entries],
            }
