"""The suite that ships as an example, and the three scripted models that `assay demo` asks."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import assay
from assay.checks.exact_match import ExactMatch
from assay.checks.keywords import Keywords
from assay.checks.multiple_choice import MultipleChoice
from assay.checks.scoring import score_reply
from assay.checks.top_k import TopK
from assay.models.scripted import ScriptedModel
from assay.plan import AskOptions, make_plan
from assay.suites.load import examine, load_suite
from assay.types import Answered, Case, Failed, Suite

BUILTIN = Path(assay.__file__).parent / "builtin"
EXAMPLE = BUILTIN / "suites" / "example"
MODELS = ("good", "weak", "flaky")
METHODS = {
    "exact_match", "keywords", "multiple_choice", "format",
    "ewe_quality", "composite", "top_k", "command_sequence",
}  # fmt: skip


@cache
def example() -> Suite:
    return load_suite(EXAMPLE)


@cache
def script(name: str) -> Mapping[str, Any]:
    loaded: Mapping[str, Any] = json.loads((BUILTIN / "demo" / f"{name}.json").read_text("utf-8"))
    return loaded


@cache
def marks(name: str) -> Mapping[str, float | None]:
    """Test id to mark, None where the request fails; without the waiting that the file asks for."""
    with TemporaryDirectory() as folder:
        at_once = Path(folder) / f"{name}.json"
        at_once.write_text(json.dumps({**script(name), "delay_s": 0}), "utf-8")
        model = ScriptedModel(at_once)
    plan = make_plan([example()], model.facts, AskOptions())
    found: dict[str, float | None] = {}
    for trial in plan.trials:
        said: list[str] = []
        for turn in range(len(trial.asked)):
            (reply,) = model.answer([plan.request(trial, turn, said)])
            if isinstance(reply, Failed):
                found[trial.case.id] = None
                break
            assert isinstance(reply, Answered)
            said.append(reply.text)
        else:
            found[trial.case.id] = score_reply(trial.case, reply).value
    return found


def suite_score(name: str) -> float:
    """Points: the mean of each category by its weight, failed requests left out."""
    suite = example()
    found = marks(name)
    total = weights = 0.0
    for category in suite.categories:
        scored = [m for case in category.cases if (m := found[case.id]) is not None]
        total += fmean(scored) * suite.weight(category.name)
        weights += suite.weight(category.name)
    return 100 * total / weights


def by_method(name: str) -> Mapping[str, float]:
    found: dict[str, list[float]] = defaultdict(list)
    for case in example().cases:
        value = marks(name)[case.id]
        if value is not None:
            found[case.method].append(value)
    return {method: fmean(values) for method, values in found.items()}


def test_the_example_suite_has_forty_tests_and_nothing_to_find_fault_with() -> None:
    assert examine([EXAMPLE]) == ()
    assert len(list(example().cases)) == 40


def test_the_example_suite_uses_every_method_but_judge() -> None:
    assert {case.method for case in example().cases} == METHODS


@pytest.mark.parametrize(
    ("kind", "field", "settings"),
    [
        (ExactMatch, "normalize", {None, "strict", "trim", "text", "number"}),
        (Keywords, "keyword_match", {None, "prefix", "substring"}),
        (MultipleChoice, "score_by", {"letter", "text"}),
        (TopK, "match", {"word", "command", "module"}),
    ],
)
def test_the_example_suite_shows_every_setting_of_a_method(
    kind: type, field: str, settings: set[str]
) -> None:
    checks = [case.check for case in example().cases]
    assert {getattr(check, field) for check in checks if isinstance(check, kind)} == settings


def test_multiple_choice_is_shown_with_choices_and_with_letters_in_the_prompt() -> None:
    checks = [case.check for case in example().cases if isinstance(case.check, MultipleChoice)]
    assert {bool(check.choices) for check in checks} == {True, False}
    assert len({check.expected for check in checks}) > 1, "the right letter is not always the same"


def test_every_test_says_what_it_is_for() -> None:
    assert [case.id for case in example().cases if not case.description] == []


def test_every_category_has_a_weight_and_the_weights_make_one() -> None:
    suite = example()
    assert set(suite.weights) == {category.name for category in suite.categories}
    assert sum(suite.weights.values()) == pytest.approx(1)


def test_the_suite_is_spoken_by_yawo_unless_a_conversation_brings_its_own_system_message() -> None:
    def own(case: Case) -> bool:
        return case.system != example().system

    assert "Yawo" in (example().system or "")
    assert [case.id for case in example().cases if own(case)] == ["conversation_004"]


def test_one_conversation_is_live_and_has_two_user_turns_in_a_row() -> None:
    (live,) = [case for case in example().cases if case.live]
    assert [message.role for message in live.messages] == ["user", "user"]


def test_a_test_in_ewe_with_its_own_prompt_and_temperature_keeps_both(tmp_path: Path) -> None:
    """The shape of the worked example in the test format; a bare test has the defaults."""
    (tmp_path / "proverbs.json").write_text(
        """[
          {"id": "proverbs_001", "prompt": "Gblɔ lododo aɖe nam.",
           "system": "Yawo nye ŋkɔwò. Ɖo eŋu le Eʋegbe me.",
           "eval_method": "composite", "expected_keywords": ["nunya", "agbe"],
           "expected_format": {"contains_ewe": true, "min_length": 20},
           "temperature": 0.5, "description": "Does it know a proverb?"},
          {"id": "proverbs_002", "prompt": "Gblɔ eve.", "eval_method": "ewe_quality"}
        ]""",
        "utf-8",
    )
    assert examine([tmp_path]) == ()
    worked, bare = load_suite(tmp_path).cases
    assert (worked.system, worked.temperature) == ("Yawo nye ŋkɔwò. Ɖo eŋu le Eʋegbe me.", 0.5)
    assert worked.description == "Does it know a proverb?"
    assert (bare.system, bare.temperature, bare.description) == (None, 0.3, "")


@pytest.mark.parametrize("name", MODELS)
def test_a_scripted_model_answers_every_test_and_names_no_other(name: str) -> None:
    ids = {case.id for case in example().cases}
    assert set(script(name)["answers"]) == ids
    assert set(script(name).get("fail", {})) <= ids


@pytest.mark.parametrize("name", ["good", "flaky"])
def test_the_scripts_show_every_form_of_an_answer(name: str) -> None:
    answers = script(name)["answers"].values()
    forms = Counter(next(iter(a)) if isinstance(a, dict) else type(a).__name__ for a in answers)
    assert forms["predictions"] == 3
    assert forms["repeats"] == 2
    assert forms["list"] == 1
    assert forms["str"] == 34


def test_the_good_model_is_good_and_not_perfect() -> None:
    assert 88 <= suite_score("good") <= 95


def test_the_weak_model_is_weak_and_not_hopeless() -> None:
    assert 35 <= suite_score("weak") <= 50


def test_the_flaky_model_is_good_where_it_answers_and_fails_five_requests() -> None:
    assert [case for case, value in marks("flaky").items() if value is None] == [
        "arithmetic_006",
        "conversation_003",
        "ewe_006",
        "instructions_003",
        "shell_005",
    ]
    assert 88 <= suite_score("flaky") <= 98


@pytest.mark.parametrize("method", sorted(METHODS))
def test_the_good_model_beats_the_weak_one_by_far_on_every_method(method: str) -> None:
    assert by_method("good")[method] >= by_method("weak")[method] + 0.3


def test_the_example_suite_is_read_back_from_the_store(tmp_path):
    """Its letter-only questions have no choices, which a test file could not say of a list."""
    from assay import api

    (tmp_path / "yes.json").write_text('{"default": "Yes."}')
    api.run([f"scripted:{tmp_path / 'yes.json'}"], suites=["example"], out=tmp_path / "out")
    assert api.report(out=tmp_path / "out").models[0].suites[0].suite == "example"
