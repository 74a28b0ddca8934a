"""The demonstration's checkpoints: real weights, the whole way to a decision, run once.

Nothing here is played back; every figure is computed from the weights that ship. The command is the
true one, but less is asked: an eighth of the text, a quarter of the tests, the samples of three
prompts (one test lets the final checkpoint write all of them), and few tokens are timed. Figures
were measured in fp32; other processors round the last digits differently, which moves a perplexity
by far less than the distance to any limit here.
"""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import jsonschema
import pytest

from assay import api
from assay.engine import timing
from assay.interfaces.cli import group, invoked
from assay.models.local import speed
from assay.reports.checkpoints.report_shapes import report_schema, selection_schema
from assay.suites import held_out_text, sample_prompts
from assay.workflow.commands import demo
from assay.workflow.commands.demo import SHIPPED
from tests.conftest import Bench
from tests.models.local.checkpoints import TIMED, measure_speed_here

EARLY, NEAR, FINAL = "tiny/step_000160", "tiny/step_005600", "tiny/step_008000"
LIMIT = 50  # perplexity of the size class tiny at the gate
EXCERPT = slice(45_250, 53_441)  # whole paragraphs of the text, as hard as all of it
ALL_PROMPTS = sample_prompts.SHIPPED
TESTS, PROMPTS = 12, 3


def printed_by(*words: str) -> str:
    """What a command prints, in this process, which has loaded torch."""
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(io.StringIO()):
        assert not invoked(group(), "assay", list(words))
    return said.getvalue()


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Bench, str]]:
    bench = Bench(tmp_path_factory.mktemp("demo"))
    less = tmp_path_factory.mktemp("less")
    text = held_out_text.SHIPPED.read_text("utf-8")[EXCERPT]
    (less / "text.txt").write_text(text, "utf-8")
    prompts = json.loads(sample_prompts.SHIPPED.read_text("utf-8"))[:PROMPTS]
    (less / "samples.json").write_text(json.dumps(prompts), "utf-8")
    before = sorted(path for path in SHIPPED.rglob("*") if "__pycache__" not in path.parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(bench.folder)
        patch.setattr(held_out_text, "SHIPPED", less / "text.txt")
        patch.setattr(sample_prompts, "SHIPPED", less / "samples.json")
        patch.setattr(speed, "measure_speed", measure_speed_here)
        # Processor time: a busy machine falls below the gate's 10 tokens/s, as it should.
        patch.setattr(timing, "time", SimpleNamespace(perf_counter=time.process_time))
        patch.setattr(demo, "ASKED_OF_CHECKPOINTS", TESTS)
        yield bench, printed_by("demo", "--part", "checkpoints", "--out", str(bench.out))
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
        assert document["details"]["provenance"]["text"] == "the text that ships"
        assert 0 < document["accuracy_top1"] < document["accuracy_top5"] < 1
        assert None not in document["os_benchmark"].values()
        assert document["inference_speed"] > 0
        timed = document["details"]["speed"]
        assert 0 < timed["latency_p50_s"] <= timed["latency_p95_s"]
        assert timed["new_tokens"] == TIMED
        assert 0 < timed["share_of_bandwidth"] < 1
        assert 7 < document["memory_usage_mb"] < 50
        assert len(document["details"]["generation"]["samples"]) == 4 * PROMPTS
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
    assert early > 2 * LIMIT
    assert near == pytest.approx(50.75, abs=0.01)  # 51.38 of the whole text
    assert final == pytest.approx(48.48, abs=0.01)  # 48.86 of the whole text


def test_the_final_one_neither_loops_nor_repeats_itself_nor_writes_nonsense(
    tmp_path, monkeypatch
) -> None:
    """To all prompts, at both temperatures."""
    monkeypatch.setattr(sample_prompts, "SHIPPED", ALL_PROMPTS)
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


def test_the_same_command_asks_nothing_again(shown) -> None:
    bench, _ = shown
    words = ("run", str(Path(bench.out.name) / "demo" / "tiny"), "--limit", str(TESTS), "--json")
    again = json.loads(printed_by(*words, "--out", str(bench.out)))
    assert again["exit_code"] == 0
    assert again["selected"].endswith("step_008000")
    runs = sorted((bench.out / "runs").iterdir())
    assert len(runs) == 2
