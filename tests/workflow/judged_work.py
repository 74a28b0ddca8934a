"""A suite, a rubric, models and judges of one's own, and `assay` called from Python."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from assay import api
from assay.reports.json_documents import run_json
from tests.conftest import Bench

CRITERIA = ("correctness", "completeness", "code_quality")
LABELS = {"correctness": "Correctness", "completeness": "Completeness"}
_ANCHORS = '{"10" = "a", "8-9" = "b", "6-7" = "c", "4-5" = "d", "1-3" = "e", "0" = "f"}'
RUBRIC = 'title = "Marks"\nversion = 1\n' + "".join(
    f'[[criterion]]\nkey = "{key}"\nlabel = "{LABELS.get(key, "Code Quality")}"\n'
    f"weight = {4 if key == 'correctness' else 3}\n"
    f'questions = ["Is the {key} of the answer good?", "Could the {key} hardly be better?"]\n'
    f"anchors = {_ANCHORS}\n"
    for key in CRITERIA
)
TASK = "Write a function that finds an entry in a sorted list, and explain how it scales."
ANSWER = """Here is the function:

```python
def find(entries, wanted):
    low, high = 0, len(entries) - 1
    while low <= high:
        middle = (low + high) // 2
        if entries[middle] == wanted:
            return middle
        low, high = (middle + 1, high) if entries[middle] < wanted else (low, middle - 1)
    return -1
```

It halves what is left with every step, so it is O(log n).
"""
# Four facts in a block; and a function that is run.
CHECK_FACTS = """
from assay.checking import Fact, check_facts, json_block

FACTS = {"orders": 40, "median": 12.5, "largest": "A7", "late": 3}

def check(answer, truth, files):
    facts = [Fact(key, value, f"{key} is {value}") for key, value in FACTS.items()]
    yield from check_facts(json_block(answer), facts)
"""
CHECK_CODE = """
from assay.checking import Candidate, Check, choose_code, compare

def check(answer, truth, files):
    code = choose_code(answer, ["find"])
    yield Check("code", code is not None, "there is a function find")
    for at, wanted in enumerate((1, 5, 9, 2)):
        reason = "there is no code"
        if code is not None:
            reason = compare(Candidate(code.sources).run(f"result = find([1, 5, 9], {wanted})"),
                             at if at < 3 else None)
        yield Check(f"find_{wanted}", not reason, reason or "found")
