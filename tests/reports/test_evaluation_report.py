"""evaluation_report.json: its keys, its figures, its schema, and the way back."""

from __future__ import annotations

import copy
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from assay.decide.accept import accept, find_not_covered
from assay.decide.scores import weigh
from assay.decide.select import select
from assay.errors import InvalidFiles
from assay.reports.checkpoints.json_documents import evaluation_report
from assay.reports.checkpoints.report_shapes import measured_from, report_schema
from assay.reports.formats.json import render_json
from assay.types.decisions import Decision, Measurements, Recommendation, fact
from tests.decide.candidates import (
    GATE,
    WHEN,
    candidate,
    estimate,
    os_suite,
    right,
    sample,
    suite,
    text,
)

KEYS = [
    "checkpoint",
    "perplexity",
    "accuracy_top1",
    "accuracy_top5",
    "mmlu_cs",
    "hellaswag",
    "os_benchmark",
    "inference_speed",
    "memory_usage_mb",
    "timestamp",
    "details",
]
OS_KEYS = ["hardware_id", "driver_select", "command_complete", "installation", "avg"]
ADVICE = Recommendation(
    "trend", fact("text", text="Train longer."), (fact("text", text="46.8 [45.1–48.6]"),)
)


def whole() -> Measurements:
    """A checkpoint of which everything was measured, and which wrote something odd."""
    tasks = dict(zip(OS_KEYS, (82, 75, 88, 40), strict=False))
    odd = replace(sample(2, "loop"), text="half a \ud83d character, \x1b[2J and </script>")
    return candidate(
        "medium_150M/step_100000",
        text=replace(text(18.5, 18.0, 19.1), per_word=estimate(90.25, unit="perplexity per word")),
        suites={
            "os": suite({name: right(count) for name, count in tasks.items()}),
            "mmlu": suite({"computer_science": right(42)}),
        },
        mmlu_cs=estimate(0.42, 0.33, 0.52),
        hellaswag=estimate(0.55, 0.45, 0.64),
        memory={"weights_mb": 50.5, "activations_mb": 3},
        samples=(sample(1), odd, sample(3, failed="timeout")),
        not_measured={"technical": "The suite was not asked for."},
        training_loss={50_000.0: 3.2, 100_000.0: 2.95},
        provenance={"assay": "0.5", "machine": {"cores": 2, "gpus": []}, "notes": ["a note"]},
    )


def bare() -> Measurements:
    """One of which nothing could be measured."""
    return candidate(
        "tiny/final",
        parameters=None,
        size_class=None,
        text=None,
        suites={},
        speed=None,
        memory_mb=None,
        samples=None,
        failed="model.safetensors was cut off.",
    )


def report_of(measured: Measurements) -> dict[str, Any]:
    score = weigh(measured)
    decision = Decision(
        gate=GATE,
        measured=(measured,),
        acceptances={measured.name: accept(measured, GATE)},
        weighted={measured.name: score},
        not_covered={measured.name: find_not_covered(measured, GATE, score)},
        advice={measured.name: (ADVICE,)},
    )
    return evaluation_report(decision, measured)


def through_a_file(document: dict[str, Any], folder: Path) -> Any:
    file = folder / "evaluation_report.json"
    file.write_text(render_json(document), "utf-8")
    return json.loads(file.read_text("utf-8"))


# ------------------------------------------------------------------------------------------ content


def test_the_keys_are_the_contract_s_in_its_order():
    for measured in (whole(), candidate(), bare()):
        document = report_of(measured)
        assert list(document) == KEYS
        assert list(document["os_benchmark"]) == OS_KEYS


def test_the_numbers_above_are_those_of_the_specification_s_example():
    document = report_of(whole())
    del document["details"]
    assert document == {
        "checkpoint": "medium_150M/step_100000",
        "perplexity": 18.5,
        "accuracy_top1": 0.31,
        "accuracy_top5": 0.60,
        "mmlu_cs": 0.42,
        "hellaswag": 0.55,
        "os_benchmark": {
            "hardware_id": 0.82,
            "driver_select": 0.75,
            "command_complete": 0.88,
            "installation": 0.40,
            "avg": pytest.approx((0.82 + 0.75 + 0.88) / 3),
        },
        "inference_speed": 31.0,
        "memory_usage_mb": 60.0,
        "timestamp": "2026-02-08T12:34:56Z",
    }


def test_what_was_not_measured_is_null_and_never_zero():
    document = report_of(bare())
    assert {key: document[key] for key in KEYS[1:9] if key != "os_benchmark"} == {
        key: None for key in KEYS[1:9] if key != "os_benchmark"
    }
    assert document["os_benchmark"] == dict.fromkeys(OS_KEYS)
    details = document["details"]
    assert details["perplexity"] is None
    assert details["weighted_score"] is None
    assert details["generation"] is None
    assert details["speed"] is None
    assert details["memory"] is None
    assert details["acceptance"]["accepted"] is None
    assert details["model"]["failed"] == "model.safetensors was cut off."


