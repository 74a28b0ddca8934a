"""JSON files: values, places, and one sentence for what is no JSON."""

from __future__ import annotations

import json
from pathlib import Path as FilePath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.files.file_text import Refused
from assay.files.json_file import JsonFile, read_json
from assay.files.notes import Notes, Place, place_of, places_of

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


PIECES = st.sampled_from(
    [*"[]{},:\"a\\1-0. \n'/\x01é", "\\u00", "e5", "true", "null", "NaN", "-Infinity", '"k":']
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_whatever_a_text_is_it_is_read_or_refused_in_one_line(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_text(text, "utf-8")
    try:
        expected = json.loads(text)
    except json.JSONDecodeError:
        with pytest.raises(Refused) as caught:
            read_json(path)
        assert str(caught.value.finding).isprintable()
    else:
        file = read_json(path)
        assert repr(file.value) == repr(expected)
        assert all(str(finding).isprintable() for finding in file.findings(Notes()))


@given(VALUES, st.sampled_from([None, 1]))
def test_every_value_is_found_where_it_starts(value: Any, indent: Any) -> None:
    text = json.dumps([value, [value]], indent=indent)
    paths = [*paths_of([value, [value]])]
    notes = Notes()
    for path in paths:
        notes.error(path, str(path))
    found = JsonFile("a.json", text, None, flawed=False).findings(notes)
    for path, each in zip(paths, found, strict=True):
        here: Any = [value, [value]]
        for part in path:
            here = here[part]
        assert (
            json.JSONDecoder().raw_decode(text, offset_of(text, Place(each.line, each.column)))[0]
            == here
        )


def offset_of(text: str, place: Place) -> int:
    lines = text.split("\n")[: place.line - 1]
    return sum(len(line) + 1 for line in lines) + place.column - 1


def paths_of(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    members: Any = ()
    if isinstance(value, dict):
        members = value.items()
    elif isinstance(value, list):
        members = enumerate(value)
    return [path, *(p for key, inner in members for p in paths_of(inner, (*path, key)))]


def test_a_key_is_found_beside_its_value() -> None:
    notes = Notes()
    notes.error((1, "é", "b"), "key", about_key=True)
    notes.error((1, "é", "b"), "value")
    text = '[{"a": 1},\n {"é": {"b" : 2}}]'
    found = JsonFile("a.json", text, None, flawed=False).findings(notes)
    assert [(each.line, each.column) for each in found] == [(2, 9), (2, 15)]


@given(st.text(alphabet="aé𝒳\n\r ", max_size=30), st.data())
def test_places_count_code_points_from_one(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    lines = text[:offset].split("\n")
    expected = Place(len(lines), len(lines[-1]) + 1)
    assert place_of(text, offset) == expected
    others = data.draw(st.lists(st.integers(0, len(text))))
    assert places_of(text, [offset, *others])[offset] == expected


SYNTAX = [
    ("[1,]", 3, "remove the comma before this ']'"),
    ('{"a": 1,}', 8, "remove the comma before this '}'"),
    ("[1 2]", 3, "a ',' or a closing bracket is missing before this"),
    ("[1", 2, "the file ends here, but something is missing"),
    ('{"a" 1}', 5, "a ':' is missing after a key"),
    ("{'a': 1}", 1, "JSON texts are in double quotes (\"), not in single ones (')"),
    ("{a: 1}", 1, "a key in double quotes is expected here, not 'a'"),
    ("[// no\n1]", 1, "JSON has no comments; remove this one"),
    ('["a]', 1, "this text is never closed; its '\"' is missing"),
    ('["a\nb"]', 3,
     "a text contains a control character; write it as an escape such as \\n or \\t, and close "
     "every text on the line where it starts"),
    (r'["C:\x"]', 4, "this is no JSON escape; write \\\\ for a backslash"),
    ("[1] x", 4, "the JSON ends before this; remove what follows"),
    ("[", 1, "the file ends here, but something is missing"),
    ("[+1]", 1, "a value is expected here, not '+'; JSON writes true, false and null"),
    ("[Truelove]", 1, "a value is expected here, not 'T'; JSON writes true, false and null"),
    ("[01]", 2, "a ',' or a closing bracket is missing before this"),
    ("[10 1]", 4, "a ',' or a closing bracket is missing before this"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "offset", "message"), SYNTAX, ids=[s[0] for s in SYNTAX])
def test_a_syntax_mistake_is_placed_and_says_what_to_do(
    text: str, offset: int, message: str, tmp_path: FilePath
) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, "utf-8")
    with pytest.raises(Refused) as caught:
        read_json(path)
    finding = caught.value.finding
    assert finding.message == f"not valid JSON: {message}"
    assert Place(finding.line, finding.column) == place_of(text, offset)


def test_deep_nesting_is_refused(tmp_path: FilePath) -> None:
    path = tmp_path / "a.json"
    path.write_text('["[[", ' + "[" * 100_000 + "]" * 100_000 + "]")
    with pytest.raises(Refused, match="nested too deeply"):
        read_json(path)


def test_what_json_forbids_is_found_with_its_test(tmp_path: FilePath) -> None:
    path = tmp_path / "a.json"
    path.write_text(
        '[{"id": "a_1", "a": [NaN, {"x": "NaN"}]},\n'
        '{"id": "a_2", "b": 1, "c": {"b": 2, "\\u0062": 2}},\n'
        f'{{"c": {"9" * 700}}}]'
    )
    found = read_json(path).findings(Notes())
    assert [(f.line, f.column, f.test_id, f.message) for f in found] == [
        (1, 22, "a_1", "NaN is not JSON"),
        (2, 37, "a_2", "the key 'b' appears twice; keep one"),
        (3, 7, None, "a number of 700 digits is too long"),
    ]
