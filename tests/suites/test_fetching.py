"""Prompts of MMLU and HellaSwag, to the letter; layouts; and sources with mistakes.

The literals were compared with what lm-evaluation-harness 0.4.13 itself makes of the same rows, and
so were all prompts, continuations and keys of the 749 test questions in ../shared/data/mmlu.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError, InvalidFiles
from assay.suites.fetching import hellaswag, mmlu
from assay.suites.fetching.layouts import find_mmlu
from assay.suites.fetching.made import ConvertedBenchmark
from assay.suites.fetching.rows import BenchmarkItem, RowPlace, numbered
from assay.workflow.commands.benchmarks import fetch

DEV = [
    ["Which gate is on only if both inputs are?", "OR", "AND", "XOR", "NOR", "B"],
    ["  What does ROM stand for?\n", "read-only memory", "run once", "row map", "ring", "A"],
    ["2 + 2 in binary?", "10", "11", "100", "101", "C"],
    ["Which of these\nis a loop?", "if", "let", "try", "for", "D"],
    ["How many bits has a nibble?", "2", "4", "8", "16", "B"],
]
TEST = [
    [" Which port is usual for SSH? ", "21", "22", "80", " 443", "B"],
    ["Which one is a stack,\nsaid in one word?", "FIFO", "LIFO", "heap", "tree", "B"],
]

LETTER_PROMPT = """\
The following are multiple choice questions (with answers) about college computer science.

Which gate is on only if both inputs are?
A. OR
B. AND
C. XOR
D. NOR
Answer: B

What does ROM stand for?
A. read-only memory
B. run once
C. row map
D. ring
Answer: A

2 + 2 in binary?
A. 10
B. 11
C. 100
D. 101
Answer: C

Which of these
is a loop?
A. if
B. let
C. try
D. for
Answer: D

How many bits has a nibble?
A. 2
B. 4
C. 8
D. 16
Answer: B

