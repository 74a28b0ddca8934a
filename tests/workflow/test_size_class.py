"""Which limits count: by the count of parameters or by a gate; and what is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.measures.size import named_size_class
from tests.conftest import Bench, word_tests
from tests.models.local.checkpoints import make_checkpoint

LIMITS = "[perplexity]\nmax = { tiny = 1.01, small = 1e8, medium = 1.02, large = 1.03 }\n"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("sizes")
    make_checkpoint(home / "medium_150M" / "step_10", seed=1)
    make_checkpoint(home / "plain" / "step_10", seed=1)
    (home / "text.txt").write_text("The driver of the network card. " * 60)
    (home / "tests").mkdir()
    (home / "tests" / "word.json").write_text(json.dumps(word_tests(1)))
    (home / "by_count.toml").write_text(LIMITS)
    (home / "small.toml").write_text(f'[size]\nclass = "small"\n{LIMITS}')
    return home


def asked(home: Path, model: str, gate: str) -> dict:
    """One document; perplexity alone, and one test."""
    words = ["run", str(home / model), "--gate", str(home / gate), "-s", str(home / "tests")]
    return Bench(home).document(*words, "--text", str(home / "text.txt"))


def decided(home: Path, model: str, gate: str) -> tuple[int, dict, dict]:
    document = asked(home, model, gate)
    report = json.loads(Path(document["models"][0]["report"]).read_text("utf-8"))
    return document["exit_code"], document["models"][0]["decision"], report["details"]


def test_the_count_of_parameters_decides_and_a_name_that_says_otherwise_is_told(
    home: Path,
) -> None:
    code, decision, details = decided(home, "medium_150M/step_10", "by_count.toml")
    assert code == 1
    assert decision["criteria"]["perplexity"]["limit"] == 1.01
    assert details["model"]["size_class"] == "tiny"
    said = [each for each in decision["not_covered"] if "name says medium" in each]
    assert len(said) == 1
    assert said[0].endswith("are tiny: the limits of tiny count.")
    _, decision, _ = decided(home, "plain/step_10", "by_count.toml")
    assert not any("limits of" in each for each in decision["not_covered"])


def test_a_gate_s_class_wins_over_the_count_of_parameters(home: Path) -> None:
    code, decision, details = decided(home, "plain/step_10", "small.toml")
    assert (code, details["model"]["size_class"]) == (0, "small")
    assert decision["criteria"]["perplexity"]["limit"] == 1e8
    told = [each for each in decision["not_covered"] if "limits of" in each]
    assert len(told) == 1
    assert told[0].startswith("The limits of small count, as was asked;")


def test_another_class_is_another_run_with_the_same_figures(home: Path) -> None:
    first = asked(home, "plain", "by_count.toml")
    second = asked(home, "plain", "small.toml")
    assert first["run"] != second["run"]
    assert (first["selected"], second["selected"]) == (None, second["models"][0]["model"])
    figures = [each["models"][0]["measurements"]["perplexity"] for each in (first, second)]
    assert figures[0] == figures[1]


def test_a_name_says_a_class_only_by_a_whole_word_of_its_own() -> None:
    assert named_size_class("medium_150M/step_100000") == "medium"
    assert named_size_class("run/Tiny-3") == "tiny"
    assert named_size_class("smaller/step_1") is None
    assert named_size_class("small-from-large/step_1") is None
