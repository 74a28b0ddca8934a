"""How long exact_match takes beside an older tree, both in one process and in turn.

    python benchmarks/exact_match_speed.py OLD_TREE [--rounds 40] [--profile]

OLD_TREE is a checkout or `git archive` of another commit. The answers are the exact ones of
tests/text/committed_answers.txt and fair_answers.txt, and those of the scripted models to the
example suite. Each round scores all of them once with each tree; the quickest rounds are compared.
"""

from __future__ import annotations

import argparse
import cProfile
import importlib
import json
import pstats
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
Score = Callable[[], None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("old_tree", type=Path)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    rows = [*labelled_rows(), *scripted_rows()]
    old, new = scoring(arguments.old_tree, rows), scoring(ROOT, rows)
    for kind in dict.fromkeys(row[0] for row in rows):
        taken: dict[str, list[float]] = {"old": [], "new": []}
        for _ in range(arguments.rounds):
            for name, (score, modules) in (("old", old[kind]), ("new", new[kind])):
                sys.modules.update(modules)
                started = time.perf_counter()
                score()
                taken[name].append(time.perf_counter() - started)
        count = sum(row[0] == kind for row in rows)
        before, now = (min(times) / count * 1e6 for times in taken.values())
        print(f"{kind}: n={count}, {before:.1f} µs before, {now:.1f} µs now, {now / before:.2f}")
    if arguments.profile:
        profile = cProfile.Profile()
        profile.enable()
        for _ in range(20):
            for score, _ in new.values():
                score()
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(30)


def labelled_rows() -> list[tuple[str, str, str, tuple[str, ...], str]]:
    """kind, language, question, expected, answer"""
    rows = []
    for name in ("committed_answers", "fair_answers"):
        for line in (ROOT / "tests" / "text" / f"{name}.txt").read_text("utf-8").splitlines():
            cells = line.split(" | ")
            if cells[0] == "exact_match" and len(cells) == 6:
                _, language, question, expected, answer, _ = cells
                accepted = tuple(expected.split(" / "))
                rows.append(("sentences", language, question, accepted, answer.replace("⏎", "\n")))
    return rows


def scripted_rows() -> list[tuple[str, str, str, tuple[str, ...], str]]:
    rows = []
    suite = ROOT / "src" / "assay" / "builtin" / "suites" / "example"
    scripts = ROOT / "src" / "assay" / "builtin" / "demo"
    tests = [
        test
        for file in sorted(suite.glob("*.json"))
        if isinstance(some := json.loads(file.read_text("utf-8")), list)
        for test in some
        if test.get("eval_method") == "exact_match" and "prompt" in test
    ]
    for script in sorted(scripts.glob("*.json")):
        answers = json.loads(script.read_text("utf-8"))
        for test in tests:
            answer = answers.get("answers", {}).get(test["id"], answers.get("default"))
            if isinstance(answer, str):
                expected = test["expected"]
                accepted = (expected,) if isinstance(expected, str) else tuple(expected)
                rows.append(("scripted", "en", test["prompt"], accepted, answer))
    return rows


def scoring(
    tree: Path, rows: list[tuple[str, str, str, tuple[str, ...], str]]
) -> dict[str, tuple[Score, dict[str, ModuleType]]]:
    """A function for each kind that scores its answers with the code of a tree, loaded anew, and
    the modules to put in place before it: what a check imports while it scores is its own tree's.
    """
    for name in [name for name in sys.modules if name.partition(".")[0] == "assay"]:
        del sys.modules[name]
    sys.path.insert(0, str(tree / "src"))
    try:
        check = importlib.import_module("assay.checks.exact_match").ExactMatch
        score_reply = importlib.import_module("assay.checks.scoring").score_reply
        types = importlib.import_module("assay.types")
        made: dict[str, list[tuple[object, object]]] = {}
        for kind, language, question, expected, answer in rows:
            case = types.Case(
                id="t", suite="s", category="c", messages=(types.Message("user", question),),
                check=check(expected=expected), language=language,
            )  # fmt: skip
            made.setdefault(kind, []).append((case, types.Answered(request_id="", text=answer)))
        for pairs in made.values():  # patterns are made before the clock starts
            for case, reply in pairs:
                score_reply(case, reply)
    finally:
        sys.path.remove(str(tree / "src"))

    def all_of(kind: str) -> Score:
        def score() -> None:
            for case, reply in made[kind]:
                score_reply(case, reply)

        return score

    own = {name: each for name, each in sys.modules.items() if name.partition(".")[0] == "assay"}
    return {kind: (all_of(kind), own) for kind in made}


if __name__ == "__main__":
    main()
