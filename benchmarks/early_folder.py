"""A folder of five checkpoints, decided early and in full: acceptances, selection, seconds.

In: nothing. The shipped steps 5,600 and 8,000, and three that diverged: noise in the matrices;
240 tests made of the held-out text: in which of four orders its next six words stand.
Each side is a process of its own with a store of its own, in turn; `--rounds` of both, of which the
quickest counts. Out: a table in Markdown.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from shown_folders import TEXT, copy_step

STEPS = ((5_600, "step_005600", 0.0), (8_000, "step_008000", 0.0), (8_100, "step_008000", 0.5),
         (8_200, "step_008000", 0.6), (8_300, "step_008000", 0.7))  # fmt: skip
TESTS, BEFORE, WORDS = 240, 25, 6
CHARACTERS = 8_000  # of the text for perplexity
LIMIT = 0.55
GATE = f'[perplexity]\nmax = 1e6\n\n[[suite]]\nname = "next_words"\nmin = {LIMIT}\n'


def write_suite(folder: Path) -> None:
    words = TEXT.read_text("utf-8").split()
    apart = (len(words) - BEFORE - WORDS) // TESTS
    drawn = random.Random(0)
    tests = []
    for number in range(TESTS):
        begin = number * apart + BEFORE
        right = words[begin : begin + WORDS]
        orders = {" ".join(right)}
        while len(orders) < 4:
            orders.add(" ".join(drawn.sample(right, WORDS)))
        choices = sorted(orders)
        drawn.shuffle(choices)
        tests.append({
            "id": f"words_{number:03d}", "prompt": " ".join(words[begin - BEFORE : begin]),
            "eval_method": "multiple_choice", "score_by": "text", "choices": choices,
            "expected": "ABCD"[choices.index(" ".join(right))],
        })  # fmt: skip
    folder.mkdir()
    (folder / "words.json").write_text(json.dumps(tests), "utf-8")


def write_files(home: Path) -> None:
    for step, of, noise in STEPS:
        copy_step(home / "five", step, of=of, noise=noise, seed=step)
    write_suite(home / "next_words")
    (home / "gate.toml").write_text(GATE)
    (home / "text.txt").write_text(TEXT.read_text("utf-8")[:CHARACTERS])


def run_here(home: Path, out: str, *, early: bool) -> dict[str, Any]:
    from assay import api
    from assay.store import Store

    report = api.run(
        [str(home / "five")], suites=[str(home / "next_words")], gate=home / "gate.toml",
        text=home / "text.txt", measures=("perplexity",), decide=early,
        out=home / out, write_back=False,
    )  # fmt: skip
    with Store(home / out, read_only=True) as store:
        (run,) = store.read_runs()
        asked = {each.spec: len(list(store.read_trials(run, each))) for each in run.models}
    return {
        "selected": report.selected,
        "models": [
            {"name": each.spec, "accepted": each.accepted, "asked": asked[each.spec],
             "score": each.suites[0].score.value}
            for each in report.models
        ],
    }  # fmt: skip


def run_side(home: Path, out: str, *, early: bool) -> dict[str, Any]:
    words = [sys.executable, __file__, "--inside", str(home), out, *["--early"] * early]
    begun, before = time.perf_counter(), os.times()
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    after = os.times()
    spent = after.children_user + after.children_system
    spent -= before.children_user + before.children_system
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found | {"wall": time.perf_counter() - begun, "processor": spent}


def shown(full: dict[str, Any], early: dict[str, Any]) -> list[str]:
    words = {True: "accepted", False: "not accepted", None: "open"}
    lines = [
        "| checkpoint | in full | score | with `--decide` | tests asked |",
        "|---|---|---|---|---|",
    ]
    for whole, part in zip(full["models"], early["models"], strict=True):
        name = Path(whole["name"]).name
        lines.append(
            f"| {name} | {words[whole['accepted']]} | {whole['score']:.1f} | "
            f"{words[part['accepted']]} | {part['asked']} of {whole['asked']} |"
        )
    asked = [sum(each["asked"] for each in side["models"]) for side in (early, full)]
    selected = [Path(side["selected"] or "none").name for side in (full, early)]
    lines.append(f"| selected | {selected[0]} | | {selected[1]} | {asked[0]} of {asked[1]} |")
    for kind in ("wall", "processor"):
        lines.append(f"| {kind} seconds | {full[kind]:.1f} | | {early[kind]:.1f} | |")
    return lines


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    ask.add_argument("--inside", nargs=2)
    ask.add_argument("--early", action="store_true")
    ask.add_argument("--rounds", type=int, default=1)
    given = ask.parse_args()
    if given.inside:
        home, out = given.inside
        print(json.dumps(run_here(Path(home), out, early=given.early)))
        return
    with tempfile.TemporaryDirectory() as made:
        home = Path(made)
        write_files(home)
        best: dict[bool, dict[str, Any]] = {}
        for number in range(given.rounds):
            for early in (False, True):
                found = run_side(home, f"out-{number}-{early}", early=early)
                if early not in best or found["processor"] < best[early]["processor"]:
                    best[early] = found
        print("\n".join(shown(best[False], best[True])))
    same = [[(each["name"], each["accepted"]) for each in side["models"]] for side in best.values()]
    if same[0] != same[1] or best[True]["selected"] != best[False]["selected"]:
        raise SystemExit("the two sides decide differently")


if __name__ == "__main__":
    main()
