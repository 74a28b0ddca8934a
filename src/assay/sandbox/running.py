"""Runs programs in one isolation: a Program in, a Ran out, and nothing of it left behind."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import time
from contextlib import nullcontext

from assay.sandbox import command_lines
from assay.sandbox.confined import processes
from assay.sandbox.confined.leftovers import own_folder
from assay.sandbox.conversation import Conversation, Heard, close_pipes, open_pipes
from assay.sandbox.shapes import Ended, Isolation, Program, Ran
from assay.sandbox.surroundings import WORK, View, environment, user_to_become, view


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
        mark = secrets.token_hex(16) if weak else ""
        with own_folder(user) if weak else nullcontext(WORK) as work:
            order = command_lines.order(
                self.isolation,
                program,
                self._view,
                user=user,
                work=work,
                python=self._python,
                mark=mark,
            )
            started = time.monotonic()
            heard = self._hold(program, order, user, mark)
            seconds = time.monotonic() - started
        return _ran(heard, seconds)

    def _hold(self, program: Program, order: bytes, user: int | None, mark: str) -> Heard:
        words = command_lines.command(
            self.isolation, program, self._view, user=user, bwrap=self._bwrap
        )
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
                ours,
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
            if each.number != me and wanted in _environment_of(each.number)
        ]
        if not found:
            return
        for number in found:
            processes.send(number, signal.SIGKILL)
        time.sleep(0.01)


def _environment_of(number: int) -> bytes:
    try:
        with open(f"/proc/{number}/environ", "rb") as file:
            return file.read()
    except OSError:
        return b""


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
