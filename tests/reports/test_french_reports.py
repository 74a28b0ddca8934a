"""French reports speak French of models and outcomes; what is stored stays as it is."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.api.rendering import render
from assay.files.wording import did_you_mean
from assay.messages import speak
from assay.reports import sentences
from assay.reports.comparison import comparison_headline
from assay.reports.measured.quantities import performance_document
from assay.types import Message, OutcomeKind
from assay.types.conversations import conversation_text
from assay.types.documents import Table
from assay.types.results import Comparison, Report

LOCAL = {
    "architecture": "LlamaForCausalLM",
    "size": "3.54 M paramètres (minuscule)",
    "weights on disk": "Q4_K (12), F32 (3), 7.1 MB",
    "computed on": "CUDA, NVIDIA X 1.5 GB",
}
SERVED = {"server": "Ollama 0.12.3", "size": "4.7 GB", "parameters": "7.6B", "own key": "2.5 MB"}


@pytest.fixture
def french() -> Iterator[None]:
    speak("fr")
    yield
    speak("en")


def test_english_shows_what_is_stored() -> None:
    for about in (LOCAL, SERVED):
        assert dict(sentences.about_model(about)) == about


def test_french_names_facts_and_writes_their_amounts(french: None) -> None:
    assert dict(sentences.about_model(LOCAL)) == {
        "architecture": "LlamaForCausalLM",
        "taille": "3,54 M paramètres (minuscule)",
        "poids sur disque": "Q4_K (12), F32 (3), 7,1 Mo",
        "calculé sur": "CUDA, NVIDIA X 1.5 GB",
    }


def test_versions_and_what_a_server_or_plugin_says_stay_as_they_came(french: None) -> None:
    assert dict(sentences.about_model(SERVED)) == {
        "serveur": "Ollama 0.12.3", "taille": "4,7 Go", "paramètres": "7.6B", "own key": "2.5 MB",
    }  # fmt: skip


def test_reports_show_the_french_and_json_has_the_stored_keys(french: None, report: Report) -> None:
    (model, *_) = report.models
    told = replace(report, models=(replace(model, about=LOCAL),))
    assert "poids sur disque\u00a0: Q4_K (12), F32 (3), 7,1 Mo" in render(told, "html")
    tables = [each for each in performance_document(told).blocks if isinstance(each, Table)]
    assert any("poids sur disque" in str(each) for each in tables)
    assert json.loads(render(told, "json"))["models"][0]["about"] == LOCAL


@pytest.mark.parametrize(
    "path", ["local/facts", "ollama/facts", "openai/facts", "home_made/adapter"]
)
def test_every_key_of_a_model_has_a_name(root: Path, path: str) -> None:
    tree = ast.parse((root / f"src/assay/models/{path}.py").read_text("utf-8"))
    told = [
        node
        for node in ast.walk(tree)
        if (isinstance(node, ast.keyword) and node.arg == "about")
        or (isinstance(node, ast.FunctionDef) and node.name == "_about")
    ]
    dicts = [each for node in told for each in ast.walk(node) if isinstance(each, ast.Dict)]
    keys = {key.value for each in dicts for key in each.keys if isinstance(key, ast.Constant)}
    assert keys
    assert keys <= sentences.ABOUT.keys()


@pytest.mark.parametrize(
    ("kind", "english", "one", "many"),
    [
        (OutcomeKind.PASS, "pass", "réussi", "réussis"),
        (OutcomeKind.FAIL, "fail", "échoué", "échoués"),
        (OutcomeKind.NO_ANSWER, "no answer", "sans réponse", "sans réponse"),
        (OutcomeKind.UNSCORED, "unscored", "non noté", "non notés"),
        (OutcomeKind.FAILED, "request failed", "requête en échec", "requêtes en échec"),
    ],
)
def test_counts_of_outcomes_agree(
    report: Report, kind: OutcomeKind, english: str, one: str, many: str
) -> None:
    (summary, *_) = report.models[0].suites
    several, single = (replace(summary, outcomes={kind: count}) for count in (1234, 1))
    assert sentences.outcomes(several) == f"3 tests: 1,234 {english}"
    assert sentences.outcomes(single) == f"3 tests: 1 {english}"
    speak("fr")
    try:
        assert sentences.outcomes(several) == f"3 tests\u00a0: 1\u202f234 {many}"
        assert sentences.outcomes(single) == f"3 tests\u00a0: 1 {one}"
    finally:
        speak("en")


def test_a_role_has_its_space_before_the_colon(french: None) -> None:
    turns = (Message("system", "Be {kind}."), Message("user", "Say: one."))
    said = "système\u00a0: Be {kind}.\n\nutilisateur\u00a0: Say: one."
    assert conversation_text(turns, sentences.spoken) == said
    assert conversation_text(turns) == "system: Be {kind}.\n\nuser: Say: one."


def test_the_decision_of_a_comparison_is_translated_whole(comparison: Comparison) -> None:
    (pair,) = comparison.pairs
    suites = (replace(pair.suites[0], verdict="undecided", adjusted_p=0.125),)
    open_ = replace(comparison, pairs=(replace(pair, suites=suites),))
    english = comparison_headline(open_)
    assert english.startswith("Undecided on demo: scripted:good.json shows no significant")
    speak("fr")
    try:
        french = comparison_headline(open_)
        assert french.startswith("Indécis sur demo\u00a0: scripted:good.json ne montre pas de ")
    finally:
        speak("en")


def test_known_names_agree_with_whatever_is_unknown(french: None) -> None:
    told = did_you_mean("eval_method inconnue 'zzzzzz'", "zzzzzz", ["keywords", "format"])
    assert told == "eval_method inconnue 'zzzzzz'\u00a0; noms connus\u00a0: keywords, format"


def test_a_pass_mark_is_named_where_scores_lie_between_0_and_1(report: Report) -> None:
    (summary, *_) = report.models[0].suites
    parts = tuple(replace(each, score=0.5) for each in summary.tests)
    whole = tuple(replace(each, score=1.0) for each in summary.tests)
    told = sentences.pass_mark(replace(summary, tests=parts, pass_mark=0.65))
    assert told == "A test passes with a score of 0.65 or more."
    assert sentences.pass_mark(replace(summary, tests=whole)) == ""
