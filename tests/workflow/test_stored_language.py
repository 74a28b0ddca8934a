"""An English run read in French: the reasons stay as they were stored, the labels are French."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.conftest import Bench
from tests.interfaces.web.conftest import view

KEYWORDS = "Found: loss. Missing: weights."
COMPOSITE = (
    "keywords 1.00 (weight 1): Found: weights. "
    "format 0.00 (weight 1): 0 of 1 rule passes. Broken: min_words: 1, at least 5 asked for."
)
TESTS = [
    {
        "id": "training_001",
        "prompt": "What falls, and what changes?",
        "eval_method": "keywords",
        "expected_keywords": ["weights", "loss"],
    },
    {
        "id": "training_002",
        "prompt": "What changes?",
        "eval_method": "composite",
        "expected_keywords": ["weights"],
        "expected_format": {"min_words": 5},
    },
]
ANSWERS = {"training_001": "Only the loss.", "training_002": "weights"}


@pytest.fixture(scope="module")
def english_run(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    bench = Bench(tmp_path_factory.mktemp("english"))
    model = bench.script("model", answers=ANSWERS)
    run = bench.assay("run", model, "-s", bench.suite({"training": TESTS}), "--lang", "en")
    assert run.returncode == 0, run.stderr
    return bench


def test_a_report_in_french_quotes_english_reasons_as_stored(english_run: Bench) -> None:
    page = english_run.assay("report", "--failed", "--lang", "fr", "--format", "md").stdout
    assert f"pourquoi\u00a0: {KEYWORDS}" in page
    assert f"pourquoi\u00a0: {COMPOSITE}" in page
    assert "50,0 " in page


def test_json_in_french_has_the_stored_reasons(english_run: Bench) -> None:
    report = english_run.document("report", "--lang", "fr")
    tests = report["models"][0]["suites"][0]["tests"]
    assert [test["explanation"] for test in tests] == [KEYWORDS, COMPOSITE]
    assert report["headline"] == "model ne bat pas le hasard sur tests."


def test_an_export_in_french_is_the_export_in_english(english_run: Bench) -> None:
    exported = english_run.assay("export", "--lang", "fr").stdout
    records = [json.loads(line) for line in exported.splitlines()]
    assert [record["explanation"] for record in records] == [KEYWORDS, COMPOSITE]
    assert exported == english_run.assay("export", "--lang", "en").stdout

    table = english_run.assay("export", "--format", "csv", "--lang", "fr").stdout
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [row["explanation"] for row in rows] == [KEYWORDS, COMPOSITE]


def test_the_viewer_in_french_shows_stored_reasons_and_those_of_parts(english_run: Bench) -> None:
    with view(english_run, "--lang", "fr") as viewer:
        keywords = viewer.ask("/runs/latest/tests/training_001?in=tests").text
        composite = viewer.ask("/runs/latest/tests/training_002?in=tests").text
    assert '<html lang="fr">' in keywords
    assert KEYWORDS in keywords
    assert COMPOSITE in composite
    assert "<td>0 of 1 rule passes. Broken: min_words: 1, at least 5 asked for.</td>" in composite
    assert "0,50" in composite
