"""Runs programs in one isolation: a Program in, a Ran out, and nothing of it left behind.

Which isolation this machine allows is found out by trying a real program in each.
"""

import json
import os
import secrets
import selectors
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from io import FileIO
from typing import Any, Literal

from assay.errors import SandboxUnavailable
from assay.messages import tr
from assay.sandbox.confined import processes
from assay.sandbox.confined.leftovers import own_folder
from assay.sandbox.shapes import Ended, Isolation, Limits, Program, Ran
from assay.sandbox.surroundings import (
    WORK,
    View,
    base_python,
    environment,
    nearest_python,
    user_to_become,
    view,
    write_command,
    write_order,
)

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


class Sandbox:
    """Confines each program anew: nothing of one is there for the next. Threads may share it."""

    def __init__(self, isolation: Isolation, *, python: str, bwrap: str = "") -> None:
        self.isolation: Isolation = isolation
        self._python = python
        self._bwrap = bwrap
        self._view = view() if isolation != "weak" else View((), ())

    def run(self, program: Program) -> Ran:
        """Start, watch, end, clear up. Raises nothing on what the program does."""
        user = user_to_become()
        weak = self.isolation == "weak"
        seen = self._seen_by(program)
        mark = secrets.token_hex(16) if weak else ""
        with own_folder(user) if weak else nullcontext(WORK) as work:
            order = write_order(
                self.isolation,
                program,
                seen,
                user=user,
                work=work,
                python=self._python,
                mark=mark,
            )
            started = time.monotonic()
            heard = self._hold(program, seen, order, user, mark)
            seconds = time.monotonic() - started
        return _ran(heard, seconds)

    def _seen_by(self, program: Program) -> View:
        """What every program sees, and the folders that this one is shown beside it."""
        if not program.shown or self.isolation == "weak":
            return self._view
        inside = [path for _, path in self._view.shown]
        more = (
            (os.path.realpath(path), path)
            for path in dict.fromkeys(program.shown)
            if not any(path == each or path.startswith(each + "/") for each in inside)
        )
        return self._view._replace(shown=(*self._view.shown, *more))

    def _hold(
        self, program: Program, seen: View, order: bytes, user: int | None, mark: str
    ) -> Heard:
        words = write_command(self.isolation, program, seen, user=user, bwrap=self._bwrap)
        ours, theirs = open_pipes()
        passed = theirs["order"].fileno(), theirs["told"].fileno()
        try:
            process = subprocess.Popen(
                [*words, *map(str, passed)],
                stdin=theirs["stdin"],
                stdout=theirs["stdout"],
                stderr=theirs["stderr"],
                pass_fds=passed,
                cwd="/",
                env=environment("/"),
                start_new_session=True,
            )
        except OSError as error:
            close_pipes(ours)
            return Heard(stderr=bytearray(str(error), "utf-8", "replace"))
        finally:
            close_pipes(theirs)
        try:
            return Conversation(
                pipes=ours,
                order=order,
                stdin=program.stdin,
                limits=program.limits,
                when_starter_ends=lambda: _end_marked(mark),
            ).hold()
        finally:
            close_pipes(ours)
            _end(process)
            _end_marked(mark)


def _end(process: subprocess.Popen[bytes]) -> None:
    """By now the starter has ended, and all with it; unless a program found a way to stop it."""
    try:
        process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        processes.end_descendants(process.pid, patience_s=2)
        process.kill()
        process.wait()


def _end_marked(mark: str) -> None:
    """A program that is the same user as its starter can kill it and live on; not for long."""
    if not mark:
        return
    me, wanted = os.getpid(), f"ASSAY_SANDBOX={mark}".encode()
    for _ in range(20):
        found = [
            each.number
            for each in processes.all_processes()
            if each.number != me and wanted in processes.read_bytes(f"{each.number}/environ")
        ]
        if not found:
            return
        for number in found:
            processes.send(number, signal.SIGKILL)
        time.sleep(0.01)


