"""Every isolation that this machine has; the others are skipped, with the reason."""

import os
import secrets
import shutil
import tempfile
from functools import cache
from pathlib import Path

import pytest

from assay.errors import SandboxUnavailable
from assay.sandbox import Limits, Program, Sandbox, open_sandbox
from assay.sandbox.running import problem_with
from assay.sandbox.surroundings import base_python
from tests.waiting import wait_for

STRONG = ("bubblewrap", "namespaces")


def place_for_everybody():
    """A folder for temporary files that every user can reach: the tests' own may be private."""
    for place in (Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp"), Path("/dev/shm")):
        if place.is_dir() and all(one.stat().st_mode & 0o001 for one in (place, *place.parents)):
            return place
    pytest.skip("no folder for temporary files that every user can reach")


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
        return "bubblewrap is not installed: sh scripts/set_up_packages.sh"
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
    """One script. On a busy machine it may take long, and only a broken sandbox takes minutes."""
    limits = Limits(**{"wall_s": 300, **limits})
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
        wait_for(lambda: true_of(self.processes()), every_s=0.02)


@pytest.fixture
def token():
    return Token()
