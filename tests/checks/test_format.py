"""Rules on the shape of an answer, one part each, and the mean of families."""

from __future__ import annotations

from typing import Any

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.composite import Composite, Weights
from assay.checks.format import MARKDOWN_ELEMENTS, Format, Rules
from assay.text.prose import count_sentences, count_words, read_markdown
from assay.types import AnswerCheck, Answered, Case, Context, Message, Score
from tests.conftest import no_hang

EWE = "Ame sia ame le agbe eye wòwɔ dɔ sesĩe le woƒe du me gbe sia gbe ɖe ame bubuwo ta."
FRENCH = "Bonjour à tous, nous sommes très heureux de vous accueillir dans cette belle maison."
PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
}
any_text = st.text(st.characters(codec=None), max_size=300)


def a_case(check: AnswerCheck, language: str | None = None) -> Case:
    messages = (Message("user", "?"),)
    return Case(id="t", suite="s", category="c", messages=messages, check=check, language=language)


def shaped(answer: str, rules: Rules) -> Score:
    return Format(expected_format=rules).score(answer)


def composed(answer: str, check: Composite, language: str | None = None) -> Score:
    reply = Answered(request_id="r", text=answer)
    return check.score(answer, Context(a_case(check, language), reply))


@pytest.mark.parametrize(
    ("rules", "holds", "breaks"),
    [
        (Rules(min_length=3), "abc", "ab"),
        (Rules(max_length=3), " abc\n", "abcd"),
        (Rules(max_length=1), "e\u0301", "éé"),
        (Rules(min_words=2), "one - two", "one - …"),
        (Rules(max_words=2), "one, two", "one two three"),
        (Rules(max_sentences=1), "Dr. Mensah has 3.5 kg.", "One. Two."),
        (Rules(list_item_count=2), "- a\n- b", "- a\n- b\n- c"),
        (Rules(list_item_count=2), "Two:\n• a\n• b", "Two:\n• a\n• "),
        (Rules(list_item_count=2), "```\n1. a\n2. b\n```", "```python\n- a\n- b\n```"),
        (Rules(list_item_count=3), "- a\n  - b\n- c", "- a\n- c"),
        (Rules(list_item_count=2), "- a\n  - b\n- c", "- a\n-"),
        (Rules(list_item_count=3), "• a • b • c", "The first of them are a, b and c."),
        (Rules(list_item_count=3), "Red, green and blue.", "Red, green, blue and grey"),
        (Rules(list_item_count=2), "**Step 1:** Go.\n\n**Step 2:** Come.", "Go there. Come back."),
        (Rules(list_item_count=3), "Three:\nred\ngreen\nblue", "I went.\nYou came.\nWe saw."),
        (Rules(starts_with="É"), " E\u0301t\u00e9", "ete"),
        (Rules(starts_with="Yes"), "“YES, of course.”", "Oh yes"),
        (Rules(starts_with="Answer: "), "Answer: 3", "Answer:3"),
        (Rules(ends_with="!"), "Hi!\n", "Hi"),
        (Rules(json=True), '```json\n{"a": 1}\n```', "Use {name} here"),
        (Rules(json=True), "[1,2,3]", '{"a": 1'),
        (Rules(json=True), '{"a": 1} {"b": 2}', '{"a": 1,}'),
        (Rules(json=False), "{ return x; }", '{"a": 1} {"b": 2}'),
        (Rules(json=False), "No JSON here [1].", '{"a": 1}'),
        (Rules(json_schema=PERSON), '```json\n{"name": "Ama", "age": 3}\n```', '{"name": "Ama"}'),
        (Rules(json_schema=PERSON), 'So: {"name": "Ama", "age": 3.0}', "Ama is 3 years old."),
        (Rules(json_schema=PERSON), '{"name": "Ama", "age": 3}', '{"name": "Ama", "age": "3"}'),
        (Rules(json_schema={"type": "integer"}), " 42\n", "42 apples"),
        (Rules(json_schema={"type": "number"}), "```\n1.5\n```", "NaN"),
        (Rules(contains_function_call=True), '{"name":"f","arguments":{}}', "a function call"),
        (Rules(contains_function_call=False), "a function call", "[f(a=1)]"),
        (Rules(contains_ewe=True), EWE, FRENCH),
        (Rules(contains_ewe=False), FRENCH, EWE),
        (Rules(language="ee"), EWE, FRENCH),
        (Rules(language="fr"), FRENCH, EWE),
        (Rules(markdown_elements=("header",)), "# A", "```\n# A\n```"),
        (Rules(markdown_elements=("header",)), "A\n===", "#tag"),
        (Rules(markdown_elements=("list",)), "• a\n• b", "a, b and c"),
        (Rules(markdown_elements=("list",)), "1. a\n2. b", "It is 1. in prose"),
        (Rules(markdown_elements=("bold",)), "a **b** c", "`**b**` and 2 ** 3"),
        (Rules(markdown_elements=("italic",)), "a *b* c", "a **b** c"),
        (Rules(markdown_elements=("code",)), "a `b` c", "```\nb\n```"),
        (Rules(markdown_elements=("code_block",)), "```\nb\n```", "a `b` c"),
        (Rules(markdown_elements=("table",)), "|a|b|\n|---|---|\n|1|2|", "a | b --- c"),
        (Rules(markdown_elements=("link",)), "[a](http://b)", "[a] (b)"),
        (Rules(markdown_elements=("quote",)), "> a", "a > b"),
    ],
)
def test_a_rule_holds_or_breaks(rules: Rules, holds: str, breaks: str) -> None:
    assert shaped(holds, rules).value == 1.0
    broken = shaped(breaks, rules)
    assert broken.value == 0.0
    assert "Broken:" in broken.explanation


