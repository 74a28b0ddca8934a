"""Every isolation that this machine has; the others are skipped, with the reason."""

import os
import secrets
import shutil
import time
from functools import cache
from pathlib import Path

import pytest

from assay.errors import SandboxUnavailable
from assay.sandbox import Limits, Program, Sandbox, open_sandbox
from assay.sandbox.opening import problem_with
from assay.sandbox.surroundings import base_python

STRONG = ("bubblewrap", "namespaces")


@cache
def opened(isolation):
    """The sandbox; or why this machine has none of that kind."""
    if isolation == "weak":
        try:
            return open_sandbox("weak")
        except SandboxUnavailable as error:
            return error.message
    tool = shutil.which("bwrap") or ""
    if isolation == "bubblewrap" and not tool:
        return "bubblewrap is not installed: sh scripts/set_up_bubblewrap.sh"
    sandbox = Sandbox(isolation, python=base_python(), bwrap=tool)
    problem = problem_with(sandbox)
    return f"{isolation} does not work on this machine: {problem}" if problem else sandbox


def opened_or_skipped(isolation):
    found = opened(isolation)
    if isinstance(found, str):
        pytest.skip(found)
    return found


@pytest.fixture(scope="module", params=[*STRONG, "weak"])
def sandbox(request):
    return opened_or_skipped(request.param)


@pytest.fixture(scope="module", params=STRONG)
def strong(request):
    return opened_or_skipped(request.param)


@pytest.fixture(scope="module")
def weak():
    return opened_or_skipped("weak")


def run(sandbox, text, *arguments, stdin=b"", **limits):
    """One script, with limits short enough for a test."""
    limits = Limits(**{"wall_s": 10, **limits})
    return sandbox.run(
        Program(
            files={"attack.py": text},
            arguments=("attack.py", *map(str, arguments)),
            stdin=stdin,
            limits=limits,
        )
    )


class Token:
    """A word on a program's command line, by which its processes are found from outside."""

    def __init__(self):
        self.word = secrets.token_hex(12)

    def __str__(self):
        return self.word

    def processes(self):
        found = []
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit() and int(folder.name) != os.getpid():
                try:
                    line = (folder / "cmdline").read_bytes()
                except OSError:
                    continue
                # The order to the starter comes through a pipe: only the program has the word.
                if self.word.encode() in line.split(b"\0"):
                    found.append(int(folder.name))
        return found

    def wait_until(self, true_of):
        """Bounded: a broken sandbox fails the test and does not hang it."""
        for _ in range(500):
            if true_of(self.processes()):
                return True
            time.sleep(0.02)
        return False


@pytest.fixture
def token():
    return Token()
