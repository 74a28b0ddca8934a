"""Takes an answer's code into the sandbox and reads what came of it.

In: code, groups of steps, a sandbox. Out: Results by group, or why there are none.

All that comes back is hostile: it is believed only where it follows the nonce, which the processes
of the answer never see, and even then it is no more than what the answer's code said.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from assay.evidence.inside.wire import decoded
from assay.messages import tr
from assay.sandbox import Limits, Program, Ran, Sandbox

# Three groups may run into their own limits before the rest is left out; this is room for them.
_LIMITS = Limits(cpu_s=40, wall_s=75, memory_mb=512, output_bytes=8_000_000)
_WALL_S = 35
_INSIDE = Path(__file__).parent / "inside"
_START = """\
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from inside.supervise import main
# Answers can write to this folder: nothing more is to be imported from there.
del sys.path[0]
main()
"""

Ended = Literal["done", "died", "time", "cpu", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Lines of code. A probe leaves its finding in `result`; an example is shown as in a session,
    `anew` in a new one with the names of the modules `names`.

    `names` of a probe are values it can use: encoded by `wire.encoded`, or {"progression": ...},
    {"values": ...}, {"service": ...}: see inside/supervise.
    """

    code: str
    names: Mapping[str, Any] = field(default_factory=dict)
    kind: Literal["probe", "example"] = "probe"
    anew: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Steps that one process does, one after the other. `most_asked` bounds the questions about
    remote data in one step; `replies` are those of the service.
    """

    name: str
    steps: tuple[Step, ...]
    cpu_s: int = 1
    wall_s: float = 12
    most_asked: int = 0
    replies: tuple[Mapping[str, Any], ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """An exception: its class and their bases by name, its last line, and its `status`."""

    types: tuple[str, ...]
    text: str
    has_status: bool = False
    status: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """What came of a step: a value, or an exception. `asked`: questions about remote data."""

    value: object = None
    raised: Raised | None = None
    output: str = ""
    asked: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupResult:
    """What came of a group. Not "done": fewer steps than were asked for. `problem`: the code could
    not be loaded to its end.
    """

    ended: Ended
    steps: tuple[StepResult, ...] = ()
    output: str = ""
    requests: tuple[Mapping[str, Any], ...] = ()
    problem: Raised | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """By name of group. `missing` says why nothing could be run; that is no fault of the answer."""

    groups: Mapping[str, GroupResult] = field(default_factory=dict)
    missing: str = ""


def run_groups(
    sandbox: Sandbox,
    sources: Sequence[str],
    groups: Sequence[Group],
    *,
    modules: Mapping[str, str] | None = None,
) -> Results:
    """Run the groups with the code of `sources`; `modules` are there to be imported."""
    job = {
        "sources": list(sources),
        "modules": dict(modules or {}),
        "wall_s": _WALL_S,
        "groups": [_as_json(group) for group in groups],
    }
    text = json.dumps(job).encode("ascii")
    nonce = secrets.token_hex(16)
    stdin = str(len(text)).encode() + b"\n" + text + nonce.encode() + b"\n"
    with_service = any(group.replies is not None for group in groups)
    arguments = ("start.py", "with-service") if with_service else ("start.py",)
    ran = sandbox.run(Program(files=_files(), arguments=arguments, stdin=stdin, limits=_LIMITS))
    if not ran.stdout.startswith(b"ready\n"):
        return Results(missing=_not_started(ran))
    report = _report(ran.stdout, nonce)
    if report is None:
        return Results(groups={group.name: GroupResult(ended="died") for group in groups})
    return Results(
        groups={group.name: _read(told) for group, told in zip(groups, report, strict=True)}
    )


@cache
def _files() -> dict[str, str]:
    files = {f"inside/{path.name}": path.read_text("utf-8") for path in _INSIDE.glob("*.py")}
    return {**files, "start.py": _START}


def _as_json(group: Group) -> dict[str, Any]:
    steps = [
        {"code": step.code, "names": dict(step.names), "kind": step.kind, "anew": step.anew}
        for step in group.steps
    ]
    told: dict[str, Any] = {
        "name": group.name,
        "steps": steps,
        "cpu_s": group.cpu_s,
        "wall_s": group.wall_s,
        "most_asked": group.most_asked,
    }
    return told if group.replies is None else {**told, "replies": list(group.replies)}


def _not_started(ran: Ran) -> str:
    said = ran.stderr.decode("utf-8", "replace").strip().splitlines()
    reason = said[-1][:200] if said else ran.ended
    return tr("the code was not run: the sandbox did not start ({reason})", reason=repr(reason))


# ---------------------------------------------------------------------------- reading hostile text


def _report(stdout: bytes, nonce: str) -> list[Any] | None:
    """The report behind the nonce; None where the supervisor did not come to write one."""
    for line in stdout.splitlines():
        if line.startswith(nonce.encode() + b" "):
            try:
                report = json.loads(line[len(nonce) + 1 :])
            except (ValueError, RecursionError):
                return None
            return report if isinstance(report, list) else None
    return None


def _read(told: dict[str, Any]) -> GroupResult:
    """A group of the report. Its frame is the supervisor's; `steps` and `problem` came from the
    answer's process and may be anything.
    """
    try:
        return GroupResult(
            ended=told["ended"],
            steps=tuple(_read_step(step) for step in told["steps"]),
            output=told.get("output", ""),
            requests=tuple(told.get("requests", ())),
            problem=_read_raised(told.get("problem")),
        )
    except (TypeError, ValueError, KeyError, AttributeError, RecursionError):
        return GroupResult(ended="died")


def _read_step(step: dict[str, Any]) -> StepResult:
    return StepResult(
        value=decoded(step.get("value")),
        raised=_read_raised(step.get("raised")),
        output=str(step.get("output", "")),
        asked=step["asked"],
    )


def _read_raised(told: Any) -> Raised | None:
    if told is None:
        return None
    return Raised(
        types=tuple(str(name) for name in told["types"]),
        text=str(told["text"]).strip(),
        has_status=told["has_status"] is True,
        status=decoded(told["status"]),
    )
