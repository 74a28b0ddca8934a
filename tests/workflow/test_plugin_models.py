"""Models of one's own through a whole run: measured, gated, selected from, reported."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import assay
from assay import api
from assay.errors import AssayError
from assay.suites.held_out_text import load_held_out
from assay.suites.load import find, load_suite

PLUGIN = """
import numpy as np
import assay

@assay.model("bigram")
class Bigram:
    context_length = 128
    parameters = 65536

    def __init__(self, name):
        counts = np.full((256, 256), 0.05)
        text = b"The driver of the card is loaded by the kernel when it finds the device. " * 9
        for before, after in zip(text, text[1:], strict=False):
            counts[before, after] += 1 if name == "step_2" else 0.01
        self.table = np.log(counts / counts.sum(axis=1, keepdims=True))

    def tokenize(self, text):
        return list(text.encode())

    def logits(self, ids):
        return self.table[np.array(ids)]
"""
GATE = "[perplexity]\nmax = { tiny = 10000, small = 9000, medium = 8000, large = 7000 }\n"
CHOICES = """[
  {"id": "colour_001", "prompt": "Grass is", "eval_method": "multiple_choice",
   "choices": ["green", "loud"], "expected": "A"},
  {"id": "colour_002", "prompt": "Snow is", "eval_method": "multiple_choice",
   "choices": ["black", "white"], "expected": "B"}
]"""


@pytest.fixture(scope="session")
def plugin_file(tmp_path_factory):
    """One file in a process: a scheme is registered once, and tests of a module may come apart."""
    file = tmp_path_factory.mktemp("plugin") / "bigram.py"
    file.write_text(PLUGIN)
    return str(file)


@pytest.fixture
def plugin(plugin_file, tmp_path):
    (tmp_path / "gate.toml").write_text(GATE)
    (tmp_path / "colours").mkdir()
    (tmp_path / "colours" / "colour.json").write_text(CHOICES)
    return plugin_file


def test_two_methods_give_perplexity_choices_and_selection(plugin, tmp_path):
    out = tmp_path / "out"
    result = api.run(
        ["bigram:step_1", "bigram:step_2"],
        suites=[str(tmp_path / "colours")],
        gate=tmp_path / "gate.toml",
        plugins=[plugin],
        out=out,
    )
    assert result.exit_code == 0
    assert result.selected == "bigram:step_2"
    for step in ("step_1", "step_2"):
        report = json.loads(
            (out / "checkpoints/bigram" / step / "evaluation_report.json").read_text()
        )
        assert report["checkpoint"] == f"bigram/{step}"
        assert report["perplexity"] == pytest.approx(by_hand(step), rel=1e-9)
        assert report["accuracy_top1"] is not None
        assert report["inference_speed"] is None
        assert report["memory_usage_mb"] is None
    selection = json.loads((out / "checkpoints/bigram/best_checkpoint_selection.json").read_text())
    assert selection["selected"] == "bigram/step_2"
    tests = {row["id"]: row for row in result.to_dict()["models"][0]["suites"][0]["tests"]}
    assert {row["outcome"] for row in tests.values()} <= {"pass", "fail"}
    assert not (tmp_path / "evaluation_report.json").exists()


def by_hand(name):
    scope: dict = {}
    exec(PLUGIN.replace('@assay.model("bigram")', ""), scope)
    model = scope["Bigram"](name)
    total, count = 0.0, 0
    for document in load_held_out(None).documents:
        ids = np.array(model.tokenize(document.text))
        values = model.table - np.log(np.exp(model.table).sum(axis=1, keepdims=True))
        total += values[ids[:-1], ids[1:]].sum()
        count += len(ids) - 1
    return math.exp(-total / count)


def test_without_suites_and_gate_it_is_asked_what_it_can_answer(plugin, tmp_path):
    result = api.run(
        ["bigram:step_1", "bigram:step_2"], plugins=[plugin], limit=3, out=tmp_path / "out"
    )
    assert {suite.suite for suite in result.models[0].suites} == {"technical", "troubleshooting"}
    assert result.exit_code == 1  # its perplexity is far above the limit of the default gate
    selection = result.decision.selections["bigram:"]
    assert (selection.selected, selection.best_so_far) == (None, "bigram/step_2")
    criteria = result.decision.acceptances["bigram/step_2"].criteria
    assert set(criteria) == {"perplexity"}


def test_one_model_alone_is_accepted_or_not(plugin, tmp_path):
    result = api.run(
        "bigram:step_1",
        suites=str(tmp_path / "colours"),
        gate=tmp_path / "gate.toml",
        plugins=[plugin],
        out=tmp_path / "out",
    )
    assert result.exit_code == 0
    assert result.models[0].accepted is True
    assert result.decision.selections == {}


def test_tests_that_need_a_text_are_refused_where_they_were_named(plugin, tmp_path):
    with pytest.raises(AssayError, match="cannot write answers"):
        api.run(["bigram:step_1"], suites=["os"], plugins=[plugin], out=tmp_path / "out")


def test_a_name_that_is_no_file_name_leaves_its_report_under_the_scheme(plugin, tmp_path):
    out = tmp_path / "out"
    api.run(
        ["bigram:../../up"],
        suites=[str(tmp_path / "colours")],
        gate=tmp_path / "gate.toml",
        plugins=[plugin],
        out=out,
    )
    (folder,) = (out / "checkpoints/bigram").iterdir()
    assert folder.name.startswith("up-")


def test_a_failing_plugin_costs_requests_and_not_the_run(tmp_path):
    class Fails:
        name = "often"

        def generate(self, messages, *, temperature, max_tokens, seed, stop):
            if "Snow" in messages[-1].content:
                raise RuntimeError("out of snow")
            return "A"

    (tmp_path / "colour.json").write_text(CHOICES)
    result = assay.run(Fails(), suites=str(tmp_path / "colour.json"), out=tmp_path / "out")
    rows = {row["id"]: row for row in result.to_dict()["models"][0]["suites"][0]["tests"]}
    assert rows["colour_001"]["outcome"] == "pass"
    assert rows["colour_002"]["outcome"] == "failed"
    assert result.exit_code == 3


def test_objects_and_specs_are_run_together_and_shown(tmp_path):
    class Always:
        def __init__(self, letter):
            self.name = self.fingerprint = letter

        def generate(self, messages, *, temperature, max_tokens, seed, stop):
            return self.name

    (tmp_path / "script.json").write_text('{"default": "A"}')
    suite = tmp_path / "colours"
    suite.mkdir()
    (suite / "colour.json").write_text(CHOICES)
    result = assay.run(
        [Always("A"), Always("B"), f"scripted:{tmp_path / 'script.json'}"],
        suites=[suite],
        out=tmp_path / "out",
    )
    specs = [model.spec for model in result.models]
    assert specs == ["python:A", "python:B", f"scripted:{tmp_path / 'script.json'}"]
    assert repr(result).startswith("<Assay run ")
    assert len(repr(result)) < 400
    assert '<th scope="row">A</th>' in result._repr_html_()
    frame = result.to_pandas()
    assert list(frame.columns[:4]) == ["model", "suite", "id", "category"]
    assert len(frame) == 3 * 2


def test_suites_may_be_objects(tmp_path):
    class Right:
        def generate(self, messages, *, temperature, max_tokens, seed, stop):
            return "A" if "Grass" in messages[-1].content else "B"

    (tmp_path / "colour.json").write_text(CHOICES)
    suite = load_suite(find(str(tmp_path / "colour.json")))
    result = assay.run(Right(), suites=replace(suite, path="", source=""), out=tmp_path / "out")
    assert result.models[0].suites[0].score.value == 100
    assert assay.api.rescore(out=tmp_path / "out").changed == 0
