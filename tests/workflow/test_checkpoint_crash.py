"""Runs of a checkpoint that are killed or interrupted; real processes, a real store.

A tiny model answers a test in some 20 ms: fifty of them, and half as many samples, leave time to be
killed among.
"""

import shlex
import signal
import sqlite3
from contextlib import closing

import pytest

from assay import api
from tests import waiting
from tests.models.local.checkpoints import make_checkpoint, save_tokenizer

WRITTEN, CHOSEN, BEST, LIVE = 40, 6, 4, 4
TURNS = WRITTEN + CHOSEN + BEST + 2 * LIVE
MEASURED = 1 + 2 * 12  # the held-out text, and the samples: one seed and greedy


@pytest.fixture
def bench(bench):
    """Tests share two cores: one thread each is quickest for models this small."""
    bench.environment["OMP_NUM_THREADS"] = "1"
    make_checkpoint(bench.folder / "run" / "step_100", seed=4)
    return bench


def suite_for(bench):
    """Lengths differ, so that rows leave a batch one after another."""
    return bench.suite(
        {
            "word": [written(n, max_tokens=8 + n % 17) for n in range(1, WRITTEN + 1)],
            "pick": [
                {
                    "id": f"pick_{n:03d}",
                    "prompt": f"The dog has {n} of them. Which?",
                    "eval_method": "multiple_choice",
                    "choices": ["a ball", "a card", "a house"],
                    "expected": "ABC"[n % 3],
                }
                for n in range(1, CHOSEN + 1)
            ],
            "best": [
                {
                    "id": f"best_{n:03d}",
                    "prompt": f"The driver of card {n} is",
                    "eval_method": "top_k",
                    "expected_any": ["e1000"],
                    "max_tokens": 6,
                }
                for n in range(1, BEST + 1)
            ],
            "talk": [
                {
                    "id": f"talk_{n:03d}",
                    "messages": [
                        {"role": "user", "content": f"The cat found {n} dogs."},
                        {"role": "user", "content": "What did they say?"},
                    ],
                    "live": True,
                    "eval_method": "exact_match",
                    "expected": "nothing",
                    "max_tokens": 6,
                }
                for n in range(1, LIVE + 1)
            ],
        }
    )


def written(n, max_tokens):
    return {
        "id": f"word_{n:03d}",
        "prompt": f"The small dog counts to {n} and says",
        "eval_method": "keywords",
        "expected_keywords": ["ball"],
        "max_tokens": max_tokens,
    }


def count_of(bench, what):
    """What another process sees in the store."""
    if not (bench.out / "assay.db").is_file():
        return 0
    with closing(sqlite3.connect(bench.out / "assay.db", timeout=30)) as database:
        try:
            return database.execute(f"SELECT count(*) FROM {what}").fetchone()[0]
        except sqlite3.OperationalError:  # the very first moment: the tables are not made yet
            return 0


def wait_for(condition, process):
    def holds():
        assert process.poll() is None, process.communicate()
        return condition()

    waiting.wait_for(holds)


def answers_in(out):
    """Every answer a run ended with, text by text, without its name and its clock."""
    with closing(sqlite3.connect(out / "assay.db")) as database:
        return database.execute(
            "SELECT suite, test_id, turn, kind, json_extract(replies.body, '$.text'), "
            "json_extract(replies.body, '$.predictions') FROM replies "
            "JOIN requests ON requests.id = request_id ORDER BY suite, test_id, turn"
        ).fetchall()


def results(document):
    return [model["suites"] for model in document["models"]]


def test_a_run_killed_at_several_moments_ends_like_one_that_was_not(bench, tmp_path, monkeypatch):
    suite = suite_for(bench)
    gate = bench.folder / "gate.toml"
    gate.write_text("[perplexity]\nmax = 1e8\n[generation]\nmax_failures = 12\nseeds = 1\n")
    words = ["run", "run/step_100", "-s", suite, "--gate", "gate.toml"]
    for what, enough in (("runs", 1), ("replies", 25)):
        process = bench.start(*words)
        wait_for(lambda: count_of(bench, what) >= enough, process)  # noqa: B023
        process.kill()
        process.communicate()
    kept = count_of(bench, "replies")
    assert 25 <= kept < TURNS + MEASURED, "nothing was left to continue"
    resumed = bench.document(*words)
    assert resumed["exit_code"] == 0
    asked = count_of(bench, "requests")
    assert count_of(bench, "replies") == asked == TURNS + MEASURED, "asked twice"
    assert count_of(bench, "runs") == 1, "a killed run is continued, not begun again"

    monkeypatch.chdir(bench.folder)
    api.run(["run/step_100"], suites=[suite], gate=gate, out=tmp_path / "whole")
    bench.out, killed = tmp_path / "whole", bench.out
    assert answers_in(killed) == answers_in(bench.out)
    assert results(resumed) == results(bench.document("report", "--format", "json"))


def test_an_interrupted_run_continues_with_the_command_it_prints_options_included(bench):
    save_tokenizer(bench.folder / "words")
    make_checkpoint(bench.folder / "bare", "gpt2", seed=5, with_tokenizer=False)
    suite = bench.suite({"word": [written(n, max_tokens=8 + n % 17) for n in range(1, 25)]})
    options = ["--tokenizer", "words", "--dtype", "bf16", "--device", "cpu"]
    process = bench.start("run", "bare", "-s", suite, *options)
    wait_for(lambda: count_of(bench, "replies") >= 5, process)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=waiting.PATIENCE_S)
    assert process.returncode == 130
    assert stdout == ""
    assert "Traceback" not in stderr
    kept = count_of(bench, "replies")
    assert 5 <= kept < 24
    (command,) = [line for line in stderr.splitlines() if "continue with:" in line]
    again = shlex.split(command.partition("continue with: assay ")[2])
    out = again.index("--out")
    document = bench.document(*again[:out], *again[out + 2 :])
    assert document["exit_code"] == 0
    assert document["models"][0]["about"]["computed on"] == "CPU, bfloat16"
    assert count_of(bench, "replies") == 24, "something was asked twice"
    assert count_of(bench, "runs") == 1
