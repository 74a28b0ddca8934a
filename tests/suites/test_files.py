"""Whatever a file is, loading it ends in a suite or in a clear finding: never a traceback."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.errors import InvalidFiles
from assay.files.file_text import MAX_BYTES
from assay.suites.load import examine, load_suite
from assay.suites.test_format.fields import all_fields, methods

from .conftest import asking, good

TEXT = json.dumps([good()])
DEEP = '[{"id": "a_001", "choices": ' + "[" * 1000 + "]" * 1000 + "}]"

CONTENTS = [
    (b"", "1:1: -: error: the file is empty"),
    (b" \n", "1:1: -: error: the file is empty"),
    (b"[]", "1:1: -: error: the list is empty; a test file needs at least one test"),
    (b"{}", "1:1: -: error: a test file contains a list of tests in [ ], not an object"),
    (b"\n  7", "2:3: -: error: a test file contains a list of tests in [ ], not a number"),
    (b'["\xe9"]', "1:3: -: error: byte 0xE9 at offset 2 is not UTF-8; save the file as UTF-8"),
    ('["é",\n "é'.encode() + b'\xff"]',
     "2:4: -: error: byte 0xFF at offset 11 is not UTF-8; save the file as UTF-8"),
    (b"\xef\xbb\xbf[{},]", "1:5: -: error: not valid JSON: remove the comma before this ']'"),
    (TEXT.encode("utf-16"),
     "1:1: -: error: byte 0xFF at offset 0 is not UTF-8; save the file as UTF-8"),
    (b"\0\0\0", "1:1: -: error: not valid JSON: a value is expected here, not '\\x00'"),
    (b"[{},]", "1:5: -: error: not valid JSON: remove the comma before this ']'"),
    (DEEP.encode(), "1:1: -: error: not valid JSON: it is nested too deeply"),
    (TEXT.replace("}]", ', "temperature": NaN}]').encode(), "a_001: error: NaN is not JSON"),
    (TEXT.replace("}]", ', "k": -Infinity}]').encode(), "a_001: error: -Infinity is not JSON"),
    (TEXT.replace("}]", ', "temperature": 1e999}]').encode(),
     "a_001: error: 'temperature' must be a number from 0 to 2, not inf"),
    (TEXT.replace("}]", ', "k": ' + "9" * 5000 + "}]").encode(),
     "a_001: error: a number of 5000 digits is too long"),
    (TEXT.replace("}]", ', "id": "a_001"}]').encode(),
     "a_001: error: the key 'id' appears twice; keep one"),
    (TEXT.replace("Togo", "\\ud800").encode(),
     "a_001: error: half a character (a lone surrogate such as \\ud800); write a whole one"),
    (TEXT.replace('"prompt"', '"\\udc00": 1, "prompt"').encode(),
     "a_001: error: half a character (a lone surrogate such as \\ud800); write a whole one"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "line"), CONTENTS, ids=[c[1][:60] for c in CONTENTS])
def test_an_unreadable_file_is_a_finding_with_its_place(
    content: bytes, line: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    assert any(line in str(finding) for finding in examine([path])), examine([path])
    with pytest.raises(InvalidFiles):
        load_suite(path)


def test_a_byte_order_mark_is_read_over(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"\xef\xbb\xbf" + TEXT.encode())
    assert [case.id for case in load_suite(path).cases] == ["a_001"]
    assert examine([path]) == ()


def test_an_emoji_written_as_two_escapes_is_one_character(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(TEXT.replace("Togo", "\\ud83d\\ude00"))
    (case,) = load_suite(path).cases
    assert "😀" in case.prompt


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "device", "loop", "missing", "yaml"])
def test_what_is_not_a_file_is_refused_without_waiting(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    match kind:
        case "link":
            path.symlink_to(tmp_path / "gone.json")
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "device":
            path.symlink_to("/dev/zero")
        case "loop":
            path.symlink_to(path)
        case "yaml":
            path = tmp_path / "tests.yaml"
            path.write_text("- id: a_001")
    (finding,) = examine([path])
    assert (
        finding.message
        in {
            "link": "this link leads to nothing; fix or remove it",
            "pipe": "this is not a file; a category is a JSON file",
            "folder": "the folder contains no tests; each category is a .json file directly in it, "
            "or each test a folder with a test.json",
            "device": "this is not a file; a category is a JSON file",
            "loop": "the file cannot be read: Too many levels of symbolic links",
            "missing": "there is no such file or folder",
            "yaml": "a category is a file whose name ends in .json",
        }[kind]
    )


def test_a_link_to_itself_is_named_and_the_files_beside_it_are_checked(tmp_path: Path) -> None:
    (tmp_path / "a.json").symlink_to("a.json")
    (tmp_path / "b.json").write_text("[]")
    assert [(Path(f.file).name, f.message) for f in examine([tmp_path])] == [
        ("a.json", "the file cannot be read: Too many levels of symbolic links"),
        ("b.json", "the list is empty; a test file needs at least one test"),
    ]


ENDLESS = "1" + "0" * 5000


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("temperature", "NaN", "NaN is not JSON"),
        ("temperature", "-Infinity", "-Infinity is not JSON"),
        ("max_tokens", ENDLESS, "a number of 5001 digits is too long"),
        ("expected", ENDLESS, "a number of 5001 digits is too long"),
        ("tags", "[NaN]", "NaN is not JSON"),
    ],
)
def test_a_number_that_is_no_json_is_one_mistake(
    field: str, value: str, message: str, tmp_path: Path
) -> None:
    sound = asking("exact_match", expected="x") | {field: "HERE"}
    text = json.dumps([sound]).replace('"HERE"', value)
    (tmp_path / "a.json").write_text(text)
    (finding,) = examine([tmp_path])
    assert (finding.message, finding.test_id) == (message, "a_001")
    assert text[finding.column - 1 :].startswith(value.strip("[]"))


def test_an_endless_weight_is_not_taken_for_0(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(TEXT)
    (tmp_path / "suite.json").write_text('{"weights": {"a": ' + ENDLESS + "}}")
    (finding,) = examine([tmp_path])
    assert finding.message == "a number of 5001 digits is too long"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_read_permission_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(TEXT)
    path.chmod(0)
    (finding,) = examine([path])
    assert finding.message == "permission denied; make the file readable"


def test_a_file_over_200_mb_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    (finding,) = examine([path])
    assert finding.message == ("the file has 201 MB, and at most 200 MB are read")


def test_a_file_of_50_mb_loads(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    prompt = "What is this? " * 1000
    tests = [
        asking("exact_match", expected="x", id=f"a_{i:05}", prompt=prompt) for i in range(3600)
    ]
    path.write_text(json.dumps(tests))
    assert path.stat().st_size > 50_000_000
    assert len(list(load_suite(path).cases)) == 3600


def test_a_file_name_that_cannot_be_shown_is_a_finding_on_one_line(tmp_path: Path) -> None:
    (tmp_path / "a\nb.json").write_text(TEXT)
    (finding,) = examine([tmp_path])
    assert str(finding).isprintable()
    assert finding.message == "the file's name contains characters that cannot be shown"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.binary(max_size=60))
def test_no_bytes_make_it_crash(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    assert all(finding.severity == "error" for finding in examine([path]))


JSONISH = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 30) | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "content", "json", "keywords"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.data())
def test_no_json_in_any_field_makes_it_crash(tmp_path: Path, data: st.DataObject) -> None:
    fields = st.dictionaries(st.sampled_from(all_fields()), JSONISH, max_size=6)
    test = data.draw(fields)
    if data.draw(st.booleans()):
        test["eval_method"] = data.draw(st.sampled_from(sorted(methods())))
    path = tmp_path / "a.json"
    path.write_text(json.dumps([test, test]), encoding="utf-8", errors="surrogatepass")
    (tmp_path / "suite.json").write_text(json.dumps(data.draw(JSONISH)))
    errors = [finding for finding in examine([tmp_path]) if finding.severity == "error"]
    assert errors, "two tests with one id, or with none"
