"""The demonstration's checkpoints: real weights, the whole way to a decision, run once.

Nothing here is played back; every figure is computed from the weights that ship. Figures in
comments were measured on two cores in fp32; other processors round the last digits differently,
which moves a perplexity by far less than the distance to any limit here.
"""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from assay.reports.checkpoints.report_shapes import report_schema, selection_schema
from assay.workflow.demo import SHIPPED
from tests.conftest import Bench

EARLY, NEAR, FINAL = "tiny/step_000160", "tiny/step_005600", "tiny/step_008000"
LIMIT = 50  # perplexity of the size class tiny at the gate


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bench, str]:
    bench = Bench(tmp_path_factory.mktemp("demo"), weights=True)
    before = sorted(path for path in SHIPPED.rglob("*") if "__pycache__" not in path.parts)
    done = bench.assay("demo", "--part", "checkpoints")
    assert done.returncode == 0, done.stderr
    assert before == sorted(path for path in SHIPPED.rglob("*") if "__pycache__" not in path.parts)
    return bench, done.stdout


def report_of(bench: Bench, name: str) -> dict:
    file = bench.out / "checkpoints" / name / "evaluation_report.json"
    return json.loads(file.read_text("utf-8"))


def test_the_final_checkpoint_is_selected_and_the_others_fail_honestly(shown) -> None:
    bench, said = shown
    file = bench.out / "checkpoints" / "tiny" / "best_checkpoint_selection.json"
    selection = json.loads(file.read_text("utf-8"))
    jsonschema.validate(selection, selection_schema())
    assert selection["selected"] == FINAL
    assert [each["checkpoint"] for each in selection["ranking"]] == [FINAL, NEAR, EARLY]
    assert FINAL in said
    criteria = {
        name: report_of(bench, name)["details"]["acceptance"]["criteria"]
        for name in (EARLY, NEAR, FINAL)
    }
    assert not criteria[EARLY]["perplexity"]["passed"]
    assert not criteria[EARLY]["os_benchmark"]["passed"]
    assert not criteria[EARLY]["perplexity"]["marginal"]
    assert not criteria[NEAR]["perplexity"]["passed"]
    assert criteria[NEAR]["perplexity"]["marginal"]
    assert criteria[NEAR]["os_benchmark"]["passed"]
    assert all(each["passed"] for each in criteria[FINAL].values())
    assert set(criteria[FINAL]) == {"perplexity", "os_benchmark", "speed", "generation", "memory"}


def test_every_report_is_as_its_schema_says_and_every_figure_was_measured(shown) -> None:
    bench, _ = shown
    for name in (EARLY, NEAR, FINAL):
        document = report_of(bench, name)
        jsonschema.validate(document, report_schema())
        beside = bench.out / "demo" / name / "evaluation_report.json"
        assert json.loads(beside.read_text("utf-8")) == document
        assert document["perplexity"] > 1
        assert document["details"]["provenance"]["text"] == "the text that ships"
        assert 0 < document["accuracy_top1"] < document["accuracy_top5"] < 1
        assert None not in document["os_benchmark"].values()
        assert document["inference_speed"] > 0
        speed = document["details"]["speed"]
        assert 0 < speed["latency_p50_s"] <= speed["latency_p95_s"]
        assert speed["new_tokens"] == 256
        assert 0 < speed["share_of_bandwidth"] < 1
        assert 7 < document["memory_usage_mb"] < 50
        assert len(document["details"]["generation"]["samples"]) == 48
        assert document["details"]["recommendations"]
        assert all(each["figures"] for each in document["details"]["recommendations"])
    concerns = {each["concern"] for each in report_of(bench, EARLY)["details"]["recommendations"]}
    assert {"perplexity", "domain"} <= concerns


def test_the_three_have_one_shape_and_so_one_speed(shown) -> None:
    bench, said = shown
    reports = [report_of(bench, name) for name in (EARLY, NEAR, FINAL)]
    assert len({each["details"]["model"]["shape"] for each in reports}) == 1
    assert len({(each["inference_speed"], each["memory_usage_mb"]) for each in reports}) == 1
    assert {len(each["details"]["speed"]["runs_per_s"]) for each in reports} == {3}
    assert "Speed: on the CPU in float32" in said


def test_perplexity_is_far_above_the_limit_then_near_it_then_below(shown) -> None:
    bench, _ = shown
    early, near, final = (report_of(bench, name)["perplexity"] for name in (EARLY, NEAR, FINAL))
    assert early > 2 * LIMIT  # 147.11
    assert LIMIT < near < 1.1 * LIMIT  # 51.38
    assert 0.8 * LIMIT < final < LIMIT  # 48.86


def test_the_final_one_neither_loops_nor_repeats_itself_nor_writes_nonsense(shown) -> None:
    bench, _ = shown
    generation = report_of(bench, FINAL)["details"]["generation"]
    failures = {
        (sample["id"], check["name"])
        for sample in generation["samples"]
        for check in sample["checks"]
        if check["failure"] and sample["temperature"]
    }
    assert failures == set()
    assert generation["failures"] == 0
    assert len(generation["samples"]) == 48
    assert all(sample["text"].strip() for sample in generation["samples"])


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        pytest.param(EARLY, 0, 0.3, id="early"),
        pytest.param(FINAL, 0.7, 1, id="final"),
    ],
)
def test_the_final_one_answers_what_the_early_one_cannot(
    shown, name: str, least: float, most: float
) -> None:
    """Twelve tests of each category, the same for both."""
    bench, _ = shown
    document = report_of(bench, name)
    told = document["details"]["os_benchmark"]
    assert {figure["n"] for category, figure in told.items() if category != "avg"} == {12}
    assert least <= document["os_benchmark"]["avg"] <= most


def test_pictures_and_curves_lie_beside_the_selection(shown) -> None:
    bench, _ = shown
    folder = bench.out / "checkpoints" / "tiny"
    picture = ElementTree.fromstring((folder / "over_steps.svg").read_text("utf-8"))
    assert picture.tag.endswith("svg")
    lines = (folder / "curves.csv").read_text("utf-8").splitlines()
    assert len(lines) == 4


def test_only_the_out_folder_is_written_to(shown) -> None:
    bench, _ = shown
    assert {path.name for path in bench.out.iterdir()} == {
        "assay.db",
        "checkpoints",
        "demo",
        "runs",
    }
    assert [path for path in bench.folder.iterdir() if path != bench.out] == []


def test_the_same_command_asks_nothing_again(shown) -> None:
    bench, _ = shown
    words = ("run", str(Path(bench.out.name) / "demo" / "tiny"), "--limit", "48", "--json")
    again = bench.document(*words)
    assert again["exit_code"] == 0
    assert again["selected"].endswith("step_008000")
    runs = sorted((bench.out / "runs").iterdir())
    assert len(runs) == 2
