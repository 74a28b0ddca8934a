"""A sheet for a speaker: written, filled in by somebody who may do anything, and taken back."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from assay.api import import_reviews, review_sheet
from assay.errors import AssayError
from assay.suites.load import load_suite
from assay.suites.review_sheet import HEADS, SheetResult
from tests.browser import Browser
from tests.conftest import Bench
from tests.suites.conftest import WriteSuite

TESTS = [
    {"id": "a_001", "prompt": "=1+1?", "eval_method": "exact_match", "expected": "tsi",
     "expected_keywords": ["of another method"], "reviewed": "Kofi, 2025-01-30"},
    {"id": "a_002", "prompt": "Welk?", "eval_method": "multiple_choice", "choices": ["x", "y"],
     "expected": "B"},
    {"id": "a_003", "prompt": "Say it.", "eval_method": "composite", "reviewed": "Kofi, 2025-01-31",
     "expected_keywords": [["ame", "amewo"], "tsi"], "reference": "Ame la no tsi."},
    {"id": "a_004", "eval_method": "keywords", "expected_keywords": ["tsi"],
     "messages": [{"role": "user", "content": "Hi?"}]},
]  # fmt: skip


@pytest.fixture
def suite(write_suite: WriteSuite) -> Path:
    return write_suite({"a": TESTS}, {"language": "ee"})


@pytest.fixture
def sheet(suite: Path, tmp_path: Path) -> Path:
    return review_sheet(str(suite), tmp_path / "sheets")[0]


def rows_of(sheet: Path) -> list[dict[str, str]]:
    heads, *rows = csv.reader(io.StringIO(sheet.read_text("utf-8-sig"), newline=""))
    assert heads == list(HEADS)
    names = [head.split()[0] for head in heads]
    return [dict.fromkeys(names, "") | dict(zip(names, row, strict=False)) for row in rows]


def fill(sheet: Path, cells: Mapping[int, Mapping[str, str]], **how: str) -> Path:
    """The sheet with these cells; `encoding` and `delimiter` as another program would save it."""
    rows = rows_of(sheet)
    for at, more in cells.items():
        rows[at] |= more
    made = io.StringIO(newline="")
    writer = csv.writer(made, delimiter=how.get("delimiter", ","))
    writer.writerows([HEADS, *(row.values() for row in rows)])
    sheet.write_bytes(made.getvalue().encode(how.get("encoding", "utf-8-sig"), "replace"))
    return sheet


def take(sheet: Path, suite: Path | None) -> SheetResult:
    (result,) = import_reviews([sheet], suite=suite)
    return result


def reasons(result: SheetResult) -> dict[int, str]:
    return {finding.line: finding.message for finding in result.refused}


YES = {"ok": "oui", "reviewer": "Ama Mensah", "date": "2026-11-20"}


def test_a_sheet_shows_what_each_test_asks_and_accepts_and_no_cell_is_a_formula(
    sheet: Path,
) -> None:
    first, second, third, fourth = rows_of(sheet)
    assert (first["question"], first["answer"]) == ("'=1+1?", "tsi")
    assert (second["options"], second["answer"]) == ("x | y", "B (y)")
    assert (third["answer"], third["keywords"]) == ("Ame la no tsi.", "ame / amewo | tsi")
    assert fourth["question"] == "user: Hi?"
    assert {row["suite"] for row in rows_of(sheet)} == {"tests"}
    assert len({row["version"] for row in rows_of(sheet)}) == 4


def test_a_verdict_leaves_name_and_date_and_the_file_as_it_is_written(
    suite: Path, sheet: Path
) -> None:
    file = suite / "a.json"
    before = file.read_text("utf-8")
    result = take(fill(sheet, {0: YES, 1: {"ok": "x"}, 2: {"ok": "yes"}}), suite)
    tests = json.loads(file.read_text("utf-8"))
    assert [test.get("reviewed") for test in tests] == [
        "Kofi, 2025-01-30; Ama Mensah, 2026-11-20",
        result.reviewed["a_002"],
        "Kofi, 2025-01-31; " + result.reviewed["a_002"],
        None,
    ]
    assert result.reviewed["a_002"].startswith("Ama Mensah, 20"), "a name counts for rows below"
    assert file.read_text("utf-8").startswith(before.partition("Kofi")[0])
    assert file.read_text("utf-8").endswith(before.rpartition("a_004")[2])
    assert take(sheet, suite).refused == [], "the same sheet again changes nothing more"
    assert json.loads(file.read_text("utf-8")) == tests
    assert load_suite(suite).reviewed == 3


def test_a_sheet_of_another_suites_ids_is_refused_without_a_guess_at_each(
    suite: Path, sheet: Path
) -> None:
    # A guess among 100,000 tests takes 40 ms.
    heads, first = sheet.read_text("utf-8-sig").splitlines()[:2]
    row = first.replace("a_001", "a_01") + ",,,oui,,,,,,Ama,2026-11-20"
    sheet.write_text("\n".join([heads, *[row] * 80]), "utf-8")
    said = [*reasons(take(sheet, suite)).values()]
    assert len(said) == 80
    assert sum("did you mean 'a_001'?" in each for each in said) == 51


def test_corrections_are_written_and_a_remark_is_left_to_people(suite: Path, sheet: Path) -> None:
    cells = {
        0: YES | {"ok": "non", "new_answer": "tsi | tsia", "new_question": "'=2+2?"},
        1: {"new_answer": "A", "new_options": "ɖeka | eve"},
        2: {"new_keywords": "ame | nutsi / tsi", "comment": "two\nlines"},
        3: {"ok": "no"},
    }
    result = take(fill(sheet, cells), suite)
    first, second, third, fourth = json.loads((suite / "a.json").read_text("utf-8"))
    assert (first["expected"], first["prompt"]) == (["tsi", "tsia"], "=2+2?")
    assert (second["expected"], second["choices"]) == ("A", ["ɖeka", "eve"])
    assert third["expected_keywords"] == ["ame", ["nutsi", "tsi"]]
    assert fourth == TESTS[3], "said to be wrong, and not how"
    assert [name for name, _ in result.remarks] == ["a_003", "a_004"]
    assert len(result.corrected) == 5


def test_without_a_folder_nothing_is_written_and_only_a_shipped_suite_is_found(
    suite: Path, sheet: Path, tmp_path: Path
) -> None:
    fill(sheet, {0: YES})
    with pytest.raises(AssayError, match="'tests', which does not ship"):
        take(sheet, None)
    shipped, _ = review_sheet("ewe", tmp_path / "ewe")
    result = take(fill(shipped, {0: YES}), None)
    assert list(result.reviewed) == ["calendar_001"]
    assert not any(load_suite(Path(file)).reviewed for file in result.texts)


def test_a_row_about_another_version_of_its_test_is_refused_and_the_others_go_on(
    suite: Path, sheet: Path
) -> None:
    fill(sheet, {0: YES, 1: YES})
    tests = json.loads((suite / "a.json").read_text("utf-8"))
    tests[0]["expected"] = "dzo"
    (suite / "a.json").write_text(json.dumps(tests), "utf-8")
    result = take(sheet, suite)
    assert list(result.reviewed) == ["a_002"]
    assert "'a_001' has changed since this sheet was made" in reasons(result)[2]


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"id": "a_01"}, "there is no test 'a_01'; did you mean 'a_001'?"),
        ({"id": "../../x"}, "there is no test '../../x'"),
        ({"suite": "ewe"}, "of the suite 'ewe', not of 'tests'"),
        ({"ok": "perhaps"}, "'perhaps' under ok is neither yes nor no"),
        ({"new_answer": "#REF!"}, "an error of the spreadsheet, #REF!"),
        ({"new_options": "a | b"}, "'a_001' has no options that a cell could correct"),
        ({"id": "a_002", "new_answer": "Q"}, "'a_002' is in the sheet twice"),
        ({"reviewer": " "}, "the reviewer's name is missing"),
        ({"date": "in 2025"}, "'reviewed' must be \"Name, YYYY-MM-DD\""),
        ({"new_keywords": "x"}, "'a_001' has no keywords that a cell could correct"),
    ],
)
def test_a_row_that_cannot_be_taken_is_refused_with_its_reason(
    suite: Path, sheet: Path, cells: dict[str, str], reason: str
) -> None:
    before = (suite / "a.json").read_bytes()
    if cells.get("id") == "a_002":
        cells = cells | {"version": rows_of(sheet)[1]["version"]}
        result = take(fill(sheet, {1: YES, 2: YES | cells}), suite)
        assert list(result.reviewed) == ["a_002"]
    else:
        result = take(fill(sheet, {0: YES | cells}), suite)
        assert (suite / "a.json").read_bytes() == before
    (said,) = reasons(result).values()
    assert reason in said


def test_a_correction_that_would_break_its_test_is_refused(
    suite: Path, sheet: Path, bench: Bench
) -> None:
    fill(sheet, {0: YES, 1: {"new_answer": "Q"}})
    done = bench.assay("import", str(sheet), "--suite", str(suite))
    assert done.returncode == 2
    assert re.search(r"tests-review\.csv:3:1: a_002: error: .*'Q'", done.stdout)
    assert "a_001: reviewed by Kofi, 2025-01-30; Ama Mensah, 2026-11-20\n" in done.stdout
    assert "tests reviewed: 1, corrections: 0, rows refused: 1" in done.stderr
    assert json.loads((suite / "a.json").read_text("utf-8"))[1] == TESTS[1]


@pytest.mark.parametrize("how", [{"delimiter": ";"}, {"delimiter": "\t", "encoding": "utf-8"}])
def test_a_sheet_is_read_as_french_and_other_spreadsheets_save_it(
    suite: Path, sheet: Path, how: dict[str, str]
) -> None:
    result = take(fill(sheet, {0: YES | {"new_answer": "ɖeka"}}, **how), suite)
    assert result.corrected == [("a_001", "expected", "tsi", "ɖeka")]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("id;ok\na_001;é\n".encode("cp1252"), "not UTF-8"),
        (b"id,version,ok\na_001,1,yes\n", "the columns suite, reviewer are missing"),
        (b'suite,id,version,ok,reviewer\ntests,"a', "cannot be read from here on"),
        (b"", "columns"),
        (b"suite,id,version,ok,reviewer\ntests,a_001,1,,\n", "no row of "),
    ],
    ids=["cp1252", "columns", "quote", "empty", "untouched"],
)
def test_a_file_that_is_no_sheet_is_refused_in_words(
    suite: Path, tmp_path: Path, data: bytes, reason: str
) -> None:
    (tmp_path / "x.csv").write_bytes(data)
    with pytest.raises(AssayError) as refused:
        import_reviews([tmp_path / "x.csv"], suite=suite)
    assert reason in str(refused.value)


def test_the_page_saves_the_same_sheet_and_obeys_no_text_of_a_test(
    browser: Browser, write_suite: WriteSuite, tmp_path: Path
) -> None:
    hostile = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>"
    suite = write_suite({"a": [{**TESTS[0], "prompt": hostile}, *TESTS[1:]]}, {"language": "ee"})
    sheet, page = review_sheet(str(suite), tmp_path / "sheets")
    browser.open(page.as_uri())
    browser.show(width=400)
    assert hostile in browser.text()
    assert not browser.scrolls_sideways()
    assert browser.find_faults() == []
    browser.find("#reviewer").send_keys("Ama")
    browser.run("document.querySelectorAll('input[type=radio]')[0].click()")
    browser.run("document.querySelectorAll('summary')[1].click()")
    browser.find("#a_002-new_answer").send_keys("A")
    sheet.write_text(browser.run("return sheet()"), "utf-8", newline="")
    assert browser.complaints() == []
    result = take(sheet, suite)
    assert result.refused == []
    assert list(result.reviewed) == ["a_001", "a_002"]
    assert result.corrected == [("a_002", "expected", "B", "A")]


def test_a_list_with_a_pipe_in_it_and_a_suite_of_test_folders_are_left_to_people(
    write_suite: WriteSuite, tmp_path: Path
) -> None:
    test = {"id": "a_001", "prompt": "?", "eval_method": "top_k", "expected_any": ["a | b", "c"]}
    suite = write_suite({"a": [test]}, {"title": "T"})
    sheet, _ = review_sheet(str(suite), tmp_path / "sheets")
    result = take(fill(sheet, {0: YES | {"new_answer": "d"}}), suite)
    assert "'a_001' has no answer that a cell could correct" in reasons(result)[2]
    with pytest.raises(AssayError, match="which no sheet shows"):
        review_sheet("data", tmp_path)


def test_what_cannot_be_written_is_said(suite: Path, sheet: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(AssayError, match="cannot be written"):
        review_sheet(str(suite), tmp_path / "file" / "sheets")
    assert not os.path.exists(suite / ".a.json.new")
