"""Talks with a started process within limits: sends order and input, reads what comes back."""

import json
import os
import selectors
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from io import FileIO
from typing import Any, Literal

from assay.sandbox.shapes import Limits

# A starter that is waited for as long as this is never coming; a loaded machine may be slow.
_PATIENCE_TO_START_S = 30.0
_PATIENCE_TO_END_S = 3.0
_CHUNK = 1 << 16


SENT = ("order", "stdin")
RECEIVED = ("stdout", "stderr", "told")

# One end of each pipe. The order's stays open: when it closes, the starter ends everything.
Pipes = dict[str, FileIO]


def open_pipes() -> tuple[Pipes, Pipes]:
    ours, theirs = {}, {}
    for name in (*SENT, *RECEIVED):
        reading, writing = os.pipe()
        ends = FileIO(reading, "r"), FileIO(writing, "w")
        theirs[name], ours[name] = ends if name in SENT else reversed(ends)
    return ours, theirs


def close_pipes(pipes: Pipes) -> None:
    for pipe in pipes.values():
        pipe.close()


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


@dataclass(eq=False, kw_only=True)
class Conversation:
    """One process, from the order to the last byte. After the starter's end only what escaped from
    it can hold the streams open: `when_starter_ends` looks for it.
    """

    pipes: Pipes
    order: bytes
    stdin: bytes
    limits: Limits
    when_starter_ends: Callable[[], None]

    def __post_init__(self) -> None:
        self.heard = Heard()
        self._to_send = {"order": memoryview(self.order), "stdin": memoryview(self.stdin)}
        self._selector = selectors.DefaultSelector()
        self._deadline = time.monotonic() + _PATIENCE_TO_START_S
        self._ending = False

    def hold(self) -> Heard:
        """Returns when the last pipe is closed at the other end, or patience is."""
        with self._selector:
            for name, pipe in self.pipes.items():
                os.set_blocking(pipe.fileno(), False)
                event = selectors.EVENT_WRITE if name in SENT else selectors.EVENT_READ
                self._selector.register(pipe, event, name)
            while not all(self.pipes[name].closed for name in RECEIVED):
                left = self._deadline - time.monotonic()
                for key, _ in self._selector.select(max(0.0, left)):
                    if not self.pipes[key.data].closed:  # by what was read just before
                        (self._send if key.data in SENT else self._receive)(key.data)
                if time.monotonic() >= self._deadline:
                    if self._ending:
                        break
                    self._end_soon("time")
        return self.heard

    def _send(self, name: str) -> None:
        left = self._to_send[name]
        try:
            sent = os.write(self.pipes[name].fileno(), left[:_CHUNK]) if left else 0
        except BlockingIOError:
            return
        except BrokenPipeError:
            sent = len(left)  # the program does not read its input; that is its affair
        self._to_send[name] = left[sent:]
        if not self._to_send[name]:
            self._selector.unregister(self.pipes[name])
            if name == "stdin":
                self.pipes[name].close()

    def _receive(self, name: str) -> None:
        try:
            part = os.read(self.pipes[name].fileno(), _CHUNK)
        except BlockingIOError:
            return
        if not part:
            self._close(name)
            if name == "told":
                self.when_starter_ends()
                self._end_soon()
        elif name == "told":
            if b"\n" in part and b"\n" not in self.heard.told:  # it has started the program
                self._deadline = time.monotonic() + self.limits.wall_s
            self.heard.told += part
        else:
            self._keep(name, part)

    def _keep(self, name: str, part: bytes) -> None:
        kept: bytearray = getattr(self.heard, name)
        room = self.limits.output_bytes - len(self.heard.stdout) - len(self.heard.stderr)
        kept += part[:room]
        if len(part) > room:
            self.heard.cut = True
            self._end_soon("output")

    def _end_soon(self, why: Literal["time", "output", ""] = "") -> None:
        if not self._ending:
            self.heard.stopped = why
            self._ending = True
            self._close("order")
            self._deadline = time.monotonic() + _PATIENCE_TO_END_S

    def _close(self, name: str) -> None:
        pipe = self.pipes[name]
        if not pipe.closed and pipe in self._selector.get_map():
            self._selector.unregister(pipe)
        pipe.close()
