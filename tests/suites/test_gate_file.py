"""Gate files: what they ask, and every mistake with its place."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from assay.errors import InvalidFiles
from assay.files.notes import Notes
from assay.interfaces.cli.suites import schema as schema_command
from assay.measures.limits import MOST
from assay.suites.gate_file import (
    SHIPPED,
    check_gate,
    examine_gate,
    gate_schema,
    gate_tables,
    gate_validator,
    load_gate,
)
from assay.suites.load import examine
from assay.types.decisions import SIZE_CLASSES, Gate, SuiteLimit

from .conftest import good, put

SCHEMA = Draft202012Validator(gate_schema())


def mistakes_in(text: str, folder: Path) -> list[str]:
    """Findings as `assay validate` prints them, with a short file name."""
    path = folder / "gate.toml"
    path.write_text(text, "utf-8")
    found = [str(finding) for finding in examine_gate(path)]
    return [line.replace(str(path), "gate.toml") for line in found]


# --------------------------------------------------------------------------------- what is asked


def test_the_default_asks_what_the_contract_says() -> None:
    assert load_gate(None) == Gate(
        source="default",
        perplexity_max={"tiny": 50, "small": 30, "medium": 20, "large": 15},
        suites=(
            SuiteLimit(
                name="os", min=0.7, categories=("hardware_id", "driver_select", "command_complete")
            ),
        ),
        speed_min={"tiny": 10, "small": 10, "medium": 10, "large": 10},
        generation_max_failures=0,
        memory_max_mb={"tiny": 150, "small": 400, "medium": 1200, "large": 4000},
    )


def test_every_limit_of_the_default_is_the_contract_s(shared: Path) -> None:
    design = (shared / "DESIGN.md").read_text("utf-8")
    stated = re.search(r"^```toml\n(.*?)^```", design, re.MULTILINE | re.DOTALL)
    assert stated is not None
    contract = tomllib.loads(stated[1])
    default = tomllib.loads(SHIPPED.read_text("utf-8"))
    assert default["suite"] == contract["suite"]
    for name in default.keys() - {"suite"}:
        assert default[name] == {key: contract[name].get(key) for key in default[name]}, name
    assert set(contract) == set(default)


def test_what_is_left_out_is_not_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('[[suite]]\nname = "law"\nmin = 0\n', "utf-8")
    gate = load_gate(path)
    assert gate == Gate(source=str(path), suites=(SuiteLimit(name="law", min=0.0),))


def test_a_byte_order_mark_is_read_over(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('[[suite]]\nname = "law"\nmin = 0\n', "utf-8-sig")
    assert load_gate(path).suites == (SuiteLimit(name="law", min=0.0),)


def test_one_number_holds_for_every_size_class(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text("[memory]\nmax_mb = 512\n[generation]\nmax_failures = 2\n", "utf-8")
    gate = load_gate(path)
    assert gate.memory_max_mb == {"tiny": 512, "small": 512, "medium": 512, "large": 512}
    assert gate.generation_max_failures == 2


def test_a_gate_may_say_which_size_class_counts(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('[size]\nclass = "medium"\n[memory]\nmax_mb = 512\n', "utf-8")
    assert load_gate(path).size_class == "medium"
    assert load_gate(None).size_class is None
    described = gate_schema()["properties"]["size"]["properties"]["class"]  # type: ignore[index]
    assert described["enum"] == list(SIZE_CLASSES)


def test_inline_tables_and_dotted_keys_say_the_same(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        'speed.min_tokens_per_s = 5\r\nsuite = [{name = "law", min = 0.5, categories = ["a"]}]\r\n',
        "utf-8",
        newline="",
    )
    gate = load_gate(path)
    assert gate.speed_min is not None
    assert gate.speed_min["large"] == 5
    assert gate.suites == (SuiteLimit(name="law", min=0.5, categories=("a",)),)


def test_a_file_named_default_is_not_taken_for_the_one_that_ships(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("default").write_text("[generation]\nmax_failures = 0\n")
    assert load_gate(Path("default")).source == "./default"


# -------------------------------------------------------------------------------------- mistakes

CLASSES = "{ tiny = 50, small = 30, medium = 20, large = 15 }"

MISTAKES: list[tuple[str, str]] = [
    ("", "1:1: a gate that asks for nothing; name at least one of perplexity, text, suite, speed, "
     "generation, endings, memory, accuracy, tokenizer, drift, measure, accept, score"),
    ("[perplexty]\nmax = 5\n", "1:2: unknown key 'perplexty'; did you mean 'perplexity'?"),
    ("\n[[suites]]\n", "2:3: unknown key 'suites'; did you mean 'suite'?"),
    ("zzz = 1\n",
     "1:1: unknown key 'zzz'; expected one of perplexity, text, suite, speed, generation, endings, "
     "memory, accuracy, tokenizer, drift, size, measure, accept, score"),
    ('[size]\nclass = "small"\n',
     "1:1: a gate that asks for nothing; name at least one of perplexity, text, suite, speed, "
     "generation, endings, memory, accuracy, tokenizer, drift, measure, accept, score"),
    ('[size]\nclass = "smal"\n[speed]\nmin_tokens_per_s = 1\n',
     "2:9: 'size.class' cannot be 'smal'; did you mean 'small'?"),
    ("[size]\n[speed]\nmin_tokens_per_s = 1\n", "1:1: 'size' lacks 'class'"),
    ("perplexity = 30\n", "1:14: 'perplexity' must be a table, not a number"),
    ("[perplexity]\n", "1:1: 'perplexity' lacks 'max'"),
    ("[perplexity]\n  maximum = 3\n  max = 3",
     "2:3: unknown field 'maximum' in 'perplexity'; did you mean 'max'?"),
    ("[perplexity]\nmax = -3.5\n",
     "2:7: 'perplexity.max' must be a number from 0 to 1000000000, not -3.5"),
    ("[perplexity]\nmax = nan\n",
     "2:7: 'perplexity.max' must be a number from 0 to 1000000000, not nan"),
    ("[perplexity]\nmax = +inf\n",
     "2:7: 'perplexity.max' must be a number from 0 to 1000000000, not inf"),
    ("[perplexity]\nmax = 1e400\n",
     "2:7: 'perplexity.max' must be a number from 0 to 1000000000, not inf"),
    (f"[perplexity]\nmax = 0x{'f' * 5000}\n",
     "2:7: 'perplexity.max' must be a number from 0 to 1000000000, not "
     f"0x{'f' * 42}…{'f' * 15}"),
    ("[perplexity]\nmax = true\n",
     "2:7: 'perplexity.max' must be a number from 0 to 1000000000 or a table with one for "
     "each size class, not true"),
    ('[perplexity]\nmax = "30"\n',
     "2:7: 'perplexity.max' must be a number from 0 to 1000000000 or a table with one for "
     "each size class, not a text"),
    ("[perplexity]\nmax = 1979-05-27\n",
     "2:7: 'perplexity.max' must be a number from 0 to 1000000000 or a table with one for "
     "each size class, not a date or a time"),
    ("[perplexity]\nmax = { tiny = 50, medium = 20 }\n",
     "2:7: 'perplexity.max' lacks 'small', 'large'"),
    ("[perplexity]\nmax = { tiny = 50, smal = 30, medium = 20, large = 15 }\n",
     "2:20: unknown field 'smal' in 'perplexity.max'; did you mean 'small'?"),
    ("[perplexity.max]\ntiny = 50\nsmall = 30\nmedium = 20\nlarge = 15\nxxl = 9\n",
     "6:1: unknown field 'xxl' in 'perplexity.max'; expected one of tiny, small, medium, large"),
    ("[perplexity]\nmax = { tiny = 50, small = 30, medium = false, large = 15 }\n",
     "2:41: 'perplexity.max.medium' must be a number from 0 to 1000000000, not false"),
    ('[suite]\nname = "os"\nmin = 0.7\n',
     "1:1: 'suite' must be a list of tables, each under [[suite]], not a table"),
    ("suite = []\n", "1:9: 'suite' is empty"),
    ("suite = [3]\n", "1:10: 'suite[0]' must be a table, not a number"),
    ('[[suite]]\nname = "os"\nmin = 0.7\n\n[[suite]]\nmin = 0.5\n', "5:1: 'suite[1]' lacks 'name'"),
    ('[[suite]]\nname = "os"\n',
     "2:8: the suite 'os' has no limit; give it 'min' or 'above_guessing = true'"),
    ('[[suite]]\nname = "os"\nabove_guessing = 1\n',
     "3:18: 'suite[0].above_guessing' must be true or false, not a number"),
    ("[accuracy]\n", "1:1: 'accuracy' has no limit; give it 'min_top1' or 'min_top5'"),
    ("[drift]\n", "1:1: 'drift' has no limit; give it 'max_kl' or 'min_same_top'"),
    ("[accuracy]\nmin_top1 = 1\n",
     "2:12: 'accuracy.min_top1' must be a number, at least 0, below 1, not 1"),
    ("[accuracy]\nmin_top_1 = 0.3\n",
     "2:1: unknown field 'min_top_1' in 'accuracy'; did you mean 'min_top1'?"),
    ('[[suite]]\nname = " "\nmin = 0.7\n', "2:8: 'suite[0].name' is empty"),
    ("[[suite]]\nname = 7\nmin = 0.7\n",
     "2:8: 'suite[0].name' must be a text, not a number; put it in quotes"),
    ('[[suite]]\nname = "os"\nmin = 1\n',
     "3:7: 'suite[0].min' must be a number, at least 0, below 1, not 1"),
    ('[[suite]]\nname = "os"\nmin = 70\n',
     "3:7: 'suite[0].min' must be a number, at least 0, below 1, not 70"),
    ('[[suite]]\nname = "os"\nmin = -0.1\n',
     "3:7: 'suite[0].min' must be a number, at least 0, below 1, not -0.1"),
    ('[[suite]]\nname = "os"\nmin = true\n',
     "3:7: 'suite[0].min' must be a number, not true"),
    ('[[suite]]\nname = "os"\nmin = 0.7\ncategories = []\n',
     "4:14: 'suite[0].categories' is empty"),
    ('[[suite]]\nname = "os"\nmin = 0.7\ncategories = "a"\n',
     "4:14: 'suite[0].categories' must be a list, not a text"),
    ('[[suite]]\nname = "os"\nmin = 0.7\ncategories = [\n  "a", # b\n  "b",\n  "a",\n]\n',
     "7:3: 'suite[0].categories[2]' repeats 'a'"),
    ('[[suite]]\nname = "os"\nmin = 0.7\ncategory = ["a"]\n',
     "4:1: unknown field 'category' in 'suite[0]'; did you mean 'categories'?"),
    ('[[suite]]\nname = "os"\nmin = 0.7\n[[suite]]\nmin = 0.5\nname = "os"\n',
     "6:8: the suite 'os' has a limit already; keep one"),
    ('[[suite]]\nname = "lm-eval:arc"\nmin = 0.7\n',
     "2:8: 'lm-eval:arc' needs 'metric', such as metric = \"acc\""),
    ('[[suite]]\nname = "lm-eval:arc"\nmetric = "acc"\nmin = 0.5\nmax = 0.7\n',
     "2:8: 'lm-eval:arc' needs one limit, 'min' or 'max'"),
    ('[[suite]]\nname = "os"\nmetric = "acc"\nmin = 0.5\n',
     "2:8: 'metric' and 'max' are for suites such as lm-eval:TASK, not for 'os'"),
    ("[speed]\nmin_tokens_per_s = -1\n",
     "2:20: 'speed.min_tokens_per_s' must be a number from 0 to 1000000000, not -1"),
    ("[speed]\nmin = 10\nmin_tokens_per_s = 10",
     "2:1: unknown field 'min' in 'speed'; expected one of min_tokens_per_s"),
    ("[generation]\nmax_failures = -1\n",
     "2:16: 'generation.max_failures' must be a whole number from 0 to 1000000000, not -1"),
    ("[generation]\nmax_failures = 0\nseeds = 0\n",
     "3:9: 'generation.seeds' must be a whole number from 1 to 100, not 0"),
    ("[generation]\nmax_failures = 0\ntemperature = 3\n",
     "3:15: 'generation.temperature' must be a number from 0 to 2, not 3"),
    ("[generation]\nmax_failures = 0\ngreedy = true\n",
     "3:10: 'generation.greedy' must be one of 'report', 'gate', not true"),
    ("[generation]\nmax_failures = 0.0\n",
     "2:16: 'generation.max_failures' must be a whole number from 0 to 1000000000, not 0.0"),
    ("[generation]\nmax_failures = false\n",
     "2:16: 'generation.max_failures' must be a whole number from 0 to 1000000000, not false"),
    ("[memory]\nmax_mb = -1\n",
     "2:10: 'memory.max_mb' must be a number from 0 to 1000000000, not -1"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), MISTAKES, ids=[m[1][:60] for m in MISTAKES])
def test_a_mistake_is_an_error_with_its_place(text: str, message: str, tmp_path: Path) -> None:
    place, _, sentence = message.partition(": ")
    assert mistakes_in(text, tmp_path) == [f"gate.toml:{place}: -: error: {sentence}"]


def test_every_mistake_is_shown_at_once_from_top_to_bottom(tmp_path: Path) -> None:
    path = tmp_path / "gate.toml"
    path.write_text('[sped]\nx = 1\n[perplexity]\nmax = -1\n[[suite]]\nname = ""\n', "utf-8")
    with pytest.raises(InvalidFiles) as caught:
        load_gate(path)
    assert caught.value.message == f"3 mistakes in {path}"
    assert [(f.line, f.column) for f in caught.value.findings] == [(1, 2), (4, 7), (6, 8)]


SYNTAX = [
    ("[perplexity]\nmax = 5\nmax = 6\n",
     "3:8: this appears twice, or as a value and as a table; keep one of them"),
    ("[speed]\nmin_tokens_per_s = 5\n[memory]\n[ speed]\n",
     "4:8: this appears twice, or as a value and as a table; keep one of them"),
    ("[perplexity]\nmax 5\n", "2:5: expected '=' after a key in a key/value pair"),
    ("[perplexity]\nmax = fifty\n", "2:7: a value is expected here; texts are in quotes"),
    ("[perplexity]\nmax = [1,", "2:10: a value is expected here; texts are in quotes"),
    ("max = 5\n{}\n", "2:1: a [table] or a key with its value is expected here"),
    ("é = 1\n", "1:1: a [table] or a key with its value is expected here"),
    ("[perplexity]\r\nmax = 5 6\r\n", "2:9: expected newline or end of document after a statement"),
    ("[perplexity\nmax = 5\n", "1:12: expected ']' at the end of a table declaration"),
    ('{"perplexity": {"max": 5}}\n', "1:1: a [table] or a key with its value is expected here"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), SYNTAX, ids=[m[1][:60] for m in SYNTAX])
def test_what_is_no_toml_is_refused_where_it_stops_being_some(
    text: str, message: str, tmp_path: Path
) -> None:
    place, _, sentence = message.partition(": ")
    assert mistakes_in(text, tmp_path) == [
        f"gate.toml:{place}: -: error: not valid TOML: {sentence}"
    ]


@given(st.lists(st.sampled_from([*"[]{}.,=#\"' \n\r1é\x00\ufeff", "suite", "max", "nan"])))
def test_no_text_ends_in_anything_but_a_gate_or_findings(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_bytes("".join(pieces).encode())
    for finding in examine_gate(path):
        assert finding.line >= 1
        assert finding.column >= 1
        assert str(finding).isprintable()


# ----------------------------------------------------------------------------------------- files


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("[speed]".encode("utf-16"),
         "1:1: byte 0xFF at offset 0 is not UTF-8; save the file as UTF-8"),
        (b"[speed]\nx = '\xff'\n",
         "2:6: byte 0xFF at offset 13 is not UTF-8; save the file as UTF-8"),
        (b"\x7fELF\x02\x01\x01",
         "1:1: not valid TOML: a [table] or a key with its value is expected here"),
        (b"# " + b"x" * 1_200_000, "1:1: the file has 2 MB, and at most 1 MB are read"),
        (b"x = 1\ny = " + b"[" * 5_000, "1:1: it is nested too deeply, or a number is too long"),
        (b"x = 1\ny = " + b"9" * 5_000, "1:1: it is nested too deeply, or a number is too long"),
    ],
    ids=["utf-16", "latin-1", "binary", "huge", "deep", "digits"],
)  # fmt: skip
def test_a_file_that_cannot_be_a_gate_is_refused(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "gate.toml"
    path.write_bytes(data)
    place, _, sentence = message.partition(": ")
    with pytest.raises(InvalidFiles) as caught:
        load_gate(path)
    assert [str(f) for f in caught.value.findings] == [f"{path}:{place}: -: error: {sentence}"]


def test_what_is_no_file_is_refused_without_being_opened(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    link = tmp_path / "link.toml"
    link.symlink_to("gone.toml")
    wanted = {
        tmp_path: "this is not a file; a gate is a TOML file",
        pipe: "this is not a file; a gate is a TOML file",
        tmp_path / "gone.toml": "there is no such file",
        link: "this link leads to nothing; fix or remove it",
        Path("a\0b"): "there is no such file",
    }
    assert {path: examine_gate(path)[0].message for path in wanted} == wanted


def test_gates_and_tests_are_checked_together_by_name(tmp_path: Path) -> None:
    put(tmp_path / "a.json", [good()])
    put(tmp_path / "GATE.TOML", "[speed]\n")
    put(tmp_path / "default.toml", SHIPPED.read_text("utf-8"))
    given = [tmp_path / "a.json", tmp_path / "GATE.TOML", tmp_path / "default.toml"]
    assert [(f.file, f.message) for f in examine([*given, *given])] == [
        (f"{tmp_path}/GATE.TOML", "'speed' lacks 'min_tokens_per_s'")
    ]
    assert examine([tmp_path]) == ()  # gates in a folder of tests are left alone
    assert [f.message for f in examine([tmp_path / "gone.toml"])] == ["there is no such file"]


# ------------------------------------------------------------------------ a gate and a run's suites

KNOWN = {"os": ["hardware_id", "driver_select", "command_complete", "installation"], "law": ["a"]}


def test_the_default_fits_a_run_of_the_shipped_suite() -> None:
    assert check_gate(load_gate(None), KNOWN) == ()


def test_suites_and_categories_that_a_run_lacks_are_found_where_the_gate_names_them(
    tmp_path: Path,
) -> None:
    path = tmp_path / "gate.toml"
    path.write_text(
        '[[suite]]\nmin = 0.5\nname = "oss"\ncategories = ["x"]\n'
        '[[suite]]\nname = "law"\nmin = 0.5\ncategories = [\n  "a",\n  "torts",\n]\n'
        '[[suite]]\nname = "os"\nmin = 0.5\ncategories = ["hardware-id"]\n',
        "utf-8",
    )
    assert [str(f) for f in check_gate(load_gate(path), KNOWN)] == [
        f"{path}:3:8: -: error: the gate asks for the suite 'oss', which is not part of this run; "
        "did you mean 'os'?",
        f"{path}:10:3: -: error: the gate asks for the category 'torts' of 'law', which is not "
        "part of this run; expected one of a",
        f"{path}:15:15: -: error: the gate asks for the category 'hardware-id' of 'os', which is "
        "not part of this run; did you mean 'hardware_id'?",
    ]


# ---------------------------------------------------------------------------------------- schema

# JSON's 0.0 is a whole number, and the validator cannot write one of 5,000 hexadecimal digits.
BEYOND_A_SCHEMA = ("not nan", "has a limit already", "not 0.0", "not 0xf")


def test_the_schema_is_valid_and_accepts_the_default() -> None:
    Draft202012Validator.check_schema(gate_schema())
    assert [e.message for e in SCHEMA.iter_errors(tomllib.loads(SHIPPED.read_text("utf-8")))] == []


@pytest.mark.parametrize(
    ("text", "message"),
    [m for m in MISTAKES if not any(part in m[1] for part in BEYOND_A_SCHEMA)],
)
def test_what_the_loader_refuses_the_schema_refuses(text: str, message: str) -> None:
    assert not SCHEMA.is_valid(tomllib.loads(text)), message


NUMBERS = st.sampled_from([0, 1, 0.5, 1.5, 10, -1, MOST, MOST + 1]) | st.floats() | st.integers()
ODD = st.booleans() | st.sampled_from(["", "os", [], ["a"], ["a", "a"], [1], {}])
SIZES = st.dictionaries(
    st.sampled_from(["tiny", "small", "medium", "large"]), NUMBERS | ODD, min_size=3
) | st.just({"tiny": 9, "small": 8, "medium": 7, "large": 6.5})
KEYS = ["max", "min_tokens_per_s", "max_failures", "max_mb", "name", "min", "categories"]
TABLES = st.dictionaries(st.sampled_from(KEYS), NUMBERS | SIZES | ODD, max_size=3)


def one(key: str, values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({key: values})


LIKELY = st.one_of(
    *(one(key, NUMBERS | SIZES) for key in ("max", "min_tokens_per_s", "max_failures", "max_mb")),
    st.lists(one("name", st.just("os")).flatmap(lambda d: one("min", NUMBERS).map(d.__or__))),
    TABLES,
    st.lists(TABLES),
    ODD,
)


@pytest.mark.parametrize("name", gate_tables())
@given(value=LIKELY)
def test_what_the_loader_accepts_the_schema_accepts(name: str, value: Any) -> None:
    notes = Notes()
    gate_validator().check({name: value}, notes)
    if notes.errors == 0:
        assert [error.message for error in SCHEMA.iter_errors({name: value})] == []


def test_limits_without_a_field_of_their_own_are_kept_by_the_name_of_their_measure(
    tmp_path: Path,
) -> None:
    put(
        tmp_path / "gate.toml",
        "[tokenizer]\nmax_tokens_per_word = 3\n[speed]\nmin_tokens_per_s = 1\n",
    )
    gate = load_gate(tmp_path / "gate.toml")
    assert gate.tables["tokenizer"].max == dict.fromkeys(SIZE_CLASSES, 3.0)
    assert gate.speed_min == dict.fromkeys(SIZE_CLASSES, 1.0)


def test_the_schema_describes_every_key_and_the_command_prints_it() -> None:
    properties: Any = gate_schema()["properties"]
    assert list(properties) == list(gate_tables())
    tables = [properties[name] for name in properties if name not in ("suite", "measure", "text")]
    for name in ("measure", "text"):
        assert properties[name]["description"]
        tables.append({"description": "-", **properties[name]["additionalProperties"]})
    for table in [*tables, properties["suite"]["items"]]:
        assert table["description"]
        assert table["properties"]
        assert all(key["description"] for key in table["properties"].values())
    printed = CliRunner().invoke(schema_command, ["gate"])
    assert '"min_tokens_per_s"' in printed.output


# ------------------------------------------------------------------------------------------ page


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "reference" / "gates.md").read_text("utf-8")


def test_the_page_names_every_table_and_key(page: str) -> None:
    properties: Any = gate_schema()["properties"]
    for name, table in properties.items():
        brackets = f"`[[{name}]]`" if name == "suite" else f"`[{name}]`"
        rows = [line for line in page.splitlines() if line.startswith(f"| {brackets} |")]
        brackets = f"`[{name}.NAME]`" if name in ("measure", "text") else brackets
        rows = [line for line in page.splitlines() if line.startswith(f"| {brackets} |")]
        keys = table.get("items", table.get("additionalProperties") or table)["properties"]
        assert {key for key in keys if any(f"| `{key}` |" in row for row in rows)} == set(keys)


def test_the_gates_on_the_page_are_gates_and_the_first_is_the_default(
    page: str, tmp_path: Path
) -> None:
    gates = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(gates) == 6
    assert SHIPPED.read_text("utf-8").endswith(f"\n{gates[0]}")
    loaded = []
    for text in gates:
        path = tmp_path / "gate.toml"
        path.write_text(text, "utf-8")
        loaded.append(load_gate(path))
    default, confirming, covering, other_domain, own_score, without_speed = loaded
    assert confirming.accept.confirm == 0.3
    assert sum(own_score.score.values()) == 1
    assert covering.accuracy_min == {"accuracy_top1": 0.30, "accuracy_top5": 0.60}
    assert covering.suites == (SuiteLimit(name="technical", above_guessing=True),)
    assert default.suites[0].name == "os"
    assert "os" not in [suite.name for suite in other_domain.suites]
    assert without_speed.speed_min is None


def test_the_findings_on_the_page_are_what_validate_prints(page: str, tmp_path: Path) -> None:
    shown = re.search(r"^```text\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    broken = re.search(r"^```ini\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert shown is not None
    assert broken is not None
    assert mistakes_in(broken[1], tmp_path) == shown[1].splitlines()


# ------------------------------------------------------------------------------ its own score


def test_a_score_has_the_weights_that_the_file_gives(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        '[perplexity]\nmax = 30\n[score]\nweights = { perplexity = 0.4, "suite:facts" = 0.6 }\n'
    )
    gate = load_gate(path)
    assert gate.score == {"perplexity": 0.4, "suite:facts": 0.6}
    assert not gate.bounds
    SCHEMA.validate(tomllib.loads(path.read_text()))


def test_a_gate_with_suites_and_no_score_is_bounded_by_the_shipped_limits(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('[perplexity]\nmax = 30\n[[suite]]\nname = "facts"\nmin = 0.5\n')
    assert load_gate(path).bounds == {"speed_min": dict.fromkeys(SIZE_CLASSES, 10)}
    assert not load_gate(None).bounds


@pytest.mark.parametrize(
    ("weights", "finding"),
    [
        ("{ speed = 1 }", "gate.toml:2:21: -: error: 'speed' has a weight and nothing that bounds"),
        ('{ "text:law" = 1 }', "gate.toml:2:26: -: error: 'text:law' has a weight and nothing"),
        ("{ perplexty = 1 }", "gate.toml:2:25: -: error: 'perplexty' is no part of a score"),
        ("{ domain = 1 }", "gate.toml:2:22: -: error: 'domain' is no part of a score"),
        ("{ mmlu_cs = 0 }", "gate.toml:2:23: -: error: 'score.weights.mmlu_cs' must be a number"),
        ("{}", "gate.toml:2:11: -: error: 'score.weights' is empty"),
    ],
)
def test_a_weight_that_cannot_count_is_refused_with_its_place(
    weights: str, finding: str, tmp_path: Path
) -> None:
    found = mistakes_in(f"[score]\nweights = {weights}\n", tmp_path)
    assert len(found) == 1
    assert found[0].startswith(finding)


def test_shares_need_no_limit_to_have_a_weight(tmp_path: Path) -> None:
    keys = ("os_benchmark", "mmlu_cs", "hellaswag", "accuracy_top1", "accuracy_top5")
    weights = ", ".join(f"{key} = 1" for key in keys)
    assert not mistakes_in(f"[score]\nweights = {{ {weights} }}\n", tmp_path)


def test_a_weight_on_a_suite_that_is_not_asked_is_found(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('[score]\nweights = { "suite:fact" = 1, os_benchmark = 1 }\n')
    first, second = map(str, check_gate(load_gate(path), {"facts": ["capitals"]}))
    assert "2:28: -: error: the gate gives 'suite:fact' a weight" in first
    assert "did you mean 'facts'" in first
    assert "the suite 'os' is not part of this run" in second


def test_a_text_has_a_limit_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    sizes = "{ tiny = 9, small = 8, medium = 7, large = 6 }"
    path.write_text(f"[text.law]\nmax = 30\n[text.general]\nmax = {sizes}\n")
    gate = load_gate(path)
    assert gate.texts["law"] == dict.fromkeys(SIZE_CLASSES, 30)
    assert (gate.texts["general"] or {})["large"] == 6
    SCHEMA.validate(tomllib.loads(path.read_text()))
    found = [str(each) for each in check_gate(gate, None, ["general", "laws"])]
    assert len(found) == 1
    assert "own.toml:1:" in found[0]
    assert "--text law=FILE; did you mean 'laws'?" in found[0]


@pytest.mark.parametrize(
    ("table", "finding"),
    [
        ('["text"."a b"]\nmax = 3', "gate.toml:1:1: -: error: the text 'a b' cannot be named"),
        ("[text.law]\nmin = 3", "gate.toml:2:1: -: error: unknown field 'min' in 'text.law'"),
        ("[text.law]\nmax = -1", "gate.toml:2:7: -: error: 'text.law.max'"),
    ],
)
def test_a_wrong_limit_of_a_text_is_found_with_its_place(
    table: str, finding: str, tmp_path: Path
) -> None:
    assert any(each.startswith(finding) for each in mistakes_in(table, tmp_path))


# -------------------------------------------------------------------------------------- accept


def test_what_an_acceptance_needs_beyond_limits(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        '[[suite]]\nname = "law"\nmin = 0.5\n'
        '[accept]\nclear = true\nconfirm = 0.3\nno_worse_than = "base/step_900"\n'
    )
    rules = load_gate(path).accept
    assert (rules.clear, rules.confirm, rules.no_worse_than) == (True, 0.3, "base/step_900")
    assert rules.margin == 0.02
    SCHEMA.validate(tomllib.loads(path.read_text()))


@pytest.mark.parametrize(
    ("table", "finding"),
    [
        ("[accept]\n", "gate.toml:1:1: -: error: 'accept' asks for nothing"),
        ("[accept]\nmargin = 0.1\n", "gate.toml:2:10: -: error: 'margin' is for 'no_worse_than'"),
        ("[accept]\nconfirm = 1\n", "gate.toml:2:11: -: error: 'accept.confirm' must be a number"),
        ("[accept]\nconfirm = 0.3\n", "gate.toml:2:11: -: error: 'confirm' is for suites"),
        ("[accept]\nclaer = true\n", "gate.toml:2:1: -: error: unknown field 'claer'"),
    ],
)
def test_a_mistake_in_accept_is_found_with_its_place(
    table: str, finding: str, tmp_path: Path
) -> None:
    found = mistakes_in(table, tmp_path)
    assert any(each.startswith(finding) for each in found), found


def test_a_metric_of_a_task_is_limited_in_its_own_unit(tmp_path: Path) -> None:
    path = tmp_path / "gate.toml"
    path.write_text(
        '[[suite]]\nname = "lm-eval:wikitext"\nmetric = "word_perplexity"\nmax = 40\n'
        '[[suite]]\nname = "lm-eval:wikitext"\nmetric = "bits_per_byte"\nmax = 1.2\n'
    )
    gate = load_gate(path)
    assert list(gate.suite_criteria()) == [
        "suite:lm-eval:wikitext/word_perplexity",
        "suite:lm-eval:wikitext/bits_per_byte",
    ]
    assert SCHEMA.is_valid(tomllib.loads(path.read_text()))


def test_metrics_change_the_hash_of_no_other_gate(tmp_path: Path) -> None:
    path = tmp_path / "gate.toml"
    path.write_text('[[suite]]\nname = "facts"\nmin = 0.5\n')
    assert load_gate(path).digest == "709d203ab90e94b1"
