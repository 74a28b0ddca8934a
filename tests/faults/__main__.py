"""Plant each fault of `patches/` in a copy of the source and run the tests that should notice it.

    python -m tests.faults                      replay all; exit 1 if one is not noticed
    python -m tests.faults 07 34                replay these
    python -m tests.faults --find coverage.db   look for tests that notice faults without any

The faults were chosen by a language model that saw the source and no test. `faults.json` has for
each a sentence and the tests (or oracle entries) that notice it. `--find` takes a database that
`coverage` wrote with a context per test: only tests that execute a changed line are candidates.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FAULTS = HERE / "faults.json"
AT_ONCE = 2  # processes; one for each of the two cores that the project is planned for
MOST_CANDIDATES = 40  # tests that are tried for one fault
PYTEST = (sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist")
TESTS_FAILED = 1  # pytest's exit code; others say that it could not run them
ORACLE_PREFIX = "oracle:"
HUNK = r"^@@ -(\d+)\S* \S+ @@.*\n((?:[ +\-\\].*\n?)*)"


@dataclass(frozen=True)
class Fault:
    """A small change for the worse, and what notices it."""

    name: str
    sentence: str
    """What is wrong, and what a user would see of it."""

    area: str
    tests: tuple[str, ...] = field(default=())
    """Ids of tests, and `oracle:NAME` for entries of the oracle."""

    @property
    def patch(self) -> Path:
        return HERE / "patches" / f"{self.name}.patch"


def main(arguments: Sequence[str] | None = None) -> int:
    """Replay faults, or find the tests that notice them; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("numbers", nargs="*", help="numbers of faults; default: all")
    parser.add_argument("--find", metavar="DATABASE", type=Path, help="find tests for new faults")
    options = parser.parse_args(arguments)
    faults = [fault for fault in read_faults() if _is_meant(fault, options.numbers)]
    if options.find is not None:
        return find(faults, options.find)
    return replay(faults)


def read_faults() -> list[Fault]:
    """Return the faults of `faults.json`, in its order."""
    rows = json.loads(FAULTS.read_text("utf-8"))
    return [Fault(**{**row, "tests": tuple(row["tests"])}) for row in rows]


def _is_meant(fault: Fault, numbers: Sequence[str]) -> bool:
    return not numbers or fault.name.split("-")[0] in numbers


def replay(faults: Sequence[Fault]) -> int:
    """Run the tests of each fault; return 1 if one goes unnoticed."""
    with ThreadPoolExecutor(AT_ONCE) as workers:
        results = workers.map(_is_noticed, faults)
        unnoticed = 0
        for fault, is_noticed in zip(faults, results, strict=True):
            unnoticed += not is_noticed
            print("noticed  " if is_noticed else "UNNOTICED", fault.name, flush=True)
    print(f"{len(faults) - unnoticed} of {len(faults)} faults noticed")
    return int(unnoticed > 0)


def _is_noticed(fault: Fault) -> bool:
    with planted(fault) as source:
        return any(_fails(test, source) for test in fault.tests)


@contextmanager
def planted(fault: Fault) -> Iterator[Path]:
    """Give a copy of `src` with the fault in it."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
        # Inside a repository git would leave out files that it does not know, without a word.
        outside = {**os.environ, "GIT_CEILING_DIRECTORIES": str(Path(folder).parent)}
        subprocess.run(["git", "apply", str(fault.patch)], cwd=folder, env=outside, check=True)
        yield source


def _fails(test: str, source: Path) -> bool:
    if test.startswith(ORACLE_PREFIX):
        entry = test.removeprefix(ORACLE_PREFIX)
        return _run([sys.executable, "-m", "tests.oracle", "--only", entry], source) != 0
    return _run([*PYTEST, test], source) == TESTS_FAILED


def _run(command: Sequence[str], source: Path) -> int:
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
    return done.returncode


def find(faults: Sequence[Fault], database: Path) -> int:
    """Look for a test that notices each fault without one, and write it to `faults.json`."""
    new = [fault for fault in faults if not fault.tests]
    found = {fault.name: _first_noticing(fault, database) for fault in new}
    rows = []
    for fault in read_faults():
        test = found.get(fault.name)
        row = asdict(fault)
        row["tests"] = [test] if test else list(fault.tests)
        rows.append(row)
    FAULTS.write_text(json.dumps(rows, indent=2, ensure_ascii=False) + "\n", "utf-8")
    for name, test in found.items():
        print(name, test or "UNNOTICED")
    return int(None in found.values())


def _first_noticing(fault: Fault, database: Path) -> str | None:
    with planted(fault) as source:
        for test in candidates(fault, database):
            if _fails(test, source):
                return test
    return None


def candidates(fault: Fault, database: Path) -> list[str]:
    """Return the tests that execute a changed line, those first that execute little else."""
    from coverage import CoverageData

    data = CoverageData(basename=str(database))
    data.read()
    executed_by: set[str] = set()
    for path, lines in changed_lines(fault.patch.read_text("utf-8")):
        (file,) = [file for file in data.measured_files() if file.endswith(path)] or [""]
        contexts = data.contexts_by_lineno(file) if file else {}
        for line in lines:
            executed_by.update(contexts.get(line, ()))
    tests = {context.split("|")[0] for context in executed_by if context}
    return sorted(tests, key=lambda test: (_is_large(test), test))[:MOST_CANDIDATES]


def _is_large(test: str) -> bool:
    """Whether a test is likely to run a whole command."""
    return any(name in test for name in ("workflow", "interfaces", "demo", "tutorial"))


def changed_lines(patch: str) -> Iterator[tuple[str, list[int]]]:
    """Yield for each file of a patch the numbers of the lines that it takes away, or stands at."""
    for part in re.split(r"^diff --git ", patch, flags=re.MULTILINE)[1:]:
        path = re.search(r"^--- a/(\S+)", part, re.MULTILINE)
        if path is None:
            continue
        lines: list[int] = []
        for hunk in re.finditer(
            r"^@@ -(\d+)\S* \S+ @@.*\n((?:[ +\-\\].*\n?)*)", part, re.MULTILINE
        ):
            number = int(hunk[1])
            for line in hunk[2].splitlines():
                if line.startswith("-"):
                    lines.append(number)
                if line.startswith("+") and not lines:
                    lines.append(max(1, number - 1))
                if not line.startswith(("+", "\\")):
                    number += 1
        yield path[1], lines


if __name__ == "__main__":
    sys.exit(main())
