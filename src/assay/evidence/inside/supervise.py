"""Runs an answer's code in processes of its own, step by step, and writes down what they said.

In: on standard input the length of the job and a line break, the job as JSON, then a nonce. Out: on
standard output the line "ready" once code of ours has come through, then one line that begins with
the nonce and holds the report.

    supervisor ─ control ─> nursery ─ fork ─> answering          a process for each group of steps
         └──────────── channel, a socket pair ─────┘

The nursery is forked before the job is read, so that neither it nor its children hold the job; the
nonce is read when all of them are done. Answers therefore cannot write a report, nor see data that
are counted as they ask for them. Their standard output is a file that is only quoted.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import socket
import sys
import time
from typing import TYPE_CHECKING, Any

from . import answering
from .wire import TooLong, encoded, receive, send

if TYPE_CHECKING:
    from .service import Service

_MOST_HUNG = 3  # groups that ran out of time; what is left after them is not begun
_LONGEST_OUTPUT = 20_000
_KEEP_PROCESS_PRIVATE = 4  # PR_SET_DUMPABLE
# Code of ours, by the way that answers go: if it does not come through, no answer is to blame.
_REHEARSAL: dict[str, Any] = {
    "sources": ["def double(number):\n    return 2 * number\n"],
    "modules": {},
    "wall_s": 20,
    "groups": [
        {
            "name": "rehearsal",
            "steps": [{"code": "result = double(21)", "kind": "probe"}],
            "cpu_s": 5,
            "wall_s": 20,
        }
    ],
}


def main() -> None:
    """Do the job."""
    _keep_private()
    if "with-service" in sys.argv:
        _prepare_for_clients()
    control = _start_nursery()
    if Supervisor(control, _REHEARSAL).report()[0]["steps"][0]["value"] != 42:
        raise SystemExit("the rehearsal failed")
    print("ready", flush=True)  # noqa: T201 - this is a program of its own
    length = int(_line())
    job = json.loads(_bytes(length))
    report = Supervisor(control, job).report()
    nonce = _line()
    print(f"{nonce} {json.dumps(report)}", flush=True)  # noqa: T201
    # Threads and children of the answer are none of our business any more.
    os._exit(0)


def _prepare_for_clients() -> None:
    """Import once what every client imports, and show whatever one logs, at every level."""
    import logging
    import urllib.request  # noqa: F401

    logging.basicConfig(stream=sys.stderr, level=logging.DEBUG)


def _keep_private() -> None:
    """Nobody of the same user may look into this process through /proc, or trace it."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_KEEP_PROCESS_PRIVATE, 0, 0, 0, 0)


def _line() -> str:
    data = bytearray()
    while (byte := os.read(0, 1)) not in (b"", b"\n"):
        data += byte
    return data.decode("ascii")


def _bytes(length: int) -> bytes:
    data = bytearray()
    while len(data) < length and (piece := os.read(0, length - len(data))):
        data += piece
    return bytes(data)


# ------------------------------------------------------------------------------- the nursery


def _start_nursery() -> socket.socket:
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        ours.close()
        # A file for /dev/null, which a sandbox may lack.
        nothing = _scratch_file()
        for standard in (0, 1, 2):
            os.dup2(nothing, standard)
        os.close(nothing)
        _nursery(theirs)
        os._exit(0)
    theirs.close()
    return ours


def _nursery(control: socket.socket) -> None:
    """For each order fork a child with the two files that came with it; say how it ended."""
    while True:
        order, files, _, _ = socket.recv_fds(control, 16, 2)
        if not order:
            return
        child = os.fork()
        if child == 0:
            _child(control, files[0], files[1], cpu_s=int(order))
        for file in files:
            os.close(file)
        send(control, child)
        _, status = os.waitpid(child, 0)
        send(control, status)


def _child(control: socket.socket, channel: int, output: int, *, cpu_s: int) -> None:
    control.close()
    os.setsid()
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    try:
        answering.serve(socket.socket(fileno=channel))
    finally:
        os._exit(0)


# ---------------------------------------------------------------------------- the supervisor


