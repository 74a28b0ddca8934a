"""A gate for a domain of one's own: several texts, a score; from the command line to files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from assay import api
from assay.errors import AssayError, InvalidFiles, UsageError
from assay.reports.checkpoints.report_shapes import report_schema, selection_schema
from assay.reports.json_documents import run_json
from assay.workflow.reporting.checkpoint_files import read_report
from tests.conftest import Bench, numbered, word_tests
from tests.models.local.checkpoints import make_checkpoint

GATE = """
[perplexity]
max = 1e8

[text.general]
max = 1e7

[score]
weights = { perplexity = 0.5, "text:general" = 0.3, "suite:tests" = 0.2 }
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two steps, three texts, a suite and gates."""
    home = tmp_path_factory.mktemp("made")
    for number, step in enumerate(("step_900", "step_1000")):
        make_checkpoint(home / "run" / step, seed=number, with_tokenizer=number == 0)
    shutil.copy(home / "run" / "step_900" / "tokenizer.json", home / "run")
    shutil.copy(home / "run" / "step_900" / "tokenizer_config.json", home / "run")
    (home / "law.txt").write_text("The driver of the network card. " * 60)
    (home / "general.txt").write_text("The weather is fine today. " * 60)
    (home / "a=b.txt").write_text("A path with a sign. " * 60)
    (home / "tests").mkdir()
    (home / "tests" / "word.json").write_text(json.dumps(word_tests(5)))
    (home / "own.toml").write_text(GATE)
    return home


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "work")
    return tmp_path / "work"


def run(folder: Path, **more: Any) -> Any:
    texts = (f"law={folder / 'law.txt'}", f"general={folder / 'general.txt'}")
    settings: dict[str, Any] = {"suites": [str(folder / "tests")], "text": texts}
    settings |= {"out": folder / "out", "gate": folder / "own.toml"} | more
    return api.run([str(folder / "run")], **settings)


def test_named_texts_and_a_score_of_one_s_own_are_in_every_place(folder: Path) -> None:
    result = run(folder)
    document = run_json(result)
    first = document["models"][0]
    found = first["measurements"]
    assert found["text:law"] == found["perplexity"]  # the first is also perplexity
    assert found["text:general"]["value"] != found["perplexity"]["value"]
    criteria = first["decision"]["criteria"]
    assert list(criteria) == ["perplexity", "text:general"]
    parts = first["decision"]["weighted_score"]["parts"]
    assert list(parts) == ["perplexity", "text:general", "suite:tests"]
    bounded = 1e8 / (1e8 + found["perplexity"]["value"])
    assert parts["perplexity"] == pytest.approx(0.5 * bounded)

    report = folder / "out" / "checkpoints" / "run" / "step_900" / "evaluation_report.json"
    written = json.loads(report.read_text())
    Draft202012Validator(report_schema()).validate(written)
    assert written["details"]["text:general"] == found["text:general"]
    read = read_report(report)
    assert read.texts["general"].perplexity.value == found["text:general"]["value"]
    assert len(read.texts["law"].hits) == len(read.texts["law"].blocks) > 0

    selection = json.loads((report.parents[1] / "best_checkpoint_selection.json").read_text())
    Draft202012Validator(selection_schema()).validate(selection)
    assert selection["ranked_on"] == ["perplexity", "text:general", "suite:tests"]
    assert "Measured, and no part of the ranking: accuracy_top1" in selection["reason"]
    header = (report.parents[1] / "curves.csv").read_text().splitlines()[0]
    assert "text:general,text:general_low" in header
    assert "text general" in (report.parents[1] / "over_steps.svg").read_text()

    again = api.select([str(folder / "run")], gate=folder / "own.toml", out=folder / "out")
    assert again.selection.ranked_on == ("perplexity", "text:general", "suite:tests")
    assert "no part of the ranking: accuracy_top1" in report_text(folder)


def report_text(folder: Path) -> str:
    """The Markdown report of the whole run."""
    reports = sorted((folder / "out" / "runs").glob("*/reports/*.md"))
    return " ".join(" ".join(each.read_text().split()) for each in reports)


def test_the_unnamed_text_is_perplexity_and_is_read_once(folder: Path) -> None:
    general = f"general={folder / 'general.txt'}"
    plain = run(folder, text=(general, str(folder / "a=b.txt")))
    found = run_json(plain)["models"][0]["measurements"]
    assert "text:general" in found
    alone = run_json(run(folder, text=(folder / "a=b.txt",), gate=None))["models"][0]
    assert alone["measurements"]["perplexity"] == found["perplexity"]
    assert not any(name.startswith("text:") for name in alone["measurements"])


def test_another_text_under_a_name_is_read_anew(folder: Path) -> None:
    first, again = (run_json(run(folder)) for _ in range(2))
    assert first["run"] != again["run"]  # it was finished: its replies are reused
    assert first["models"][0]["measurements"] == again["models"][0]["measurements"]
    other = (f"law={folder / 'law.txt'}", f"general={folder / 'law.txt'}")
    changed = run_json(run(folder, text=other))["models"][0]["measurements"]
    assert changed["text:general"] == changed["perplexity"]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (("law=law.txt", "law=general.txt"), "two texts with the name 'law'"),
        (("law.txt", "general.txt"), "one may be without a name"),
        (("a b=law.txt",), "'a b' is no name of a text"),
        (("=law.txt",), "'' is no name of a text"),
        (("law=nowhere.txt",), "cannot read the text nowhere.txt"),
        (("a=b.txt",), "cannot read the text b.txt"),
    ],
)
def test_names_of_texts_that_cannot_be_are_refused_before_anything_is_asked(
    folder: Path, given: tuple[str, ...], problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(UsageError, match=problem):
        run(folder, text=given, gate=None)
    assert not (folder / "out").exists()


def test_a_path_with_a_sign_is_written_with_a_dot(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    found = run_json(run(folder, text=("./a=b.txt",), gate=None))
    assert "perplexity" in found["models"][0]["measurements"]


def test_a_text_that_the_gate_asks_for_and_nobody_gave_is_refused(folder: Path) -> None:
    with pytest.raises(AssayError, match="the gate asks for the text 'general'") as refused:
        run(folder, text=(folder / "law.txt",))
    assert "own.toml:5:2" in str(refused.value) or isinstance(refused.value, InvalidFiles)
    assert not (folder / "out").exists()


def test_a_weight_without_a_limit_ends_with_2_and_nothing_is_asked(bench: Bench) -> None:
    gate = bench.folder / "own.toml"
    gate.write_text("[score]\nweights = { speed = 1 }\n")
    suite = bench.suite({"word": word_tests(2)})
    document = bench.document("run", bench.script("a", default="x"), "-s", suite,
                              "--gate", str(gate))  # fmt: skip
    assert document["exit_code"] == 2
    assert "own.toml:2:21" in document["error"]["message"]
    assert not bench.out.exists()


def test_served_models_are_ranked_on_the_domain_of_their_gate(bench: Bench) -> None:
    """Two models of one scheme stand beside each other; nothing but the suite was run."""
    gate = bench.folder / "own.toml"
    gate.write_text('[[suite]]\nname = "tests"\nmin = 0.1\n')
    tests = word_tests(4)
    suite = bench.suite({"word": tests})
    document = bench.document("run", bench.script("a", default="x"), "-s", suite,
                              "--gate", str(gate))  # fmt: skip
    parts = document["models"][0]["decision"]["weighted_score"]["parts"]
    assert list(parts) == ["perplexity", "domain", "mmlu_cs", "speed"]


# ---------------------------------------------------------------------- confirm, no worse than


def easy(count: int) -> list[dict[str, Any]]:
    """Tests that any answer passes."""
    rule = {"eval_method": "format", "expected_format": {"max_length": 100_000}, "max_tokens": 4}
    return [{"id": f"easy_{n:03d}", "prompt": f"Say {n}.", **rule} for n in range(1, count + 1)]


def confirm(folder: Path, limit: float) -> Any:
    (folder / "tests" / "word.json").unlink(missing_ok=True)
    (folder / "tests" / "easy.json").write_text(json.dumps(easy(40)))
    gate = f'[[suite]]\nname = "tests"\nmin = {limit}\n[accept]\nconfirm = 0.3\n'
    (folder / "own.toml").write_text(gate)
    return run(folder, text=())


def test_the_share_that_confirms_is_asked_of_the_selected_checkpoint_alone(folder: Path) -> None:
    """12 of 12: the bound is 0.779."""
    document = run_json(confirm(folder, 0.7))
    assert document["exit_code"] == 0
    asked = {
        model["model"].rpartition("/")[2]: {
            each["suite"]: each["score"]["n"] for each in model["suites"]
        }
        for model in document["models"]
    }
    assert asked == {
        "step_900": {"tests": 28},
        "step_1000": {"tests": 28, "tests-confirm": 12},
    }
    selected = next(each for each in document["models"] if each["accepted"] and each["decision"])
    criteria = document["models"][1]["decision"]["criteria"]
    assert (criteria["confirm"]["passed"], criteria["confirm"]["limit"]) == (True, 0.7)
    assert criteria["confirm"]["value"] == pytest.approx(0.779, abs=1e-3)
    assert selected["decision"]["weighted_score"]["parts"].keys() >= {"domain"}
    home = folder / "out" / "checkpoints" / "run"
    selection = json.loads((home / "best_checkpoint_selection.json").read_text())
    Draft202012Validator(selection_schema()).validate(selection)
    assert (selection["selected"], selection["confirmed"]) == ("run/step_1000", True)
    assert selection["attempts"] == 1
    report = json.loads((home / "step_1000" / "evaluation_report.json").read_text())
    Draft202012Validator(report_schema()).validate(report)
    assert len(report["details"]["provenance"]["gate_hash"]) == 16
    again = api.select([str(folder / "run")], gate=folder / "own.toml", out=folder / "out")
    assert (again.selection.confirmed, again.selection.attempts) == (True, 1)
    assert run_json(confirm(folder, 0.7))["run"] != document["run"]
    later = json.loads((home / "best_checkpoint_selection.json").read_text())
    assert later["attempts"] == 2
    assert "2 runs were decided by it so far" in report_text(folder)


def test_one_that_is_not_confirmed_ends_with_1(folder: Path) -> None:
    document = run_json(confirm(folder, 0.9))
    assert (document["exit_code"], document["selected"]) == (1, None)
    assert document["headline"].endswith("comes closest and misses confirm.")
    home = folder / "out" / "checkpoints" / "run"
    selection = json.loads((home / "best_checkpoint_selection.json").read_text())
    assert (selection["selected"], selection["confirmed"]) == (None, False)
    assert selection["best_so_far"] == "run/step_1000"


def test_a_model_that_was_named_singly_is_confirmed_too(bench: Bench) -> None:
    gate = bench.folder / "own.toml"
    gate.write_text('[[suite]]\nname = "tests"\nmin = 0.9\n[accept]\nconfirm = 0.3\n')
    suite = bench.suite({"easy": easy(40)})
    words = ("run", bench.script("a", default="x"), "-s", suite, "--gate", str(gate))
    document = bench.document(*words)
    (model,) = document["models"]
    assert (document["exit_code"], model["accepted"]) == (1, False)
    assert model["decision"]["criteria"]["suite:tests"]["passed"] is True
    assert model["decision"]["criteria"]["confirm"]["passed"] is False


def test_a_model_is_held_against_a_run_and_refused_where_there_is_none(bench: Bench) -> None:
    tests = numbered(60)
    suite = bench.suite({"sums": tests})
    right = {each["id"]: each["expected"] for each in tests}
    good = bench.script("good", answers=right, default="?")
    bad = bench.script("bad", answers=dict(list(right.items())[:40]), default="?")
    first = bench.document("run", good, "-s", suite)["run"]
    gate = bench.folder / "own.toml"
    gate.write_text(f'[accept]\nno_worse_than = "{first}"\nmargin = 0.1\n')
    words = ("-s", suite, "--gate", str(gate))
    same, worse = (bench.document("run", each, *words) for each in (good, bad))
    criteria = [
        each["models"][0]["decision"]["criteria"]["no_worse_than"] for each in (same, worse)
    ]
    assert [each["passed"] for each in criteria] == [True, False], criteria
    assert [each["exit_code"] for each in (same, worse)] == [0, 1]
    assert criteria[1]["value"] == pytest.approx(-1 / 3)
    gate.write_text('[accept]\nno_worse_than = "nothing"\n')
    refused = bench.document("run", good, *words)
    assert refused["exit_code"] == 2
    assert "no_worse_than names 'nothing'" in refused["error"]["message"]
