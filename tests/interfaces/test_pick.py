"""`assay ask`: what answers took, and picking the better of two on a terminal."""

from __future__ import annotations

import os
import re
import sys
from typing import Any

import pytest

from tests.conftest import Bench
from tests.servers.fixtures import Server
from tests.waiting import PATIENCE_S

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


def asked(bench: Bench, *words: str) -> Any:
    """A running `assay ask --pick` behind a pseudo-terminal."""
    pexpect = pytest.importorskip("pexpect")
    command = bench.command("ask", *words, "--pick")
    environment = {**bench.environment, "TERM": "dumb", "COLUMNS": "100"}
    return pexpect.spawn(
        sys.executable, command[1:], cwd=bench.folder, env=environment, timeout=PATIENCE_S,
        encoding="utf-8", dimensions=(50, 100),
    )  # fmt: skip


def test_each_answer_is_shown_with_what_it_took(bench: Bench, ollama_server: Server) -> None:
    (bench.folder / "p.txt").write_text("Tell of rivers.\n", "utf-8")
    ollama_server.answers({"rivers": "word " * 60})
    spec = ollama_server.spec()
    printed = bench.assay("ask", "p.txt", spec, "--max-tokens", "24").stdout
    shown = re.sub(r"[\s│]+", " ", printed)
    assert re.search(r"\d m?s, 24 tokens, [\d,.]+ tokens/s, cut at its maximum of", shown), shown
    assert "temperature 0.3" in shown
    document = bench.document("ask", "p.txt", spec, "--max-tokens", "24")
    (test,) = document["models"][0]["suites"][0]["tests"]
    assert (test["tokens"], test["cut"], test["temperature"]) == (24, True, 0.3)
    assert test["seconds"] > 0
    assert test["tokens_per_s"] > 0
    assert "seconds" not in str(bench.document("run", bench.script("m", default="x"), "-s",
                                               "example")["models"][0]["suites"])  # fmt: skip


def test_picks_are_blind_stored_at_once_and_never_asked_twice(bench: Bench) -> None:
    (bench.folder / "p.txt").write_text("".join(f"Question {n}\n" for n in range(4)), "utf-8")
    good = bench.script("good", answers={"ask_004": "the same"}, default="the good answer")
    poor = bench.script("poor", answers={"ask_004": "the same"}, default="the poor answer")
    seen = ""
    for round_ in range(2):
        child = asked(bench, "p.txt", good, poor)
        child.expect_exact("3 pairs to pick from" if not round_ else "1 pair to pick from")
        for _ in range(2 if not round_ else 1):
            child.expect_exact("Which is better")
            shown = ESCAPES.sub("", child.before)
            assert "scripted:" not in shown.rpartition("\n1/")[2].rpartition("/3  ")[2]
            first = shown.index("the good answer") < shown.index("the poor answer")
            child.sendline("what?")
            child.expect_exact("type a, b, or t")
            child.expect_exact("Which is better")
            child.sendline("a" if first else "b")
            child.expect_exact(f"{'a' if first else 'b'}: {good}")
            seen += "a" if first else "b"
        if not round_:
            child.expect_exact("Which is better")
            child.sendintr()
        child.expect_exact("A tie counts half")
        child.read()
        child.close()
        assert child.exitstatus == 0
    done = asked(bench, "p.txt", good, poor)
    done.expect_exact("0 pairs to pick from")
    done.read()
    done.close()
    found = bench.document("leaderboard", "--by", "preference")
    best, worst = found["models"]
    assert (best["model"], best["wins"], best["rate"]["value"]) == (good, 3, 1.0)
    assert (worst["model"], worst["losses"], worst["rate"]["n"]) == (poor, 3, 3)
    assert best["rate"]["low"] < 0.5, "three picks prove nothing"
    assert "no model is clearly preferred" in found["headline"]
    for form in ("text", "md", "html"):
        page = bench.assay("leaderboard", "--by", "preference", "--format", form).stdout
        assert "A tie counts half" in page
        assert "3 picks, names hidden" in page


def test_which_answer_is_a_is_drawn(bench: Bench) -> None:
    import random

    from assay.api.picking import pairs_to_pick, preferences, store_pick

    (bench.folder / "p.txt").write_text("".join(f"Question {n}\n" for n in range(40)), "utf-8")
    models = [bench.script(name, default=f"says {name}") for name in ("one", "two", "three")]
    run = bench.document("ask", "p.txt", *models)["run"]
    pairs = pairs_to_pick(run, out=bench.out, draw=random.Random(7))
    assert len(pairs) == 120
    firsts = sum(pair.first.spec == models[0] for pair in pairs)
    assert 25 < firsts < 55, "of 80 pairs that it is in"
    assert {pair.question for pair in pairs[:30]} > {"Question 1"} or len(pairs[:30]) == 30
    for pair in pairs:
        assert pair.a == f"says {pair.first.spec.rpartition('/')[2].removesuffix('.json')}"
        wins = pair.first.spec == models[0] or pair.second.spec == models[2]
        store_pick(pair, "a" if wins else "b" if models[0] == pair.second.spec else "tie",
                   out=bench.out)  # fmt: skip
    assert pairs_to_pick(run, out=bench.out) == ()
    found = preferences(out=bench.out)
    assert found.models[0].model == models[0]
    assert (found.models[0].wins, found.models[0].rate.low > 0.9) == (80, True)
    assert bench.assay("runs", "--hide", run).returncode == 0
    assert preferences(out=bench.out).models == ()


def test_picking_needs_a_terminal_and_two_models(bench: Bench) -> None:
    (bench.folder / "p.txt").write_text("Question\n", "utf-8")
    model = bench.script("m", default="x")
    for words, said in [
        (["ask", "p.txt", model, model, "--pick"], "--pick asks on a terminal"),
        (
            ["leaderboard", "--by", "preference", "--max-memory", "8GB"],
            "takes no suite and no limits",
        ),
    ]:
        done = bench.assay(*words)
        assert done.returncode == 2
        assert said in done.stderr
    child = asked(bench, "p.txt", model)
    child.expect_exact("two models or more")
    child.read()
    child.close()
    assert child.exitstatus == 2
    assert not os.path.exists(bench.out / "assay.db")
