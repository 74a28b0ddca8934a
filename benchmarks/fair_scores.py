"""How often scores differ from labels: labelled answers, scored by the real checks.

    python benchmarks/fair_scores.py FILE [--without RULE ...] [--ablation] [--list]

FILE has a JSON object a line: `id`, `method`, `language`, `suite_language`, `test` (as in a test
file), `answer`, `words` (of suite.json, optional), and `labels`, two scores from 0 to 1
that were given apart from the code. Those of the files measured so far are a language model's, and
no person has checked them. Answers whose labels differ by more than 0.3, and tests that are no
valid ones, are left out and counted. A score is off if it differs by more than 0.3 from the mean
of the labels: too lenient above it, too strict below.
`--ablation` leaves out one rule of the reading after the other and shows what each is worth.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from assay.checks.exact_match import exact_reading
from assay.checks.scoring import score_reply
from assay.errors import InvalidFiles
from assay.models.reasoning import split_reasoning
from assay.stats.intervals import wilson
from assay.suites.load import load_suite
from assay.text import commitment
from assay.types import Answered

FAR = 0.3


@dataclass(frozen=True)
class Scored:
    """A row with the score that it got and the mean of its labels."""

    row: dict[str, Any]
    score: float
    label: float
    explanation: str

    @property
    def off(self) -> int:
        """1: too lenient; -1: too strict; 0: neither."""
        apart = self.score - self.label
        return 0 if abs(apart) <= FAR else 1 if apart > 0 else -1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("file", type=Path)
    parser.add_argument("--without", action="append", default=[], choices=sorted(commitment.RULES))
    parser.add_argument("--ablation", action="store_true", help="what each rule is worth")
    parser.add_argument(
        "--list", action="store_true", help="each score that is off, with the reason"
    )
    arguments = parser.parse_args()
    rows = [json.loads(line) for line in arguments.file.read_text("utf-8").splitlines() if line]
    agreed = [row for row in rows if max(row["labels"]) - min(row["labels"]) <= FAR]
    commitment.LEFT_OUT.update(arguments.without)
    scored = [*score_all(agreed)]
    if arguments.list:
        print("\n".join(_listed(scored)))
    print("\n".join(table(rows, scored)))
    if arguments.ablation:
        print("\n".join(_ablation(agreed, scored)))


def score_all(rows: Iterable[dict[str, Any]]) -> Iterator[Scored]:
    for row in rows:
        try:
            value, explanation = score_row(row)
        except InvalidFiles as invalid:  # counted as left out
            print(f"{row['id']}: {len(invalid.findings)} mistakes in the test", file=sys.stderr)
            continue
        yield Scored(row, value, sum(row["labels"]) / len(row["labels"]), explanation)


def score_row(row: dict[str, Any]) -> tuple[float, str]:
    """The score of one answer and its explanation, by a suite of this one test; unscored is 0."""
    about = {
        key: row[of]
        for key, of in (("language", "suite_language"), ("words", "words"))
        if row.get(of)
    }
    with TemporaryDirectory() as folder:
        Path(folder, "suite.json").write_text(json.dumps(about), "utf-8")
        Path(folder, "labelled.json").write_text(json.dumps([row["test"]]), "utf-8")
        (case,) = load_suite(Path(folder)).cases
    split = split_reasoning(row["answer"])
    reply = Answered(request_id="", text=split.answer, reasoning_unclosed=split.unclosed)
    score = score_reply(case, reply)
    assert score is not None
    return score.value or 0.0, score.explanation


def table(rows: Sequence[dict[str, Any]], scored: Sequence[Scored]) -> Iterator[str]:
    """By method, by language and of all."""
    yield "| by | n | left out | off | 95 % interval | too lenient | too strict |"
    yield "|---|---|---|---|---|---|---|"
    for key in ("method", "language", None):
        groups: dict[str, list[Scored]] = defaultdict(list)
        for each in scored:
            groups[each.row[key] if key else "all"].append(each)
        for name in sorted(groups):
            of = groups[name]
            n, off = len(of), sum(each.off != 0 for each in of)
            low, high = wilson(off / n, n)
            lenient = sum(each.off > 0 for each in of)
            left_out = sum(not key or row[key] == name for row in rows) - n
            yield (
                f"| {name} | {n} | {left_out} | {off} ({off / n:.1%}) | {low:.1%} to {high:.1%} "
                f"| {lenient} ({lenient / n:.1%}) | {off - lenient} |"
            )


def _ablation(rows: Sequence[dict[str, Any]], scored: Sequence[Scored]) -> Iterator[str]:
    yield "| without | off | too lenient | too strict |"
    yield "|---|---|---|---|"
    for rule in ("–", *sorted(commitment.RULES)):
        commitment.LEFT_OUT.clear()
        commitment.LEFT_OUT.update({rule} & commitment.RULES)
        exact_reading.cache_clear()  # what a test keeps depends on the rules
        some = scored if rule == "–" else [*score_all(rows)]
        off, lenient = sum(each.off != 0 for each in some), sum(each.off > 0 for each in some)
        yield f"| {rule} | {off} | {lenient} | {off - lenient} |"
    commitment.LEFT_OUT.clear()


def _listed(scored: Iterable[Scored]) -> Iterator[str]:
    for each in scored:
        if each.off:
            row = each.row
            where = f"{row['id']} {row['method']} {row['language']}"
            yield f"{where}: {each.score:.2f}, label {each.label:.2f}"
            yield f"    {json.dumps(row['test'], ensure_ascii=False)[:300]}"
            yield f"    {json.dumps(row['answer'], ensure_ascii=False)}"
            yield f"    {each.explanation}"


if __name__ == "__main__":
    main()