Which port is usual for SSH?
A. 21
B. 22
C. 80
D.  443
Answer:"""

PASSAGES: list[dict[str, Any]] = [
    {
        "ind": 1,
        "activity_label": "Computers and Electronics",
        "ctx_a": "[header] How to label a NAS disk [title] Turn the NAS off. [step] Wait a minute.",
        "ctx_b": "then the NASA engineer",
        "endings": [
            " [title] Pull the tray out",
            "[substeps] Do not   touch the fan.",
            "writes a [serial] number on it. [title] Close the lid.",
            " goes home. ",
        ],
        "label": 2,
        "split_type": "indomain",
        "source_id": "made~up1",
    },
    {
        "ind": 2,
        "activity_label": "Computers and Electronics",
        "ctx_a": "A man opens a case.",
        "ctx_b": "",
        "endings": ["a.", "b.", "c.", "d."],
        "label": "0",
    },
    {
        "ind": 3,
        "activity_label": "Baking",
        "ctx_a": "A woman weighs flour.",
        "ctx_b": "she",
        "endings": ["sleeps.", "adds water.", "drives off.", "sings."],
        "label": 1,
    },
]


def comma_separated(rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue()


def archive(folder: Path, **tests: Sequence[Sequence[str]]) -> Path:
    """The layout of the original archive: a subject for each argument, all with the same dev."""
    for subject, rows in tests.items():
        for split, content in (("dev", DEV), ("val", DEV[:2]), ("test", rows)):
            path = folder / split / f"{subject}_{split}.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(comma_separated(content), "utf-8", newline="")
    return folder


def lines(folder: Path, rows: Sequence[Any], name: str = "hellaswag_val.jsonl") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return folder


def made(folder: Path, name: str, source: Path) -> ConvertedBenchmark:
    return fetch([name], source=source, benchmarks=folder).benchmarks[0]


def mistakes(folder: Path, name: str, source: Path) -> list[str]:
    with pytest.raises(InvalidFiles) as caught:
        made(folder, name, source)
    assert not list(folder.glob("*")), "nothing may be written"
    return [f"{Path(f.file).name}:{f.line}: {f.message}" for f in caught.value.findings]


@pytest.fixture
def benchmarks(tmp_path: Path) -> Path:
    return tmp_path / "benchmarks"


# ------------------------------------------------------------------------------------------- mmlu


def test_mmlu_is_asked_by_letter_after_five_worked_examples(
    tmp_path: Path, benchmarks: Path
) -> None:
    suite = made(benchmarks, "mmlu", archive(tmp_path / "a", college_computer_science=TEST))
    first, second = suite.categories["computer_science"]
    assert first == {
        "id": "computer_science_0001",
        "prompt": LETTER_PROMPT,
        "eval_method": "multiple_choice",
        "choices": ["21", "22", "80", " 443"],
        "expected": "B",
        "score_by": "letter",
        "render": False,
        "temperature": 0,
        "description": "test/college_computer_science_test.csv, row 1",
        "tags": ["college_computer_science", "test"],
    }
    assert second["prompt"].endswith(
        "\n\nWhich one is a stack,\nsaid in one word?\nA. FIFO\nB. LIFO\nC. heap\nD. tree\nAnswer:"
    )


def test_real_questions_are_asked_as_the_rules_say(shared: Path, benchmarks: Path) -> None:
    """The rules once more, written down from their description and not from our code."""
    suite = made(benchmarks, "mmlu", shared / "data")
    for subject, row in (("machine_learning", 7), ("high_school_computer_science", 50)):
        folder = shared / "data" / "mmlu"
        with open(folder / "dev" / f"{subject}_dev.csv", encoding="utf-8", newline="") as file:
            dev = list(csv.reader(file))
        with open(folder / "test" / f"{subject}_test.csv", encoding="utf-8", newline="") as file:
            question, a, b, c, d, letter = list(csv.reader(file))[row - 1]
        about = subject.replace("_", " ")
        expected = (
            "The following are multiple choice questions (with answers) about " + about + ".\n\n"
        )
        for q, one, two, three, four, right in dev[:5]:
            expected += f"{q.strip()}\nA. {one}\nB. {two}\nC. {three}\nD. {four}\nAnswer:"
            expected += " " + right + "\n\n"
        expected += f"{question.strip()}\nA. {a}\nB. {b}\nC. {c}\nD. {d}\nAnswer:"
        cited = f"mmlu/test/{subject}_test.csv, row {row}"
        (test,) = [t for t in suite.categories["computer_science"] if t["description"] == cited]
        assert test["prompt"] == expected
        assert (test["choices"], test["expected"]) == ([a, b, c, d], letter)


def test_subjects_without_a_test_split_are_left_out_and_named(
    tmp_path: Path, benchmarks: Path
) -> None:
    source = archive(tmp_path / "a", college_computer_science=TEST, computer_security=TEST)
    (source / "test" / "computer_security_test.csv").unlink()
    suite = made(benchmarks, "mmlu", source)
    assert {tag for t in suite.categories["computer_science"] for tag in t["tags"]} == {
        "college_computer_science", "test",
    }  # fmt: skip
    assert suite.left_out == (
        "high_school_computer_science", "computer_security", "machine_learning",
        "electrical_engineering",
    )  # fmt: skip


@pytest.mark.parametrize("above", ["", "data", "mmlu", "data/mmlu"])
def test_the_archive_is_found_where_copies_usually_lie(tmp_path: Path, above: str) -> None:
    archive(tmp_path / above, machine_learning=TEST)
    found = find_mmlu(tmp_path)
    assert list(found) == ["machine_learning"]
    assert set(found["machine_learning"]) == {"dev", "test"}


def test_the_hubs_parquet_files_give_the_same_tests(tmp_path: Path, benchmarks: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    for split, rows in (("dev", DEV), ("test", TEST), ("validation", DEV[:1])):
        path = tmp_path / "hub" / "machine_learning" / f"{split}-00000-of-00001.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        table = [
            {"question": q, "subject": "x", "choices": options, "answer": "ABCD".index(letter)}
            for q, *options, letter in rows
        ]
        parquet.write_table(arrow.Table.from_pylist(table), path)
    ours = made(benchmarks, "mmlu", tmp_path / "hub")
    theirs = made(benchmarks, "mmlu", archive(tmp_path / "csv", machine_learning=TEST))
    for category, tests in theirs.categories.items():
        assert [{**t, "description": ""} for t in ours.categories[category]] == [
            {**t, "description": ""} for t in tests
        ]


# -------------------------------------------------------------------------------------- hellaswag


def test_hellaswag_is_cleaned_as_the_harness_cleans_it(tmp_path: Path, benchmarks: Path) -> None:
    suite = made(benchmarks, "hellaswag", lines(tmp_path / "h", PASSAGES))
    first, second = suite.categories["technical_subset"]
    assert first == {
        "id": "technical_subset_0001",
        "prompt": "Computers and Electronics: How to label a NAS disk. Turn the NAS off. Wait a "
        "minute. Then the nasa engineer",
        "eval_method": "multiple_choice",
        "choices": [
            " Pull the tray out",
            " Do not  touch the fan.",
            "writes a number on it.. Close the lid.",
            "goes home.",
        ],
        "expected": "C",
        "score_by": "text",
        "render": False,
        "temperature": 0,
        "description": "hellaswag_val.jsonl, row 1",
        "tags": ["Computers and Electronics", "validation", "indomain", "made~up1"],
    }
    assert second["prompt"] == "Computers and Electronics: A man opens a case."
    assert second["expected"] == "A"
    assert suite.title == "HellaSwag, Computers and Electronics"
    assert "as lm-evaluation-harness 0.4.13 asks hellaswag 1.0" in suite.version


def test_joined_contexts_are_asked_as_they_stand_and_named(shared: Path, benchmarks: Path) -> None:
    suite = made(benchmarks, "hellaswag", shared / "data")
    text = (shared / "data" / "hellaswag" / "hellaswag_val_2000.jsonl").read_text("utf-8")
    rows = [json.loads(line) for line in text.strip().split("\n")]
    for test in suite.categories["technical_subset"]:
        row = rows[int(test["description"].rpartition(" ")[2]) - 1]
        assert test["prompt"] == row["activity_label"] + ": " + row["ctx"]
        assert (test["choices"], test["expected"]) == (row["endings"], "ABCD"[row["label"]])
    assert len(suite.categories["technical_subset"]) == 85
    assert suite.title == "HellaSwag, Computers and Electronics (joined contexts)"
    assert "joined contexts as they stand: NOT the form" in suite.version
    assert "cannot be compared" in suite.notes[0]


# --------------------------------------------------------------------------------- broken sources


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (["Few?", "a", "b", "c", "B"], " has 5 cells, not 6: a question, four options, a letter"),
        (
            ["Which?", "a", "b", "c", "d", "E"],
            ": 'answer' cannot be 'E'; expected one of A, B, C, D",
        ),
        (["", "a", "b", "c", "d", "A"], ": 'question' is empty"),
        (["No third?", "a", "b", " ", "d", "A"], ": 'choices[2]' is empty"),
    ],
)
def test_a_mistake_of_a_csv_file_is_shown_with_its_row(
    tmp_path: Path, benchmarks: Path, row: list[str], problem: str
) -> None:
    source = archive(tmp_path / "a", machine_learning=[TEST[1], row])  # TEST[1] has two lines
    assert mistakes(benchmarks, "mmlu", source) == [f"machine_learning_test.csv:3: row 2{problem}"]


def test_too_few_examples_are_a_mistake(tmp_path: Path, benchmarks: Path) -> None:
    source = archive(tmp_path / "a", machine_learning=TEST)
    (source / "dev" / "machine_learning_dev.csv").write_text(comma_separated(DEV[:3]), "utf-8")
    assert mistakes(benchmarks, "mmlu", source) == [
        "machine_learning_dev.csv:1: machine_learning has 3 examples in dev, and the prompts show 5"
    ]


def test_a_file_that_is_not_utf8_is_refused_with_its_line(tmp_path: Path, benchmarks: Path) -> None:
    source = archive(tmp_path / "a", machine_learning=TEST)
    path = source / "test" / "machine_learning_test.csv"
    path.write_bytes(path.read_bytes() + b"caf\xe9,a,b,c,d,A\n")
    (found,) = mistakes(benchmarks, "mmlu", source)
    assert found.startswith("machine_learning_test.csv:4: byte 0xE9 at offset ")


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path, benchmarks: Path) -> None:
    source = archive(tmp_path / "a", machine_learning=TEST)
    with open(source / "test" / "machine_learning_test.csv", "wb") as file:
        file.truncate(201_000_000)
    assert mistakes(benchmarks, "mmlu", source) == [
        "machine_learning_test.csv:1: the file has 201 MB, and at most 200 MB are read"
    ]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"label": 4}, "'label' must be a whole number from 0 to 3, not 4"),
        ({"label": ""}, "'label' cannot be ''; expected one of 0, 1, 2, 3"),
        ({"endings": ["a", "b", "c"]}, "'endings' needs at least 4 items"),
        ({"endings": ["a", "b", "c", "[title]"]}, "an ending is empty"),
        ({"endings": ["a", "b", "c", "\ud800"]}, "a text contains half a character"),
        ({"ctx_a": "", "ctx_b": None}, "there is no context"),
        ({"activity_label": 3}, "'activity_label' must be a text, not a number; put it in quotes"),
    ],
)
def test_a_mistake_of_a_json_lines_file_is_shown(
    tmp_path: Path, benchmarks: Path, change: dict[str, Any], problem: str
) -> None:
    source = lines(tmp_path / "h", [PASSAGES[1], {**PASSAGES[1], **change}])
    assert mistakes(benchmarks, "hellaswag", source) == [f"hellaswag_val.jsonl:2: row 2: {problem}"]


@pytest.mark.parametrize(
    ("line", "problem"), [("[3]", "row 1 must be an object, not a list"), ("{", "row 1 is no JSON")]
)
def test_a_line_that_is_no_object_is_shown(
    tmp_path: Path, benchmarks: Path, line: str, problem: str
) -> None:
    (tmp_path / "hellaswag_val.jsonl").write_text(line)
    (found,) = mistakes(benchmarks, "hellaswag", tmp_path)
    assert found.startswith(f"hellaswag_val.jsonl:1: {problem}")


@pytest.mark.parametrize("name", ["mmlu", "hellaswag"])
def test_a_wrong_folder_is_told_what_was_looked_for(
    tmp_path: Path, benchmarks: Path, name: str
) -> None:
    with pytest.raises(AssayError) as caught:
        made(benchmarks, name, tmp_path)
    assert "no copy of" in caught.value.message
    assert "looked for" in caught.value.hint
    assert {"mmlu": "test/SUBJECT_test.csv", "hellaswag": "hellaswag_val.jsonl"}[name] in (
        caught.value.hint
    )


def test_a_copy_without_the_wanted_questions_says_which_are_needed(
    tmp_path: Path, benchmarks: Path
) -> None:
    with pytest.raises(AssayError, match="no questions for mmlu") as caught:
        made(benchmarks, "mmlu", archive(tmp_path / "a", anatomy=TEST))
    assert "there is no test split of college_computer_science, " in caught.value.hint
    with pytest.raises(AssayError, match="no questions for hellaswag") as caught:
        made(benchmarks, "hellaswag", lines(tmp_path / "h", PASSAGES[2:]))
    assert "Computers and Electronics" in caught.value.hint
    equal = [["Which?", "a", "a", "b", "c", "A"]]
    with pytest.raises(AssayError, match="no questions for mmlu"):
        made(benchmarks, "mmlu", archive(tmp_path / "e", machine_learning=equal))
    assert not benchmarks.exists()


@pytest.mark.parametrize("content", ["", "\n\n"])
@pytest.mark.parametrize("split", ["dev", "test"])
def test_a_file_without_rows_is_a_broken_copy(
    tmp_path: Path, benchmarks: Path, split: str, content: str
) -> None:
    source = archive(tmp_path / "a", machine_learning=TEST, computer_security=TEST)
    (source / split / f"computer_security_{split}.csv").write_text(content)
    found = mistakes(benchmarks, "mmlu", source)
    assert found == [f"computer_security_{split}.csv:1: there are no rows"]
    (lines(tmp_path / "h", []) / "hellaswag_val.jsonl").write_text(content)
    assert mistakes(benchmarks, "hellaswag", tmp_path / "h") == [
        "hellaswag_val.jsonl:1: there are no rows"
    ]


def test_a_table_without_rows_is_a_broken_copy(tmp_path: Path, benchmarks: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    empty = arrow.Table.from_pylist([], arrow.schema([("ctx_a", arrow.string())]))
    parquet.write_table(empty, tmp_path / "validation-00000-of-00001.parquet")
    assert mistakes(benchmarks, "hellaswag", tmp_path) == [
        "validation-00000-of-00001.parquet:1: there are no rows"
    ]


# ------------------------------------------------------------------------------------------ words


def item(row: int = 1, subject: str = "s", question: str = "Q?", right: str = "a") -> BenchmarkItem:
    place = RowPlace(name="f.csv", shown="f.csv", row=row, line=row)
    options = (right, "b", "c", "d")
    return BenchmarkItem(place=place, subject=subject, question=question, options=options, answer=0)


def test_only_five_examples_are_shown_however_many_there_are() -> None:
    shots = tuple(item(row, question=f"Q{row}?") for row in range(1, 8))
    subject = mmlu.Subject(name="s_t", dev=shots, test=())
    assert mmlu.prompt_of(subject, item(9, question="Last?")).count("Answer:") == 6
    assert "about s t.\n\nQ1?" in mmlu.prompt_of(subject, item(9))


def test_markers_are_removed_and_double_spaces_only_once() -> None:
    assert hellaswag.cleaned(" a [title] b [step] c    d ") == "a. b c  d"
    assert hellaswag.cleaned("[substeps] [x]") == " "


def test_rows_of_the_hub_are_cited_by_data_set_and_split() -> None:
    rows = [{"question": "Q?", "choices": ["a", "b", "c", "d"], "answer": 4}]
    told = numbered(rows, "cais/mmlu x test", "cais/mmlu x test")
    with pytest.raises(InvalidFiles) as caught:
        list(mmlu.items_of_rows("x", "test", told))
    assert [str(finding) for finding in caught.value.findings] == [
        "cais/mmlu x test:1:1: -: error: row 1: 'answer' must be a whole number from 0 to 3, not 4"
    ]
