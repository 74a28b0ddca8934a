"""A suite's card: balance, sources and what knowing nothing would score."""

from __future__ import annotations

import json

import pytest

from assay.suites.load import SHIPPED

TESTS = [
    {
        "id": "q_001",
        "prompt": "Which one?",
        "eval_method": "multiple_choice",
        "choices": ["red wine", "blue sky", "green hill"],
        "expected": "B",
        "tags": ["colour", "tick sky: blue"],
    },
    {
        "id": "q_002",
        "prompt": "which   ONE?",
        "eval_method": "multiple_choice",
        "choices": ["red wine", "blue sky", "green hill"],
        "expected": "C",
        "tags": ["colour"],
    },
    {"id": "q_003", "prompt": "Two plus two?", "eval_method": "exact_match", "expected": "4"},
]


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "mine"
    made.mkdir()
    (made / "q.json").write_text(json.dumps(TESTS))
    (made / "sources.tsv").write_text("test\tfact\tsource\twhere\nq_001\tsky\ta look up\tthere\n")
    return made


def test_every_figure_is_in_the_document(bench, folder):
    document = bench.document("suites", str(folder))
    category = document["categories"]["q"]
    assert category["tests"] == 3
    assert category["methods"] == {"multiple_choice": 2, "exact_match": 1}
    assert category["letters"] == {"B": 1, "C": 1}
    assert document["sources"] == {"a look up": 1}
    assert category["tags"] == {"colour": 2}
    assert category["words"] == {"fewest": 2, "median": 2, "most": 3}
    guesses = document["baselines"]
    empty = guesses.pop("an empty answer")
    assert (empty["value"], empty["low"], empty["high"]) == (0.0, None, None)
    assert any(one["low"] is not None and one["value"] for one in guesses.values())
    assert document["repeated"] == ["q_002"]


def test_the_card_comes_before_the_tests_on_a_terminal_and_stands_alone_in_markdown(bench, folder):
    shown = bench.assay("suites", str(folder)).stdout
    page = bench.assay("suites", str(folder), "--format", "md").stdout
    for said in ("right options", "a look up", "Tests that ask what another asks: 1 (q_002)"):
        assert said in shown
    assert shown.index("guessing scores") < shown.index("Every test") < shown.index("Two plus two?")
    assert "Two plus two?" not in page
    assert "| right options | B 1, C 1 |" in page
    assert page.startswith("# mine")


def test_the_card_begins_with_what_it_asks_guessing_licence_and_reviews(bench, folder):
    tests = [{**TESTS[0], "reviewed": "Ama, 2026-11-01"}, *TESTS[1:]]
    (folder / "q.json").write_text(json.dumps(tests))
    page = bench.assay("suites", str(folder), "--format", "md").stdout
    brief = page.partition("## q")[0]
    for said in (
        "Which one?",
        "| tests | q 3 |",
        "always “B”",
        "| licence | not stated |",
        "| reviewed by a person | 1 of 3 |",
    ):
        assert said in brief
    assert bench.document("suites", str(folder))["licence"] is None
    assert bench.document("suites", "example")["licence"] == "Apache-2.0, as Assay"


@pytest.fixture
def own_category(bench):
    """A category of `os` that a user replaced, with an id that a shipped test has too."""
    own = bench.folder / "b" / "custom_os_eval" / "hardware_id.json"
    own.parent.mkdir(parents=True)
    test = {
        "id": "hardware_id_001",
        "prompt": "PCI?",
        "eval_method": "exact_match",
        "expected": "a",
    }
    own.write_text(json.dumps([test]))
    return own


def test_facts_about_tests_that_were_replaced_are_not_counted(bench, own_category):
    shipped = bench.document("suites", "os")["sources"]
    found = bench.document("suites", "os", "--benchmarks", "b")["sources"]
    rows = (SHIPPED / "os" / "sources.tsv").read_text("utf-8").splitlines()[1:]
    tests = json.loads((SHIPPED / "os" / "hardware_id.json").read_text("utf-8"))
    gone = {test["id"] for test in tests}
    assert sum(shipped.values()) == len(rows)
    assert sum(found.values()) == sum(row.split("\t")[0] not in gone for row in rows)
    assert sum(found.values()) < sum(shipped.values())


def test_every_form_names_the_file_that_took_the_place_of_a_category(bench, own_category):
    where = ("--benchmarks", "b")
    said = f"hardware_id is not what ships but {own_category}"
    shown = bench.assay("suites", "os", *where).stdout
    assert "".join(said.split()) in "".join(shown.split())  # a terminal wraps it
    assert said in bench.assay("suites", "os", "--format", "md", *where).stdout.replace("\\", "")
    assert bench.document("suites", "os", *where)["elsewhere"] == {"hardware_id": str(own_category)}
    listed = {each["suite"]: each for each in bench.document("suites", *where)["suites"]}
    assert listed["os"]["elsewhere"] == {"hardware_id": str(own_category)}
    assert listed["technical"]["elsewhere"] == {}


def test_the_list_of_suites_is_a_document_too(bench):
    listed = {each["suite"]: each for each in bench.document("suites")["suites"]}
    assert set(listed) == {
        "coding", "data", "everyday", "ewe", "example", "os", "technical", "tools",
        "troubleshooting",
    }  # fmt: skip
    assert listed["os"]["categories"]["driver_select"] == 100
