"""What a name on the command line means."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import InvalidFiles, SuiteNotFound, UsageError
from assay.suites.load import (
    benchmarks_folder,
    catalogue,
    examine,
    fetched,
    find,
    load_suite,
    shipped,
)

from .conftest import good, put


@pytest.fixture
def ships(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of shipped suites, seen from another folder."""
    folder = tmp_path / "shipped"
    for name in ("coding", "example"):
        put(folder / name / "a.json", [good()])
    (folder / "__pycache__").mkdir()
    here = tmp_path / "here"
    put(here / "example" / "a.json", [good()])
    put(here / "mine" / "a.json", [good()])
    monkeypatch.chdir(here)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "users-data"))
    return folder


def test_only_folders_with_test_files_ship(ships: Path) -> None:
    assert [path.name for path in shipped(ships)] == ["coding", "example"]
    assert shipped(ships / "nowhere") == ()


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("example", "shipped/example"),
        ("./example", "here/example"),
        ("example/", "here/example"),
        ("mine", "here/mine"),
        ("mine/a.json", "here/mine/a.json"),
        (".", "here"),
    ],
)
def test_a_shipped_name_wins_unless_it_is_written_as_a_path(
    argument: str, expected: str, ships: Path
) -> None:
    assert find(argument, ships=ships).path.resolve() == (ships.parent / expected).resolve()


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("exampel", "there is no suite 'exampel'; did you mean 'example'?"),
        ("coding/", "there is no suite 'coding/'; did you mean 'coding'?"),
        ("zzz", "there is no suite 'zzz'"),
        ("gone/zzz", "there is no suite 'gone/zzz'"),
        ("", "there is no suite ''"),
    ],
)
def test_an_unknown_name_says_what_was_meant_and_what_there_is(
    argument: str, message: str, ships: Path
) -> None:
    with pytest.raises(SuiteNotFound) as caught:
        find(argument, ships=ships)
    assert caught.value.message == message
    assert "choose one of: coding, example;" in caught.value.hint


def test_no_shipped_suite_has_a_mistake() -> None:
    assert [f for path in shipped() for f in examine([path]) if f.severity == "error"] == []


# ------------------------------------------------------------------------------------- benchmarks


def test_benchmarks_lie_in_the_project_or_else_in_the_users_data_folder(ships: Path) -> None:
    assert benchmarks_folder() == ships.parent / "users-data" / "assay" / "benchmarks"
    put(Path("SLM/datasets/benchmarks/mmlu/a.json"), [good()])
    assert benchmarks_folder() == Path("SLM/datasets/benchmarks")
    assert find("mmlu", ships=ships).path == Path("SLM/datasets/benchmarks/mmlu")
    assert benchmarks_folder(Path("mine")) == Path("mine")
    with pytest.raises(UsageError, match="no folder of benchmarks at 'gone'"):
        benchmarks_folder(Path("gone"))


def test_a_fetched_suite_has_a_name_like_one_that_ships(ships: Path) -> None:
    benchmarks = Path("b")
    put(benchmarks / "mmlu" / "computer_science.json", [good()])
    put(benchmarks / "mine" / "a.json", [good()])
    put(benchmarks / "hellaswag" / ".fetched.json", {})
    assert [path.name for path in fetched(benchmarks)] == ["mmlu"]
    assert list(catalogue(benchmarks, ships=ships)) == ["coding", "example", "mmlu"]
    put(Path("mmlu/a.json"), [good()])
    assert find("mmlu", benchmarks, ships=ships).path == benchmarks / "mmlu"
    assert find("mmlu/", benchmarks, ships=ships).path == Path("mmlu")


def test_a_suite_that_was_not_fetched_says_how_to_get_it(ships: Path) -> None:
    with pytest.raises(SuiteNotFound) as caught:
        find("mmlu", ships=ships)
    assert "the suite 'mmlu' was not fetched" in caught.value.message
    assert "`assay fetch mmlu`" in caught.value.hint
    assert "`assay fetch mmlu --from DIR`" in caught.value.hint
    with pytest.raises(SuiteNotFound, match="did you mean 'mmlu'"):
        find("mmul", ships=ships)


def test_own_files_take_the_place_of_single_categories_of_os(ships: Path) -> None:
    example = {"eval_method": "exact_match", "expected": "e", "prompt": "Example?"}
    for name in ("driver_select", "hardware_id"):
        put(ships / "os" / f"{name}.json", [good(id=f"{name}_001")])
        put(ships / "os" / "few_shot" / f"{name}.json", [{"id": "few_001", **example}])
    few_shot = {name: f"few_shot/{name}.json" for name in ("driver_select", "hardware_id")}
    put(ships / "os" / "suite.json", {"title": "OS", "few_shot": few_shot, "shots": 1})
    own = Path("b") / "custom_os_eval"
    put(own / "hardware_id.json", [good(id="own_001"), good(id="own_002")])
    put(own / "boot.json", [good()])
    put(own / "suite.json", {"title": "not this one"})
    suite = load_suite(find("os", Path("b"), ships=ships))
    assert (suite.name, suite.title) == ("os", "OS")
    assert [(c.name, [case.id for case in c.cases]) for c in suite.categories] == [
        ("driver_select", ["driver_select_001"]),
        ("hardware_id", ["own_001", "own_002"]),
    ]
    assert {case.suite for case in suite.cases} == {"os"}
    assert suite.elsewhere == {"hardware_id": str((own / "hardware_id.json").absolute())}
    assert [case.id for case in suite.few_shot["hardware_id"]] == ["few_001"]
    assert load_suite(find("os", ships=ships)).elsewhere == {}
    assert load_suite(find("os", ships=ships)).source != suite.source


def test_a_mistake_in_an_own_file_is_shown_with_its_place(ships: Path) -> None:
    put(ships / "os" / "hardware_id.json", [good()])
    put(Path("b/custom_os_eval/hardware_id.json"), [good(colour="red")])
    with pytest.raises(InvalidFiles) as caught:
        load_suite(find("os", Path("b"), ships=ships))
    assert [finding.file for finding in caught.value.findings] == [
        "b/custom_os_eval/hardware_id.json"
    ]


def os_suite(ships: Path) -> Path:
    for name in ("driver_select", "hardware_id", "installation"):
        put(ships / "os" / f"{name}.json", [good(id=f"{name}_001")])
    return Path("b") / "custom_os_eval"


def test_other_files_beside_own_categories_do_no_harm(ships: Path) -> None:
    own = os_suite(ships)
    for name in ("hardware_id.json", "hardware_ids.json", "foo.json", "suite.json"):
        put(own / name, [good()])
    files = find("os", Path("b"), ships=ships)
    assert files.instead == (own / "hardware_id.json",)


def test_a_home_that_is_not_ours_is_no_mistake(
    ships: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a container a program may run with the home of somebody else, or with none."""
    os_suite(ships)
    monkeypatch.setenv("XDG_DATA_HOME", "/dev/null")
    assert list(catalogue(ships=ships)) == ["coding", "example", "os"]
    assert find("os", ships=ships).instead == ()


def test_the_hint_names_the_folder_that_was_given(ships: Path) -> None:
    Path("my b").mkdir()
    with pytest.raises(SuiteNotFound) as caught:
        find("mmlu", Path("my b"), ships=ships)
    assert "`assay fetch mmlu --benchmarks 'my b'`" in caught.value.hint
