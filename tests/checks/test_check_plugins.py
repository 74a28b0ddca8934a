"""A check from a user's file: its fields are known everywhere, and its mistakes have a place."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.command_runs import run_assay, run_python

PLUGIN = '''
import re, assay

@assay.check("regex")
class Regex:
    """The answer matches a regular expression."""
    pattern: str
    def score(self, answer: str) -> bool | float | assay.Score:
        return re.search(self.pattern, answer) is not None
    def gold(self) -> str | None:
        return self.pattern

@assay.check("long_enough")
class LongEnough:
    """The answer has so many words."""
    words: int = 3
    def score(self, answer, context):
        known = (context.test.id, context.suite.name, context.reply.text)
        share = min(1, len(answer.split()) / self.words)
        return assay.Score(value=share, explanation=" ".join(known))
    def baselines(self):
        return ["one two three four"]

@assay.check("odd")
class Odd:
    """Returns what the test says, or fails."""
    returned: float
    def score(self, answer):
        if self.returned < 0:
            raise RuntimeError("boom")
        return self.returned

@assay.check("best_option")
class BestOption:
    """Asks with options, like multiple_choice."""
    options: list[str]
    right: str
    def score(self, answer):
        return answer.strip() == self.right
    def gold(self):
        return self.right
    def requests(self):
        return assay.Requests(options=tuple(self.options), letters="ABCDE"[:len(self.options)])
'''
TESTS = [
    {"id": "a_001", "prompt": "Say 42", "eval_method": "regex", "pattern": "4."},
    {"id": "a_002", "prompt": "Say more", "eval_method": "long_enough", "words": 4},
    {"id": "a_003", "prompt": "x", "eval_method": "odd", "returned": -1},
    {"id": "a_004", "prompt": "x y", "eval_method": "odd", "returned": 3},
    {"id": "a_005", "prompt": "x z", "eval_method": "odd", "returned": 0.25},
    {"id": "a_006", "prompt": "Which?", "eval_method": "best_option", "options": ["p", "q"],
     "right": "B"},
]  # fmt: skip


def python(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run_python(words, folder, {**os.environ, "PYTHONWARNINGS": "error"})


def assay(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run_assay(words, folder, os.environ)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(PLUGIN)
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "a.json").write_text(json.dumps(TESTS))
    answers = {"answers": {"a_006": "B"}, "default": "42 is it"}
    (tmp_path / "answers.json").write_text(json.dumps(answers))
    return tmp_path


def test_a_check_of_ones_own_is_scored_like_a_shipped_one_and_its_faults_are_unscored(
    folder: Path,
) -> None:
    words = ["run", "scripted:answers.json", "-s", "./suite", "--plugin", "mine.py", "--json"]
    done = assay(folder, *words)
    assert done.returncode == 0, done.stderr
    tests = json.loads(done.stdout)["models"][0]["suites"][0]["tests"]
    assert {test["id"]: (test["outcome"], test["score"]) for test in tests} == {
        "a_001": ("pass", 1.0),
        "a_002": ("pass", 0.75),
        "a_003": ("unscored", None),
        "a_004": ("unscored", None),
        "a_005": ("fail", 0.25),
        "a_006": ("pass", 1.0),
    }
    reasons = {test["id"]: test["explanation"] for test in tests}
    assert reasons["a_002"] == "a_002 suite 42 is it"
    assert "RuntimeError: boom" in reasons["a_003"]
    assert "between 0 and 1, not at 3.0" in reasons["a_004"]
    (plan,) = folder.glob("assay-out/runs/*/test-plans/a_001.md")
    assert "`regex`: The answer matches a regular expression." in plan.read_text()
    (asked,) = folder.glob("assay-out/runs/*/test-plans/a_006.md")
    assert "best_option" in asked.read_text()
    # The stored run can be read again without the plugin; scoring it again needs the plugin.
    assert assay(folder, "report", "latest").returncode == 0
    again = assay(folder, "rescore", "latest", "--plugin", "mine.py")
    assert again.returncode == 0, again.stderr


def test_its_fields_are_checked_and_described(folder: Path) -> None:
    wrong = [
        {"id": "a_001", "prompt": "x", "eval_method": "regex", "patern": "4."},
        {"id": "a_002", "prompt": "x", "eval_method": "regex", "pattern": 4},
        {"id": "a_003", "prompt": "x", "eval_method": "regx", "pattern": "4"},
        {"id": "a_004", "prompt": "x", "eval_method": "ewe_quality", "pattern": "4"},
    ]
    (folder / "wrong.json").write_text(json.dumps(wrong))
    done = assay(folder, "validate", "--plugin", "mine.py", "wrong.json")
    assert done.returncode == 2
    found = [line.split(": ", 1)[1] for line in done.stdout.splitlines() if "wrong.json" in line]
    assert found == [
        "a_001: error: 'regex' needs 'pattern'",
        "a_001: error: unknown field 'patern'; did you mean 'pattern'?",
        "a_002: error: 'pattern' must be a text, not a number; put it in quotes",
        "a_003: error: unknown eval_method 'regx'; did you mean 'regex'?",
        "a_004: warning: 'pattern' belongs to regex; with \"ewe_quality\" it is ignored",
    ]
    schema = json.loads(assay(folder, "schema", "tests", "--plugin", "mine.py").stdout)
    offered = schema["$defs"]["test"]["properties"]["eval_method"]["oneOf"]
    assert {"const": "regex", "description": "The answer matches a regular expression."} in offered


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ('@assay.check("a")\nclass A:\n    x: str\n', "it has no method score(self, answer)"),
        ('@assay.check("keywords")\nclass A:\n    def score(self, answer): ...\n',
         "there is already a check 'keywords'"),
        ('@assay.check("a")\nclass A:\n    x: "Nonsense"\n    def score(self, answer): ...\n',
         "Nonsense"),
        ('@assay.check("a")\nclass A:\n    x: list[str] = []\n    def score(self, answer): ...\n',
         "mutable default"),
        ('@assay.check("a")\nclass A:\n    def score(self): ...\n', "score takes (self, answer)"),
    ],
)  # fmt: skip
def test_a_class_that_cannot_be_a_check_is_an_error_with_file_and_line(
    tmp_path: Path, source: str, message: str
) -> None:
    file = tmp_path / "mine.py"
    file.write_text("import assay\n\n" + source)
    code = f"from assay.plugins import load_plugins; load_plugins([{str(file)!r}])"
    (tmp_path / "load.py").write_text(code)
    done = python(tmp_path, str(tmp_path / "load.py"))
    last = done.stderr.splitlines()[-1]
    assert f"{file}:3" in last
    assert message in last


def test_a_mistake_in_requests_is_an_error_before_any_model_is_asked(folder: Path) -> None:
    source = PLUGIN.replace("assay.Requests(", "assay.Nothing(")
    (folder / "mine.py").write_text(source)
    line = source[: source.index("assay.Nothing(")].count("\n") + 1
    done = assay(folder, "run", "scripted:answers.json", "-s", "./suite", "--plugin", "mine.py")
    assert done.returncode == 2
    assert f"mine.py:{line}" in done.stderr
