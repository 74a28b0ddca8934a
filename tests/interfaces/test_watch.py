"""`assay watch` as a user meets it: one process that is interrupted, one that goes on."""

from __future__ import annotations

import json
import shlex
import shutil
import signal
import sqlite3
from contextlib import closing

import pytest

from tests.conftest import no_hang
from tests.models.local.checkpoints import make_checkpoint
from tests.waiting import PATIENCE_S

GATE = '[perplexity]\nmax = 1e9\n[accept]\nclear = false\n\n[[suite]]\nname = "tests"\nmin = 0\n'


@pytest.fixture
def bench(bench):
    """Tests share two cores: one thread each is quickest for models this small."""
    bench.environment["OMP_NUM_THREADS"] = "1"
    (bench.folder / "gate.toml").write_text(GATE, "utf-8")
    (bench.folder / "text.txt").write_text("The machine starts in a minute. " * 8, "utf-8")
    pick = {
        "prompt": "Which of these lies in the garden?",
        "eval_method": "multiple_choice",
        "choices": ["the ball", "the machine"],
    }
    bench.suite({"pick": [{"id": f"pick_00{n}", **pick, "expected": "AB"[n % 2]} for n in (1, 2)]})
    return bench


def words(*more):
    options = ["-s", "tests/", "--gate", "gate.toml", "--text", "text.txt", "--device", "cpu"]
    return ["watch", "run", *options, "--interval", "0.1", *more]


def count_of(bench, what):
    with closing(sqlite3.connect(bench.out / "assay.db")) as database:
        return database.execute(f"SELECT count(*) FROM {what}").fetchone()[0]


def test_ctrl_c_ends_it_with_130_and_the_command_it_prints_goes_on(bench):
    process = bench.start(*words())
    with no_hang():
        assert process.stderr.readline() == "no checkpoint in run yet; waiting\n"
        make_checkpoint(bench.folder / "made" / "step_100", seed=1)
        shutil.move(bench.folder / "made", bench.folder / "run")
        line = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=PATIENCE_S)
    assert line.startswith("run/step_100: perplexity ")
    assert "accepted" in line
    assert line.endswith("best so far: run/step_100\n")
    assert stdout == ""
    assert process.returncode == 130
    assert "Traceback" not in stderr
    assert "best so far: run/step_100" in stderr
    assert count_of(bench, "replies") == 3

    (told,) = [line for line in stderr.splitlines() if "continue with:" in line]
    again = shlex.split(told.partition("continue with: assay ")[2])
    again = again[: again.index("--out")]
    make_checkpoint(bench.folder / "run" / "step_200", seed=2)
    broken = make_checkpoint(bench.folder / "run" / "step_150", seed=3) / "model.safetensors"
    broken.write_bytes(broken.read_bytes()[:-1])
    done = bench.assay(*again, "--once", "--json")
    documents = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each.get("checkpoint") for each in documents] == [
        "run/step_100",
        "run/step_150",
        "run/step_200",
        None,
    ]
    assert [each["accepted"] for each in documents[:3]] == [True, None, True]
    assert "is damaged" in documents[1]["failed"]
    assert documents[2]["perplexity"]["n"] > 0
    assert documents[3]["selected"] in ("run/step_100", "run/step_200")
    assert documents[3]["exit_code"] == done.returncode == 3
    assert count_of(bench, "replies") == 6, "nothing was asked twice"
    assert (
        json.loads((bench.folder / "run" / "best_checkpoint_selection.json").read_text("utf-8"))[
            "selected"
        ]
        == (documents[3]["selected"])
    )


def test_a_wrong_gate_is_refused_before_anything_is_waited_for(bench):
    (bench.folder / "gate.toml").write_text("[speed]\nmin = 3\n", "utf-8")
    done = bench.assay(*words("--json"))
    document = json.loads(done.stdout)
    assert done.returncode == document["exit_code"] == 2
    assert "min_tokens_per_s" in document["error"]["message"]
