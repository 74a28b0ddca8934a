"""Answers to the twelve judged tests, with a label for each.

Four language models wrote and labelled them before they saw a checker; no person has checked them.

`python -m tests.answers` prints the table of docs/reference/answers.md. One file for each
model; a row has `test`, `seed`, `label`, `faults` (what the model knows to be wrong), `wrong_keys`
(of a data test: keys of the block with a wrong value) and `answer`.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.checkers import gather, make_files
from assay.sandbox import Sandbox, open_sandbox
from assay.types.tests import SHIPPED_SUITES

HERE = Path(__file__).parent
LABELS = ("good", "mediocre", "wrong", "adversarial")
GOOD_FROM, WRONG_UP_TO = 0.9, 0.8
# The answers were written when a data test asked for its block; the report around it is checked
# since, which they cannot know.
CAME_LATER = ("report_", "section_")
# A block of its own; another module from seed 1 on; other names of functions.
ASK_MORE_NOW = ("CT-02", "CT-03", "CT-05")


@dataclass(frozen=True)
class Measured:
    """An answer and its share of the checks; 0 where nothing could be read from it."""

    row: dict[str, Any]
    share: float
    failed: tuple[str, ...]

    @property
    def label(self) -> str:
        return str(self.row["label"])

    @property
    def agrees(self) -> bool:
        """With its label: a mediocre answer passes some checks and fails at least one."""
        if self.label == "good":
            return self.share >= GOOD_FROM
        if self.label == "mediocre":
            return bool(self.failed) and self.share > 0
        return self.share <= WRONG_UP_TO


def read_answers(files: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    for file in sorted(HERE.glob("*.jsonl.xz")):
        if not files or file.name.partition(".")[0] in files:
            with lzma.open(file, "rt", encoding="utf-8") as lines:
                yield from map(json.loads, lines)


def read_recorded(recordings: Path) -> Iterator[dict[str, Any]]:
    """Answers of two small models (recordings/answers), with labels that a language model gave
    them before a checker saw them; no person has checked the labels. The small models got the
    prompts of an earlier version, at seed 0.
    """
    for row in json.loads((HERE / "recorded_labels.json").read_text("utf-8")):
        text = (recordings / row["model"] / f"{row['test']}.md").read_text("utf-8")
        name = f"{row['model'][:7]} {row['test']}"
        yield {**row, "id": name, "seed": 0, "answer": text}


def folders() -> dict[str, Path]:
    """The folder of each test, by its id."""
    files = SHIPPED_SUITES.glob("*/*/test.json")
    return {json.loads(file.read_text("utf-8"))["id"]: file.parent for file in files}


def measure(rows: Sequence[dict[str, Any]], sandbox: Sandbox | None = None) -> list[Measured]:
    """One sandbox for all answers of a test and seed."""
    sandbox = sandbox or open_sandbox()
    where = folders()
    measured: dict[str, Measured] = {}
    for test, seed in sorted({(row["test"], row["seed"]) for row in rows}):
        some = [row for row in rows if (row["test"], row["seed"]) == (test, seed)]
        (made,) = make_files(where[test], [seed], None)
        found = gather(where[test], [(row["answer"], made) for row in some], sandbox)
        for row, evidence in zip(some, found, strict=True):
            checks = [each for each in evidence.checks if not each.name.startswith(CAME_LATER)]
            failed = tuple(check.name for check in checks if check.passed is False)
            known = [check for check in checks if check.passed is not None]
            weight = sum(check.weight for check in known)
            passed = sum(check.weight for check in known if check.passed)
            share = float(passed / weight) if weight and evidence.share is not None else 0.0
            measured[row["id"]] = Measured(row, share, failed)
    return [measured[row["id"]] for row in rows]


def table(measured: Sequence[Measured]) -> str:
    lines = ["| test | label | answers | lowest | mean | highest | agree |",
             "|---|---|---|---|---|---|---|"]  # fmt: skip
    for test in (*sorted({each.row["test"] for each in measured}), "all"):
        for label in LABELS:
            some = [e for e in measured if test in (e.row["test"], "all") and e.label == label]
            if some:
                shares = [each.share for each in some]
                mean = sum(shares) / len(shares)
                agree = sum(each.agrees for each in some)
                lines.append(f"| {test} | {label} | {len(some)} | {min(shares):.2f} | {mean:.2f} | "
                             f"{max(shares):.2f} | {agree} |")  # fmt: skip
    agree = sum(each.agrees for each in measured)
    share = 100 * agree / len(measured)
    return "\n".join([*lines, "", f"{agree} of {len(measured)} agree ({share:.1f} %)."])
