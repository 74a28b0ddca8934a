"""Every mistake of a test file is found, named and placed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.suites.load import examine
from assay.suites.test_format.fields import all_fields

from .conftest import FindingsOf, asking, good

USER = {"role": "user", "content": "Hello"}
ASSISTANT = {"role": "assistant", "content": "Hi"}
SYSTEM = {"role": "system", "content": "You are Yawo."}


def talk(*messages: Any, **fields: Any) -> dict[str, Any]:
    return good(prompt=None, messages=list(messages), **fields)


def no_review(got: str) -> str:
    return (
        '\'reviewed\' must be "Name, YYYY-MM-DD", several joined by "; ", '
        f"not {got}; leave it out until a person has reviewed the test"
    )


MISTAKES = [
    # ------------------------------------------------------------------------------------- fields
    ("hello", "a test must be an object in braces, not a text"),
    (good(id=None), "'id' is missing; the form is category_001"),
    (good(id=7), "'id' must be a text, not a number; put it in quotes"),
    (good(id=""), "'id' is empty"),
    (good(id="a 1"), "the id 'a 1' may contain only letters, digits, '_' and '-'"),
    (good(id="a\u0000b"), "the id 'a\\x00b' may contain only letters, digits, '_' and '-'"),
    (good(id="a/../b"), "the id 'a/../b' may contain only letters, digits, '_' and '-'"),
    (good(id="a" * 121), "the id is too long: at most 120 characters and 200 bytes are allowed"),
    (good(id="ɖ" * 110), "the id is too long: at most 120 characters and 200 bytes are allowed"),
    (good(expected_keyword=["x"]),
     "unknown field 'expected_keyword'; did you mean 'expected_keywords'?"),
    (good(Prompt="x"), "unknown field 'Prompt'; did you mean 'prompt'?"),
    (good(temperature="0.3"), "'temperature' must be a number from 0 to 2, not a text"),
    (good(temperature=True), "'temperature' must be a number from 0 to 2, not true"),
    (good(temperature=2.1), "'temperature' must be a number from 0 to 2, not 2.1"),
    (good(temperature=-0.1), "'temperature' must be a number from 0 to 2, not -0.1"),
    (good(max_tokens=0), "'max_tokens' must be a whole number from 1 to 1000000, not 0"),
    (good(max_tokens=1.5), "'max_tokens' must be a whole number from 1 to 1000000, not 1.5"),
    (good(max_tokens=10**400),
     "'max_tokens' must be a whole number from 1 to 1000000, not "
     "0x1b4ec7f91973ff3cb1ccf26fbc177c38db6e54582d…000000000000000"),
    (good(stop=[""]), "'stop[0]' is empty"),
    (good(stop=["x"] * 17), "'stop' has 17 items, and at most 16 are allowed"),
    (good(tags="easy"), "'tags' must be a list, not a text"),
    (good(reviewed=3), no_review("a number")),
    (good(reviewed=True), no_review("true")),
    (good(reviewed=False), no_review("false")),
    (good(reviewed=""), no_review("''")),
    (good(reviewed="Ama"), no_review("'Ama'")),
    (good(reviewed="Ama, 2026"), no_review("'Ama, 2026'")),
    (good(reviewed="Ama, 2026-02-30"), no_review("'Ama, 2026-02-30'")),
    (good(reviewed=", 2026-02-03"), no_review("', 2026-02-03'")),
    (good(reviewed="Ama, 2026-11-20; Kofi"), no_review("'Ama, 2026-11-20; Kofi'")),
    (good(description=3), "'description' must be a text, not a number; put it in quotes"),
    # ------------------------------------------------------------------------------- conversation
    (good(messages=[USER]), "a test has either 'prompt' or 'messages', not both"),
    (good(prompt=None), "the test asks nothing; it needs 'prompt' or 'messages'"),
    (good(prompt=" \n"), "'prompt' is empty"),
    (talk(), "'messages' is empty"),
    (talk("hi"), "'messages[0]' must be an object, not a text"),
    (talk({"role": "usr", "content": "x"}),
     "'messages[0].role' cannot be 'usr'; did you mean 'user'?"),
    (talk({"role": ["user"], "content": "x"}),
     "'messages[0].role' must be one of 'system', 'user', 'assistant', not a list"),
    (talk({"role": "user"}), "'messages[0]' lacks 'content'"),
    (talk({"role": "user", "content": ""}), "'messages[0].content' is empty"),
    (talk({"role": "user", "content": "x", "tool_calls": [{"name": "f", "result": 1}]}),
     "only an assistant turn has 'tool_calls'"),
    (talk(USER, {"role": "assistant", "tool_calls": [{"name": "f", "result": 1}]}, USER),
     "turns with 'tool_calls' need \"eval_method\": \"tool_calls\""),
    (talk({**USER, "name": "x"}),
     "unknown field 'name' in 'messages[0]'; expected one of role, content, tool_calls"),
    (talk(USER, ASSISTANT), "the last message must come from the user, not from 'assistant'"),
    (talk(SYSTEM), "the last message must come from the user, not from 'system'"),
    (talk(USER, USER),
     "two user turns in a row: put an assistant turn between them, or \"live\": true to ask them "
     "one after the other"),
    (talk(USER, SYSTEM, USER), "a system message can only be the first one"),
    (talk(SYSTEM, SYSTEM, USER), "a system message can only be the first one"),
    (talk(SYSTEM, USER, system="x"),
     "the system prompt appears twice: in 'system' and in 'messages'; keep one"),
    # ------------------------------------------------------------------------------------ methods
    (good(eval_method=None),
     "'eval_method' is missing; it is one of command_sequence, composite, ewe_quality, "
     "exact_match, format, judge, keywords, multiple_choice, tool_calls, top_k"),
    (good(eval_method="keyword"), "unknown eval_method 'keyword'; did you mean 'keywords'?"),
    (good(eval_method=["keywords"]), "'eval_method' must be a text, not a list"),
    (asking("exact_match"), "'exact_match' needs 'expected'"),
    (asking("exact_match", expected=""), "'expected' is empty"),
    (asking("exact_match", expected=[]), "'expected' is empty"),
    (asking("exact_match", expected=["x", ""]), "'expected[1]' is empty"),
    (asking("exact_match", expected=42),
     "'expected' must be a text or a list of texts, not a number; put it in quotes"),
    (asking("exact_match", expected=None),
     "'expected' must be a text or a list of texts, not null; leave the field out instead"),
    (asking("exact_match", expected="six", normalize="number"),
     "'six' contains no number, but \"normalize\" is \"number\""),
    (asking("exact_match", expected="x", normalize="txt"),
     "'normalize' cannot be 'txt'; did you mean 'text'?"),
    (good(expected_keywords=None),
     "the test checks nothing; 'keywords' needs 'expected_keywords' or 'forbidden_keywords' with "
     "at least one item"),
    (good(expected_keywords=[], forbidden_keywords=[]),
     "the test checks nothing; 'keywords' needs 'expected_keywords' or 'forbidden_keywords' with "
     "at least one item"),
    (good(expected_keywords="Lomé"), "'expected_keywords' must be a list, not a text"),
    (good(expected_keywords=[7]),
     "'expected_keywords[0]' must be a text or a list of texts, not a number; put it in quotes"),
    (good(expected_keywords=[[]]), "'expected_keywords[0]' is empty"),
    (good(expected_keywords=[["x", " "]]), "'expected_keywords[0][1]' is empty"),
    (good(forbidden_keywords=["LOMÉ"]), "'Lomé' is both expected and forbidden"),
    (asking("multiple_choice"), "'multiple_choice' needs 'expected'"),
    (asking("multiple_choice", expected="B)"),
     "'expected' must be one letter from A to Z, not 'B)'"),
    (asking("multiple_choice", expected="E", choices=["w", "x", "y", "z"]),
     "'expected' is 'E', but the choices are A to D"),
    (asking("multiple_choice", expected="A", choices=["w"]), "'choices' needs at least 2 items"),
    (asking("multiple_choice", expected="A", choices=[f"c{i}" for i in range(27)]),
     "'choices' has 27 items, and at most 26 are allowed"),
    (asking("multiple_choice", expected="A", choices=["w", " "]), "'choices[1]' is empty"),
    (asking("multiple_choice", expected="A", choices=["a b", "a  b "]),
     "'choices[1]' repeats 'a  b '"),
    (asking("multiple_choice", expected="A", choices=[1, "2"]),
     "'choices[0]' must be a text, not a number; put it in quotes"),
    (asking("multiple_choice", expected="A", score_by="text"),
     "\"score_by\": \"text\" needs 'choices'"),
    (asking("format"), "'format' needs 'expected_format'"),
    (asking("format", expected_format={}),
     "the test checks nothing; 'expected_format' needs a rule that can fail"),
    (asking("format", expected_format={"min_length": 0, "markdown_elements": []}),
     "the test checks nothing; 'expected_format' needs a rule that can fail"),
    (asking("format", expected_format={"min_len": 5}),
     "unknown field 'min_len' in 'expected_format'; did you mean 'min_length'?"),
    (asking("format", expected_format={"json": "yes"}),
     "'expected_format.json' must be true or false, not a text"),
    (asking("format", expected_format={"min_length": 9, "max_length": 8}),
     "'min_length' (9) is above 'max_length' (8)"),
    (asking("format", expected_format={"min_words": 9, "max_words": 8}),
     "'min_words' (9) is above 'max_words' (8)"),
    (asking("format", expected_format={"markdown_elements": ["heading"]}),
     "'expected_format.markdown_elements[0]' cannot be 'heading'; did you mean 'header'?"),
    (asking("format", expected_format={"language": "english"}),
     "'expected_format.language' cannot be 'english'; did you mean 'eng'?"),
    (asking("composite"),
     "the test checks nothing; 'composite' needs 'expected_keywords', 'reference' or a rule in "
     "'expected_format', or a suite of language 'ee'"),
    (asking("composite", expected_keywords=[], expected_format={"min_length": 0}),
     "the test checks nothing; 'composite' needs 'expected_keywords', 'reference' or a rule in "
     "'expected_format', or a suite of language 'ee'"),
    (asking("composite", expected_keywords=["xyz"], weights={"keyword": 1}),
     "unknown field 'keyword' in 'weights'; did you mean 'keywords'?"),
    (asking("composite", expected_keywords=["xyz"], weights={"keywords": -1}),
     "'weights.keywords' must be a number from 0 to 1000000, not -1"),
    (asking("composite", expected_keywords=["xyz"], weights={"keywords": 0}),
     "the test checks nothing; every part that it has weighs 0"),
    (asking("top_k"), "'top_k' needs 'expected_any'"),
    (asking("top_k", expected_any=[]), "'expected_any' is empty"),
    (asking("top_k", expected_any=["x"], k=0), "'k' must be a whole number from 1 to 100, not 0"),
    (asking("command_sequence"), "'command_sequence' needs 'expected_commands'"),
    (asking("command_sequence", expected_commands=[]), "'expected_commands' is empty"),
    (asking("judge"), "'judge' needs 'rubric'"),
    (asking("judge", rubric="x", checklist=[4]),
     "'checklist[0]' must be a text or an object, not a number; put it in quotes"),
    (asking("judge", rubric="x", fixtures="data.csv"), "'fixtures' must be a list, not a text"),
]  # fmt: skip


@pytest.mark.parametrize(("test", "message"), MISTAKES, ids=[m[1][:50] for m in MISTAKES])
def test_a_mistake_is_an_error_that_names_the_thing(
    test: Any, message: str, findings_of: FindingsOf
) -> None:
    errors = [finding.message for finding in findings_of(test) if finding.severity == "error"]
    assert errors == [message]


def test_every_mistake_of_every_test_is_shown_at_once(findings_of: FindingsOf) -> None:
    found = findings_of(
        good(temprature=1, max_tokens=0, prompt=None),
        good(eval_method="nonsense", id="a_002"),
        "no test",
    )
    assert [finding.message.split(";")[0] for finding in found] == [
        "the test asks nothing",
        "unknown field 'temprature'",
        "'max_tokens' must be a whole number from 1 to 1000000, not 0",
        "unknown eval_method 'nonsense'",
        "a test must be an object in braces, not a text",
    ]


def test_a_finding_is_one_line_with_the_place_and_the_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tests").mkdir()
    Path("tests/a.json").write_text(
        '[\n  {"id": "a_003",\n   "prompt": "é 𝒳", "eval_method": "keywords",\n'
        '    "é": 1, "expected_keyword": ["x"], "expected_keywords": ["Lomé"]}\n]\n'
    )
    assert [str(finding) for finding in examine([Path("tests")])] == [
        "tests/a.json:4:5: a_003: error: unknown field 'é'; expected one of "
        + ", ".join(all_fields()),
        "tests/a.json:4:13: a_003: error: unknown field 'expected_keyword'; "
        "did you mean 'expected_keywords'?",
    ]


def test_text_from_a_file_never_breaks_a_finding_into_two_lines(findings_of: FindingsOf) -> None:
    for finding in findings_of(good(**{"evil\nfield\x1b[31m": 1}), good(id="b\nc")):
        assert str(finding).isprintable()


def test_an_id_with_mistakes_in_its_test_is_still_taken(findings_of: FindingsOf) -> None:
    found = [f.message for f in findings_of(good(temperature=9), good())]
    assert any("duplicate id, already used in" in message for message in found)


VALID = [
    good(),
    good(
        id="ŋkɔ-dzesi_01",
        temperature=0,
        max_tokens=1,
        stop="\n",
        reviewed="Ama, 2024-02-29",
        tags=[],
    ),
    good(system="", description="", reviewed="Ama Mensah, 2026-11-20; Ŋ, PhD, 2026-11-21", stop=[]),
    good(expected_keywords=None, forbidden_keywords=["Accra"]),
    good(expected_keywords=[["Lomé", "Lome"], "C++"], keyword_match="substring"),
    talk(SYSTEM, USER, ASSISTANT, USER),
    talk(USER, USER, live=True),
    talk(ASSISTANT, USER),
    asking("exact_match", expected=["4", "four"], normalize="strict"),
    asking("exact_match", expected="-", normalize="trim"),
    asking("exact_match", expected="+"),
    asking("multiple_choice", expected="b"),
    asking("multiple_choice", expected="B", choices=["-r", "-R"], score_by="text", render=False),
    asking("format", expected_format={"json": False}),
    asking("format", expected_format={"list_item_count": 0, "min_length": 0}),
    asking("format", expected_format={"min_length": 5, "max_length": 5, "language": "ee"}),
    asking("ewe_quality"),
    asking("composite", expected_format={"contains_ewe": True}, weights={"ewe_quality": 2}),
    asking("composite", expected_keywords=["agbe"], expected_format={}),
    asking("top_k", expected_any=["e1000e"], k=5, match="module"),
    asking("command_sequence", expected_commands=["apt update", ["apt install x", "apt add x"]]),
    asking("judge", rubric="coding", checklist=["Does it run?", {"q": "Why?"}], fixtures=["a.csv"]),
]


@pytest.mark.parametrize("test", VALID, ids=lambda test: test["eval_method"])
def test_a_sound_test_has_no_error(test: Any, findings_of: FindingsOf) -> None:
    assert [f.message for f in findings_of(test) if f.severity == "error"] == []
