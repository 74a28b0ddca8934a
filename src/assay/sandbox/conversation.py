"""Talks with a started process within limits: sends order and input, reads what comes back."""

from __future__ import annotations

import json
import os
import selectors
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.sandbox.shapes import Limits

# A starter that is waited for as long as this is never coming; a loaded machine may be slow.
_PATIENCE_TO_START_S = 30.0
_PATIENCE_TO_END_S = 3.0
_CHUNK = 1 << 16


@dataclass
class Pipes:
    """One end of each. The order's stays open: when it closes, the starter ends everything."""

    order: int
    stdin: int
    stdout: int
    stderr: int
    told: int

    def close(self) -> None:
        for name in ("order", "stdin", "stdout", "stderr", "told"):
            self.close_one(name)

    def close_one(self, name: str) -> None:
        """Closing twice would close somebody else's file."""
        number = getattr(self, name)
        if number >= 0:
            os.close(number)
            setattr(self, name, -1)


def open_pipes() -> tuple[Pipes, Pipes]:
    order, stdin, stdout, stderr, told = (os.pipe() for _ in range(5))
    ours = Pipes(order[1], stdin[1], stdout[0], stderr[0], told[0])
    theirs = Pipes(order[0], stdin[0], stdout[1], stderr[1], told[1])
    return ours, theirs


@dataclass
class Heard:
    """Everything that came back. `stopped` names the limit at which we ended it ourselves."""

    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    told: bytearray = field(default_factory=bytearray)
    stopped: Literal["time", "output", ""] = ""
    cut: bool = False

    def report(self) -> dict[str, Any]:
        """The starter's lines as one; the last word on a matter stands."""
        whole: dict[str, Any] = {}
        for line in bytes(self.told).splitlines():
            whole |= json.loads(line)
        return whole


class Conversation:
    """One process, from the order to the last byte.

    After the starter's end only what escaped from it can hold the streams open: that is the moment
    to look for it, `when_starter_ends`.
    """

    def __init__(
        self,
        pipes: Pipes,
        *,
        order: bytes,
        stdin: bytes,
        limits: Limits,
        when_starter_ends: Callable[[], None],
    ) -> None:
        self.pipes = pipes
        self.limits = limits
        self.when_starter_ends = when_starter_ends
        self.heard = Heard()
        self._to_send = {"order": memoryview(order), "stdin": memoryview(stdin)}
        self._selector = selectors.DefaultSelector()
        self._deadline = time.monotonic() + _PATIENCE_TO_START_S
        self._ending = False

    def hold(self) -> Heard:
        """Returns when the last pipe is closed at the other end, or patience is."""
        with self._selector:
            for name in ("order", "stdin", "stdout", "stderr", "told"):
                number = getattr(self.pipes, name)
                os.set_blocking(number, False)
                sends = name in self._to_send
                event = selectors.EVENT_WRITE if sends else selectors.EVENT_READ
                self._selector.register(number, event, name)
            while self._still_listening():
                left = self._deadline - time.monotonic()
                for key, _ in self._selector.select(max(0.0, left)):
                    self._go_on(key.data)
                if time.monotonic() >= self._deadline:
                    if self._ending:
                        break
                    self._stop("time")
        return self.heard

    def _still_listening(self) -> bool:
        return any(getattr(self.pipes, name) >= 0 for name in ("stdout", "stderr", "told"))

    def _go_on(self, name: str) -> None:
        if getattr(self.pipes, name) < 0:
            return  # closed by what was read just before
        if name in self._to_send:
            self._send(name)
        else:
            self._receive(name)

    def _send(self, name: str) -> None:
        left = self._to_send[name]
        try:
            sent = os.write(getattr(self.pipes, name), left[:_CHUNK]) if left else 0
        except BlockingIOError:
            return
        except BrokenPipeError:
            sent = len(left)  # the program does not read its input; that is its affair
        self._to_send[name] = left[sent:]
        if not self._to_send[name]:
            self._selector.unregister(getattr(self.pipes, name))
            if name == "stdin":
                self.pipes.close_one(name)

    def _receive(self, name: str) -> None:
        try:
            part = os.read(getattr(self.pipes, name), _CHUNK)
        except BlockingIOError:
            return
        if not part:
            self._close(name)
            if name == "told":
                self.when_starter_ends()
                self._end_soon()
        elif name == "told":
            self._hear_starter(part)
        else:
            self._keep(name, part)

    def _hear_starter(self, part: bytes) -> None:
        begun = b"\n" in self.heard.told
        self.heard.told += part
        if not begun and b"\n" in self.heard.told:
            self._deadline = time.monotonic() + self.limits.wall_s

    def _keep(self, name: str, part: bytes) -> None:
        kept: bytearray = getattr(self.heard, name)
        room = self.limits.output_bytes - len(self.heard.stdout) - len(self.heard.stderr)
        kept += part[:room]
        if len(part) > room:
            self.heard.cut = True
            if not self._ending:
                self._stop("output")

    def _stop(self, why: Literal["time", "output"]) -> None:
        self.heard.stopped = why
        self._end_soon()

    def _end_soon(self) -> None:
        if not self._ending:
            self._ending = True
            self._close("order")
            self._deadline = time.monotonic() + _PATIENCE_TO_END_S

    def _close(self, name: str) -> None:
        number = getattr(self.pipes, name)
        if number in self._selector.get_map():
            self._selector.unregister(number)
        self.pipes.close_one(name)
