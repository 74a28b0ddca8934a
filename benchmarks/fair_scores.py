"""How often scores differ from those of a reader: labelled answers, scored by the real checks.

    python benchmarks/fair_scores.py FILE [--list]

FILE is a JSON list of objects: `n`, `test` (as in a test file), `suite_language`, `answer`, and
what the reader said, `outcome` (pass, fail or no_answer). Too strict: a pass was not given; too
lenient: one was given that the reader did not give. The rest is fail against no_answer.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from assay.checks.scoring import score_reply
from assay.models.reasoning import split_reasoning
from assay.suites.load import load_suite
from assay.types import Answered
from assay.types.tests import DEFAULT_PASS_MARK


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("file", type=Path)
    parser.add_argument("--list", action="store_true", help="each disagreement, with the reason")
    arguments = parser.parse_args()
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in json.loads(arguments.file.read_text("utf-8")):
        outcome, explanation = scored(row)
        kind = _disagreement(row["outcome"], outcome)
        for name in (row["test"]["eval_method"], "all"):
            counts[name].update(("n", kind))
        if arguments.list and kind != "agrees":
            print(f"{row['n']} {row['test']['eval_method']} {row['suite_language']}: {kind}")
            print(f"    reader {row['outcome']}, Assay {outcome}: {explanation}")
            print(f"    {json.dumps(row['answer'], ensure_ascii=False)}")
    print("| method | n | disagree | too strict | too lenient | fail or no_answer |")
    print("|---|---|---|---|---|---|")
    for name in sorted(counts, key=lambda each: (each == "all", each)):
        of = counts[name]
        wrong = of["n"] - of["agrees"]
        print(
            f"| {name} | {of['n']} | {wrong} ({wrong / of['n']:.1%}) | {of['too strict']}"
            f" | {of['too lenient']} | {of['other']} |"
        )


def scored(row: dict[str, Any]) -> tuple[str, str]:
    """The outcome of one answer and its explanation, by a suite of this one test."""
    with TemporaryDirectory() as folder:
        suite = Path(folder, "suite.json")
        suite.write_text(json.dumps({"language": row["suite_language"]}), "utf-8")
        Path(folder, "labelled.json").write_text(json.dumps([row["test"]]), "utf-8")
        (case,) = load_suite(Path(folder)).cases
    split = split_reasoning(row["answer"])
    reply = Answered(request_id="", text=split.answer, reasoning_unclosed=split.unclosed)
    score = score_reply(case, reply)
    assert score is not None
    return score.outcome(DEFAULT_PASS_MARK).value, score.explanation


def _disagreement(reader: str, assay: str) -> str:
    if reader == assay:
        return "agrees"
    if "pass" not in (reader, assay):
        return "other"
    return "too strict" if reader == "pass" else "too lenient"


if __name__ == "__main__":
    main()
