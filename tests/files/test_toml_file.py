"""Where keys, tables and values of a TOML text stand, whatever way it is written."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.files.places import Path, Place, place_of
from assay.files.toml_file import TomlFile, TomlTree


def paths_of(value: Any, path: Path = ()) -> Iterator[Path]:
    """Every path in a parsed document."""
    yield path
    members: Any = ()
    if isinstance(value, dict):
        members = value.items()
    elif isinstance(value, list):
        members = enumerate(value)
    for key, inner in members:
        yield from paths_of(inner, (*path, key))


def rest_of_line(text: str, offset: int) -> str:
    return text[offset:].split("\n", 1)[0]


# ------------------------------------------------------------------------------------ by hand

GATE = '''\
# [[suite]] in a comment, name = "x"
title.text = """
[perplexity]
max = 3
\\""" still in it """
[perplexity]   # a header
max = { tiny = 50, "small" = 30, 'me#dium' = [ { a.b = 1 },
  # } ] a comment in a list
  "]}", 2 ] }

[[suite]]
name = "os"
[[ suite ]]
  "na\\u006de" = 'tech # no comment'
  min = 0.5
[suite . deep]
x = 1979-05-27 07:32:00
'''


@pytest.mark.parametrize(
    ("path", "key", "value"),
    [
        (("title",), 'title.text = """', 'title.text = """'),
        (("title", "text"), 'text = """', '"""'),
        (("perplexity",), "perplexity]   # a header", "[perplexity]   # a header"),
        (("perplexity", "max"), "max = { tiny", "{ tiny"),
        (("perplexity", "max", "tiny"), "tiny = 50", "50, "),
        (("perplexity", "max", "small"), '"small" = 30', "30, "),
        (("perplexity", "max", "me#dium"), "'me#dium'", "[ { a.b"),
        (("perplexity", "max", "me#dium", 0), "{ a.b", "{ a.b"),
        (("perplexity", "max", "me#dium", 0, "a"), "a.b = 1", "a.b = 1"),
        (("perplexity", "max", "me#dium", 0, "a", "b"), "b = 1", "1 }"),
        (("perplexity", "max", "me#dium", 1), '"]}", 2', '"]}", 2'),
        (("perplexity", "max", "me#dium", 2), "2 ] }", "2 ] }"),
        (("suite",), "suite]]", "[[suite]]"),
        (("suite", 0, "name"), 'name = "os"', '"os"'),
        (("suite", 1), "suite ]]", "[[ suite ]]"),
        (("suite", 1, "name"), '"na\\u006de"', "'tech #"),
        (("suite", 1, "min"), "min = 0.5", "0.5"),
        (("suite", 1, "deep"), "deep]", "[suite . deep]"),
        (("suite", 1, "deep", "x"), "x = 1979", "1979-05-27 07:32:00"),
    ],
    ids=str,
)
def test_a_key_and_its_value_are_found(path: Path, key: str, value: str) -> None:
    spot = TomlTree(GATE).spots[path]
    assert rest_of_line(GATE, spot.key).startswith(key)
    assert rest_of_line(GATE, spot.value).startswith(value)


def test_every_path_of_that_document_is_found_and_no_other() -> None:
    assert set(TomlTree(GATE).spots) == set(paths_of(tomllib.loads(GATE)))


def test_a_table_is_where_its_own_header_is_even_if_another_came_first() -> None:
    text = "[a.b]\nx = 1\n[a]\ny = 1\n"
    assert place_of(text, TomlTree(text).spots["a",].value) == Place(3, 1)


def test_what_is_not_there_is_placed_at_its_table() -> None:
    file = TomlFile("gate.toml", GATE, {})
    assert file.place(("suite", 1, "categories", 3)) == file.place(("suite", 1))
    assert file.place(("speed",)) == Place(1, 1)


def test_the_places_are_the_same_with_the_line_ends_of_windows() -> None:
    windows = GATE.replace("\n", "\r\n")
    here, there = TomlTree(GATE).spots, TomlTree(windows).spots
    for path, spot in here.items():
        assert place_of(windows, there[path].key) == place_of(GATE, spot.key)
        assert place_of(windows, there[path].value) == place_of(GATE, spot.value)


# ------------------------------------------------------------------- against the standard library

BARE = st.text("ab1-_", min_size=1, max_size=3)
NAMES = BARE | st.text("a.=#\"'[]{},é \\\n\t", max_size=4)
BLANKS = st.sampled_from(["", " ", "\t "])
SCALARS = st.sampled_from(
    [
        "1", "-0.5", "1_000", "1e5", "inf", "nan", "true", "0xFF",
        "1979-05-27T07:32:00Z", "1979-05-27 07:32:00", "07:32:00",
        '""', '"a # b"', r'"\" ] } \\"', "''", r"'a \ # [x]'",
        '"""\n[x]\na = 1 # no\n"""', '"""a\\""" b"""', '"""two quotes"""""', "'''\n[[x]]\n'''",
        "'''one quote''''", r'"""\\"""', '""""""',
    ]
)  # fmt: skip


class Document:
    """A text that grows, with what was written for each path."""

    def __init__(self, data: st.DataObject) -> None:
        self.text = ""
        self.keys: dict[Path, str] = {}
        self.values: dict[Path, str] = {}
        self._draw = data.draw

    def draw(self, strategy: st.SearchStrategy[Any]) -> Any:
        return self._draw(strategy)

    def blank(self) -> None:
        self.text += self.draw(BLANKS)

    def key(self, parts: list[str], table: Path) -> Path:
        """Write a dotted key."""
        for index, name in enumerate(parts):
            if index:
                self.blank()
                self.text += "."
                self.blank()
            table = (*table, name)
            written = self.draw(st.sampled_from(self.spellings(name)))
            self.keys[table] = self.text + written
            self.text += written
        return table

    @staticmethod
    def spellings(name: str) -> list[str]:
        escaped = "".join(
            letter if letter.isalnum() else f"\\u{ord(letter):04x}" for letter in name
        )
        found = [f'"{escaped}"']
        if name and set(name) <= set("ab1-_"):
            found.append(name)
        if not set(name) & set("'\n"):
            found.append(f"'{name}'")
        return found

    def value(self, path: Path, depth: int) -> None:
        """Write a value and remember where it starts."""
        self.values[path] = self.text
        kind = self.draw(st.sampled_from(["scalar", "list", "table"])) if depth else "scalar"
        if kind == "scalar":
            self.text += self.draw(SCALARS)
            return
        self.text += "[" if kind == "list" else "{"
        names = self.draw(st.lists(NAMES, unique=True, max_size=3))
        between = st.sampled_from(["", " ", "\n", " # ]} comment\n"]) if kind == "list" else BLANKS
        for index, name in enumerate(names):
            self.text += self.draw(between)
            if kind == "list":
                self.value((*path, index), depth - 1)
            else:
                inner = self.key([name, *self.draw(st.lists(NAMES, max_size=1))], path)
                self.blank()
                self.text += "="
                self.blank()
                self.value(inner, depth - 1)
            self.text += self.draw(between)
            self.text += "," if index < len(names) - 1 else ""
        self.text += self.draw(between)
        self.text += "]" if kind == "list" else "}"


@given(st.data())
def test_whatever_way_a_document_is_written_everything_is_found(data: st.DataObject) -> None:
    document = Document(data)
    lists: dict[str, int] = {}
    table: Path = ()
    names = data.draw(st.lists(NAMES, unique=True, max_size=6))
    for name in names:
        document.text += data.draw(st.sampled_from(["", "\n", "# [a] = 1\n", "\t"]))
        match data.draw(st.sampled_from(["pair", "dotted", "table", "list", "again"])):
            case "pair":
                table = document.key([name], table)
            case "dotted":
                table = document.key([name, *data.draw(st.lists(NAMES, max_size=2))], table)
            case "table":
                start = document.text
                document.text += "["
                table = document.key([name], ())
                document.values[table] = start
                document.text += data.draw(st.sampled_from(["]\n", " ] # [[x]]\n"]))
                continue
            case "list":
                lists[name] = -1
                start = document.text
                table = list_header(document, name, lists)
                document.values[table] = document.values[table[:-1]] = start
                continue
            case "again":
                if lists:
                    start = document.text
                    table = list_header(document, data.draw(st.sampled_from([*lists])), lists)
                    document.values[table] = start
                continue
        document.text += " = "
        document.value(table, depth=2)
        table = table[: next((n for n, part in enumerate(table) if part == name), 0)]
        document.text += data.draw(st.sampled_from(["\n", " # x\n", "\n\n"]))
    text = document.text
    parsed = tomllib.loads(text)
    tree = TomlTree(text)
    assert set(tree.spots) == set(paths_of(parsed))
    for path, before in document.values.items():
        assert tree.spots[path].value == len(before), path
    for path, up_to in document.keys.items():
        begins = tree.spots[path].key
        assert up_to[begins:] in Document.spellings(str(path[-1])), path


def list_header(document: Document, name: str, lists: dict[str, int]) -> Path:
    """Write [[name]]; the list's own key is the first of them."""
    first = document.keys.get((name,))
    document.text += "[["
    path = document.key([name], ())
    document.keys[path] = first or document.keys[path]
    document.text += "]]\n"
    lists[name] += 1
    return (*path, lists[name])


LINES = st.sampled_from(
    [
        "a = 1", "b.c = [1, {d = 2, e.f = [[]]}]", "[a]", "[[a]]", "[a.b]", "[[a.b]]", "[a.b.c]",
        "[b]", "[b.'c']", "x = {}", "x.y = 1", "x.z = 1", '"" = 1', "d = [\n1, # ]\n2,\n]", "[d]",
        'e = """', '"""', "'''", "f = '''", "# '''", "[[b.c]]", "c = 1", "[ d . e ]", "  ", "[x]",
        "g = 1\r", "h = 'a' # 'b'", "}", "]", "= 1", "i = 1979-05-27 07:32:00 # [",
    ]
)  # fmt: skip


@given(st.lists(LINES, max_size=9))
def test_every_document_that_the_parser_reads_has_the_same_paths(lines: list[str]) -> None:
    text = "\n".join(lines)
    try:
        parsed = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        assume(False)
    assert set(TomlTree(text).spots) == set(paths_of(parsed))
