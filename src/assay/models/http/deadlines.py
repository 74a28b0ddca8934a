"""A network on which no request outlives its deadline, however slowly the other side drips: every
wait is cut into short ones. The deadline lies with the thread; a token gives more time. Until its
turn comes a request has as long as is known to be needed, which others may have shown meanwhile.
"""

import math
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

import httpcore

T = TypeVar("T")
Seconds = float | Callable[[], float]

# How long it takes at most until a Ctrl-C is noticed; a wait costs one system call each time.
GLANCE_S = 0.2
CONNECT_S = 10.0


class CalledOff(Exception):
    """Nobody waits for this any more."""


class WaitingTurn:
    """A request among others. While it waits for its turn at the server, no time runs for it."""

    def waits(self) -> bool:
        raise NotImplementedError

    def count_token(self) -> None:
        raise NotImplementedError


class _Clock(threading.local):
    until: float = math.inf
    allowed_s: float = math.inf
    allowance: Callable[[], float] = staticmethod(lambda: math.inf)
    called_off: threading.Event | None = None
    turn: WaitingTurn | None = None

    def left(self) -> float:
        if self.called_off is not None and self.called_off.is_set():
            raise CalledOff
        if self.turn is not None and self.turn.waits():
            self.restart(self.allowance())
        left = self.until - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout("the deadline has passed")
        return left

    def restart(self, seconds: float) -> None:
        self.until, self.allowed_s = time.monotonic() + seconds, seconds

    def hurry(self, seconds: float) -> None:
        self.until = min(self.until, time.monotonic() + seconds)


clock = _Clock()


@contextmanager
def within(seconds: Seconds, called_off: threading.Event | None = None) -> Iterator[None]:
    """Whatever this thread does on the network inside ends within these seconds."""
    before = (clock.until, clock.allowed_s, clock.allowance, clock.called_off)
    clock.allowance = seconds if callable(seconds) else lambda: seconds
    clock.called_off = called_off
    clock.restart(clock.allowance())
    try:
        yield
    finally:
        clock.until, clock.allowed_s, clock.allowance, clock.called_off = before


def _in_glances(step: Callable[[float], T], over: type[Exception]) -> T:
    while True:
        try:
            return step(min(GLANCE_S, clock.left()))
        except over:
            clock.left()  # raises where the time is up


class DeadlineStream(httpcore.NetworkStream):
    """A connection. `read_since_write`: something has come since something was last sent."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream
        self.read_since_write = False

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self.read_since_write = True
        return _in_glances(lambda s: self._stream.read(max_bytes, timeout=s), httpcore.ReadTimeout)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """All of it. By hand, for httpcore gives the whole time to every part it can send."""
        self.read_since_write = False
        peer: socket.socket = self._stream.get_extra_info("socket")
        rest = memoryview(buffer)
        while rest:
            rest = rest[_in_glances(partial(_sent, peer, rest), TimeoutError) :]

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        try:
            limit = min(CONNECT_S, clock.left())
        except (httpcore.ReadTimeout, CalledOff):
            self.close()  # httpcore closes after its own failures only
            raise
        return DeadlineStream(self._stream.start_tls(ssl_context, server_hostname, timeout=limit))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _sent(peer: socket.socket, rest: memoryview, seconds: float) -> int:
    try:
        peer.settimeout(seconds)
        return peer.send(rest)
    except TimeoutError:
        raise
    except OSError as error:
        raise httpcore.WriteError(str(error)) from error


class DeadlineNetwork(httpcore.NetworkBackend):
    def __init__(self) -> None:
        self._network = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect; every later read and write keeps the thread's deadline."""
        limit = min(CONNECT_S, clock.left())
        return DeadlineStream(
            self._network.connect_tcp(
                host,
                port,
                timeout=limit,
                local_address=local_address,
                socket_options=socket_options,
            )
        )
