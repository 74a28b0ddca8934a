"""Runs a checker, or what makes a test's files, inside the sandbox: the program's beginning.

In: on standard input the length of the job and a line break, the job as JSON, then a nonce a line.
Out: on standard output the line "ready", then for each item "candidate" if code of the answer was
run, and a line that begins with the item's nonce and holds what came of it.

    {"task": "check", "source": TEXT, "items": [{"answer", "truth", "files"}, ...], "inert": BOOL,
     "packages": [NAME, ...]}
    {"task": "make", "source": TEXT, "items": [SEED, ...]}

A nonce is read when the item is done. Candidates therefore cannot write a report; they do not hold
this output either. The checker is executed from memory: candidates could change a file.
"""

import json
import math
import os
import re
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from . import borrowed, candidate, code
from .facts import Check, hold_to, share_of
from .nursery import hide_standard_streams, keep_private, read_sources, start_nursery

if TYPE_CHECKING:
    from .service import Service

_ITEM_S = 50  # for the checker and all candidates of one answer
_MOST_CHECKS = 500
_MOST_WITH_HELP = 0.25  # of all, for code that does not work alone where it has to
_MOST_WEIGHT = 1_000.0
_LONGEST_NAME = 100
_LONGEST_TEXT = 600
_LONGEST_GAP = 200  # characters
_MOST_MADE = 4_000_000  # characters of JSON


class _TimeIsUp(BaseException):
    """The checker takes too long."""


class BadResult(Exception):
    """What make.py or check.py gave is not of the form that is asked for."""


def main() -> NoReturn:
    keep_private()
    start_service = _prepare_for_clients() if "with-service" in sys.argv else None
    sys.modules["assay"].__path__ = sys.modules["assay.checking"].__path__ = []
    # Where the packages are that answers may import.
    sys.path += [word.removeprefix("path=") for word in sys.argv if word.startswith("path=")]
    control = start_nursery()
    sources = read_sources(Path("assay/checking"))
    borrowed.lend(Path("assay/checking"))
    # Candidates, who come later, can read and write the folder that this came from.
    shutil.rmtree("assay", ignore_errors=True)
    with suppress(OSError):
        os.unlink("start.py")
    read_from, write_to = os.dup(0), os.dup(1)
    hide_standard_streams()
    os.write(write_to, b"ready\n")
    job = json.loads(_read_bytes(read_from, int(_read_line(read_from))))
    code.packages = frozenset(job.get("packages", ()))
    service = start_service() if start_service else None
    tell = partial(_write, write_to, b"candidate\n")
    candidate.workshop = workshop = candidate.Workshop(control, sources, service, tell)
    # A candidate can send any signal; those that end this process are noticed outside.
    for number in signal.valid_signals() - {signal.SIGALRM, signal.SIGCHLD}:
        with suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    for item in job["items"]:
        workshop.begin(inert=bool(job.get("inert")))
        said = _do(job, item)
        said["last"] = workshop.lost or "timeout" in said
        text = json.dumps(said)
        _write(write_to, f"{_read_line(read_from)} {text}\n".encode("ascii"))
        if said["last"]:
            break
    # Threads and children of the answer are none of our business any more.
    os._exit(0)


def _prepare_for_clients() -> "type[Service]":
    """Import once what every client imports, and show whatever one logs, at every level."""
    import logging
    import urllib.request  # noqa: F401

    from .service import Service

    logging.basicConfig(stream=sys.stderr, level=logging.DEBUG)
    return Service


def _do(job: dict[str, Any], item: Any) -> dict[str, Any]:
    """What came of one item: {"checks": ...}, {"made": ...}, {"timeout": ...}, {"failed": ...}."""
    ends_at = time.monotonic() + _ITEM_S

    def stop(number: int, frame: object) -> None:
        if time.monotonic() >= ends_at:  # else a candidate sent it
            raise _TimeIsUp

    signal.signal(signal.SIGALRM, stop)
    # Again and again: a checker may catch everything.
    signal.setitimer(signal.ITIMER_REAL, _ITEM_S + 0.1, 1)
    try:
        if job["task"] == "make":
            return {"made": run_make(job["source"], item)}
        return _check(job["source"], item)
    except _TimeIsUp:
        return {"timeout": f"it took more than {_ITEM_S} s"}
    except candidate.CannotRun as problem:
        return {"failed": str(problem), "machine": True}
    except BadResult as problem:
        return {"failed": str(problem)}
    except BaseException as problem:  # noqa: BLE001 - a checker may raise anything
        return {"failed": _describe(problem)}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def run_make(source: str, seed: int) -> dict[str, Any]:
    """{"files": {name: text}, "truth": {...}}. Raises BadResult, and whatever make(seed) raises."""
    names: dict[str, Any] = {"__name__": "make"}
    exec(compile(source, "make.py", "exec"), names)
    if not callable(names.get("make")):
        raise BadResult("make.py has no function make(seed)")
    made = names["make"](seed)
    if not isinstance(made, dict) or set(made) - {"files", "truth"}:
        raise BadResult('make(seed) must give {"files": {name: text}, "truth": {...}}')
    files, truth = made.get("files", {}), made.get("truth", {})
    if not isinstance(files, dict) or not all(
        isinstance(name, str) and isinstance(text, str) for name, text in files.items()
    ):
        raise BadResult('the "files" of make(seed) must map names to texts')
    if not isinstance(truth, dict):
        raise BadResult('the "truth" of make(seed) must be a dict')
    text = json.dumps({"files": files, "truth": truth}, allow_nan=False)
    if len(text) > _MOST_MADE:
        raise BadResult("make(seed) gives too much")
    back: dict[str, Any] = json.loads(text)
    return back


