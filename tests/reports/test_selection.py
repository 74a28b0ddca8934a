"""best_checkpoint_selection.json: its keys, and its schema."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from assay.decide.select import select
from assay.reports.checkpoints.facts import sentences
from assay.reports.checkpoints.json_documents import selection_document
from assay.reports.checkpoints.report_shapes import selection_schema
from assay.reports.formats.json import render_json
from tests.decide.candidates import GATE, WHEN, candidate, os_suite, text

KEYS = [
    "selected",
    "best_so_far",
    "reason",
    "tie",
    "tied_with",
    "ranking",
    "ranked_on",
    "difference",
    "gate",
    "confirmed",
    "attempts",
    "max_by_formula",
    "timestamp",
]
BROKEN = candidate(
    "tiny/step_9", text=None, suites={}, speed=None, samples=None, memory_mb=None, failed="cut off"
)
CASES = {
    "a tie": [candidate("tiny/step_1"), candidate("tiny/step_2"), BROKEN],
    "a winner": [candidate("tiny/step_1"), candidate("tiny/step_2", text=text(20.0))],
    "none passes": [candidate("tiny/step_1", suites={"os": os_suite(10, 10, 10)})],
    "none evaluated": [BROKEN],
    "none": [],
}


def document_of(name: str) -> dict[str, Any]:
    return selection_document(select(CASES[name], GATE, timestamp=WHEN))


@pytest.mark.parametrize("name", CASES)
def test_the_keys_are_the_contract_s_and_the_document_is_valid(name):
    document = json.loads(render_json(document_of(name)))
    assert list(document) == KEYS
    jsonschema.Draft202012Validator.check_schema(selection_schema())
    jsonschema.validate(document, selection_schema())


def test_a_tie_with_a_failed_checkpoint_beside_it():
    document = document_of("a tie")
    assert document["selected"] == "tiny/step_2"
    assert document["best_so_far"] is None
    assert document["tie"] is True
    assert document["tied_with"] == ["tiny/step_1"]
    assert document["ranked_on"] == ["perplexity", "os_benchmark", "speed"]
    assert document["difference"]["value"] == 0.0
    assert (document["gate"], document["timestamp"]) == ("default", "2026-02-08T12:34:56Z")
    # 0.4·10/40 + 0.3·0.85 + 0.1·31/50
    assert document["ranking"][0] == {
        "checkpoint": "tiny/step_2",
        "accepted": True,
        "weighted_score": pytest.approx(0.417),
        "ranking_score": pytest.approx(0.417),
        "missing_parts": ["mmlu_cs"],
        "failed": None,
    }
    assert document["ranking"][2] == {
        "checkpoint": "tiny/step_9",
        "accepted": None,
        "weighted_score": None,
        "ranking_score": None,
        "missing_parts": ["perplexity", "os_benchmark", "mmlu_cs", "speed"],
        "failed": "cut off",
    }


def test_none_that_passes_is_null_with_the_best_so_far():
    document = document_of("none passes")
    assert (document["selected"], document["best_so_far"]) == (None, "tiny/step_1")
    assert "The categories of os have a mean of 0.1, not above 0.7." in document["reason"]
    assert document["difference"] is None


def test_warnings_are_not_lost_though_they_have_no_key():
    selection = select(
        [
            candidate("a/final", text=text(20.0, tokenizer="a")),
            candidate("b/final", text=text(20.0, tokenizer="b", bytes_per_token=3.0)),
        ],
        GATE,
        timestamp=WHEN,
    )
    assert "bits per byte" not in sentences(selection.reasons)
    assert "bits per byte" in str(selection_document(selection)["reason"])


@pytest.mark.parametrize("key", KEYS)
def test_a_missing_key_is_refused(key):
    document = document_of("a tie")
    del document[key]
    with pytest.raises(jsonschema.ValidationError, match=f"'{key}' is a required property"):
        jsonschema.validate(document, selection_schema())


def test_an_extra_key_is_refused():
    document = document_of("a tie")
    for place in (document, document["ranking"][0], document["difference"]):
        place["notes"] = []
        with pytest.raises(jsonschema.ValidationError, match="'notes' was unexpected"):
            jsonschema.validate(document, selection_schema())
        del place["notes"]
