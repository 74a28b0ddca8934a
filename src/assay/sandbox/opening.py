"""Which isolation this machine allows, found out by trying a real program in each."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from typing import Literal

from assay.errors import SandboxUnavailable
from assay.messages import tr
from assay.sandbox.command_lines import nearest_python
from assay.sandbox.running import Sandbox
from assay.sandbox.shapes import Limits, Program
from assay.sandbox.surroundings import base_python

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
