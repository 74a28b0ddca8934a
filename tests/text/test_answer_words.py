"""Negations, alternatives and refusals: the tables of docs/reference/answer-words.md are run here,
so that they say what the program does.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.checks.exact_match import ExactMatch
from assay.checks.keywords import Keywords
from assay.checks.multiple_choice import MultipleChoice
from assay.checks.scoring import score_reply
from assay.checks.top_k import TopK
from assay.text import answer_words
from assay.text.answer_words import (
    declines,
    is_denied,
    is_one_of_several,
    is_refusal,
    is_unused,
    may_qualify,
)
from assay.text.denied_clauses import clause_denial
from assay.text.folding import fold_for_matching
from assay.types import AnswerCheck, Answered, Case, Message, Score

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "answer-words.md"

HEADINGS = ("Denying and alternatives", "Declining")


def rows(heading: str) -> list[tuple[str, str, str]]:
    section = PAGE.read_text("utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")][2:]
    cells = [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines]
    return [(one, two, three) for one, two, three in cells]


def scored(check: AnswerCheck, answer: str, *predictions: str) -> Score:
    messages = (Message("user", "What is it?"),)
    case = Case(id="t", suite="s", category="c", messages=messages, check=check)
    reply = Answered(request_id="r", text=answer, predictions=predictions)
    score = score_reply(case, reply)
    assert score is not None
    return score


@pytest.mark.parametrize(("answer", "expected", "found"), rows("Denying and alternatives"))
def test_a_word_counts_where_it_is_said_and_not_denied(
    answer: str, expected: str, found: str
) -> None:
    words = tuple(expected.split(", "))
    value = float(found == "yes")
    assert scored(Keywords(expected_keywords=(words,)), answer).value == value
    assert scored(TopK(expected_any=words), answer).value == value


@pytest.mark.parametrize(("answer", "declines", "why"), rows("Declining"))
def test_an_answer_that_only_declines_is_no_answer(answer: str, declines: str, why: str) -> None:
    for check in (Keywords(expected_keywords=(("driver",),)), TopK(expected_any=("driver",))):
        assert scored(check, answer).no_answer == (declines == "yes"), why


def test_what_is_forbidden_may_be_denied_for_a_denial_does_not_say_it() -> None:
    check = Keywords(expected_keywords=(("Ethernet",),), forbidden_keywords=(("graphics card",),))
    assert scored(check, "An Ethernet card, not a graphics card.").value == 1
    assert scored(check, "An Ethernet card and a graphics card.").value == 0
    assert scored(check, "An Ethernet card.").value == 1


def test_a_denied_word_is_named_in_the_explanation() -> None:
    score = scored(Keywords(expected_keywords=(("Ethernet",),)), "This is not an Ethernet card.")
    assert score.explanation == "Named, but denied or one of several: Ethernet."


def test_a_denied_option_or_number_is_not_the_answer() -> None:
    check = MultipleChoice(expected="A", choices=("Lyon", "Paris"))
    assert scored(check, "It is not the old Lyon, it is Paris.").extracted == "B"
    number = ExactMatch(expected=("7",), normalize="number")
    assert scored(number, "It is not 5 but 7.").value == 1
    assert scored(ExactMatch(expected=("5",), normalize="number"), "It is not 5.").value == 0


def test_a_test_that_asks_to_decline_accepts_it() -> None:
    check = Keywords(expected_keywords=(("sorry",), ("cannot",)))
    assert scored(check, "I'm sorry, but I cannot help with that.").value == 1
    assert scored(ExactMatch(expected=("I do not know",)), "I do not know.").value == 1


def test_one_prediction_that_does_not_decline_is_an_answer() -> None:
    check = TopK(expected_any=("e1000e",))
    assert scored(check, "I do not know.", "I do not know.", "e1000e").value == 1
    assert scored(check, "I do not know.", "I do not know.", "No idea.").no_answer


@pytest.mark.parametrize("words", ["not", "advises", "unused", "denied_behind", "or"])
@given(data=st.data())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_the_quick_look_misses_no_word_that_qualifies(words: str, data: st.DataObject) -> None:
    listed = re.compile(rf"\s{answer_words.WORDS[words]}\s")
    text = data.draw(st.from_regex(listed, fullmatch=True))
    assert may_qualify(text)
    if words in ("not", "advises", "unused"):
        assert answer_words.may_deny(text)


def test_the_quick_look_changes_no_reading() -> None:
    """Every word of the documented answers, read with the quick look and without it."""
    answers = [answer for heading in HEADINGS for answer, _, _ in rows(heading)]
    for folded in map(fold_for_matching, answers):
        for place in [match.start() for match in re.finditer(r"\b", folded)]:
            before, behind = folded[:place], folded[place:]
            near = before[-answer_words.SEEN :]
            denied = answer_words._DENIED_BEFORE.search(near)
            assert is_denied(before) == bool(denied)
            assert is_unused(before) == bool(denied or answer_words._UNUSED_BEFORE.search(near))
            others = (
                answer_words._OTHER_BEFORE.search(near),
                answer_words._OTHER_BEHIND.match(behind),
                "soit" in before and answer_words._EITHER.search(f"{before}\0{behind}"),
            )
            assert is_one_of_several(before, behind, lambda _: False) == any(others)
        refuses = answer_words._REFUSAL.match(folded.strip())
        knows_nothing = answer_words._KNOWS_NOTHING.fullmatch(folded.strip())
        asks_back = answer_words._ASKS_BACK.fullmatch(folded.strip())
        assert declines(folded, only=False) == bool(refuses or knows_nothing or asks_back)


def test_hostile_texts_are_read_in_bounded_time() -> None:
    for piece in ("not the ", "not a b ", "no x ", "or a ", "i cannot ", "sorry ", "not '''"):
        text = piece * 50_000
        assert not is_denied(text + ".", "." + text)
        declines(text[:400], only=True)
        is_refusal(text)


@pytest.mark.parametrize("between", [" ", "-", "_", ".", "'", "é ", "\n", "\x1f", "? "])
def test_listed_words_are_found_as_the_pattern_finds_them(between):
    """Texts in ASCII are split another way, which is quicker."""
    for word in ("not", "notable", "o", "rather", "n'", "pas", "x"):
        text = between.join(["so", word, "it is"])
        slow = "n'" in text or not answer_words._DENYING.isdisjoint(re.findall(r"[^\W_]+", text))
        assert answer_words.may_deny(text) == slow, text


@pytest.mark.parametrize("language", ["en", "fr", "ee"])
@pytest.mark.parametrize("junk", ["not a ", "me o ", "avoid, ", "no rent ", "değil, si, ", "and  "])
def test_clauses_of_hostile_texts_are_read_in_bounded_time(junk: str, language: str) -> None:
    denial = clause_denial("What does a tenant pay?", language)
    assert denial is not None
    text = junk * (200_000 // len(junk))
    denial.may_apply(text)
    for place in range(0, len(text), 2_000):
        denial.is_denied(text[:place], text[place:], forbidden=False)
