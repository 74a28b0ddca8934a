"""Why a model fails: causes planted in scripted models, and the sentence that names each."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

import assay
from assay.reports.cards.run import run_card
from assay.reports.formats.terminal import render_text
from assay.reports.run_report import run_document
from assay.types.documents import Card, plain_text

TOOLS = Path(assay.__file__).parent / "builtin" / "suites" / "tools"
CITIES = {
    "Togo": "Lomé", "Ghana": "Accra", "Benin": "Cotonou", "Mali": "Bamako", "Niger": "Niamey",
    "Kenya": "Nairobi", "Chad": "N'Djamena", "Egypt": "Cairo", "Angola": "Luanda",
    "Senegal": "Dakar", "Rwanda": "Kigali", "Zambia": "Lusaka",
}  # fmt: skip


def choices() -> list[dict[str, object]]:
    names = list(CITIES)
    return [
        {
            "id": f"city_{place:03d}",
            "prompt": f"Which of these is a city of {country}?",
            "eval_method": "multiple_choice",
            "choices": [CITIES[names[(place + step - place % 4) % 12]] for step in range(4)],
            "expected": "ABCD"[place % 4],
        }
        for place, country in enumerate(names)
    ]


def words() -> list[dict[str, object]]:
    return [
        {
            "id": f"word_{place:03d}",
            "prompt": f"What is the name of the largest city that you know in {country}?",
            "eval_method": "keywords",
            "expected_keywords": [city],
        }
        for place, (country, city) in enumerate(CITIES.items())
    ]


def card_of(
    folder: Path, tests: list[dict[str, object]], answer: object, **more: Mapping[str, object]
) -> Card:
    suite, script = folder / "mine", folder / "model.json"
    suite.mkdir()
    (suite / "all.json").write_text(json.dumps(tests))
    answers = {str(test["id"]): answer for test in tests} | more.get("answers", {})
    script.write_text(json.dumps({"answers": answers}))
    return run_card(assay.run(f"scripted:{script}", suites=suite, out=folder / "out"))


LISTED = "The options are A. the first, B. the second, C. the third and D. the fourth."
SPANISH = "No estoy seguro, pero es una de las ciudades más grandes del país y está en la costa."


@pytest.mark.parametrize(
    ("tests", "answer", "said", "command"),
    [
        (choices, "A", "The answer was A to 12 of 12", "assay run gguf:FILE -s mine"),
        (choices, LISTED, "12 answers of 12 list the options and choose none", "gguf:FILE"),
        (words, {"cut": "Let us think about it. The country has"}, "were cut at their", "--max-t"),
        (words, "<think>Which one? Perhaps", "thinking took their maximum", "--think off"),
        (words, "I'm sorry, but I cannot help with that.", "only decline", "Answer every question"),
        (words, SPANISH, "in another language", "Answer in the language of the question"),
        (words, "", "are empty", "--failed"),
    ],
)
def test_a_planted_cause_is_a_reason_of_the_card_with_its_command(
    tmp_path: Path, tests, answer, said: str, command: str
) -> None:
    card = card_of(tmp_path, tests(), answer)
    (reason,) = [each for each in card.reasons if "failures of" in each]
    assert said in reason
    assert command in plain_text(card.next)


def test_calls_as_text_are_counted_with_those_that_were_right(tmp_path: Path) -> None:
    tests = json.loads((TOOLS / "single.json").read_text("utf-8"))
    answers = {}
    for place, test in enumerate(tests):
        call = dict(test["expected_calls"][0])
        if place == 0:
            call["arguments"] = {}
        answers[test["id"]] = f"```json\n{json.dumps(call)}\n```"
    card = card_of(tmp_path, tests, "", answers=answers)
    (reason,) = [each for each in card.reasons if "failures of" in each]
    right = len(tests) - 1
    assert f"{len(tests)} answers of {len(tests)} have the tool call as plain text" in reason
    assert f"{right} of them right: template or parser, not the model" in reason
    assert plain_text(card.next).startswith("give the server the model's tool template")


def test_calls_as_text_that_are_all_wrong_are_the_models_own(tmp_path: Path) -> None:
    tests = json.loads((TOOLS / "single.json").read_text("utf-8"))
    card = card_of(tmp_path, tests, '{"name": "do_it", "arguments": {}}')
    (reason,) = [each for each in card.reasons if "failures of" in each]
    assert "none is right" in reason
    assert "not the model" not in reason


def test_a_model_that_is_only_wrong_has_no_cause(tmp_path: Path) -> None:
    card = card_of(tmp_path, words(), "It is Springfield, a city of some size.")
    assert not [each for each in card.reasons if "failures of" in each]


def test_a_translation_that_is_wrong_is_not_in_another_language(tmp_path: Path) -> None:
    tests = [each | {"prompt": f"Translate into Spanish, word {place}: the city is on the coast."}
             for place, each in enumerate(words())]  # fmt: skip
    card = card_of(tmp_path, tests, SPANISH)
    assert not any("another language" in each for each in card.reasons)


def test_all_keywords_strung_together_are_called_an_oracle_and_no_guess(tmp_path: Path) -> None:
    """It has 100 points and knows the answers: guessing is what the best constant scores."""
    answers = {f"word_{place:03d}": city for place, city in enumerate(CITIES.values())}
    card = card_of(tmp_path, words(), "", answers=answers)
    assert "guessing" not in card.decision
    shown = assay.run(f"scripted:{tmp_path / 'model.json'}", suites=tmp_path / "mine",
                      out=tmp_path / "out")  # fmt: skip
    known = shown.models[0].suites[0].baselines
    assert known is not None
    assert known.oracle is not None
    assert (known.oracle.value, known.best) == (100, pytest.approx(100 / 12))
    assert "baseline: an oracle, all keywords in one line" in render_text(
        run_document(shown), width=200
    )