def _ran(heard: Heard, seconds: float) -> Ran:
    report = heard.report()
    code = report.get("exit_code")
    stderr = bytes(heard.stderr)
    ended: Ended
    if not report.get("started"):
        ended = "not_started"
        stderr = str(report.get("why", "")).encode("utf-8", "replace") or stderr
    elif heard.stopped:
        ended, code = heard.stopped, None
    else:
        # Without a word from its starter: the program killed it, and was ended for that.
        ended = report.get("ended", "signalled")
        if ended == "exited" and code and _ran_out_of_memory(stderr):
            ended = "memory"
    return Ran(
        exit_code=code,
        stdout=bytes(heard.stdout),
        stderr=stderr,
        ended=ended,
        seconds=report.get("seconds", seconds),
        cut=heard.cut,
    )


def _ran_out_of_memory(stderr: bytes) -> bool:
    """Beyond the limit the kernel refuses memory, and Python ends with this as its last line."""
    last = stderr.rstrip().rpartition(b"\n")[2]
    return last == b"MemoryError" or last.startswith(b"MemoryError:")


# The oldest that Assay itself runs on: answers are written for it.
_TRIAL = "import sys; assert sys.version_info >= (3, 11), sys.version; print(6 * 7)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The best isolation that works here, or None, and what is wrong with better ones."""

    isolation: Literal["bubblewrap", "namespaces"] | None
    tool: str
    problems: tuple[str, ...]


def find_isolation() -> Found:
    """Tries bubblewrap, then namespaces, with a real program; takes about a tenth of a second."""
    if sys.platform != "linux":
        return Found(isolation=None, tool="", problems=(tr("only Linux can isolate a program"),))
    tool = shutil.which("bwrap") or ""
    problems = [] if tool else [tr("bubblewrap is not installed")]
    isolations: tuple[Literal["bubblewrap", "namespaces"], ...] = ("bubblewrap", "namespaces")
    for isolation in isolations if tool else isolations[1:]:
        bwrap = tool if isolation == "bubblewrap" else ""
        problem = problem_with(Sandbox(isolation, python=base_python(), bwrap=bwrap))
        if not problem:
            return Found(isolation=isolation, tool=bwrap, problems=tuple(problems))
        problems.append(tr("{name} does not work: {why}", name=bwrap or isolation, why=problem))
    return Found(isolation=None, tool="", problems=tuple(problems))


def open_sandbox(wish: Literal["auto", "weak"] = "auto") -> Sandbox:
    """The strongest isolation there is; the weak one only if it is asked for by name."""
    if wish == "weak":
        return _open_weak()
    found = find_isolation()
    if found.isolation is None:
        raise SandboxUnavailable(
            tr("no sandbox: {problems}", problems="; ".join(found.problems)),
            hint=tr(
                "on Linux install the package bubblewrap (`assay doctor` shows whether it works),"
                " or accept limits without isolation with --sandbox weak"
            ),
        )
    return Sandbox(found.isolation, python=base_python(), bwrap=found.tool)


def _open_weak() -> Sandbox:
    problem = tr("this system has no processes that can be limited")
    if os.name == "posix":
        for python in nearest_python(unprivileged=os.geteuid() == 0):
            sandbox = Sandbox("weak", python=python)
            problem = problem_with(sandbox)
            if not problem:
                return sandbox
    raise SandboxUnavailable(
        tr("no sandbox, not even a weak one: {why}", why=problem),
        hint=tr("install a Python that every user of this machine can start, or leave code out"),
    )


def problem_with(sandbox: Sandbox) -> str:
    """Why it does not work here, in the system's words; nothing if it does."""
    trial = Program(files={}, arguments=("-c", _TRIAL), limits=Limits(wall_s=10))
    ran = sandbox.run(trial)
    if ran.ended == "exited" and ran.stdout.strip() == b"42":
        return ""
    lines = ran.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else tr("a program that was tried gave no answer")
