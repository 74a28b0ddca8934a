"""Dressing never matters, meaning does: the table of docs/reference/checks.md is run here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.command_sequence import CommandSequence
from assay.checks.exact_match import ExactMatch
from assay.checks.format import Format, Rules
from assay.checks.keywords import Keywords
from assay.checks.multiple_choice import MultipleChoice
from assay.checks.scoring import score_reply
from assay.checks.top_k import TopK
from assay.text.dressing import _undress, cut_next_question, plain_reply, undress
from assay.text.echo import words_added
from assay.text.look_alikes import fold_look_alikes
from assay.types import AnswerCheck, Answered, Case, Message, Score, SuiteWords
from tests.conftest import no_hang

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "checks.md"
METHODS = ("exact_match", "keywords", "multiple_choice")


def rows() -> list[tuple[str, ...]]:
    lines = [line for line in PAGE.read_text("utf-8").splitlines() if line.count(" | ") == 5]
    cells = [tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in lines]
    return [row for row in cells if row[0] in METHODS]


def check_of(method: str, expected: str) -> AnswerCheck:
    if method in ("exact_match", "number"):
        normalize: Any = "number" if method == "number" else None
        return ExactMatch(expected=tuple(expected.split(" / ")), normalize=normalize)
    if method == "function call":
        return Format(expected_format=Rules(contains_function_call=True))
    if method == "keywords":
        return Keywords(expected_keywords=tuple((word,) for word in expected.split("; ")))
    letter, choices = expected.split(" of ")
    return MultipleChoice(expected=letter, choices=tuple(choices.split("; ")))


def asking(question: str, check: AnswerCheck | None = None, language: str | None = None) -> Case:
    check = check or ExactMatch(expected=("x",))
    messages = (Message("user", question),)
    return Case(id="t", suite="s", category="c", messages=messages, check=check, language=language)


def scored(check: AnswerCheck, question: str, answer: str, language: str | None = None) -> Score:
    case = asking(question, check, language)
    score = score_reply(case, Answered(request_id="r", text=answer))
    assert score is not None
    return score


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[4])
def test_an_answer_is_worth_what_it_says(row: tuple[str, ...]) -> None:
    method, language, question, expected, answer, outcome = row
    text = answer.strip("`").replace("⏎", "\n")
    score = scored(check_of(method, expected), question, text, language)
    assert score.outcome(0.7).value == outcome, score.explanation


@pytest.mark.parametrize(("file", "least"), [("fair_answers", 300), ("committed_answers", 100)])
def test_answers_of_every_class_are_worth_what_they_say(file: str, least: int) -> None:
    """The first in English, French and Ewe; the second also where no list has the words: Swahili,
    Turkish, Vietnamese, Hindi, Japanese, Twi, Yoruba, Spanish.
    """
    text = Path(__file__).with_name(f"{file}.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert len(lines) > least
    wrong = []
    for line in lines:
        method, language, question, expected, answer, outcome = line.split(" | ")
        check = check_of(method, expected)
        score = scored(check, question, answer.replace("⏎", "\n"), language)
        given = score.outcome(0.7).value
        if given != outcome and (file == "fair_answers" or "pass" in (given, outcome)):
            wrong.append((line, score.explanation))
    assert wrong == []


SWAHILI = SuiteWords(
    announces=("jawabu ni",), denies=("si", "hapana"), declines=("sijui",), joins=("au",)
)


@pytest.mark.parametrize(
    ("check", "answer", "without", "outcome"),
    [
        (ExactMatch(expected=("Dodoma",)), "Mji mkuu wa Tanzania si Dodoma.", "pass", "fail"),
        (ExactMatch(expected=("Dodoma",)), "Mji mkuu wa Tanzania ni Dodoma.", "pass", "pass"),
        (ExactMatch(expected=("Dodoma",)), "Sijui jibu la swali hili.", "fail", "no_answer"),
        (
            ExactMatch(expected=("144",)),
            "12 mara 12 au 13; jawabu ni 144, si 156",
            "no_answer",
            "pass",
        ),
        (Keywords(expected_keywords=(("Dodoma",),)), "Hapana, si Dodoma.", "pass", "fail"),
        (MultipleChoice(expected="B", choices=("x", "Dodoma")), "Si B.", "pass", "no_answer"),
    ],
)
def test_words_of_the_suite_deny_and_decline_where_no_list_does(
    check: AnswerCheck, answer: str, without: str, outcome: str
) -> None:
    for words, expected in ((None, without), (SWAHILI, outcome)):
        case = replace(asking("Mji mkuu wa Tanzania ni upi?", check, "rw"), words=words)
        score = score_reply(case, Answered(request_id="r", text=answer))
        assert score is not None
        assert score.outcome(0.7).value == expected, (words, score.explanation)


def test_look_alike_letters_are_reported() -> None:
    score = scored(ExactMatch(expected=("Blaɖa",)), "Ka?", "Blađa", "ee")
    assert (score.value, "đ (U+0111) for ɖ" in score.explanation) == (1.0, True)
    assert scored(ExactMatch(expected=("Blaɖa",)), "Ka?", "Blađa", "fr").value == 0.0


@pytest.mark.parametrize("answer", ["Paris<|im_end|>", "Paris\u200b", "**Paris**"])
def test_strict_stays_strict(answer: str) -> None:
    strict = ExactMatch(expected=("Paris",), normalize="strict")
    assert scored(strict, "?", answer).value == 0.0
    assert scored(ExactMatch(expected=("Paris",)), "?", answer).value == 1.0


def test_word_in_an_ewe_suite_is_a_word_where_the_test_says_so_and_when_read_back() -> None:
    asked = Keywords(expected_keywords=(("agbe",),), keyword_match="word")
    for check in (asked, Keywords.from_stored(asked.stored())):
        assert scored(check, "?", "agbea", "ee").value == 0.0
    default = Keywords(expected_keywords=(("agbe",),))
    for check in (default, Keywords.from_stored(default.stored())):
        assert scored(check, "?", "agbea", "ee").value == 1.0


def test_text_is_text_where_the_test_says_so_and_when_read_back() -> None:
    asked = ExactMatch(expected=("1248",), normalize="text")
    for check in (asked, ExactMatch.from_stored(asked.stored())):
        assert scored(check, "?", "1,248").value == 0.0
    default = ExactMatch(expected=("1248",))
    for check in (default, ExactMatch.from_stored(default.stored())):
        assert scored(check, "?", "1,248").value == 1.0


@pytest.mark.parametrize("expected", ["007", "2024-01-05", "12:30", "Apollo 11", "1.2.3", "2 May"])
def test_a_code_or_a_date_stays_text(expected: str) -> None:
    assert ExactMatch(expected=(expected,)).compares == "text"


@pytest.mark.parametrize(
    "expected", ["7", "-5", "1 248", "7,5", "50 CFA", "5 km", "50 %", "12 eggs"]
)
def test_a_number_with_or_without_a_unit_is_compared_as_one(expected: str) -> None:
    assert ExactMatch(expected=(expected,)).compares == "number"


def test_a_token_that_is_spoken_of_ends_nothing() -> None:
    assert plain_reply("The token `<|im_end|>` ends a turn.").endswith("turn.")
    assert plain_reply("Was it <s>old</s>?") == "Was it <s>old</s>?"
    assert plain_reply("<|im_start|>assistant\nParis<|im_end|>\n<|im_start|>user") == "Paris"


def test_the_question_asked_may_stand_before_its_answer() -> None:
    text = "Let us see.\nQuestion: Which city?\nAnswer: Paris"
    assert cut_next_question(text, asking("Which city?")) == text
    assert cut_next_question(text, asking("Which river?")) == "Let us see."


def test_an_echo_is_told_with_what_it_adds() -> None:
    asked = "Name the largest planet."
    assert words_added("name the largest planet", asked) == ""
    assert words_added("Name the largest planet. Jupiter", asked) == "jupiter"
    assert words_added("The largest planet is Jupiter.", asked) is None
    assert words_added("Jupiter", asked) is None


MODULE = "Which driver module for the e1000e card?"
KERNEL = "Does `uname -r` or `uname -a` show the kernel version?"
VERSES = "Roses are red, violets are"
STEPS = "Run `ls -l` and then `pwd`."


@pytest.mark.parametrize(
    ("check", "question", "answer", "value"),
    [
        (TopK(expected_any=("e1000e",)), MODULE, f"{MODULE} yes", 0),
        (TopK(expected_any=("e1000e",)), MODULE, f"{MODULE} okay.", 0),
        (TopK(expected_any=("e1000e",)), MODULE, MODULE.replace("module", "kernel module"), 0),
        (TopK(expected_any=("e1000e",)), MODULE, f"{MODULE} The e1000e.", 1),
        (TopK(expected_any=("e1000e",), match="module"), MODULE.replace(" module", ""), MODULE, 0),
        (TopK(expected_any=("uname -r",), match="command"), KERNEL, f"{KERNEL} uname -a", 0),
        (TopK(expected_any=("uname -r",), match="command"), KERNEL, f"{KERNEL} uname -r", 1),
        (TopK(expected_any=("uname -r",), match="command"), KERNEL, f"{KERNEL}\n`uname -r`", 1),
        (TopK(expected_any=("violets are blue",)), VERSES, f"{VERSES} blue", 1),
        (CommandSequence(expected_commands=(("ls -l",), ("pwd",))), STEPS, f"{STEPS} ok", 0),
        (CommandSequence(expected_commands=(("ls -l",), ("pwd",))), STEPS, f"Please {STEPS}", 0),
        (CommandSequence(expected_commands=(("ls -l",), ("pwd",))), STEPS,
         f"{STEPS}\nls -l\npwd", 1),
        (CommandSequence(expected_commands=(("pwd",),)), STEPS, f"{STEPS} `pwd`", 1),
        (ExactMatch(expected=("7",), normalize="number"), "The answer is 7. Is that right?",
         "The answer is 7. Is that right? ok", 0),
    ],
)  # fmt: skip
def test_an_echo_of_a_prompt_that_names_the_answer_needs_the_answer_added(
    check: AnswerCheck, question: str, answer: str, value: float
) -> None:
    score = scored(check, question, answer)
    assert (score.value, score.no_answer) == (value, not value), score.explanation


@pytest.mark.parametrize(
    ("predictions", "value"),
    [
        ((f"{MODULE} yes", "igb"), 0),
        ((f"{MODULE} yes", f"{MODULE} ok"), 0),
        ((MODULE, "e1000e"), 1),
        ((f"{MODULE} yes", "e1000e"), 1),
    ],
)
def test_a_prediction_after_an_echo_counts_if_it_is_none(
    predictions: tuple[str, ...], value: float
) -> None:
    case = asking(MODULE, TopK(expected_any=("e1000e",)))
    reply = Answered(request_id="r", text=predictions[0], predictions=predictions)
    score = score_reply(case, reply)
    assert score is not None
    assert score.value == value, score.explanation


def test_what_was_asked_to_be_repeated_is_no_echo() -> None:
    check = ExactMatch(expected=("Say it again: one two three.",))
    assert scored(check, "Say it again: one two three.", "Say it again: one two three.").value == 1


TEN = "igb e1000e ixgbe r8169 tg3 bnx2 sky2 atl1c alx forcedeth"
TABLE = "```markdown\n| a | b |\n|---|---|\n| 1 | 2 |\n```"


@pytest.mark.parametrize(
    ("check", "answer", "value"),
    [
        (TopK(expected_any=("dmidecode",), match="command"), "-> dmidecode", 1),
        (TopK(expected_any=("e1000e",), match="module"), "→ e1000e", 1),
        (TopK(expected_any=("e1000e",), match="module"), TEN, 0),
        (Format(expected_format=Rules(contains_function_call=True)), 'get_weather(city="Lomé")', 1),
        (Format(expected_format=Rules(contains_function_call=True)), "x = get_weather(city)", 0),
        (Format(expected_format=Rules(markdown_elements=("table",))), TABLE, 1),
        (Format(expected_format=Rules(markdown_elements=("table",))), "```\na | b\n```", 0),
    ],
)
def test_an_arrow_a_fence_and_a_bare_call_are_read_and_ten_names_are_no_choice(
    check: AnswerCheck, answer: str, value: float
) -> None:
    assert scored(check, "Which one?", answer).value == value


@given(st.text(max_size=200), st.sampled_from(["ewe", "fra", None]))
def test_undressing_and_folding_never_raise_and_folding_twice_changes_nothing(
    text: str, language: str | None
) -> None:
    undress(plain_reply(text))
    folded, _ = fold_look_alikes(text, language)
    assert fold_look_alikes(folded, language)[0] == folded


@given(st.text("aB1 .,;:!?'\"()%=*_`~#>-+[]|\n", max_size=30))
def test_the_short_ways_agree_with_the_long_ones(text: str) -> None:
    assert undress(text) == _undress(text)


@pytest.mark.parametrize(
    "junk", ["\n", "a\n", "one ", "*", "`a`", "<s>", "</s>", "[a](", "> ", "Q: ", "_a", "\nQ:"]
)
def test_junk_of_200_kilobytes_is_undressed_in_bounded_time(junk: str) -> None:
    text = junk * (200_000 // len(junk))
    with no_hang():
        cut_next_question(undress(plain_reply(text)), asking("Which?"))
        words_added(text, "Which?")
        scored(ExactMatch(expected=("a", "1")), "Which?", "a" + text)
        scored(ExactMatch(expected=("1",), normalize="number"), "Which year?", text)
        scored(Keywords(expected_keywords=(("a",),)), "Which?", text)
