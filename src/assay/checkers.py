"""Runs make.py and check.py of a test folder in the sandbox. Nothing they do raises here. Where an
answer's code may have ended the process, the checker runs again and counts it as dead.
"""

import hashlib
import importlib.util
import json
import math
import os
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import assay.checking
from assay.checking.begin import BadResult, run_make
from assay.checking.borrowed import bring_along
from assay.messages import tr
from assay.sandbox import Limits, Program, Ran, Sandbox
from assay.types.judging.judgements import CODE_NOT_ALLOWED, Evidence, EvidenceCheck
from assay.types.tests import SHIPPED_SUITES

MAKE, CHECK, TEST = "make.py", "check.py", "test.json"
_CPU_S, _WALL_S = 40, 75  # for one item, with room for the limits inside; each further one:
_MORE_S = 15
_MOST_STARTS = 3  # lost processes, time-outs twice: the items after them are left out
_LONGEST_TEXT = 600
_NOTHING = "."  # an answer
_HOLE = re.compile(r"\{\{([^{}\n]{1,200})\}\}")
# The order of sets is the same at each start, so that no score is luck.
_START = """\
import os, sys
if os.environ.get("PYTHONHASHSEED") != "1":
    os.environ["PYTHONHASHSEED"] = "1"
    os.execv(sys.executable, [sys.executable, "-s", "-S", "-P", *sys.argv])
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from assay.checking.begin import main
del sys.path[0]
main()
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """The files that a prompt shows and the hidden truth; `problem` says why there are none."""

    files: Mapping[str, str] = field(default_factory=dict)
    truth: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""


def make_files(folder: Path, seeds: Sequence[int], sandbox: Sandbox | None) -> list[Made]:
    """Of each seed. Without a sandbox only a make.py that ships is run, in this process."""
    if not (folder / MAKE).is_file():
        return [Made() for _ in seeds]
    source = _read_source(folder / MAKE)
    if sandbox is None:
        if not folder.resolve().is_relative_to(SHIPPED_SUITES):
            return [Made(problem=_not_allowed()) for _ in seeds]
        return [_make_here(source, seed) for seed in seeds]
    job = {"task": "make", "source": source, "items": list(seeds)}
    return [_read_made(said) for said in _do(job, sandbox)]


def gather(
    folder: Path,
    items: Sequence[tuple[str, Made]],
    sandbox: Sandbox | None,
    *,
    cpu_s: int = _CPU_S,
) -> list[Evidence]:
    """What check.py finds about each answer, one in `cpu_s`; no evidence without a sandbox."""
    if sandbox is None:
        return [code_not_allowed() for _ in items]
    told = [{"answer": answer, "truth": dict(made.truth), "files": dict(made.files)}
            for answer, made in items]  # fmt: skip
    job = {"task": "check", "source": _read_source(folder / CHECK), "items": told}
    job |= {"packages": list_packages(folder)}
    return [
        _read_evidence(_hold_against(said, item, job, sandbox, cpu_s), sandbox)
        for said, item in zip(_do(job, sandbox, cpu_s), told, strict=True)
    ]


def code_not_allowed() -> Evidence:
    return Evidence(missing=_not_allowed(), unscored_reason=CODE_NOT_ALLOWED)


def _not_allowed() -> str:
    return tr("code_not_allowed: a test's code runs only with --allow-code-execution")


def make_digest(folder: Path) -> str:
    """A digest of all that decides what is found: after a change everything is checked again."""
    own = [file.read_bytes() for name in (MAKE, CHECK) if (file := folder / name).is_file()]
    packages = ",".join(list_packages(folder)).encode()
    return hashlib.sha256(b"\0".join([*own, packages, _digest_of_checking()])).hexdigest()


def list_packages(folder: Path) -> list[str]:
    """What an answer to this test may import beside the standard library."""
    try:
        listed = json.loads((folder / TEST).read_text("utf-8-sig")).get("packages", ())
    except (OSError, ValueError, AttributeError, RecursionError):
        return []
    return [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []


def find_package(name: str) -> str:
    """The folder that a package is installed in; "" where it is not."""
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return ""
    places = [*(found.submodule_search_locations or ()), found.origin or ""] if found else [""]
    return os.path.dirname(places[0])


def fill(text: str, files: Mapping[str, str], truth: Mapping[str, Any]) -> str:
    """A reference or wrong answer for what `make` returned: `{{FILE}}` becomes the text of a
    shown file and `{{truth.KEY}}` a value of the truth (`{{truth.orders.0.total}}` goes into it):
    a text as it is, anything else as JSON. Holes of other names stay.
    """

    def filled(hole: re.Match[str]) -> str:
        name = hole[1].strip()
        if name in files:
            return files[name].rstrip("\n")
        first, *keys = name.split(".")
        value: Any = truth
        if first != "truth" or not keys:
            return hole[0]
        for key in keys:
            try:
                value = value[int(key)] if isinstance(value, list) else value[key]
            except (KeyError, IndexError, TypeError, ValueError):
                return hole[0]
        return value.rstrip("\n") if isinstance(value, str) else json.dumps(value)

    return _HOLE.sub(filled, text)


def _read_source(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        return f"raise OSError({str(error)!r})"


def _make_here(source: str, seed: int) -> Made:
    """With a make.py that ships: what it raises is a bug of ours, and is not told as a test's."""
    try:
        made = run_make(source, seed)
    except BadResult as problem:
        return Made(problem=str(problem))
    return Made(files=made["files"], truth=made["truth"])


Report = dict[str, Any]  # what came of one item: "checks", "made", "failed" or "timeout"


