"""The slow parser agrees with the fast one, and knows where everything stands."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.files.places import (
    MAX_DEPTH,
    JsonSyntaxError,
    Place,
    QuickDecoder,
    Walk,
    place_of,
    places_of,
    survey,
)

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


@given(VALUES, st.sampled_from([None, 0, 1, "\t"]), st.booleans())
def test_both_parsers_read_the_same_value(value: Any, indent: Any, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert Walk(text).document() == QuickDecoder().decode(text) == json.loads(text)


PIECES = st.sampled_from(
    [*"[]{},:\"a\\1-0. \n'/\x01é", "\\u00", "e5", "true", "null", "NaN", "-Infinity", '"k":']
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_both_parsers_refuse_the_same_texts(text: str) -> None:
    try:
        expected = QuickDecoder().decode(text)
    except json.JSONDecodeError:
        with pytest.raises(JsonSyntaxError) as caught:
            Walk(text).document()
        assert 0 <= caught.value.offset <= len(text)
    else:
        assert repr(Walk(text).document()) == repr(expected)


@given(VALUES, st.sampled_from([None, 1]))
def test_every_value_is_found_where_it_starts(value: Any, indent: Any) -> None:
    text = json.dumps([value, [value]], indent=indent)
    paths = [*paths_of([value, [value]])]
    found = survey(text, paths).spots
    assert set(found) == set(paths)
    for path in paths:
        here: Any = [value, [value]]
        for part in path:
            here = here[part]
        assert json.JSONDecoder().raw_decode(text, found[path].value)[0] == here


def paths_of(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    members: Any = ()
    if isinstance(value, dict):
        members = value.items()
    elif isinstance(value, list):
        members = enumerate(value)
    return [path, *(p for key, inner in members for p in paths_of(inner, (*path, key)))]


def test_a_key_is_found_beside_its_value() -> None:
    text = '[{"a": 1}, {"é": {"b" : 2}}]'
    spot = survey(text, {(1, "é", "b")}).spots[1, "é", "b"]
    assert (text[spot.key : spot.key + 3], text[spot.value]) == ('"b"', "2")


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
    ("[1 2]", 3, "a ',' or ']' is missing before this"),
    ("[1", 2, "the file ends here, but a ']' is missing"),
    ('{"a" 1}', 5, "a ':' is missing after the key 'a'"),
    ("{'a': 1}", 1, "JSON texts stand in double quotes (\"), not in single ones (')"),
    ("{a: 1}", 1, "a key in double quotes is expected here, not 'a'"),
    ("[// no\n1]", 1, "JSON has no comments; remove this one"),
    ('["a]', 1, "this text is never closed; its '\"' is missing"),
    ('["a\nb"]', 3,
     "a text holds the control character U+000A; write it as an escape such as \\n or \\t, and "
     "close every text on the line where it starts"),
    (r'["C:\x"]', 4, "'\\x' is no JSON escape; write \\\\ for a backslash"),
    ("[1] x", 4, "the JSON ends before this; remove what follows"),
    ("[", 1, "the file ends where a value is expected"),
    ("[+1]", 1, "a value is expected here, not '+'"),
    ("[True]", 1, "JSON writes true, not True"),
    ("[None]", 1, "JSON writes null, not None"),
    ("[Truelove]", 1, "a value is expected here, not 'T'"),
    ("[01]", 2, "a number cannot start with 0; remove the 0, or put it in quotes"),
    ("[10 1]", 4, "a ',' or ']' is missing before this"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "offset", "message"), SYNTAX, ids=[s[0] for s in SYNTAX])
def test_a_syntax_mistake_is_placed_and_says_what_to_do(
    text: str, offset: int, message: str
) -> None:
    with pytest.raises(JsonSyntaxError) as caught:
        Walk(text).document()
    assert (caught.value.offset, caught.value.message) == (offset, message)


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 1_000, 100_000])
def test_deep_nesting_is_refused_without_recursion(depth: int) -> None:
    with pytest.raises(JsonSyntaxError, match="nested more than 64 levels deep"):
        Walk("[" * depth + "]" * depth, max_depth=MAX_DEPTH).document()


def test_only_flawed_and_wanted_tests_are_walked() -> None:
    text = '[{"a": NaN}, {"b": 1, "b": 2}, {"c": 1}]'
    found = survey(text, ())
    assert [(flaw.path, flaw.offset, flaw.message) for flaw in found.flaws] == [
        ((0,), 7, "NaN is not JSON"),
        ((1,), 22, "the key 'b' stands twice; keep one of them"),
    ]
