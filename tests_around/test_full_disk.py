"""Tasks of lm-evaluation-harness on a disk that fills: a real file system with little room, a real
server that logs what it is asked.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.servers.fixtures import Server
from tests_around.test_lm_eval_suites import write_task

ROWS = 60
LONG = "word " * 1600  # 8 kB an answer
SUMS = (
    'output_type: generate_until\ndoc_to_text: "{{question}}"\ndoc_to_target: "{{answer}}"\n'
    'generation_kwargs: {until: ["END"], max_gen_toks: 4000}\n'
    "metric_list: [{metric: exact_match}]\n"
)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Needs the right to mount."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = shutil.which("mount")
    if (
        not mount
        or subprocess.run(
            [mount, "-t", "tmpfs", "-o", "size=900k", "tmpfs", str(folder)], capture_output=True
        ).returncode
    ):
        pytest.skip("needs the right to mount a small file system")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def server() -> Iterator[Server]:
    started = Server("openai")
    started.answers({"7 + 1 =": "8END", "*": LONG})
    yield started
    started.stop()


def resize(disk: Path, size: str) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", str(disk)], check=True)


def run(server: Server, folder: Path, out: Path) -> tuple[int, str, str, int]:
    """Exit code, both outputs, and how many documents the server was asked."""
    before = len(server.asked)
    done = subprocess.run(
        [
            sys.executable, "-m", "assay", "run", server.spec(), "-s", "lm-eval:many_sums",
            "--include-path", str(folder), "--out", str(out), "--json",
        ],
        capture_output=True, text=True, env={**os.environ, "COLUMNS": "500"},
    )  # fmt: skip
    asked = [each for each in server.asked[before:] if each.body["max_tokens"] > 1]
    return done.returncode, done.stdout, done.stderr, len(asked)


def stored(out: Path) -> tuple[int, str]:
    with closing(sqlite3.connect(out / "assay.db")) as database:
        (count,) = database.execute("SELECT count(DISTINCT request_id) FROM replies").fetchone()
        (sound,) = database.execute("PRAGMA integrity_check").fetchone()
    return int(count), str(sound)


def questions(folder: Path) -> Path:
    rows: list[dict[str, Any]] = [
        {"question": f"{n} + 1 =", "answer": str(n + 1)} for n in range(ROWS)
    ]
    return write_task(folder, "many_sums", SUMS, rows)


def fill(server: Server, small_disk: Path, folder: Path, out: Path) -> int:
    """How many answers were stored when the disk was full."""
    code, told, said, asked = run(server, folder, out)
    assert code == 130, said
    assert "Traceback" not in said
    assert "make room" in told + said
    kept, sound = stored(out)
    assert sound == "ok"
    assert 0 < kept <= asked <= ROWS
    return kept


def finish(server: Server, small_disk: Path, folder: Path, out: Path, kept: int) -> None:
    """The same command, with room: it asks what is not stored, and nothing else."""
    resize(small_disk, "64m")
    code, told, said, again = run(server, folder, out)
    assert code == 0, said
    assert again == ROWS - kept
    assert stored(out) == (ROWS, "ok")
    (run_folder,) = (out / "runs").iterdir()
    document = json.loads(told)
    assert document["run"] == run_folder.name, "the same run, continued"
    metric = document["models"][0]["measurements"]["many_sums/exact_match"]
    assert (metric["n"], metric["value"]) == (ROWS, pytest.approx(1 / ROWS))


def test_answers_stored_before_a_disk_is_full_are_not_asked_again(
    tmp_path: Path, server: Server, small_disk: Path
) -> None:
    folder, out = questions(tmp_path / "t"), small_disk / "out"
    kept = fill(server, small_disk, folder, out)
    assert kept < ROWS
    finish(server, small_disk, folder, out, kept)


def test_a_disk_that_fills_with_the_files_made_of_answers_loses_none_either(
    tmp_path: Path, server: Server, small_disk: Path
) -> None:
    """The answers are short, and a whole run takes 912 kB, most of it files."""
    server.answers({"7 + 1 =": "8END", "*": "none"})
    folder, out = questions(tmp_path / "t"), small_disk / "out"
    resize(small_disk, "860k")
    finish(server, small_disk, folder, out, fill(server, small_disk, folder, out))
