"""The demonstration's checkpoints: real weights, the whole way to a decision, run once.

Nothing here is played back; every figure is computed from the weights that ship. What is shown is
the demonstration, told to ask less: an eighth of the text, a quarter of the tests, the samples of
three prompts (one test lets the final checkpoint write all of them), few tokens are timed. Figures
were measured in fp32; other processors round the last digits differently, which moves a perplexity
by far less than the distance to any limit here.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from assay import api
from assay.interfaces.cli.demo import demo_checkpoints
from assay.reports.checkpoints.report_shapes import report_schema, selection_schema
from assay.suites import held_out_text
from assay.suites.held_out_text import load_held_out
from assay.suites.sample_prompts import load_samples
from assay.types import Reply, Score
from assay.types.scores import SilentProgress
from assay.workflow.commands.demo import SHIPPED, checkpoints_job
from assay.workflow.commands.evaluation import evaluate
from tests.conftest import Bench
from tests.models.local.checkpoints import TIMED, measure_speed_here

EARLY, NEAR, FINAL = "tiny/step_000160", "tiny/step_005600", "tiny/step_008000"
LIMIT = 50  # perplexity of the size class tiny at the gate
EXCERPT = slice(45_250, 53_441)  # whole paragraphs of the text, as hard as all of it
TESTS, PROMPTS = 12, 3


@pytest.fixture(scope="module")
def less(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What is asked otherwise than in the demonstration."""
    excerpt = tmp_path_factory.mktemp("less") / "excerpt.txt"
    excerpt.write_text(held_out_text.SHIPPED.read_text("utf-8")[EXCERPT], "utf-8")
    return {
        "texts": load_held_out(excerpt),
        "samples": load_samples()[:PROMPTS],
        "limit": TESTS,
        "timer": measure_speed_here,
    }


@pytest.fixture(scope="module")
def shown(
    tmp_path_factory: pytest.TempPathFactory, less: dict[str, Any]
) -> Iterator[tuple[Bench, str]]:
    bench = Bench(tmp_path_factory.mktemp("demo"))
    said = io.StringIO()
    before = sorted(path for path in SHIPPED.rglob("*") if "__pycache__" not in path.parts)
    with chdir(bench.folder), redirect_stdout(said), redirect_stderr(io.StringIO()):
        demo_checkpoints(bench.out, **less)
    yield bench, said.getvalue()
    assert before == sorted(path for path in SHIPPED.rglob("*") if "__pycache__" not in path.parts)


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
        assert document["details"]["provenance"]["text"].endswith("excerpt.txt")
        assert 0 < document["accuracy_top1"] < document["accuracy_top5"] < 1
        assert None not in document["os_benchmark"].values()
        assert document["inference_speed"] > 0
        timed = document["details"]["speed"]
        assert 0 < timed["latency_p50_s"] <= timed["latency_p95_s"]
        assert timed["new_tokens"] == TIMED
        assert 0 < timed["share_of_bandwidth"] < 1
        assert 7 < document["memory_usage_mb"] < 50
        assert (
            len(document["details"]["generation"]["samples"]) == 3 * PROMPTS
        )  # greedy ones: below
        assert document["details"]["recommendations"]
        assert all(each["figures"] for each in document["details"]["recommendations"])
    concerns = {each["concern"] for each in report_of(bench, EARLY)["details"]["recommendations"]}
    assert {"perplexity", "domain"} <= concerns


def test_the_three_have_one_shape_and_so_one_speed(shown) -> None:
    bench, _ = shown
    reports = [report_of(bench, name) for name in (EARLY, NEAR, FINAL)]
    assert len({each["details"]["model"]["shape"] for each in reports}) == 1
    assert len({(each["inference_speed"], each["memory_usage_mb"]) for each in reports}) == 1
    assert {len(each["details"]["speed"]["runs_per_s"]) for each in reports} == {3}
    text = "".join(page.read_text("utf-8") for page in bench.out.rglob("report.md"))
    assert "Speed: on the CPU in float32" in text


def test_perplexity_is_far_above_the_limit_then_near_it_then_below(shown) -> None:
    bench, _ = shown
    early, near, final = (report_of(bench, name)["perplexity"] for name in (EARLY, NEAR, FINAL))
    assert early > 2 * LIMIT
    assert near == pytest.approx(50.75, abs=0.01)  # 51.38 of the whole text
    assert final == pytest.approx(48.48, abs=0.01)  # 48.86 of the whole text


def test_the_final_one_neither_loops_nor_repeats_itself_nor_writes_nonsense(tmp_path) -> None:
    """To all prompts, at both temperatures."""
    folder = SHIPPED / "step_008000"
    generation = api.evaluate_model(folder, metrics=["generation"], out=tmp_path)["details"][
        "generation"
    ]
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
    """Three tests of each category, the same for both."""
    bench, _ = shown
    document = report_of(bench, name)
    told = document["details"]["os_benchmark"]
    assert {figure["n"] for category, figure in told.items() if category != "avg"} == {TESTS // 4}
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


class Counting(SilentProgress):
    asked = 0

    def replied(self, spec: str, reply: Reply, score: Score | None) -> None:
        self.asked += 1


def test_the_same_command_asks_nothing_again(shown, less) -> None:
    bench, _ = shown
    counting = Counting()
    again = evaluate(replace(checkpoints_job(bench.out), **less), counting)
    assert counting.asked == 0
    assert again.exit_code == 0
    assert again.selected.endswith(FINAL)
    assert len([*(bench.out / "runs").iterdir()]) == 2
