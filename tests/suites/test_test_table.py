"""A table of tests, as spreadsheets save it: encodings, separators, mistakes with their lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay import api
from assay.errors import InvalidFiles, UsageError


def made(folder: Path, table: str | bytes, **options: str) -> dict[str, list[dict[str, object]]]:
    """The category files that a table becomes; none where it is refused."""
    file = folder / "quiz.csv"
    file.write_bytes(table.encode() if isinstance(table, str) else table)
    suite = api.new_suite(folder / "made", table=file, **options)
    assert [each for each in api.validate([suite]) if each.severity == "error"] == []
    files = [each for each in sorted(suite.glob("*.json")) if each.name != "suite.json"]
    return {each.stem: json.loads(each.read_text("utf-8")) for each in files}


def refused(folder: Path, table: str | bytes) -> list[str]:
    with pytest.raises(InvalidFiles) as error:
        made(folder, table)
    assert [each.name for each in folder.iterdir()] == ["quiz.csv"], "nothing was written"
    return [str(each).removeprefix(f"{folder}/quiz.csv:") for each in error.value.findings]


def test_a_missing_table_is_answered_with_the_nearest_name(tmp_path: Path) -> None:
    (tmp_path / "quiz.csv").write_text("question,answer\n")
    for typed, near in (("quiz.cvs", "; did you mean 'quiz.csv'?"), ("zzzzzz", "no such file")):
        with pytest.raises(InvalidFiles) as error:
            api.new_suite(tmp_path / "made", table=tmp_path / typed)
        (finding,) = error.value.findings
        assert finding.message.endswith(near)
        assert "Check the path." in error.value.hint


def test_a_sheet_of_excel_in_french_becomes_a_suite(tmp_path: Path) -> None:
    table = (
        "\ufeffcatégorie;Question;Réponse;A;B;C;temperature;reviewed;mots-clés\r\n"
        'capitales;"Capitale du Togo ?\r\nUn mot.";Lomé | Lome;;;;0,5;;\r\n'
        ";Laquelle ?;B;Accra;Lomé;;;Ama, 2026-11-18;\r\n"
        ";;;;;;;;\r\n"
        "gaz;Quels gaz ?;;;;;;;azote / N2 | oxygène\r\n"
    )
    assert made(tmp_path, table, language="fr") == {
        "capitales": [
            {
                "id": "capitales_001",
                "eval_method": "exact_match",
                "prompt": "Capitale du Togo ?\r\nUn mot.",
                "expected": ["Lomé", "Lome"],
                "temperature": 0.5,
            }
        ],
        "gaz": [
            {
                "id": "gaz_001",
                "eval_method": "keywords",
                "prompt": "Quels gaz ?",
                "expected_keywords": [["azote", "N2"], "oxygène"],
            }
        ],
        "quiz": [
            {
                "id": "quiz_001",
                "eval_method": "multiple_choice",
                "prompt": "Laquelle ?",
                "expected": "B",
                "choices": ["Accra", "Lomé"],
                "reviewed": "Ama, 2026-11-18",
            }
        ],
    }


def test_formulas_and_structures_are_what_is_written(tmp_path: Path) -> None:
    table = (
        "id\tprompt\teval_method\texpected_format\texpected\n"
        'json_001\t=HYPERLINK("http://x")\tformat\t"{""json"": true}"\t\n'
        "sum_001\tOne and one?\t\t\t=1+1\n"
    )
    first, second = made(tmp_path, table)["quiz"]
    assert first["prompt"] == '=HYPERLINK("http://x")'
    assert (first["expected_format"], second["expected"]) == ({"json": True}, "=1+1")


def test_every_mistake_is_shown_with_its_line_and_nothing_is_written(tmp_path: Path) -> None:
    table = (
        "category,id,prompt,expected,temperature,A,B,C\n"
        'a,a_001,"two\nlines",x,warm,,,\n'
        "a,A_001,?,x,,,,\n"
        "a,,,x,,,,\n"
        "suite,,?,x,,,,\n"
        "a,,?,C,,one,,three\n"
        "a,,?,#REF!,,,,\n"
        "a,,?,x,,,,,more\n"
        "A,,?,x,,,,\n"
    )
    assert refused(tmp_path, table) == [
        "2:1: -: error: 'temperature' must be a number from 0 to 2, not a text",
        "4:1: -: error: duplicate id 'A_001', already used in line 2",
        "5:1: -: error: the test asks nothing; it needs 'prompt' or 'messages'",
        "6:1: -: error: 'suite' cannot name a category: use letters, digits, '_' and '-'",
        "7:1: -: error: an option is empty, but one after it is not",
        "8:1: -: error: 'expected' is an error of the spreadsheet, #REF!",
        "8:1: -: error: 'exact_match' needs 'expected'",
        "9:1: -: error: 9 cells, but the first line names 8 columns",
        "10:1: -: error: the categories 'a' and 'A' differ only in capitals",
    ]


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("prompt,expected\nété,x".encode("cp1252"), "2:1: -: error: byte 0xE9 at offset 16 is not "
         "UTF-8; save the file as UTF-8"),
        ("prompt,expected\n", "1:1: -: error: the table has no tests below its first line"),
        ("", "1:1: -: error: no column is called 'prompt'"),
        ("promt,expected\n?,x", "1:1: -: error: unknown column 'promt'; did you mean 'prompt'?"),
        ("prompt,expected,answer\n?,x,y", "1:1: -: error: two columns are 'expected'"),
        ('prompt,expected\n?,x\n"open,x', "3:1: -: error: the table cannot be read from here on"),
        ("prompt,expected,B,A\n?,A,x,y", "1:1: -: error: unknown column 'B'"),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_read_is_said_once(
    tmp_path: Path, table: str | bytes, says: str
) -> None:
    assert refused(tmp_path, table)[0].startswith(says)


def test_a_folder_that_is_there_is_never_touched(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    with pytest.raises(UsageError, match="there already"):
        api.new_suite(tmp_path / "mine")
    with pytest.raises(UsageError, match="language tag"):
        api.new_suite(tmp_path / "other", language="e e")
    assert [each.name for each in tmp_path.rglob("*")] == ["mine"]
