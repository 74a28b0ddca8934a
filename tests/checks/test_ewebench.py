"""The old rules of EweBench 1.0, one by one, and the faults they keep."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.command_sequence import CommandSequence
from assay.checks.composite import Composite, Weights
from assay.checks.ewe.ewebench import score_ewebench
from assay.checks.ewe_quality import EweQuality
from assay.checks.exact_match import ExactMatch
from assay.checks.format import Format, Rules
from assay.checks.judge import Judge
from assay.checks.keywords import Keywords
from assay.checks.multiple_choice import MultipleChoice
from assay.checks.top_k import TopK
from assay.types import AnswerCheck, Answered, Case, Message, Score


def score_reply(check: AnswerCheck | Rules, text: str) -> Score | None:
    check = Format(expected_format=check) if isinstance(check, Rules) else check
    case = Case(
        id="t_001",
        suite="s",
        category="c",
        messages=(Message("user", "?"),),
        check=check,
        scoring="ewebench-1.0",
    )
    return score_ewebench(case, Answered(request_id="r", text=text))


def value(check: AnswerCheck | Rules, text: str) -> float:
    score = score_reply(check, text)
    assert score is not None
    assert score.value is not None
    return score.value


def test_every_score_says_that_the_old_rules_were_used() -> None:
    score = score_reply(EweQuality(), "Akpe")
    assert score is not None
    assert score.scorer == "ewebench-1.0"
    assert "old rules of EweBench 1.0" in score.explanation


@pytest.mark.parametrize(
    "check",
    [
        TopK(expected_any=("a",)),
        CommandSequence(expected_commands=(("ls",),)),
        Judge(rubric="coding"),
    ],
)
def test_methods_the_old_rules_do_not_know_are_left_to_others(check: AnswerCheck) -> None:
    assert score_reply(check, "a") is None


@pytest.mark.parametrize(
    ("expected", "answer", "score"),
    [
        ("Akpe", "  akpe\n", 1),
        (" AKPE ", "Akpe", 1),
        ("Akpe", "Akpe.", 0),
        ("Akpe", "Akpe na wò", 0),
        ("wò", unicodedata.normalize("NFD", "wò"), 0),  # fault: nothing is normalised to NFC
    ],
)
def test_exact_match_strips_and_lower_cases_both_sides(
    expected: str, answer: str, score: float
) -> None:
    assert value(ExactMatch(expected=(expected,)), answer) == score


def test_exact_match_takes_any_of_several_accepted_texts() -> None:
    assert value(ExactMatch(expected=("ɛ̃", "ee")), "EE") == 1


@pytest.mark.parametrize(
    ("keywords", "answer", "score"),
    [
        ((("Lomé",), ("Togo",)), "lomé", 0.5),
        ((("cat",),), "concatenate", 1),  # fault: substrings, not words
        ((("a",), ("b",), ("c",)), "A b", 2 / 3),
        ((("Ghana", "Togo"), ("Lomé",)), "Togo", 0.5),  # alternatives: any of them
        ((), "anything", 0),
    ],
)
def test_keywords_are_the_share_found_as_lower_case_substrings(
    keywords: tuple[tuple[str, ...], ...], answer: str, score: float
) -> None:
    assert value(Keywords(expected_keywords=keywords), answer) == pytest.approx(score)


def test_forbidden_keywords_are_unknown_to_the_old_rules() -> None:
    assert value(Keywords(expected_keywords=(("a",),), forbidden_keywords=(("b",),)), "a b") == 1


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("B", 1),
        ("b", 1),
        ("  (B) Lomé", 1),
        ("Lomé is answer B", 1),
        ("It is option_B) here", 1),
        ("It must be xB. Yes", 1),
        ("The capital", 0),
        ("ABOUT Lomé", 1),  # fault: B is among the first five characters
        ("Not A, not C", 0),
        ("Lomé a B c", 1),
        ("réponseB de la question", 0),  # fault: the text is upper-cased, "réponse" never matches
        ("", 0),
    ],
)
def test_a_letter_counts_at_the_start_as_a_word_or_before_a_bracket_or_stop(
    answer: str, score: float
) -> None:
    assert value(MultipleChoice(expected="B"), answer) == score


@pytest.mark.parametrize(
    ("rule", "answer", "score"),
    [
        (Rules(contains_ewe=True), "Kple mí", 1),
        (Rules(contains_ewe=True), "ƑE", 1),
        (Rules(contains_ewe=True), "Hausa", 0),
        # fault: "le" stands in "people" and "simple"
        (Rules(contains_ewe=True), "Hello people. This is a simple example.", 1),
        # fault: false is marked as if it were true
        (Rules(contains_ewe=False), "Kple mí", 1),
        (Rules(contains_ewe=False), "Hausa", 0),
        (Rules(contains_function_call=True), 'x <function_call>{"a": 1}', 1),
        (Rules(contains_function_call=True), '{"name": "f", "arguments": {}}', 0),
        (Rules(contains_function_call=False), "no call", 0),
        (Rules(min_length=5), "12345", 1),
        (Rules(min_length=5), "1234", 0),
        (Rules(min_length=5), " 123 ", 1),  # raw: white space counts
        (Rules(max_length=5), "12345", 1),
        (Rules(max_length=5), "12345 ", 0),
        (Rules(max_length=1), "o\u0301", 0),  # fault: no NFC, two characters
        (Rules(markdown_elements=("table",)), "|a|\n|---|", 1),
        (Rules(markdown_elements=("table",)), "a | b --- c", 1),
        (Rules(markdown_elements=("table",)), "|a|", 0),
        (Rules(markdown_elements=("header",)), "x\n### T", 1),
        (Rules(markdown_elements=("header",)), "#### T", 0),
        (Rules(markdown_elements=("header",)), "#T", 0),
        (Rules(markdown_elements=("list",)), "x\n* a", 1),
        (Rules(markdown_elements=("list",)), "- a", 1),
        (Rules(markdown_elements=("list",)), "1. a", 0),
        (Rules(markdown_elements=("bold",)), "**", 1),
        (Rules(markdown_elements=("bold", "header", "link")), "**a** [b](c)", 1 / 3),
        (Rules(min_length=1, max_length=2), "abc", 0.5),
        (Rules(json=True, max_words=1), '{"a": 1}', 0),  # no rule it knows
        (Rules(json=True, min_length=1), "abc", 1),  # others are ignored
    ],
)
def test_format_is_the_mean_of_the_five_rules_it_knows(
    rule: Rules, answer: str, score: float
) -> None:
    assert value(rule, answer) == pytest.approx(score)


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("", 0),
        (" \n", 0),
        ("[ERROR] ɖe kple dzi. The server said no, le le", 0),
        ("HTTP 500: le serveur est en panne.", 0.35),  # fault: an error text is marked as an answer
        ("abc", 0),
        ("ɣ", 0.3),
        ("ʋ", 0),  # fault: ʋ is not among the letters
        ("nyo", 0.05),
        ("a.b", 0.2),
        ("a" * 20, 0),
        ("a" * 21, 0.1),
        ("kple dzi", 0.15),  # "le" stands in "kple"
        ("nye wò mí le kple dzi", 0.4),
        ("nye wò mí ɖe le kple dzi ƒe gbɔ aɖe ame esia eya mele woɖo afi nyo", 0.8),
        ("nye wò mí ɖe le kple dzi ƒe gbɔ aɖe ame esia.", 1.0),
        ("la les de du des", 0.05),  # five French words: no deduction; "le" stands in "les"
        ("la les de du des un", 0),
        ("la les de du des un et encore un.", 0.15),
        ("wo\u0300", 0),  # fault: not the composed wò
    ],
)
def test_ewe_quality_adds_up_the_old_points(answer: str, score: float) -> None:
    assert value(EweQuality(), answer) == pytest.approx(score)


def test_composite_is_the_plain_mean_of_all_three() -> None:
    check = Composite(
        expected_keywords=(("akpe",), ("togo",)),
        expected_format=Rules(min_length=100),
        weights=Weights(keywords=5.0),
    )
    assert value(check, "Akpe ɣ") == pytest.approx((0.5 + 0.3 + 0.0) / 3)


def test_a_composite_without_keywords_or_rules_counts_them_as_nothing() -> None:
    assert value(Composite(), "ɣ") == pytest.approx(0.1)


@given(st.text(alphabet=st.characters(), max_size=100))
def test_any_text_gets_a_value(text: str) -> None:
    checks: list[AnswerCheck | Rules] = [
        EweQuality(),
        MultipleChoice(expected="A"),
        Rules(contains_ewe=True, min_length=1, max_length=9, markdown_elements=("table", "link")),
        Keywords(expected_keywords=(("a",),)),
    ]
    assert all(0 <= value(check, text) <= 1 for check in checks)