"""
QUOTES = ("middle = (low + high) // 2", "so it is O(log n)")


def judged_test(test_id: str, **more: Any) -> dict[str, Any]:
    """A test for a judge."""
    return {
        "id": test_id,
        "description": f"The search {test_id}",
        "prompt": TASK,
        "eval_method": "judge",
        "rubric": "marks",
        "checklist": ["A docstring is there."],
    } | more


def form(*scores: int, quotes: tuple[str, ...] = QUOTES, **more: Any) -> str:
    """What a judge writes that keeps to its form."""
    said = {
        "evidence": [
            {"criterion": "correctness", "quote": quote, "note": "shows it"} for quote in quotes
        ],
        "checklist": [{"id": "q1", "quote": quotes[0], "answer": "yes"}],
        "criteria": {
            key: {"reason": f"The reason for {key}.", "score": score}
            for key, score in zip(CRITERIA, scores, strict=True)
        },
        "strengths": ["Halves the range."],
        "weaknesses": ["No tests."],
        "assessment": "A sound answer.",
        "verdict": "Good work.",
        "assumptions": ["The list is sorted."],
        "unusual": ["It answers in one function."],
        "confidence": "high",
    }
    return json.dumps(said | more)


def standard(*scores: int, overall: str, rating: str, test: str, model: str) -> str:
    """An evaluation in the standard format, as a colleague would write it."""
    labels = [LABELS.get(key, "Code Quality") for key in CRITERIA]
    lines = [
        f"{label}: {score}/10 - as I see it" for label, score in zip(labels, scores, strict=True)
    ]
    return "\n".join(
        [
            f"TEST ID: {test} (The search {test})", f"MODEL: {model}", "TASK: A search", "",
            "EVALUATION:", *lines, "", f"OVERALL SCORE: {overall}/10", f"QUALITY RATING: {rating}",
            "", "DETAILED ASSESSMENT:", "It works.", "", "STRENGTHS:", "- short", "", "WEAKNESSES:",
            "- untested", "", "VERDICT: It will do.", "",
        ]
    )  # fmt: skip


class Court(Bench):
    """A Bench with a judged suite; what needs no process of its own is called from Python."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.model = self.script("able", default=ANSWER)

    def tests(self, *tests: dict[str, Any], name: str = "tests") -> str:
        """A suite of these tests, else of one, with its rubric beside it."""
        path = self.suite({"writing": list(tests) or [judged_test("own_001")]}, name=name)
        self.rubric(RUBRIC, suite=name)
        return path

    def checked(self, check: str, *, make: str = "", **more: Any) -> str:
        """A suite of one test that brings its own checker."""
        path = self.tests(judged_test("other_001"))
        (self.folder / "tests" / "writing.json").unlink()
        folder = self.folder / "tests" / "own"
        folder.mkdir(exist_ok=True)
        fields = {**judged_test("own_001"), "category": "writing", **more}
        (folder / "test.json").write_text(json.dumps(fields), "utf-8")
        (folder / "check.py").write_text(check, "utf-8")
        if make:
            (folder / "make.py").write_text(make, "utf-8")
        (folder / "reference.md").write_text(ANSWER, "utf-8")
        return path

    def rubric(self, text: str, *, name: str = "marks", suite: str = "tests") -> Path:
        """A rubric beside a suite."""
        folder = self.folder / suite / name
        folder.mkdir(exist_ok=True)
        (folder / "rubric.toml").write_text(text, "utf-8")
        return folder

    def judge(self, said: Any, name: str = "judge", **more: Any) -> str:
        """A judge who says this: a text of every answer, a list of one, attempt by attempt."""
        if isinstance(said, str):
            return self.script(name, default=said, **more)
        return self.script(name, answers={"judge:own_001": said}, **more)

    def run(self, *judges: str, suite: str | None = None, **how: Any) -> dict[str, Any]:
        """The document of a run with these judges."""
        models = how.pop("models", [self.model])
        suites = [suite or self.tests()]
        report = api.run(models, suites=suites, judges=judges, out=self.out, **how)
        return run_json(report)

    def judge_again(self, what: str, *judges: str, **how: Any) -> dict[str, Any]:
        """The document of `assay judge`."""
        return run_json(api.judge(what, judges=judges, out=self.out, **how))

    def all(self, question: str) -> list[Any]:
        """What the store answers."""
        database = sqlite3.connect(self.out / "assay.db")
        try:
            return database.execute(question).fetchall()
        finally:
            database.close()

    def asked(self, like: str = "judge:%") -> list[str]:
        """The ids of all replies to requests with such a key, in order."""
        rows = self.all(
            "SELECT r.id FROM replies JOIN requests r ON r.id = replies.request_id "
            f"WHERE r.test_id LIKE '{like}' ORDER BY replies.id"
        )
        return [row[0] for row in rows]

    def run_folder(self, document: dict[str, Any]) -> Path:
        """What a run leaves."""
        return self.out / "runs" / str(document["run"])


def rows(document: dict[str, Any], model: int = 0) -> dict[str, dict[str, Any]]:
    """The tests of a run by id."""
    suites = document["models"][model]["suites"]
    return {row["id"]: row for suite in suites for row in suite["tests"]}


def verdicts(document: dict[str, Any], model: int = 0) -> dict[str, dict[str, Any]]:
    """The first verdict of each judged test by id."""
    tests = document["judged"]["models"][model]["tests"]
    return {test["test"]: test["verdicts"][0] for test in tests}


def scores(verdict: dict[str, Any], which: str = "score") -> tuple[int, ...]:
    """The points of each criterion."""
    return tuple(criterion[which] for criterion in verdict["criteria"])