def _do(job: Mapping[str, Any], sandbox: Sandbox, cpu_s: int = _CPU_S) -> Iterator[Report]:
    """A report for each item; one whose answer may have ended the process is done again, inert."""
    items = list(job["items"])
    starts, inert = 0, False
    while items:
        now = items[:1] if inert else items
        started = {**job, "items": now, "inert": inert}
        reports, lost, ran_candidate = _start(started, sandbox, cpu_s)
        yield from reports
        items = items[len(reports) :]
        inert = bool(lost) and ran_candidate and not inert
        if lost and not inert:
            yield lost
            items = items[1:]
        starts += 2 if reports and "timeout" in reports[-1] else bool(lost)
        if starts > _MOST_STARTS:
            yield from ((lost or reports[-1]) for _ in items)
            return


def _hold_against(
    report: Report, item: dict[str, Any], job: Mapping[str, Any], sandbox: Sandbox, cpu_s: int
) -> Report:
    """The same report; or every check failed, where an answer keeps a checker from a result that
    comes to one with an answer that says nothing: that is the answer's doing, twice, and alone.
    """
    if "checks" in report or report.get("machine"):
        return report
    other, again = _do({**job, "items": [{**item, "answer": _NOTHING}, item]}, sandbox, cpu_s)
    if "checks" in again:
        return again
    if "checks" not in other or again.get("machine"):
        return report
    why = tr(
        "the checker comes to no result with this answer, and to one without it: {reason}",
        reason=_problem(again)[1],
    )[:_LONGEST_TEXT]
    return {"checks": [[name, False, why, weight, ""] for name, _, _, weight, _ in other["checks"]]}


def _start(
    job: Mapping[str, Any], sandbox: Sandbox, cpu_s: int
) -> tuple[list[Report], Report, bool]:
    """Reports of the first items; if not all came, why the next failed, and whether it ran code."""
    text = json.dumps(job).encode("ascii")
    nonces = [secrets.token_hex(16) for _ in job["items"]]
    stdin = b"%d\n%s%s\n" % (len(text), text, "\n".join(nonces).encode())
    more = _MORE_S * (len(nonces) - 1)
    places = tuple(dict.fromkeys(filter(None, map(find_package, job.get("packages", ())))))
    words = ["with-service"] if "replies" in job["source"] else []
    ran = sandbox.run(
        Program(
            files=_files_inside(),
            arguments=("start.py", *words, *(f"path={place}" for place in places)),
            shown=places,
            stdin=stdin,
            limits=Limits(
                cpu_s=cpu_s + more, wall_s=_WALL_S + more, memory_mb=512, output_bytes=8_000_000
            ),
        )
    )
    reports: list[Report] = []
    ran_candidate = False
    lines = iter(ran.stdout.splitlines())
    if next(lines, b"") != b"ready":
        return [], {"failed": _why_not_started(ran)}, False
    left = list(nonces)
    for line in lines:
        if left and line.startswith(left[0].encode() + b" "):
            reports.append(_parse(line[33:]))
            del left[0]
            ran_candidate = False
            if reports[-1].get("last"):  # it took too long, or ended what the others would run in
                return reports, {}, False
        elif line == b"candidate":
            ran_candidate = True
    if not left:
        return reports, {}, False
    why = tr("its process ended without a report ({ended})", ended=ran.ended)
    timed_out = ran.ended in ("time", "cpu") and not ran_candidate
    return reports, {"timeout" if timed_out else "failed": why}, ran_candidate


@cache
def _files_inside() -> dict[str, str]:
    home = Path(assay.checking.__file__).parent
    files = {path.name: path.read_text("utf-8") for path in home.glob("*.py")}
    files |= bring_along()
    inside = {f"assay/checking/{name}": text for name, text in files.items()}
    return {"start.py": _START, "assay/__init__.py": "", **inside}


@cache
def _digest_of_checking() -> bytes:
    return hashlib.sha256(json.dumps(_files_inside(), sort_keys=True).encode()).digest()


def _why_not_started(ran: Ran) -> str:
    said = ran.stderr.decode("utf-8", "replace").strip().splitlines()
    reason = said[-1][:200] if said else ran.ended
    return tr("the sandbox did not start ({reason})", reason=repr(reason))


def _parse(line: bytes) -> Report:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _read_made(report: Report) -> Made:
    made = report.get("made")
    if isinstance(made, dict):
        return Made(files=made["files"], truth=made["truth"])
    return Made(problem=_problem(report)[1])


def _problem(report: Report) -> tuple[str, str]:
    for how in ("failed", "timeout"):
        if isinstance(reason := report.get(how), str):
            return how, reason[:_LONGEST_TEXT]
    return "failed", tr("its report cannot be read")


def _read_evidence(report: Report, sandbox: Sandbox) -> Evidence:
    checks = report.get("checks")
    if isinstance(checks, list) and checks:
        with suppress(TypeError, ValueError):
            read = tuple(_read_check(row) for row in checks)
            return Evidence(checks=read, isolation=sandbox.isolation)
    how, reason = _problem(report)
    missing = (
        tr("the checker took too long: {reason}", reason=reason)
        if how == "timeout"
        else tr("the checker failed: {reason}", reason=reason)
    )
    return Evidence(missing=missing, unscored_reason=f"checker_{how}", isolation=sandbox.isolation)


def _read_check(row: Any) -> EvidenceCheck:
    name, passed, why, weight, fact = row
    texts_right = all(isinstance(text, str) for text in (name, why, fact))
    if not texts_right or not (passed is None or isinstance(passed, bool)):
        raise ValueError
    if not isinstance(weight, float) or not math.isfinite(weight) or weight <= 0:
        raise ValueError
    return EvidenceCheck(name=name, passed=passed, explanation=why, weight=weight, fact=fact)
