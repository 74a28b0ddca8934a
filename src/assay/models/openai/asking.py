"""Asks one server patiently, in a dialect that gets better with every refusal.

In: how to make a request in a Dialect. Out: what was written and how many tries it took, or a
Fault. Threads may share it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from assay.messages import tr
from assay.models.http.faults import Fault
from assay.models.http.retrying import Patience
from assay.models.openai.bodies import Post
from assay.models.openai.client import OpenAIClient
from assay.models.openai.dialect import MATTERS, Dialect
from assay.models.openai.reading import Written

Make = Callable[[Dialect], Post]


class Asking:
    """The server, how to speak to it, and what is to be said of it."""

    def __init__(self, client: OpenAIClient, patience: Patience, dialect: Dialect) -> None:
        self._client = client
        self._patience = patience
        self._lock = threading.Lock()
        self._notes: dict[str, str] = {}
        self.dialect = dialect

    def streamed(self, make: Make) -> tuple[Written, int]:
        """An answer as it is written."""
        return self._tried(make, self._client.write)

    def whole(self, make: Make, *, probing: bool = False) -> tuple[Written, int]:
        """An answer in one piece."""
        return self._tried(make, self._client.whole, probing=probing)

    def note(self, about: str, sentence: str) -> None:
        """Said once for each thing it is about."""
        with self._lock:
            self._notes.setdefault(about, sentence)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the results should know of this server."""
        with self._lock:
            notes = tuple(self._notes.values())
        return (*notes, *_about_left_out(self.dialect))

    def _tried(
        self, make: Make, send: Callable[[Post], Written], *, probing: bool = False
    ) -> tuple[Written, int]:
        dialect = self.dialect
        while True:
            post = make(dialect)
            try:
                return self._patience.tried(lambda post=post: send(post))  # type: ignore[misc]
            except Fault as fault:
                better = dialect.after_refusal(fault, post.body)
                # Later a refusal is about one request's value: changed, it would be another
                # request, and every one after it.
                if better is None or not (probing or better.draws_as(dialect)):
                    raise
                dialect = self.dialect = better


def _about_left_out(dialect: Dialect) -> list[str]:
    notes = []
    plain = sorted(dialect.left_out - set(MATTERS))
    if plain:
        notes.append(tr("the server refuses {fields}; they were left out", fields=", ".join(plain)))
    if "seed" in dialect.left_out:
        notes.append(tr("the server takes no seed: its answers cannot be drawn again"))
    if "temperature" in dialect.left_out:
        notes.append(tr("the server takes no temperature: it drew answers with one of its own"))
    return notes