class Supervisor:
    """Goes through the groups of a job."""

    def __init__(self, control: socket.socket, job: dict[str, Any]) -> None:
        self.control = control
        self.job = job
        self.hung = 0
        self.ends_at = time.monotonic() + job["wall_s"]
        self.service: Service | None = None
        if any("replies" in group for group in job["groups"]):
            from .service import Service

            self.service = Service()

    def report(self) -> list[dict[str, Any]]:
        """What each group did, in the order of the job."""
        return [self._group(group) for group in self.job["groups"]]

    def _group(self, group: dict[str, Any]) -> dict[str, Any]:
        told: dict[str, Any] = {"name": group["name"], "steps": [], "ended": "skipped"}
        if self.hung >= _MOST_HUNG or time.monotonic() > self.ends_at:
            return told
        if self.service is not None:
            self.service.begin(group.get("replies", []))
        output = _scratch_file()
        ours, theirs = socket.socketpair()
        try:
            socket.send_fds(self.control, [str(group["cpu_s"]).encode()], [theirs.fileno(), output])
            theirs.close()
            child = receive(self.control)
        except OSError:  # the nursery is gone: the answer ended it
            child = None
        if not isinstance(child, int):
            return told
        talk = _Talk(ours, group, self.service, deadline=time.monotonic() + group["wall_s"])
        talk.go_through(self.job, told)
        _end(child)
        told["output"] = os.pread(output, _LONGEST_OUTPUT, 0).decode("utf-8", "replace")
        os.close(output)
        status = receive(self.control) or 0
        ours.close()
        if told["ended"] == "died" and os.WIFSIGNALED(status):
            told["ended"] = "cpu" if os.WTERMSIG(status) == signal.SIGXCPU else "died"
        self.hung += told["ended"] in ("time", "cpu")
        if self.service is not None:
            told["requests"] = list(self.service.script.requests)
        return told


def _scratch_file() -> int:
    path = f"output-{time.monotonic_ns()}"
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.unlink(path)
    return file


def _end(child: int) -> None:
    """The child and all that stayed in its session."""
    for target in (-child, child):
        try:
            os.kill(target, signal.SIGKILL)
        except OSError:
            continue


class _Talk:
    """The conversation with one child: steps go in, results come out, questions are counted."""

    def __init__(
        self,
        channel: socket.socket,
        group: dict[str, Any],
        service: Service | None,
        *,
        deadline: float,
    ) -> None:
        self.channel = channel
        self.group = group
        self.service = service
        self.deadline = deadline
        self.asked = 0
        self.sequences: list[dict[str, Any]] = []
        self.values: list[Any] = []

    def go_through(self, job: dict[str, Any], told: dict[str, Any]) -> None:
        """Fill in what came of the group's steps."""
        told["ended"] = "died"
        try:
            send(self.channel, {"modules": job["modules"], "sources": job["sources"]})
            loaded = self._answer()
            if not isinstance(loaded, dict):
                return
            told["problem"] = loaded.get("problem")
            for step in self.group["steps"]:
                self.asked = 0
                send(self.channel, {**step, "names": self._names(step.get("names", {}))})
                result = self._answer()
                if not isinstance(result, dict):
                    return
                if self.service is not None:
                    self.service.script.step_ended.set()
                told["steps"].append({**result, "asked": self.asked})
            told["ended"] = "done"
        except TimeoutError:
            told["ended"] = "time"
        except (OSError, ValueError, RecursionError, TooLong, KeyError, TypeError, IndexError):
            # Whatever the child sent that is no message, it has spoiled its own results.
            told["ended"] = "died"

    def _answer(self) -> Any:
        """The next message that is no question."""
        while True:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self.channel], [], [], left)[0]:
                raise TimeoutError
            self.channel.settimeout(max(left, 0.1))
            message = receive(self.channel)
            if not isinstance(message, dict) or "ask" not in message:
                return message
            self.asked += 1
            if self.asked > self.group.get("most_asked", 0):
                send(self.channel, {"over": True})
            else:
                send(self.channel, {"value": encoded(self._told(*message["ask"]))})

    def _names(self, names: dict[str, Any]) -> dict[str, Any]:
        return {name: self._handed_over(value) for name, value in names.items()}

    def _handed_over(self, value: Any) -> Any:
        """What the child gets: remote data stay here, and addresses are known only here."""
        if not isinstance(value, dict):
            return value
        if "progression" in value:
            self.sequences.append(value["progression"])
            return {"remote_sequence": [len(self.sequences) - 1, value["progression"]["length"]]}
        if "values" in value:
            first = len(self.values)
            self.values += value["values"]
            return {"remote_values": [first, len(self.values)]}
        if "service" in value and self.service is not None:
            return (
                self.service.refused_url if value["service"] == "refused" else self.service.base_url
            )
        return value

    def _told(self, what: str, *places: int) -> object:
        if what == "item":
            number, at = places
            rule = self.sequences[number]
            return rule["start"] + rule["step"] * (at // rule["repeat"])
        one = self.values[places[0]]
        if what == "eq":
            return bool(one == self.values[places[1]])
        if what == "lt":
            return bool(one < self.values[places[1]])
        return hash(one) if what == "hash" else repr(one)
