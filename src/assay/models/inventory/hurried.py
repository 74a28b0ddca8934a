"""Looking at several addresses side by side, each through a connection that asks several short
questions within one deadline, and reads little.
"""

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from assay.models.http.connection import Connection
from assay.models.http.deadlines import Seconds

PATIENCE_S = 2.0  # for all questions; a server that is there answers each in milliseconds
MOST_BYTES = 8 * 2**20  # of an answer; a list of a thousand models has some hundred kilobytes
LEAST_S = 0.01
BEYOND_S = 0.5  # for what no deadline ends: the search for a host's address

T = TypeVar("T")


def side_by_side(looks: Sequence[Callable[[], T]], otherwise: Sequence[T]) -> list[T]:
    """What each look found; `otherwise`, by its place, where it took too long."""
    found = list(otherwise)

    def look(at: int) -> None:
        found[at] = looks[at]()

    threads = [threading.Thread(target=look, args=(at,), daemon=True) for at in range(len(looks))]
    for thread in threads:
        thread.start()
    until = time.monotonic() + PATIENCE_S + BEYOND_S
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
    return list(found)


class HurriedConnection(Connection):
    def __init__(
        self, url: str, *, headers: Mapping[str, str] | None = None, secrets: Iterable[str] = ()
    ) -> None:
        super().__init__(
            url, timeout_s=PATIENCE_S, headers=headers, secrets=secrets, most_bytes=MOST_BYTES
        )
        self._until = time.monotonic() + PATIENCE_S

    def document(
        self, method: str, path: str, body: object = None, *, timeout_s: Seconds | None = None
    ) -> Any:
        return super().document(method, path, body, timeout_s=self._left())

    def beside(self, path: str, *, timeout_s: float) -> Any:
        return super().beside(path, timeout_s=self._left())

    def _left(self) -> float:
        return max(LEAST_S, self._until - time.monotonic())
