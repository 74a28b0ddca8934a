"""Reasons that were stored in one language are shown in another."""

from collections.abc import Iterator

import pytest

from assay.checks.composite import Composite
from assay.checks.exact_match import ExactMatch
from assay.checks.format import Format, Rules
from assay.checks.keywords import Keywords
from assay.checks.multiple_choice import MultipleChoice
from assay.checks.scoring import score_reply
from assay.messages import speak
from assay.retold import retold
from assay.types import AnswerCheck, Answered, Case, Message


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    yield
    speak("en")


def reason(check: AnswerCheck, answer: str, language: str) -> str:
    case = Case(
        id="t", suite="s", category="c", messages=(Message("user", "Quoi ?"),), check=check,
        language="ee",
    )  # fmt: skip
    speak(language)
    score = score_reply(case, Answered(request_id="r", text=answer))
    assert score is not None
    return score.explanation


RULES = Rules(min_words=5, starts_with="Oui", list_item_count=3, markdown_elements=("bold",))
SCORED: list[tuple[AnswerCheck, str]] = [
    (ExactMatch(expected=("Lomé",)), "Lomé"),
    (ExactMatch(expected=("Lomé",)), "Accra. Oui."),
    (ExactMatch(expected=("7",)), "8"),
    (ExactMatch(expected=("7",)), "rien"),
    (ExactMatch(expected=("Lomé",)), "Je ne sais pas."),
    (ExactMatch(expected=("ɖe",)), "đe; expected. Found"),
    (Keywords(expected_keywords=(("tsi",), ("dzo", "avu")), forbidden_keywords=(("fi",),)), "tsi"),
    (Keywords(expected_keywords=(("tsi",),)), "tsi alo dzo"),
    (MultipleChoice(expected="B", choices=("un", "deux")), "B"),
    (MultipleChoice(expected="B", choices=("un", "deux")), "A"),
    (MultipleChoice(expected="B", choices=("un", "deux")), "A alo B"),
    (MultipleChoice(expected="B", choices=("un", "deux")), "hmm"),
    (Format(expected_format=RULES), "Non"),
    (Format(expected_format=RULES), "Oui, **un** deux trois quatre, cinq"),
    (Composite(expected_keywords=(("tsi",),), expected_format=RULES), "Oui dzo"),
]


@pytest.mark.parametrize(("check", "answer"), SCORED)
@pytest.mark.parametrize(("stored", "spoken"), [("en", "fr"), ("fr", "en")])
def test_a_reason_is_shown_as_if_it_had_been_written_in_the_language_spoken_now(
    check: AnswerCheck, answer: str, stored: str, spoken: str
) -> None:
    written = reason(check, answer, stored)
    meant = reason(check, answer, spoken)
    assert written != meant
    assert retold(written) == meant
    assert retold(meant) == meant


def test_what_no_message_of_ours_made_stays_as_it_is() -> None:
    speak("fr")
    for text in ("", "Whatever a plugin said.", "a" * 10_000, "Read", "{read}"):
        assert retold(text) == text