def test_a_language_that_cannot_be_recognised_is_left_open_and_never_guessed() -> None:
    alone = shaped("Oui.", Rules(language="fr"))
    assert (alone.value, alone.unscored_reason) == (None, "too_short")
    beside = shaped("Oui.", Rules(language="fr", max_words=3, min_words=2))
    assert (beside.value, [part.name for part in beside.parts]) == (0.5, ["min_words", "max_words"])
    assert "too short to recognise its language" in beside.explanation
    assert shaped("42", Rules(language="fr")).value == 0.0, "no word is no French word"
    german = "Ich weiß es nicht, aber morgen werde ich es dir ganz bestimmt sagen können."
    assert shaped(german, Rules(language="fr")).value == 0.0, "long, but of no known language"
    whole = composed("Oui.", Composite(expected_format=Rules(language="fr")))
    assert whole.unscored_reason == "too_short"
    words = Composite(expected_format=Rules(language="fr"), expected_keywords=(("oui",),))
    assert composed("Oui.", words).value == 1.0


def test_the_value_is_the_share_of_rules_and_each_element_is_one() -> None:
    rules = Rules(min_length=1, max_words=2, markdown_elements=("bold", "list"))
    score = shaped("**one** two three", rules)
    assert [(part.name, part.value) for part in score.parts] == [
        ("min_length", 1.0),
        ("max_words", 0.0),
        ("markdown bold", 1.0),
        ("markdown list", 0.0),
    ]
    assert score.value == 0.5
    assert score.extracted == "min_length, markdown bold"
    assert "2 of 4 rules pass" in score.explanation


def test_the_explanation_says_in_which_shape_a_call_was_found() -> None:
    score = shaped("<tool_call>f(a=1)</tool_call>", Rules(contains_function_call=False))
    assert "(tagged)" in score.explanation


def test_the_explanation_says_why_json_was_refused() -> None:
    assert "NaN" in shaped('{"a": NaN}', Rules(json=True)).explanation
    assert "repeated" in shaped('{"a": 1, "a": 2}', Rules(json=True)).parts[0].explanation


def test_the_path_that_breaks_a_schema_is_named() -> None:
    team = {"type": "object", "properties": {"team": {"type": "array", "items": PERSON}}}
    score = shaped('{"team": [{"name": "Ama", "age": 3}, {"name": 1, "age": 2}]}',
                   Rules(json_schema=team))  # fmt: skip
    assert "json_schema: $.team[1].name: 1 is not of type 'string'" in score.explanation


def test_all_the_json_of_an_answer_must_meet_the_schema() -> None:
    two = '```json\n{"name": "Ama", "age": 3}\n```\nor\n```json\n{"name": "Kofi"}\n```'
    assert "JSON 2 of 2: $: 'age' is a required property" in shaped(
        two, Rules(json_schema=PERSON)
    ).explanation  # fmt: skip


def test_a_hostile_answer_breaks_a_schema_and_nothing_else() -> None:
    nested: dict[str, Any] = {"type": "array", "items": {"$ref": "#"}}
    for answer in ("[" * 50_000, "[" * 3_000 + "]" * 3_000, '{"a": ' + "9" * 10_000 + "}"):
        assert shaped(answer, Rules(json_schema=nested)).value == 0.0


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", 0),
        ("...", 0),
        ("One", 1),
        ("One. Two", 2),
        ("See e.g. Lomé. Two.", 2),
        ("It costs 3.5 francs.", 1),
        ("Dr. Mensah came. He left.", 2),
        ("Well... maybe.", 1),
        ("Wait… What?", 2),
        ("What?! No!", 2),
        ('"Really?" he asked.', 1),
        ("J. K. Rowling wrote it.", 1),
        ("It has vitamin C. The end.", 2),
        ("你好。再见。", 2),
        ("- a\n- b", 2),
        ("1. First\n2. Second", 2),
        ("Title\n\nText.", 2),
    ],
)
def test_sentences_are_counted_as_a_reader_would(text: str, sentences: int) -> None:
    assert count_sentences(text) == sentences


def test_a_word_holds_a_word_character() -> None:
    assert count_words("l'été -- ɖe … 3") == 3


