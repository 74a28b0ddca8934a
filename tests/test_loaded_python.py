"""A process that begins with its modules loaded is like one that loads them itself."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conftest import Bench
from tests.loaded_python import run_python

PROGRAM = """
import os, sys
print(os.getcwd(), sys.argv, sys.path[0], __name__, os.environ.get("GIVEN"), sys.stdin.read())
print("é", sys.flags.warn_default_encoding, sys.warnoptions, sys.stdout.isatty(), file=sys.stderr)
sys.exit(int(sys.argv[1]))
"""


def as_new(words: Sequence[str], bench: Bench) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        cwd=bench.folder,
        env=bench.environment,
    )


def told(done: subprocess.CompletedProcess[str]) -> tuple[int, str, str]:
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("words", [["--version"], ["nonsense"], ["suites", "example", "--json"]])
def test_a_command_says_and_ends_with_the_same(bench: Bench, words: list[str]) -> None:
    words = ["-m", "assay", *words]
    found = run_python(words, bench.folder, bench.environment)
    assert told(found) == told(as_new(words, bench))


def test_a_program_finds_the_same_folder_words_environment_and_streams(bench: Bench) -> None:
    bench.environment["GIVEN"] = "a word"
    program = bench.folder / "program.py"
    program.write_text(PROGRAM, "utf-8")
    words = [str(program), "7"]
    found = run_python(words, bench.folder, bench.environment)
    assert found.returncode == 7
    assert told(found) == told(as_new(words, bench))


def test_what_an_interpreter_reads_when_it_starts_is_obeyed(bench: Bench, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import sys; print(sys.stdout.encoding)", "utf-8")
    environment = {**bench.environment, "PYTHONIOENCODING": "ascii"}
    assert run_python([str(program)], tmp_path, environment).stdout == "ascii\n"


def test_a_process_that_is_killed_tells_the_signal(bench: Bench) -> None:
    program = bench.folder / "program.py"
    program.write_text("import os; os.kill(os.getpid(), 9)", "utf-8")
    assert run_python([str(program)], bench.folder, bench.environment).returncode == -9
