"""Server-sent events, as servers really send them.

In: the lines of a stream, the empty ones among them. Out: events with their names, and the lines
that belong to none.

By the standard an event ends at an empty line, and its `data` may take several lines. Some servers
leave the empty lines out: a JSON object that is whole on one line is an event by itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

DONE = b"[DONE]"
_OF_NO_MATTER = (b"", b"id", b"retry")  # a line that begins with its colon is a comment
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Event(NamedTuple):
    """`document` is the JSON object in `data` where it stood on one line, else None."""

    name: str
    data: bytes
    document: dict[str, Any] | None = None


class EventStream:
    """Gives the events of a stream, once. `bare` are lines of no event: an answer that is none."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = lines
        self.bare: list[bytes] = []

    def __iter__(self) -> Iterator[Event]:
        name, data = "", list[bytes]()
        for line in self._single_lines():
            field, _, value = line.partition(b":")
            value = value.strip()
            if not line or (field == b"data" and value == DONE):
                if data:
                    yield Event(name, b"\n".join(data))
                if line:
                    yield Event(name, DONE)
                name, data = "", []
            elif field == b"data":
                document = None if data else _object_in(value)
                if document is not None:
                    yield Event(name, value, document)
                elif value:
                    data.append(value)
            elif field == b"event":
                name = value.decode("utf-8", "replace")
            elif field not in _OF_NO_MATTER:
                self.bare.append(line)
        if data:
            yield Event(name, b"\n".join(data))

    def _single_lines(self) -> Iterator[bytes]:
        """A carriage return alone may end a line, too; JSON has none inside."""
        for line in self._lines:
            yield from line.strip().removeprefix(_BYTE_ORDER_MARK).split(b"\r")


def _object_in(data: bytes) -> dict[str, Any] | None:
    if not data.startswith(b"{"):
        return None
    try:
        found = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