def test_every_markdown_element_is_recognised() -> None:
    text = "# T\n\n**b** *i* `c` [l](http://x)\n\n- a\n\n> q\n\n|a|\n|-|\n|1|\n\n```\nx\n```\n"
    assert read_markdown(text).elements == set(MARKDOWN_ELEMENTS)


# ------------------------------------------------------------------------------------- composite

WORDS = (("red",), ("blue",))


def test_composite_is_the_mean_of_the_parts_present() -> None:
    score = composed("red", Composite(expected_keywords=WORDS, expected_format=Rules(min_length=1)))
    assert score.value == 0.75
    assert [part.name for part in score.parts] == ["keywords", "format"]
    assert "Missing: blue." in score.explanation


def test_weights_count_and_those_of_absent_parts_do_not() -> None:
    weights = Weights(keywords=3.0, ewe_quality=100.0)
    check = Composite(expected_keywords=WORDS, expected_format=Rules(min_length=1), weights=weights)
    assert composed("red", check).value == 0.625


def test_weights_that_leave_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="weights"):
        composed("red", Composite(expected_keywords=WORDS, weights=Weights(keywords=0.0)))


@pytest.mark.parametrize(
    ("rules", "language", "applies"),
    [
        (Rules(contains_ewe=True), None, True),
        (Rules(contains_ewe=True), "fr", True),
        (None, "ee", True),
        (Rules(min_length=1), "ee", True),
        (Rules(language="ee"), "ee", True),
        (Rules(contains_ewe=False), "ee", False),
        (Rules(language="fr"), "ee", False),
        (Rules(min_length=1), "fr", False),
        (None, None, False),
    ],
)
def test_ewe_quality_applies_where_ewe_is_asked_for(
    rules: Rules | None, language: str | None, applies: bool
) -> None:
    check = Composite(expected_keywords=WORDS, expected_format=rules)
    assert check.ewe_applies(language) is applies


def test_ewe_quality_is_a_part_of_an_ewe_composite() -> None:
    score = composed(EWE, Composite(expected_keywords=(("agbe",),)), "ee")
    assert [part.name for part in score.parts] == ["keywords", "ewe_quality"]
    assert score.value is not None
    assert score.value > 0.5


FREE = "Everyone has a right to schooling."
RIGHT = "Everyone has the right to education."


def test_a_reference_is_compared_by_chrf_as_sacrebleu_computes_it() -> None:
    check = Composite(expected_keywords=(("right",),), reference=(RIGHT,))
    score = composed(FREE, check)
    words, chrf = score.parts
    whole = sacrebleu.sentence_chrf(FREE.lower().rstrip("."), [RIGHT.lower().rstrip(".")]).score
    assert (words.value, chrf.name) == (1.0, "chrf")
    assert chrf.value == pytest.approx(whole / 100)
    assert score.value == pytest.approx((1 + whole / 100) / 2)
    assert "version:" in score.explanation, "sacrebleu's signature"
    assert composed("“everyone has the right to EDUCATION”", check).value == 1.0


def test_of_several_references_the_nearest_counts_and_a_stored_check_keeps_them() -> None:
    check = Composite(reference=("Quite another sentence.", RIGHT), weights=Weights(chrf=2.0))
    assert composed(RIGHT, check).value == 1.0
    assert (composed("xyz", check).value or 0) < 0.05
    assert Composite.from_stored(check.stored()).reference == check.reference
    assert check.gold() == "Quite another sentence."


# ------------------------------------------------------------------------------------ properties

EVERY_RULE = Rules(
    contains_function_call=True,
    json=True,
    min_length=2,
    max_length=9,
    min_words=2,
    max_words=3,
    max_sentences=1,
    list_item_count=1,
    starts_with="a",
    ends_with="b",
    markdown_elements=MARKDOWN_ELEMENTS,
)


@given(any_text)
def test_every_text_gets_a_value_between_zero_and_one(answer: str) -> None:
    score = shaped(answer, EVERY_RULE)
    assert score.value is not None
    assert 0.0 <= score.value <= 1.0
    assert len(score.parts) == 19


@given(any_text, st.sampled_from([" ", "\n", " \t\n"]))
def test_white_space_at_the_end_changes_no_length_word_or_sentence(answer: str, space: str) -> None:
    rules = Rules(min_length=5, max_words=5, max_sentences=2, ends_with="x")
    assert shaped(answer, rules) == shaped(answer + space, rules)


@pytest.mark.parametrize(
    "junk",
    ["(", "**", "[", "![", "*a ", "`", "> ", "<", "[a](", "_a", "|-", ". ", "A. ", "- ", "&", "\\"],
)
def test_junk_of_200_kilobytes_is_marked(junk: str) -> None:
    with no_hang():
        score = shaped(junk * (200_000 // len(junk)), EVERY_RULE)
    assert score.unscored_reason is None


def test_a_megabyte_is_marked() -> None:
    assert shaped("word " * 200_000, Rules(max_words=200_000)).value == 1.0
