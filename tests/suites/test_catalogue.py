"""What a name on the command line means."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import SuiteNotFound
from assay.suites.catalogue import find, shipped
from assay.suites.load import examine

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
    assert find(argument, ships).resolve() == (ships.parent / expected).resolve()


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("exampel", "there is no suite 'exampel'; did you mean 'example'?"),
        ("./mien", "there is no suite './mien'; did you mean 'mine'?"),
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
        find(argument, ships)
    assert caught.value.message == message
    assert "Suites that ship: coding, example." in caught.value.hint


def test_no_shipped_suite_has_a_mistake() -> None:
    assert [f for path in shipped() for f in examine([path]) if f.severity == "error"] == []