def test_an_average_without_one_of_its_tasks_is_null_beside_the_others():
    partly = suite({"hardware_id": right(80), "installation": right(30)})
    document = report_of(candidate(suites={"os": partly}))
    assert document["os_benchmark"] == {
        "hardware_id": 0.8,
        "driver_select": None,
        "command_complete": None,
        "installation": 0.3,
        "avg": None,
    }


def test_details_hold_the_estimate_of_each_number_under_its_name():
    document = report_of(whole())
    details = document["details"]
    for key in KEYS[1:9]:
        if key == "os_benchmark":
            for task in OS_KEYS:
                assert details[key][task]["value"] == document[key][task]
        else:
            assert details[key]["value"] == document[key]
            assert details[key]["n"] > 0
    assert details["perplexity"] == {
        "value": 18.5,
        "low": 18.0,
        "high": 19.1,
        "n": 20_000,
        "unscored": 0,
        "unit": "perplexity",
        "method": "by hand",
    }
    # log2(18.5) / 4 bytes per token
    assert details["bits_per_byte"]["value"] == pytest.approx(math.log2(18.5) / 4)
    assert details["perplexity_per_word"]["value"] == 90.25
    assert details["os_benchmark"]["avg"]["n"] == 300


def test_the_targets_for_accuracy_are_reported_and_strict():
    assert report_of(whole())["details"]["targets"] == {
        "accuracy_top1": {"above": 0.30, "reached": True},  # 0.31
        "accuracy_top5": {"above": 0.60, "reached": False},  # 0.60
    }
    assert report_of(bare())["details"]["targets"]["accuracy_top1"]["reached"] is None


def test_the_verdict_stands_in_details_with_every_criterion():
    details = report_of(whole())["details"]
    acceptance = details["acceptance"]
    assert acceptance["accepted"] is False
    assert list(acceptance["criteria"]) == [
        "perplexity",
        "os_benchmark",
        "speed",
        "generation",
        "memory",
    ]
    assert acceptance["criteria"]["perplexity"] == {
        "passed": True,
        "marginal": False,
        "value": 18.5,
        "limit": 50,
        "reason": "Perplexity 18.5 is below 50. Its 95 % interval is 18 to 19.1.",
    }
    # 0.4·10/18.5 + 0.3·0.816667 + 0.2·0.42 + 0.1·31/50
    assert details["weighted_score"] == pytest.approx(0.607216, abs=1e-6)
    assert details["missing_parts"] == []
    assert report_of(candidate())["details"]["missing_parts"] == ["mmlu_cs"]
    assert details["recommendations"] == [
        {"concern": "trend", "advice": "Train longer.", "figures": ["46.8 [45.1–48.6]"]}
    ]


def test_every_sample_has_every_check_and_whether_all_passed():
    generation = report_of(whole())["details"]["generation"]
    assert generation["all_passed"] is False
    assert generation["failures"] == 1
    assert [each["all_passed"] for each in generation["samples"]] == [True, False, None]
    assert [each["failed"] for each in generation["samples"]] == [None, None, "timeout"]
    assert generation["samples"][1]["checks"][0] == {
        "name": "loop",
        "passed": False,
        "failure": True,
        "passage": "the the the",
        "explanation": "said so",
    }
    unheard = report_of(candidate(samples=(sample(1), sample(2, failed="timeout"))))
    assert unheard["details"]["generation"]["all_passed"] is None


def test_numbers_that_json_has_no_name_for_never_get_out():
    endless = replace(text(18.5, 18.0, math.inf), blocks=((-math.inf, 1000), (-5.0, 1000)))
    document = report_of(
        candidate(
            text=endless,
            provenance={"seconds": math.nan, "deep": [{"a": (math.inf, 1)}], "path": Path("x")},
            memory={"resident_mb": -math.inf},
        )
    )
    json.dumps(document, allow_nan=False)
    assert document["details"]["perplexity"]["high"] is None
    assert document["details"]["text"]["blocks"] == []
    assert document["details"]["provenance"] == {
        "seconds": None,
        "deep": [{"a": [None, 1]}],
        "path": "x",
    }
    assert document["details"]["memory"] == {"resident_mb": None}


# --------------------------------------------------------------------------------------- the schema


@pytest.mark.parametrize("measured", [whole(), candidate(), bare()], ids=["all", "some", "none"])
def test_real_documents_are_valid(measured, tmp_path):
    schema = report_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(through_a_file(report_of(measured), tmp_path), schema)


