"""Where keys, tables and values of a TOML text stand."""

from __future__ import annotations

import tomllib

import pytest

from assay.files.notes import Path, Place, place_of
from assay.files.toml_file import find_spot

GATE = """\
title.text = "a gate"
[perplexity]   # a header
max = { tiny = 50, "small" = 30, medium = [ 1,
  "]}", 2 ] }

[[suite]]
name = "os"
[[ suite ]]
  "name" = 'tech # no comment'
  min = 0.5
[suite . deep]
x = 1979-05-27 07:32:00
[[suite.parts]]
low = 1
[[suite.parts]]
low = 2
"""


@pytest.mark.parametrize(
    ("path", "key", "value"),
    [
        ((), "title.text", "title.text"),
        (("title",), 'title.text = "', 'text = "'),
        (("title", "text"), 'text = "', '"a gate'),
        (("perplexity",), "perplexity]   # a header", "[perplexity]   # a header"),
        (("perplexity", "max"), "max = { tiny", "{ tiny"),
        (("perplexity", "max", "tiny"), "tiny = 50", "50, "),
        (("perplexity", "max", "small"), '"small" = 30', "30, "),
        (("perplexity", "max", "medium", 1), '"]}", 2', '"]}", 2'),
        (("perplexity", "max", "medium", 2), "2 ] }", "2 ] }"),
        (("suite",), "suite]]", "[[suite]]"),
        (("suite", 0, "name"), 'name = "os"', '"os"'),
        (("suite", 1), "suite ]]", "[[ suite ]]"),
        (("suite", 1, "name"), '"name"', "'tech #"),
        (("suite", 1, "min"), "min = 0.5", "0.5"),
        (("suite", 1, "deep"), "suite . deep]", "[suite . deep]"),
        (("suite", 1, "deep", "x"), "x = 1979", "1979-05-27 07:32:00"),
        (("suite", 1, "parts", 1, "low"), "low = 2", "2"),
    ],
    ids=str,
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_key_and_its_value_are_found(path: Path, key: str, value: str, line_end: str) -> None:
    text = GATE.replace("\n", line_end)
    assert tomllib.loads(text)
    spot = find_spot(text, path)
    assert text[spot.key :].startswith(key)
    assert text[spot.value :].startswith(value)


def test_a_table_is_where_its_own_header_is_even_if_another_came_first() -> None:
    text = "[a.b]\nx = 1\n[a]\ny = 1\n"
    assert place_of(text, find_spot(text, ("a",)).value) == Place(3, 1)
    assert place_of(text, find_spot(text, ("a", "b", "x")).value) == Place(2, 5)


def test_what_is_not_there_is_placed_at_its_table() -> None:
    table = find_spot(GATE, ("suite", 1)).value
    assert find_spot(GATE, ("suite", 1, "categories", 3)).value == table
    assert find_spot(GATE, ("speed",)).value == 0
