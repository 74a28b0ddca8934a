"""Test folders: loaded like any test; every mistake with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.checks.judge import Judge
from assay.errors import SandboxUnavailable, UsageError
from assay.suites.load import examine, load_suite
from assay.types import FileFinding
from tests.suites.conftest import good, put

TEST = {
    "id": "sums_001",
    "category": "sums",
    "prompt": "Add up:\n{{note.txt}}",
    "fixtures": ["note.txt"],
    "eval_method": "judge",
    "rubric": "data",
}
CHECK = """\
from assay.checking import Check


def check(answer, truth, files):
    yield Check("total", "3" in answer, "the total is 3")
"""


def write_folder(suite: Path, name: str = "sums_1", **files: Any) -> Path:
    """A sound test folder; a file given as None is left out, `a__b` is `a/b`."""
    whole: dict[str, Any] = {
        "test.json": TEST,
        "check.py": CHECK,
        "note.txt": "1\n2\n",
        "reference.md": "3",
        "wrong/four.md": "total\n4",
    }
    for name_, content in {**whole, **files}.items():
        if content is not None:
            put(suite / name / name_.replace("__", "/"), content)
    return suite / name


def findings(suite: Path, severity: str = "error") -> list[FileFinding]:
    return [each for each in examine([suite]) if each.severity == severity]


def test_a_folder_is_a_test_beside_the_entries_of_its_category(tmp_path: Path) -> None:
    put(tmp_path / "sums.json", [good(id="sums_002")])
    put(tmp_path / "suite.json", {"weights": {"sums": 2, "words": 1}})
    put(tmp_path / "notes" / "readme.txt", "no test")
    write_folder(tmp_path)
    write_folder(tmp_path, "w", **{"test.json": {**TEST, "id": "w_001", "category": "words"}})
    suite = load_suite(tmp_path)
    assert [(each.name, [case.id for case in each.cases]) for each in suite.categories] == [
        ("sums", ["sums_002", "sums_001"]),
        ("words", ["w_001"]),
    ]
    case = suite.categories[0].cases[1]
    assert case.prompt == "Add up:\n1\n2"
    assert isinstance(case.check, Judge)
    assert case.check.checker_folder == tmp_path / "sums_1"
    assert case.check.needs_permission
    assert not case.check.checker_ships


def test_a_suite_may_be_nothing_but_folders_with_the_prompt_in_a_page(tmp_path: Path) -> None:
    test = {name: value for name, value in TEST.items() if name != "prompt"}
    write_folder(tmp_path, **{"test.json": test, "prompt.md": "\ufeffAdd {{note.txt}}.\n"})
    (case,) = load_suite(tmp_path).cases
    assert case.prompt == "Add 1\n2."


def test_every_file_of_a_folder_is_part_of_what_the_suite_is(tmp_path: Path) -> None:
    folder = write_folder(tmp_path)
    sources = {load_suite(tmp_path).source}
    for name in ("check.py", "reference.md", "wrong/four.md", "more.csv"):
        with (folder / name).open("a") as file:
            file.write("\n")
        sources.add(load_suite(tmp_path).source)
    assert len(sources) == 5
    put(folder / "__pycache__" / "check.pyc", "x")
    assert load_suite(tmp_path).source in sources


MISTAKES: list[tuple[dict[str, Any], str, str]] = [
    ({"check.py": None}, "test.json:1:1", "check.py is missing"),
    ({"check.py": "def check(:\n"}, "check.py:1:11", "not valid Python: invalid syntax"),
    ({"check.py": "x = 1\n"}, "check.py:1:1", "there is no function check(answer, truth, files)"),
    ({"check.py": "\ndef check(answer): ...\n"}, "check.py:2:1", "must be check(answer, truth, fi"),
    ({"make.py": "x = 1\n"}, "make.py:1:1", "there is no function make(seed)"),
    ({"reference.md": None}, "test.json:1:1", "reference.md is missing"),
    ({"reference.md": " \n"}, "reference.md:1:1", "the file is empty"),
    ({"wrong/four.md": "\n4"}, "wrong/four.md:1:1", "the first line must name the checks"),
    ({"prompt.md": "Add."}, "test.json:1:40: sums_001", "the prompt is here and in prompt.md"),
    ({"test.json": {**TEST, "colour": 1}}, "test.json:1:", "unknown field 'colour'"),
    ({"test.json": {**TEST, "run_code": True}}, "test.json:1:", "did you mean 'runs_code'?"),
    ({"test.json": [TEST]}, "test.json:1:1", "one test in braces, not a list"),
    ({"test.json": {**TEST, "category": "a/b"}}, "test.json:1:", "'category' must be a name"),
    ({"test.json": {"category": "a", **good()}}, "test.json:1:", '"eval_method": "judge", not "k'),
    ({"test.json": {**TEST, "runs_code": "yes"}}, "test.json:1:", "'runs_code'"),
    (
        {"test.json": {key: TEST[key] for key in TEST if key != "category"}},
        "test.json:1:1",
        "'category' is missing",
    ),
    ({"test.json": {**TEST, "prompt": None}}, "test.json:1:", "'prompt'"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "place", "message"), MISTAKES)
def test_a_mistake_in_a_folder_is_told_with_its_place(
    tmp_path: Path, files: dict[str, Any], place: str, message: str
) -> None:
    folder = write_folder(tmp_path, **files)
    found = list(map(str, findings(tmp_path)))
    assert [each for each in found if f"{folder}/{place}" in each and message in each], found


def test_ids_are_unique_over_entries_and_folders(tmp_path: Path) -> None:
    put(tmp_path / "sums.json", [good(id="sums_001")])
    write_folder(tmp_path)
    (found,) = findings(tmp_path)
    assert found.file.endswith("sums_1/test.json")
    assert "duplicate id, already used in" in found.message


def test_a_test_folder_named_as_a_suite_says_what_to_name(tmp_path: Path) -> None:
    (found,) = findings(write_folder(tmp_path))
    assert "name the suite's folder" in found.message


def test_a_rubric_that_is_unknown_or_broken_is_found_where_it_is_named(tmp_path: Path) -> None:
    def refuse(name: str, beside: Path) -> None:
        assert beside == tmp_path
        raise UsageError(f"there is no rubric '{name}'", hint="Name another.")

    write_folder(tmp_path)
    (found,) = [each for each in examine([tmp_path], check_rubric=refuse) if "rubric" in str(each)]
    assert found.test_id == "sums_001"
    assert found.message == "there is no rubric 'data'. Name another."
    assert found.column == json.dumps(TEST).index('"data"') + 1


def test_the_code_of_a_user_is_not_run_by_looking_at_it(tmp_path: Path) -> None:
    trap = f"open({str(tmp_path / 'ran')!r}, 'w')\ndef make(seed): ...\n"
    write_folder(tmp_path, **{"make.py": trap, "check.py": trap.replace("make(seed)", "check(*a)")})
    assert not findings(tmp_path)
    load_suite(tmp_path)
    assert not (tmp_path / "ran").exists()


def test_a_make_py_that_nothing_can_confine_is_refused_by_its_test(tmp_path: Path) -> None:
    def no_sandbox() -> Any:
        raise SandboxUnavailable("no sandbox: none", hint="Install one.")

    write_folder(tmp_path, **{"make.py": "def make(seed): ...\n"})
    with pytest.raises(SandboxUnavailable) as refused:
        load_suite(tmp_path, get_sandbox=no_sandbox)
    assert refused.value.message == "make.py of sums_001 cannot be run: no sandbox: none"
    assert refused.value.hint == "Install one."
