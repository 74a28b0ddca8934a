"""What a sound suite becomes."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.checks.command_sequence import CommandSequence
from assay.checks.composite import Composite, Weights
from assay.checks.exact_match import ExactMatch
from assay.checks.format import Format, Rules
from assay.checks.judge import Judge
from assay.checks.keywords import Keywords
from assay.checks.multiple_choice import MultipleChoice
from assay.checks.top_k import TopK
from assay.errors import InvalidFiles, SuiteNotFound, UsageError
from assay.store.bodies import content_hash, read_back, to_json
from assay.suites.load import examine, load_all, load_suite, pick_all
from assay.types import Message, Suite
from tests.conftest import no_hang

from .conftest import WriteSuite, asking, good, put

CHECKS = [
    (asking("exact_match", expected="x"), ExactMatch(expected=("x",))),
    (asking("exact_match", expected=["1", "2"], normalize="number"),
     ExactMatch(expected=("1", "2"), normalize="number")),
    (asking("keywords", expected_keywords=["one", ["two", "deux"]], forbidden_keywords=["no"]),
     Keywords(expected_keywords=(("one",), ("two", "deux")), forbidden_keywords=(("no",),))),
    (asking("multiple_choice", expected="b", choices=["x", "y"], score_by="text"),
     MultipleChoice(expected="B", choices=("x", "y"), score_by="text")),
    (asking("format", expected_format={"min_words": 3, "markdown_elements": ["list", "list"]}),
     Format(expected_format=Rules(min_words=3, markdown_elements=("list",)))),
    (asking("composite", expected_keywords=["agbe"], expected_format={"contains_ewe": True}),
     Composite(expected_keywords=(("agbe",),), expected_format=Rules(contains_ewe=True))),
    (asking("composite", expected_keywords=["agbe"], weights={"keywords": 3}),
     Composite(expected_keywords=(("agbe",),),
               weights=Weights(keywords=3.0))),
    (asking("top_k", expected_any=["a", "b"], match="module"),
     TopK(expected_any=("a", "b"), k=3, match="module")),
    (asking("command_sequence", expected_commands=["ls", ["cat x", "less x"]]),
     CommandSequence(expected_commands=(("ls",), ("cat x", "less x")))),
    (asking("judge", rubric="coding", checklist=["Runs?", {"q": "é"}]),
     Judge(rubric="coding", checklist=("Runs?", '{"q": "é"}'))),
    (asking("judge", rubric="data", requirements=["A summary"], evaluation_points=["Accuracy"],
            fixtures=["sales.csv"]),
     Judge(rubric="data", requirements=("A summary",), evaluation_points=("Accuracy",),
           fixtures=("sales.csv",))),
]  # fmt: skip


@pytest.mark.parametrize(("test", "check"), CHECKS, ids=lambda value: type(value).__name__)
def test_a_test_becomes_its_check(test: object, check: object, write_suite: WriteSuite) -> None:
    (case,) = load_suite(write_suite({"a": [test]})).cases
    assert case.check == check


def test_a_folder_is_a_suite_of_its_json_files_in_order_of_name(write_suite: WriteSuite) -> None:
    folder = write_suite(
        {"b": [good(id="b_001")], "a": [good(), good(id="a_002")]},
        extra={"sub/c.json": [good(id="c_001")], ".hidden.json": "[", "notes.txt": "x"},
    )
    suite = load_suite(folder)
    assert (suite.name, suite.path) == ("tests", str(folder))
    assert [category.name for category in suite.categories] == ["a", "b"]
    assert [case.id for case in suite.cases] == ["a_001", "a_002", "b_001"]
    assert {case.suite for case in suite.cases} == {"tests"}


def test_the_name_does_not_hang_on_how_the_path_is_written(
    write_suite: WriteSuite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write_suite({"a": [good()]}))
    assert load_suite(Path()).name == load_suite(Path("../tests/")).name == "tests"
    assert load_suite(Path("a.json")).name == "a"
    assert load_suite(Path("suite.json").parent).name == "tests"


def test_the_system_prompt_is_the_tests_own_else_its_message_else_the_suites(
    write_suite: WriteSuite,
) -> None:
    talk = [{"role": "system", "content": "message"}, {"role": "user", "content": "Hi"}]
    tests = [
        good(system="own"),
        good(id="a_002", prompt=None, messages=talk),
        good(id="a_003"),
        good(id="a_004", system=""),
    ]
    cases = list(load_suite(write_suite({"a": tests}, {"system": "suite"})).cases)
    assert [case.system for case in cases] == ["own", "message", "suite", ""]
    assert cases[1].messages == (Message("user", "Hi"),)
    bare = load_suite(write_suite({"a": [good()]}, {}))
    assert next(bare.cases).system is None


REVIEWS = "Ama Mensah, 2026-11-20; Kofi, 2026-11-21; Kofi, 2026-11-22"


def test_optional_fields_and_what_the_suite_says_reach_the_case(write_suite: WriteSuite) -> None:
    test = good(temperature=1, max_tokens=9, stop="\n", tags=["x"], description="d")
    test["reviewed"] = REVIEWS
    settings = {"language": "ee", "scoring": "ewebench-1.0", "pass_mark": 1, "title": "T"}
    suite = load_suite(write_suite({"a": [test]}, {**settings, "version": "2"}))
    (case,) = suite.cases
    assert (case.temperature, case.max_tokens, case.stop) == (1.0, 9, ("\n",))
    assert (case.tags, case.reviewed, case.description) == (("x",), REVIEWS, "d")
    assert (suite.reviewed, suite.reviewers) == (1, ("Ama Mensah", "Kofi"))
    assert (case.language, case.scoring) == ("ee", "ewebench-1.0")
    assert (suite.title, suite.version, suite.pass_mark) == ("T", "2", 1.0)


@pytest.mark.parametrize("stored", ["true", "false"])
def test_an_earlier_store_that_only_says_reviewed_is_read_and_names_nobody(
    write_suite: WriteSuite, stored: str
) -> None:
    now = load_suite(write_suite({"a": [good()]}))
    text = to_json(now, Suite).replace('"reviewed":null', f'"reviewed":{stored}')
    earlier = read_back(Suite, text)
    assert text != to_json(now, Suite)
    assert (earlier.reviewed, earlier.reviewers) == (0, ())
    assert content_hash(earlier) == content_hash(now)


def test_without_suite_json_nothing_is_assumed(write_suite: WriteSuite) -> None:
    suite = load_suite(write_suite({"a": [good()]}))
    assert (suite.weights, suite.system, suite.language) == ({}, None, None)
    assert (suite.pass_mark, suite.scoring, suite.shots) == (0.7, "standard", 0)


def test_a_category_without_a_weight_counts_one(write_suite: WriteSuite) -> None:
    folder = write_suite({"a": [good()], "b": [good(id="b_001")]}, {"weights": {"a": 3}})
    suite = load_suite(folder)
    assert (suite.weight("a"), suite.weight("b")) == (3.0, 1.0)


def test_one_category_file_is_a_suite_and_minds_the_suite_json_beside_it(
    write_suite: WriteSuite,
) -> None:
    folder = write_suite(
        {"a": [good()], "b": [good(id="b_001")]},
        {"system": "Yawo", "weights": {"a": 0, "b": 1, "gone": 1}, "pass_mark": 0.5},
    )
    suite = load_suite(folder / "a.json")
    assert (suite.name, suite.system, suite.pass_mark) == ("a", "Yawo", 0.5)
    assert suite.weight("a") == 1
    assert [case.id for case in suite.cases] == ["a_001"]


def test_a_suite_json_stands_for_its_folder(write_suite: WriteSuite) -> None:
    folder = write_suite({"a": [good()]}, {"titel": "x"})
    assert examine([folder / "suite.json"]) == examine([folder]) != ()


def test_an_id_twice_names_the_first_file(write_suite: WriteSuite) -> None:
    folder = write_suite({"a": [good(id="x_001"), good(id="x_002")], "b": [good(id="x_002")]})
    (finding,) = examine([folder])
    assert finding.message == f"duplicate id, already used in {folder}/a.json"
    assert (finding.file, finding.test_id, finding.column) == (f"{folder}/b.json", "x_002", 9)


def test_all_files_are_checked_before_anything_is_refused(write_suite: WriteSuite) -> None:
    folder = write_suite({"a": "[", "b": [good(id="b 1")], "c": [good(x=1)]}, {"shots": -1})
    with pytest.raises(InvalidFiles) as caught:
        load_suite(folder)
    assert [Path(f.file).name for f in caught.value.findings] == [
        "a.json", "b.json", "c.json", "suite.json",
    ]  # fmt: skip
    assert caught.value.message == f"4 mistakes in {folder}"
    assert caught.value.hint


def test_a_category_is_read_although_another_has_a_mistake(write_suite: WriteSuite) -> None:
    folder = write_suite({"a": [good()], "b": [{"id": "b_001"}]})
    with pytest.raises(InvalidFiles):
        load_suite(folder)
    with pytest.raises(InvalidFiles):
        load_suite(folder, categories=["b"])
    (picked,) = pick_all([load_suite(folder, categories=["a"])], ["a"])
    assert [case.category for case in picked.cases] == ["a"]


def test_warnings_alone_do_not_refuse(write_suite: WriteSuite) -> None:
    folder = write_suite({"a": [good(id="odd")]})
    assert load_suite(folder)
    put(folder / "b.json", [])
    with pytest.raises(InvalidFiles) as caught:
        load_suite(folder)
    assert {finding.severity for finding in caught.value.findings} == {"error"}


def test_a_path_with_nothing_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(SuiteNotFound, match="there is no suite at"):
        load_suite(tmp_path / "gone")


def test_mistakes_of_several_suites_come_together(tmp_path: Path) -> None:
    put(tmp_path / "one" / "a.json", [])
    put(tmp_path / "two" / "b.json", [])
    with pytest.raises(InvalidFiles) as caught:
        load_all([tmp_path / "one", tmp_path / "two"])
    assert len(caught.value.findings) == 2


def test_two_suites_of_one_name_are_refused(tmp_path: Path) -> None:
    put(tmp_path / "one" / "x" / "a.json", [good()])
    put(tmp_path / "two" / "x" / "a.json", [good()])
    with pytest.raises(UsageError, match="two suites are named 'x'"):
        load_all([tmp_path / "one" / "x", tmp_path / "two" / "x"])


def test_a_suite_named_twice_is_loaded_once_in_the_order_of_first_mention(tmp_path: Path) -> None:
    put(tmp_path / "one" / "a.json", [good()])
    put(tmp_path / "two" / "a.json", [good()])
    one, two = tmp_path / "one", tmp_path / "two"
    suites = load_all([one, two, two / ".." / "one", one / "suite.json" / ".."])
    assert [suite.name for suite in suites] == ["one", "two"]


def test_a_folder_named_twice_is_examined_once(tmp_path: Path) -> None:
    put(tmp_path / "one" / "a.json", [good(x=1)])
    (finding,) = examine([tmp_path / "one", tmp_path / "one" / ".." / "one"])
    assert finding.file == str(tmp_path / "one" / "a.json")


def test_four_thousand_mistakes_on_one_line_are_all_placed(
    write_suite: WriteSuite,
) -> None:
    # The start of the line was looked for anew from every mistake: 114 s for 50 MB.
    folder = write_suite({"a": [good(id=f"a_{n:06}", tempo=1) for n in range(4_000)]})
    with no_hang():
        found = examine([folder])
    assert len(found) == 4_000
    assert {finding.line for finding in found} == {1}


def test_ten_thousand_sound_tests_have_no_finding(write_suite: WriteSuite) -> None:
    sound = [good(id=f"a_{number:05}", description="x" * 100) for number in range(10_000)]
    folder = write_suite({"a": sound})
    assert examine([folder]) == ()


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs /proc")
def test_a_file_that_cannot_be_read_is_a_finding(tmp_path):
    (tmp_path / "a.json").write_text("[]")
    (tmp_path / "b.json").symlink_to("/proc/self/mem")  # a regular file that root cannot read
    with pytest.raises(InvalidFiles) as refused:
        load_suite(tmp_path)
    assert any("cannot be read" in str(each) for each in refused.value.findings)
