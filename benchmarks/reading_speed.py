"""How long reading an answer takes beside an older tree, both in one process and in turn.

    python benchmarks/reading_speed.py OLD_TREE [--rounds 40] [--profile]

OLD_TREE is a checkout or `git archive` of another commit. The answers are those of
tests/text/committed_answers.txt and fair_answers.txt (exact ones, choices and keywords), and the
exact ones of the scripted models to the example suite. Each round scores all of them once with each
tree, and of every answer the quickest round counts: so a busy machine disturbs little.
"""

from __future__ import annotations

import argparse
import cProfile
import importlib
import json
import math
import pstats
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
Score = Callable[[], object]
Row = tuple[str, str, str, tuple[str, ...], str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("old_tree", type=Path)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    rows = [*labelled_rows(), *scripted_rows()]
    old, new = scoring(arguments.old_tree, rows), scoring(ROOT, rows)
    for kind in dict.fromkeys(row[0] for row in rows):
        taken = [[math.inf] * len(old[kind][0]) for _ in range(2)]
        for _ in range(arguments.rounds):
            for tree, (scores, modules) in enumerate((old[kind], new[kind])):
                sys.modules.update(modules)
                for place, score in enumerate(scores):
                    started = time.perf_counter()
                    score()
                    took = time.perf_counter() - started
                    taken[tree][place] = min(took, taken[tree][place])
        count = len(taken[0])
        before, now = (sum(times) / count * 1e6 for times in taken)
        print(f"{kind}: n={count}, {before:.1f} µs before, {now:.1f} µs now, {now / before:.2f}")
    if arguments.profile:
        profile = cProfile.Profile()
        profile.enable()
        for _ in range(20):
            for score in (score for scores, _ in new.values() for score in scores):
                score()
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(30)


def labelled_rows() -> list[Row]:
    """kind, language, question, expected, answer"""
    rows: list[Row] = []
    kinds = {"exact_match": "sentences", "multiple_choice": "choices", "keywords": "keywords"}
    for name in ("committed_answers", "fair_answers"):
        for line in (ROOT / "tests" / "text" / f"{name}.txt").read_text("utf-8").splitlines():
            cells = line.split(" | ")
            if cells[0] in kinds and len(cells) == 6:
                method, language, question, expected, answer, _ = cells
                separator = " / " if method == "exact_match" else "; "
                accepted = tuple(expected.split(separator))
                said = answer.replace("⏎", "\n")
                rows.append((kinds[method], language, question, accepted, said))
    return rows


def scripted_rows() -> list[Row]:
    rows: list[Row] = []
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


def scoring(tree: Path, rows: list[Row]) -> dict[str, tuple[list[Score], dict[str, ModuleType]]]:
    """For each kind a function an answer, which scores it with the code of a tree, loaded anew, and
    the modules to put in place before: what a check imports while it scores is its own tree's.
    """
    for name in [name for name in sys.modules if name.partition(".")[0] == "assay"]:
        del sys.modules[name]
    sys.path.insert(0, str(tree / "src"))
    try:
        score_reply = importlib.import_module("assay.checks.scoring").score_reply
        types = importlib.import_module("assay.types")
        made: dict[str, list[Score]] = {}
        for kind, language, question, expected, answer in rows:
            case = types.Case(
                id="t", suite="s", category="c", messages=(types.Message("user", question),),
                check=_check(kind, expected), language=language,
            )  # fmt: skip
            reply = types.Answered(request_id="", text=answer)
            made.setdefault(kind, []).append(partial(score_reply, case, reply))
        for score in (score for scores in made.values() for score in scores):
            score()  # patterns are made before the clock starts
    finally:
        sys.path.remove(str(tree / "src"))
    own = {name: each for name, each in sys.modules.items() if name.partition(".")[0] == "assay"}
    return {kind: (scores, own) for kind, scores in made.items()}


def _check(kind: str, expected: tuple[str, ...]) -> object:
    if kind == "keywords":
        keywords = importlib.import_module("assay.checks.keywords").Keywords
        return keywords(expected_keywords=tuple((word,) for word in expected))
    if kind == "choices":
        letter, _, first = expected[0].partition(" of ")
        choice = importlib.import_module("assay.checks.multiple_choice").MultipleChoice
        return choice(expected=letter, choices=(first, *expected[1:]))
    return importlib.import_module("assay.checks.exact_match").ExactMatch(expected=expected)


if __name__ == "__main__":
    main()