@pytest.mark.parametrize("key", KEYS)
def test_a_missing_key_is_refused(key):
    document = report_of(whole())
    del document[key]
    with pytest.raises(jsonschema.ValidationError, match=f"'{key}' is a required property"):
        jsonschema.validate(document, report_schema())


def test_an_extra_key_is_refused():
    document = report_of(whole())
    for place in (document, document["os_benchmark"], document["details"]["acceptance"]):
        place["extra"] = 1
        with pytest.raises(jsonschema.ValidationError, match="'extra' was unexpected"):
            jsonschema.validate(document, report_schema())
        del place["extra"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("perplexity", "18.5"),
        ("perplexity", 0),
        ("accuracy_top1", 31),
        ("timestamp", "2026-02-08 12:34:56"),
        ("timestamp", "2026-02-08T12:34:56.5Z"),
        ("os_benchmark", None),
    ],
)
def test_a_value_of_another_kind_is_refused(key, value):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(report_of(whole()) | {key: value}, report_schema())


# ------------------------------------------------------------------------------------- the way back


@pytest.mark.parametrize("measured", [whole(), candidate(), bare()], ids=["all", "some", "none"])
def test_a_report_is_read_back_to_what_was_measured(measured, tmp_path):
    document = through_a_file(report_of(measured), tmp_path)
    again = measured_from(document)
    assert again == measured
    assert through_a_file(report_of(again), tmp_path) == document


def test_selection_from_the_files_is_the_selection_from_what_was_measured(tmp_path):
    candidates = [
        candidate("tiny/step_100", text=text(42.0, wobble=60.0)),
        candidate("tiny/step_200", suites={"os": os_suite(83, 90, 85)}),
        whole(),
    ]
    read = [measured_from(through_a_file(report_of(each), tmp_path)) for each in candidates]
    assert select(read, GATE, timestamp=WHEN) == select(candidates, GATE, timestamp=WHEN)


def changed(document: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """Another value at a path; … takes the key away."""
    document = copy.deepcopy(document)
    *way, last = path.split("/")
    place: Any = document
    for key in way:
        place = place[int(key) if isinstance(place, list) else key]
    key = int(last) if isinstance(place, list) else last
    if value is ...:
        del place[key]
    else:
        place[key] = value
    return document


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("details", ..., "details: Field required"),
        ("details", [], "details: Input should be"),
        ("checkpoint", 7, "checkpoint: Input should be a valid string"),
        ("hellaswag", ..., "hellaswag: Field required"),
        ("perplexity", 12.0, "perplexity is at odds with details.perplexity"),
        ("os_benchmark/avg", 0.99, "os_benchmark is at odds"),
        ("details/model", ..., "details.model: Field required"),
        ("details/model/size_class", "huge", "details.model.size_class: Input should be 'tiny'"),
        ("details/model/parameters", -1, "details.model.parameters: Input should be greater"),
        ("details/perplexity", None, "perplexity is at odds with details.perplexity"),
        (
            "details/perplexity/value",
            [],
            "details.perplexity.value: Input should be a valid number",
        ),
        ("details/perplexity/value", 10**400, "details.perplexity.value: Input should be a valid"),
        ("details/perplexity/value", -1, "perplexity is at odds with details.perplexity"),
        ("details/perplexity/n", 0, "details.perplexity: an estimate of nothing"),
        ("details/text/blocks", {}, "details.text.blocks: Input should be"),
        ("details/text/blocks/3", [-5.0], "details.text.blocks.3.1: Field required"),
        ("details/text/blocks/3/1", 0, "details.text.blocks.3.1: Input should be greater"),
        ("details/text/blocks/3/0", 9.0, "details.text.blocks.3.0: Input should be less"),
        ("details/speed/runs_per_s/0", 0, "details.speed.runs_per_s.0: Input should be greater"),
        (
            "details/generation/samples/1/checks/0/passed",
            True,
            "only a check that did not pass can be a failure",
        ),
        (
            "details/generation/samples/0/checks/0/passed",
            "maybe",
            "passed: Input should be a valid boolean",
        ),
        ("details/training_loss/0", [1], "details.training_loss.0.1: Field required"),
    ],
)
def test_a_hostile_or_old_document_is_refused_with_the_key(path, value, said):
    with pytest.raises(InvalidFiles) as caught:
        measured_from(changed(report_of(whole()), path, value), source="there/report.json")
    assert said in caught.value.message
    assert "there/report.json" in caught.value.message
    assert caught.value.findings[0].file == "there/report.json"
    assert caught.value.hint


@pytest.mark.parametrize("document", [None, [], "text", 3, {}])
def test_what_is_no_report_at_all_is_refused(document):
    with pytest.raises(InvalidFiles):
        measured_from(document)
