"""One file behind llama.cpp's server and on our engine is one model: one row of each table, and no
table ranks letters written beside likelihoods.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import assay
from assay.api.rendering import render
from assay.models.ollama.facts import weights_of
from assay.models.openai.props import ServerProps, weights_behind
from tests.models.test_llama_cpp import SERVE

pytest.importorskip("xllamacpp", reason="the wheel is made for Linux only")

LIKELY, WRITTEN = "letters by likelihood", "letters as written"


@pytest.fixture(scope="module")
def file(shared: Path) -> Path:
    return shared / "models" / "stories260K" / "gguf" / "stories260K-f32.gguf"


@pytest.fixture(scope="module")
def url(file: Path) -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip() + "/v1"
        server.kill()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tests = [
        {
            "id": f"t_{number:03d}",
            "prompt": f"Tim had {number} toys.\nA. ball\nB. car\nAnswer: ",
            "eval_method": "multiple_choice",
            "expected": "AB"[number % 2],
            "choices": ["ball", "car"],
            "render": False,
            "max_tokens": 24,
        }
        for number in range(1, 9)
    ]
    made = tmp_path_factory.mktemp("suites") / "lily"
    made.mkdir()
    (made / "t.json").write_text(json.dumps(tests), "utf-8")
    return made


@pytest.fixture(scope="module")
def out(file: Path, url: str, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a run of both."""
    made = tmp_path_factory.mktemp("one-row") / "out"
    assay.run([url, f"gguf:{file}"], suites=str(folder), out=made)
    return made


def test_what_serves_a_file_and_our_engine_know_it_by_the_same_weights(out: Path):
    report = assay.report("latest", out=out)
    first, second = report.models
    assert first.weights == second.weights != ""
    assert first.fingerprint != second.fingerprint


def test_a_leaderboard_has_one_row_for_one_file_in_a_table_for_each_method(out: Path, file: Path):
    board = assay.leaderboard(out=out)
    tables = {table.asked: table.rows for table in board.suites}
    assert set(tables) == {LIKELY, WRITTEN}
    (likely,), (written,) = tables[LIKELY], tables[WRITTEN]
    assert likely.model.startswith("http:")
    assert likely.also == (f"gguf:{file}",)
    assert likely.scored_as == f"gguf:{file}"
    assert written.also == ()
    page = render(board, "md")
    assert "have the same weights: one row" in page
    assert WRITTEN in page
    assert LIKELY in page


def test_filters_use_the_servers_speed_and_our_engines_is_no_substitute(
    out: Path, file: Path, folder: Path, tmp_path: Path
):
    board = assay.leaderboard(out=out, min_speed=0.001)
    (row,) = board.suites[0].rows
    assert row.footprint.speed.n, "the server's answers were timed"
    alone = tmp_path / "alone"
    assay.run(f"gguf:{file}", suites=str(folder), out=alone)
    (left,) = assay.leaderboard(out=alone, min_speed=0.001).left_out
    assert "our engine" in left.why


def test_a_report_of_both_has_one_line_and_a_column_for_each_method(out: Path, file: Path):
    page = render(assay.report("latest", out=out), "md")
    head, _, *rows = [line for line in page.splitlines() if line.startswith("|")][:7]
    assert "lily (letters by likelihood), points" in head
    assert "lily (letters as written), points" in head
    assert sum("baseline" not in row for row in rows[:4]) == 1, "both are one line"
    assert "the same weights" in page
    assert "letters written are not ranked beside likelihoods" in page


def test_a_comparison_says_where_the_letters_were_read_by_two_methods(out: Path):
    compared = assay.compare("latest", out=out)
    assert "two methods" in " ".join(compared.pairs[0].notes)


BLOB = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


@pytest.mark.parametrize(
    ("modelfile", "found"),
    [
        (f"# FROM smollm2\n\nFROM /models/blobs/sha256-{BLOB}\nTEMPLATE x", BLOB),
        (f"FROM C:\\models\\blobs\\sha256-{BLOB}\n", BLOB),
        (f"FROM /b/sha256-{BLOB}\nADAPTER /b/sha256-{BLOB[::-1]}\n", ""),
        (f"FROM /b/sha256-{BLOB}\nFROM /b/sha256-{BLOB[::-1]}\n", ""),
        ("FROM smollm2:135m\n", ""),
        (None, ""),
    ],
    ids=["its blob", "on Windows", "with an adapter", "two files", "a name", "not told"],
)
def test_ollama_tells_the_weights_by_the_name_of_their_blob(modelfile, found):
    assert weights_of({"modelfile": modelfile}) == found


def test_the_file_of_a_server_elsewhere_or_of_another_size_is_not_read(file: Path):
    here, props = "http://127.0.0.1:8080/v1", ServerProps(file=str(file))
    assert weights_behind(props, here, None) != ""
    assert weights_behind(props, "http://192.0.2.7:8080/v1", None) == ""
    assert weights_behind(props, here, 10**9) == ""
    assert weights_behind(ServerProps(file="nowhere.gguf"), here, None) == ""
