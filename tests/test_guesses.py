"""What answers without knowledge pass, and what a script scores, on suites of all kinds."""

from pathlib import Path

import pytest

import assay
from assay.suites.load import find, load_suite
from assay.summary.guesses import canned_sentences, framed
from assay.workflow.running.baselines import guesses_of

CHOICES = ["red", "blue", "a long answer that says it all", "green"]


def loaded(bench, tests, **settings):
    return load_suite(Path(bench.suite({"t": tests}, **settings)))


def writing(number, **rules):
    return {
        "id": f"t_{number:03}",
        "prompt": "Write about rain.",
        "eval_method": "format",
        "expected_format": rules,
    }


def kinds(suite):
    return {(each.id, each.kind) for each in guesses_of(suite).named}


def test_a_form_alone_passes_where_nothing_but_the_form_is_asked_for(bench):
    tests = [
        writing(1, starts_with="Once", list_item_count=2),
        writing(2, markdown_elements=["header"], language="en", min_words=12),
    ]
    found = kinds(loaded(bench, tests, language="en"))
    assert ("t_001", "frame") in found
    assert {("t_002", "off_topic")} <= found
    assert ("t_002", "frame") not in found


def test_a_subject_that_is_checked_is_not_guessed(bench):
    test = {
        "id": "t_001",
        "prompt": "Write about how clouds form.",
        "eval_method": "composite",
        "expected_keywords": ["evaporates", "condenses"],
        "expected_format": {"min_words": 8},
    }
    assert kinds(loaded(bench, [test], language="en")) == set()


def test_options_are_named_only_where_more_are_right_than_chance_explains(bench):
    def choice(number, right):
        return {
            "id": f"t_{number:03}",
            "prompt": f"Question {number}?",
            "eval_method": "multiple_choice",
            "choices": CHOICES,
            "expected": right,
        }

    longest = loaded(bench, [choice(n, "C") for n in range(1, 13)])
    assert {kind for _, kind in kinds(longest)} == {"longest_option"}
    spread = loaded(bench, [choice(n, "ABCD"[n % 4]) for n in range(1, 13)])
    assert kinds(spread) == set()
    assert guesses_of(spread).longest_option.value == pytest.approx(0.25)


def test_the_script_has_the_form_that_each_test_asks_for(bench):
    suite = loaded(bench, [writing(1, starts_with="Once", list_item_count=2)], language="sw")
    (case,) = suite.cases
    first, second, _ = canned_sentences(suite)
    assert framed(case, canned_sentences(suite)) == f"Once\n\n- {first}\n- {second}"
    assert "Elimu" in first


def test_validate_warns_of_a_guessed_test_with_a_way_to_repair_it(bench):
    path = bench.suite({"t": [writing(1, starts_with="Once", list_item_count=2)]}, language="en")
    frame, *_ = assay.validate([path])
    assert (frame.severity, frame.test_id, frame.line) == ("warning", "t_001", 1)
    assert "an empty frame passes" in frame.message
    assert "expected_keywords" in frame.message


def test_validate_names_the_files_of_a_guessed_test_as_they_were_given(bench, monkeypatch):
    path = Path(bench.suite({"t": [writing(1, starts_with="Once", list_item_count=2)]}, title=3))
    monkeypatch.chdir(path.parent)
    assert {each.file for each in assay.validate([path.name])} == {f"{path.name}/suite.json"}
    (path / "suite.json").write_text('{"language": "xx"}', "utf-8")
    found = assay.validate([path.name])
    assert {each.file for each in found} == {f"{path.name}/t.json", f"{path.name}/suite.json"}
    assert any("an empty frame passes" in each.message for each in found)


def test_no_list_of_common_words_passes_a_test_of_hardware():
    assert guesses_of(load_suite(find("os"))).named == ()


@pytest.mark.parametrize(("name", "most"), [("ewe", 25.0), ("troubleshooting", 25.0)])
def test_the_script_gets_little_in_shipped_suites(name, most):
    known = guesses_of(load_suite(find(name)))
    assert known.script.value <= most
    assert known.shared_words.value <= 0.30
    kinds = {each.kind for each in known.named}
    assert not kinds & {"frame", "off_topic", "longest_option", "shared_words"}


def test_statistics_show_the_script_beside_the_baselines(bench):
    path = bench.suite({"t": [writing(1, starts_with="Once", list_item_count=2)]}, language="en")
    shown = bench.assay("suites", str(path), "--stats").stdout
    assert "a script with three sentences" in shown
    assert "Tests that baselines pass" in shown