def _check(source: str, item: dict[str, Any]) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "check"}
    exec(compile(source, "check.py", "exec"), names)
    if not callable(names.get("check")):
        raise BadResult("check.py has no function check(answer, truth, files)")
    found = names["check"](shorten_gaps(item["answer"]), item["truth"], item["files"])
    if found is None:
        raise BadResult("check(answer, truth, files) returned nothing; it must yield Check")
    checks: dict[str, Check] = {}
    for one in found:
        if len(checks) == _MOST_CHECKS:
            raise BadResult(f"there are more than {_MOST_CHECKS} checks")
        if not isinstance(one, Check):
            raise BadResult(f"it gave {type(one).__name__} instead of Check")
        _refuse_bad(one)
        if one.name[:_LONGEST_NAME] in checks:
            raise BadResult(f"two checks are named {one.name[:_LONGEST_NAME]!r}")
        checks[one.name[:_LONGEST_NAME]] = one
    if not checks:
        raise BadResult("it gave no checks")
    share = share_of(hold_to(checks.values()))
    held = hold_to([*checks.values(), *_check_surroundings(share)])
    return {"checks": [_row(one) for one in held]}


def _check_surroundings(share: float) -> Iterator[Check]:
    """What code that has to work alone got from elsewhere, or tried to: it has failed, whatever its
    results are, and whether or not it went on when it was refused.
    """
    workshop = candidate.workshop
    if workshop is None:
        return
    if share > _MOST_WITH_HELP and (why := workshop.find_difference()):
        yield Check("same_elsewhere", False, why, at_most=_MOST_WITH_HELP)
    if refused := workshop.refused:
        why = f"the code tried what its task does not need and is refused here: {refused}"
        yield Check("works_alone", False, why, at_most=_MOST_WITH_HELP)


def shorten_gaps(answer: str) -> str:
    """Without runs of white space that no text needs: patterns of a checker can take the square of
    their length, and a checker that runs out of time says nothing against an answer.
    """
    gap = re.compile(rf"\s{{{_LONGEST_GAP},}}")
    return gap.sub(lambda found: "\n\n" if "\n" in found[0] else " ", answer)


def _refuse_bad(check: Check) -> None:
    name, why, fact = check.name, check.why, check.fact
    if not all(isinstance(text, str) for text in (name, why, fact)) or not name.strip():
        raise BadResult("name, why and fact of a check must be texts, and its name not empty")
    if not (check.passed is None or isinstance(check.passed, bool)):
        raise BadResult(f"{name[:_LONGEST_NAME]!r}: passed must be True, False or None")
    numbers = {"weight": (check.weight, _MOST_WEIGHT), "at_most": (check.at_most, 1)}
    for field, (number, most) in numbers.items():
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise BadResult(f"{name[:_LONGEST_NAME]!r}: its {field} must be a number")
        if not 0 < number <= most or not math.isfinite(number):
            raise BadResult(
                f"{name[:_LONGEST_NAME]!r}: its {field} must be above 0 and at most {most:,}"
            )


def _row(check: Check) -> list[Any]:
    name, why, fact = check.name[:_LONGEST_NAME], check.why, check.fact[:_LONGEST_TEXT]
    return [name, check.passed, why[:_LONGEST_TEXT], float(check.weight), fact]


def _describe(problem: BaseException) -> str:
    """The exception, and the line of the checker or generator that it came from."""
    try:
        text = f"{type(problem).__name__}: {problem}"[:200]
        trace, line = problem.__traceback__, 0
        while trace is not None:
            if trace.tb_frame.f_code.co_filename in ("check.py", "make.py"):
                line = trace.tb_lineno
            trace = trace.tb_next
    except BaseException:  # noqa: BLE001 - an exception may refuse to be shown
        return "it raised something that cannot be shown"
    return f"{text} (line {line})" if line else text


def _write(to: int, data: bytes) -> None:
    while data:
        data = data[os.write(to, data) :]


def _read_line(at: int) -> str:
    data = bytearray()
    while (byte := os.read(at, 1)) not in (b"", b"\n"):
        data += byte
    return data.decode("ascii")


def _read_bytes(at: int, length: int) -> bytes:
    data = bytearray()
    while len(data) < length and (piece := os.read(at, length - len(data))):
        data += piece
    return bytes(data)
