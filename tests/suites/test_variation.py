"""suite.json `templates` and `rotate`: the same tests in other wordings and orders, by the seed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay import api
from assay.errors import InvalidFiles
from assay.suites.load import load_suite
from assay.types import Suite

WORDINGS = ["{prompt}", "Question: {prompt}\nAnswer:", "Please answer. {prompt}"]
OPTIONS = ["Lomé", "Accra", "Kara", "Tamale"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    options: dict[str, Any] = {"eval_method": "multiple_choice", "choices": OPTIONS}
    tests: list[dict[str, Any]] = [
        {"id": f"capitals_{n:03}", "prompt": f"Capital {n} {{prompt}}?", "expected": "A"} | options
        for n in range(1, 41)
    ]
    tests[0] |= {"prompt": "Which?\nA. Lomé\nB. Accra\nC. Kara\nD. Tamale", "render": False}
    spelled = {"eval_method": "exact_match", "expected": "x"}
    tests.append({"id": "capitals_041", "prompt": "?", **spelled})
    (tmp_path / "capitals.json").write_text(json.dumps(tests))
    (tmp_path / "plain.json").write_text(json.dumps([tests[1] | {"id": "plain_001"}]))
    return tmp_path


def loaded(folder: Path, seed: int = 0, **settings: object) -> Suite:
    (folder / "suite.json").write_text(json.dumps(settings))
    return load_suite(folder, data_seed=seed)


def test_each_test_is_asked_in_one_wording_that_its_id_and_the_seed_draw(folder: Path) -> None:
    suite = loaded(folder, templates={"capitals": WORDINGS})
    asked = [case.prompt for case in suite.categories[0].cases[1:40]]
    begun = [sum(text.startswith(form) for text in asked) for form in ("Capital", "Quest", "Pleas")]
    assert sum(begun) == 39
    assert min(begun) >= 5
    assert asked[0].count("{prompt}") == 1, "what a test itself says is not filled"
    assert suite.categories[1].cases[0].prompt == "Capital 2 {prompt}?", "the category has none"
    assert loaded(folder, templates={"capitals": WORDINGS}) == suite
    other = loaded(folder, 1, templates={"capitals": WORDINGS})
    assert other.source != suite.source
    assert [case.prompt for case in other.categories[0].cases[1:40]] != asked


def test_options_turn_and_the_right_letter_goes_along(folder: Path) -> None:
    cases = loaded(folder, rotate=True).categories[0].cases
    letters = [case.check.gold() for case in cases[1:40]]
    assert {letters.count(letter) > 3 for letter in "ABCD"} == {True}
    for case, letter in zip(cases[1:40], letters, strict=True):
        options = case.check.requests().options
        assert options["ABCD".index(letter or "")] == "Lomé"
        at = OPTIONS.index(options[0])
        assert options == (*OPTIONS[at:], *OPTIONS[:at])
    assert cases[0].check.requests().options == tuple(OPTIONS), "its letters are in the prompt"


def test_each_test_is_asked_in_four_different_ways_or_as_many_as_there_are(folder: Path) -> None:
    suite = loaded(folder, templates={"capitals": WORDINGS}, rotate=True)
    cases = {case.id: case for case in suite.cases}
    for case in cases.values():
        drawn = map(case.drawn, range(case.ways))
        asked = {(each.prompt, each.check.requests().options) for each in drawn}
        assert len(asked) == case.ways
    assert cases["capitals_002"].ways == 4
    assert cases["capitals_041"].ways == 3, "three wordings, and nothing to turn round"
    assert cases["plain_001"].ways == 4, "four orders"
    turned = {cases["plain_001"].drawn(way).check.gold() for way in range(4)}
    assert turned == set("ABCD"), "every place of the right option"
    alone = loaded(folder)
    assert {case.ways for case in alone.cases} == {1}


def test_a_wording_without_the_prompt_and_an_unknown_category_are_mistakes(folder: Path) -> None:
    with pytest.raises(InvalidFiles) as refused:
        loaded(folder, templates={"capitals": ["Answer this:"], "capital": ["{prompt}"]})
    said = [each.message for each in refused.value.findings]
    assert said[0].startswith("'templates.capitals[0]' must be a text with {prompt} in it")
    loaded_without = {"templates": {"capital": ["{prompt}"]}}
    with pytest.raises(InvalidFiles) as refused:
        loaded(folder, **loaded_without)
    assert "did you mean 'capitals'" in refused.value.findings[0].message


def test_a_run_asks_and_scores_what_was_varied(folder: Path, tmp_path: Path) -> None:
    suite = loaded(folder, 3, rotate=True, templates={"capitals": WORDINGS})
    right = {
        case.id: {"repeats": [case.drawn(way).check.gold() for way in range(case.ways)]}
        if case.ways > 1
        else case.check.gold()
        for case in suite.cases
    }
    script = tmp_path / "answers" / "right.json"
    script.parent.mkdir()
    script.write_text(json.dumps({"answers": right}))
    report = api.run(f"scripted:{script}", suites=f"{folder}/", data_seed=3, out=tmp_path / "out")
    assert report.models[0].suites[0].score.value == 100.0
    again = api.run(f"scripted:{script}", suites=f"{folder}/", data_seed=4, out=tmp_path / "out")
    assert (again.models[0].suites[0].score.value or 0) < 80
    assert api.rescore(report.run, out=tmp_path / "out").changed == 0
