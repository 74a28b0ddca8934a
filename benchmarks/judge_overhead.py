"""What judging costs beside the judge's own time: a scripted judge that answers at once.

    python benchmarks/judge_overhead.py [--repeats 10]

Runs the shipped coding and data tests with a scripted model, without a judge and with one, in one
process one after the other, and prints milliseconds per judgement (verdicts, evidence of the data
tests, the store and the reports included; no code is run). The goal is at most 50.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from assay import api

TESTS = [f"{domain}-0{number}" for domain in ("CT", "DT") for number in range(1, 7)]
ANSWER = "The total is €1,234 over 24 orders. " * 40


def judgement(test: str) -> str:
    third = "code_quality" if test.startswith("CT") else "insight_quality"
    scores = {"correctness": 7, "completeness": 6, third: 8}
    quote = {"criterion": "correctness", "quote": "The total is €1,234", "note": "a figure"}
    return json.dumps({"evidence": [quote], **scores, "strengths": ["clear"], "verdict": "good"})


def timed(out: Path, model: Path, judges: list[str], repeats: int) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    api.run(
        [f"scripted:{model}"],
        suites=["coding", "data"],
        judges=judges,
        judge_repeats=repeats,
        out=out,
    )
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repeats", type=int, default=10)
    repeats = options.parse_args().repeats
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        model, judge = folder / "model.json", folder / "judge.json"
        model.write_text(json.dumps({"default": ANSWER}))
        answers = {f"judge:{test}": judgement(test) for test in TESTS}
        judge.write_text(json.dumps({"answers": answers}))
        timed(folder / "warm", model, [], 1)  # imports and caches belong to neither side
        alone = timed(folder / "alone", model, [], 1)
        judged = timed(folder / "judged", model, [f"scripted:{judge}"], repeats)
    asked = len(TESTS) * repeats
    examples = 20  # of the two rubrics; the script has nothing to say of them
    print(f"{asked} judgements of {len(TESTS)} answers, {examples} examples that fail at once")
    for name, before, after in zip(("wall", "CPU"), alone, judged, strict=True):
        each = 1000 * (after - before) / asked
        print(f"{name}: {before:.2f} s without, {after:.2f} s with: {each:.1f} ms per judgement")


if __name__ == "__main__":
    main()
