"""exact_match and keywords mark what was said, not how it was dressed."""

from __future__ import annotations

import unicodedata
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.exact_match import ExactMatch
from assay.checks.keywords import Keywords
from assay.text.number_reading import read_number
from assay.text.numbers import show
from assay.types import Answered, Case, Context, Message, Score
from tests.conftest import no_hang

Normalize = Literal["strict", "trim", "text", "number"]
Match = Literal["word", "prefix", "substring"]

any_text = st.text(st.characters(codec=None), max_size=300)


def exactly(
    answer: str, *expected: str, normalize: Normalize = "text", language: str | None = None
) -> Score:
    check = ExactMatch(expected=expected, normalize=normalize)
    messages = (Message("user", "?"),)
    case = Case(id="t", suite="s", category="c", messages=messages, check=check, language=language)
    return check.score(answer, Context(case, Answered(request_id="r", text=answer)))


def worded(
    answer: str,
    *expected: str | tuple[str, ...],
    forbidden: tuple[str, ...] = (),
    match: Match = "word",
) -> Score:
    items = tuple((item,) if isinstance(item, str) else item for item in expected)
    check = Keywords(
        expected_keywords=items,
        forbidden_keywords=tuple((f,) for f in forbidden),
        keyword_match=match,
    )
    return check.score(answer)


# ----------------------------------------------------------------------------------- exact_match


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("paris", "Paris"),
        (" Paris\n", "Paris"),
        ("Paris.", "Paris"),
        ("« Paris »", "Paris"),
        ("«\u00a0Paris\u00a0».", "Paris"),
        ("“Paris”", "Paris"),
        ('"Paris".', "Paris"),
        ('**"Paris".**', "Paris"),
        ('Paris"', "Paris"),
        ("‚Paris‘", "Paris"),
        ("Paris —", "Paris"),
        ("\x00Paris\x00", "Paris"),
        ("well\u2011known", "well-known"),
        ("„Paris“", "Paris"),
        ("'Paris'!", "Paris"),
        ("**Paris**.", "Paris"),
        ("**Paris.**", "Paris"),
        ("***Paris***", "Paris"),
        ("_Paris_", "Paris"),
        ("__Paris__", "Paris"),
        ("`ls -la`", "ls -la"),
        ("(Paris)", "Paris"),
        ("- Paris", "Paris"),
        ("Paris !", "Paris"),
        ("¿Paris?", "Paris"),
        ("…Paris…", "Paris"),
        ("Paris", "Paris."),
        ("New   York\tCity", "new york city"),
        ("l’été", "l'été"),
        ("l'e\u0301te\u0301", "l'été"),
        ("\u200bParis\ufeff", "Paris"),
        ("STRASSE", "straße"),
        ("`__init__`", "__init__"),
        ('"+"', "+"),
        ("...", "..."),
    ],
)
def test_text_mode_ignores_case_form_and_dressing(answer: str, expected: str) -> None:
    assert exactly(answer, expected).value == 1.0


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("C", "C++"),
        ("C#", "C++"),
        ("C#", "C"),
        ("5", "-5"),
        ("An", "A"),
        ("the", "A"),
        ("50", "50 %"),
        ("5", "$5"),
        ("NET", ".NET"),
        ("wq", ":wq"),
        ("cp a", "cp a ."),
        ("init", "__init__"),
        ("The answer is 25", "5"),
        ("it is not Paris", "Paris"),
        ("e", "é"),
        ("rf", "-rf"),
        ("py", "*.py"),
        ("", "Paris"),
    ],
)
def test_text_mode_keeps_what_carries_meaning(answer: str, expected: str) -> None:
    assert exactly(answer, expected).value == 0.0
    assert exactly(expected, expected).value == 1.0


@pytest.mark.parametrize(
    ("normalize", "answer", "value"),
    [
        ("strict", "Paris", 1.0),
        ("strict", "Paris\n", 0.0),
        ("strict", "paris", 0.0),
        ("trim", " Paris\n", 1.0),
        ("trim", "paris", 0.0),
        ("trim", "Paris.", 0.0),
    ],
)
def test_strict_and_trim_are_literal(normalize: Normalize, answer: str, value: float) -> None:
    assert exactly(answer, "Paris", normalize=normalize).value == value


def test_strict_tells_composed_from_decomposed() -> None:
    assert exactly("e\u0301", "é", normalize="strict").value == 0.0


def test_any_of_several_accepted_texts_will_do() -> None:
    assert exactly("Lutetia", "Paris", "Lutetia").value == 1.0


def test_a_wrong_answer_is_explained_with_what_was_read_and_expected() -> None:
    score = exactly("**Lyon**", "Paris")
    assert score.extracted == "lyon"
    assert "lyon" in score.explanation
    assert "Paris" in score.explanation


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("1,234.5", "1234.5"),
        ("1 234,5", "1234.5"),
        ("1.234,5", "1234.5"),
        ("1'234.5", "1234.5"),
        ("12,34,567", "1234567"),
        ("3,5", "3.5"),
        ("3.50", "3.5"),
        ("\u22125", "-5"),
        ("\u2212 5", "-5"),
        ("1e3", "1000"),
        ("1.5 × 10^3", "1500"),
        ("1.5×10³", "1500"),
        ("50 %", "50"),
        ("50%", "0.5"),
        ("$1,200", "1200"),
        ("-$5", "-5"),
        ("1 000", "1000"),
        ("1\u00a0000", "1000"),
        ("1\u202f000", "1000"),
        ("1_000", "1000"),
        ("42.", "42"),
        ("４２", "42"),
        (".5", "0.5"),
        ("1,234", "1234"),
        ("1,234", "1.234"),
        ("1.234", "1234"),
        ("The answer is 42.", "42"),
        ("**Answer:** **42**", "42"),
        ("Answer:\n\n42", "42"),
        ("3 + 4 = 7", "7"),
        ("The sum of 3.5 and 4 is 7.5.", "7.5"),
        ("La réponse est \u22123,5 car 2 \u2212 5,5", "-3.5"),
        ("Re\u0301ponse : 12 (3 fois 4)", "12"),
        ("Das Ergebnis ist 12, also 3 mal 4", "12"),
        ("Ŋuɖoɖoe nye 7 le 3 me", "7"),
        ("First 5, then 6.\n#### 11", "11"),
        ("We get 5 and 6, so \\boxed{11}", "11"),
        ("The answer is 5. Wait, 6 more: the answer is 11", "11"),
        ("42 is the answer, not 41", "42"),
        ("Answer to question 3: 42", "42"),
        ("1. add\n2. subtract\nIt makes 7", "7"),
        ("42. Yes, 42.", "42"),
        ("GPT-4 says 42", "42"),
        ("0.1", "0.10"),
        ("1/2", "0.5"),
        ("0.5", "1/2"),
        ("The answer is 3/4.", "0.75"),
        ("2 1/2", "2.5"),
        ("1½", "1.5"),
        ("\\frac{1}{3}", "1/3"),
        ("-1/2", "-0.5"),
        ("\\boxed{1{,}000}", "1000"),
        ("\\boxed{1\\,000}", "1000"),
        ("minus 7", "-7"),
        ("8 minus 1 is 7", "7"),
        ("au moins 7", "7"),
        ("2.5 million", "2500000"),
        ("3 milliards", "3000000000"),
        ("10^3", "1000"),
        ("7 m^2", "7"),
        ("The product of 17 and 23 is 391.", "391"),
        ("17 × 23 font 391", "391"),
        ("42 is the answer to 6 x 7", "42"),
        ("The answer to 6 x 7 is 42", "42"),
    ],
)
def test_number_mode_reads_the_cued_or_only_number(answer: str, expected: str) -> None:
    assert exactly(answer, expected, normalize="number").value == 1.0


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("5", "-5"),
        ("1234", "1.234"),
        ("The answer is 25", "5"),
        ("0.30000000000000004", "0.3"),
        ("1000", "1 001"),
        ("the answer is 6, not 5", "5"),
        ("The answer is 3/4.", "3"),
        ("1 million", "1"),
        ("minus 7", "7"),
    ],
)
def test_number_mode_marks_another_number_wrong(answer: str, expected: str) -> None:
    score = exactly(answer, expected, normalize="number")
    assert score.value == 0.0
    assert not score.no_answer


@pytest.mark.parametrize(
    "answer",
    [
        "none",
        "3 and 4",
        "between 10–12",
        "1.2.3",
        "2024-01-05",
        "the answer is not 5 or 6",
        "12/05/2024",
        "It is 5 or 6",
        "There are 3. Each is 5 m by 6 m.",
        "1/0",
    ],
)
def test_number_mode_gives_no_answer_where_no_number_is_preferred(answer: str) -> None:
    score = exactly(answer, "5", normalize="number")
    assert score.no_answer
    assert "5" in score.explanation


def test_one_comma_and_three_digits_is_a_decimal_in_a_french_suite() -> None:
    assert exactly("1.234", "1,234", normalize="number", language="fr").value == 1.0
    assert exactly("1234", "1,234", normalize="number", language="fr").value == 0.0
    assert exactly("1234", "1,234", normalize="number", language="en").value == 1.0


def test_the_number_read_is_recorded_in_plain_form() -> None:
    assert exactly("$1,234.50", "7", normalize="number").extracted == "1234.5"


def test_an_expected_text_without_a_number_is_unscored_rather_than_wrong() -> None:
    score = exactly("5", "five", normalize="number")
    assert score.value is None
    assert score.unscored_reason == "expected_not_a_number"


@given(st.decimals(-(10**9), 10**9, places=3))
def test_every_plain_decimal_is_read_back(value: object) -> None:
    reading = read_number(f"{value}").number
    assert reading is not None
    assert value in reading.readings


@given(any_text, any_text, st.sampled_from(["strict", "trim", "text", "number"]))
def test_exact_match_never_raises(answer: str, expected: str, normalize: Normalize) -> None:
    score = exactly(answer, expected, normalize=normalize)
    assert score.value in (0.0, 1.0) or score.unscored_reason is not None


@given(any_text)
def test_the_expected_text_itself_always_matches(text: str) -> None:
    assert exactly(text, text).value == 1.0
    assert exactly(unicodedata.normalize("NFD", text), text).value == 1.0


# -------------------------------------------------------------------------------------- keywords


@pytest.mark.parametrize(
    ("answer", "keyword"),
    [
        ("Use C++ here", "C++"),
        ("C++11 is new", "C++"),
        ("rm -rf /", "-rf"),
        ("see /etc/passwd", "/etc"),
        ("L’ÉTÉ", "été"),
        ("l'e\u0301te\u0301", "été"),
        ("aujourd’hui", "aujourd'hui"),
        ("two\n words", "two words"),
        ("two\u00a0words", "two   words"),
        ("ﬁle", "file"),
        ("Ｃat", "cat"),
        ("so\u200bft", "soft"),
        ("(cat)", "cat"),
        ("cat.", "cat"),
        ("dɔ wɔwɔ", "dɔ"),
        ("✔️ done", "✔"),
        ("a well\u2011known fact", "well-known"),
        ("well-known", "well\u2010known"),
        ("ca\x00t", "cat"),
    ],
)
def test_a_keyword_is_found_as_a_word(answer: str, keyword: str) -> None:
    assert worded(answer, keyword).value == 1.0


@pytest.mark.parametrize(
    ("answer", "keyword"),
    [
        ("concatenate", "cat"),
        ("cats", "cat"),
        ("ɔ̃", "ɔ"),
        ("snake_case", "snake"),
        ("C", "C++"),
        ("dɔwɔwɔ", "dɔ"),
        ("anything", ""),
    ],
)
def test_a_part_of_a_word_is_not_the_word(answer: str, keyword: str) -> None:
    assert worded(answer, keyword).value == 0.0


def test_prefix_asks_for_the_left_boundary_only_and_substring_for_none() -> None:
    assert worded("cats", "cat", match="prefix").value == 1.0
    assert worded("concat", "cat", match="prefix").value == 0.0
    assert worded("concatenate", "cat", match="substring").value == 1.0


def test_the_value_is_the_share_found_and_the_rest_is_named() -> None:
    score = worded("red and green", "red", "blue", ("lime", "green"), "pink")
    assert score.value == 0.5
    assert score.extracted == "red, green"
    assert "Missing: blue, pink." in score.explanation
    assert [part.value for part in score.parts] == [1.0, 0.0, 1.0, 0.0]


def test_the_alternative_that_was_found_is_the_one_named() -> None:
    score = worded("a wolf", ("dog", "wolf"))
    assert (score.extracted, score.explanation) == ("wolf", "Found: wolf.")
    assert score.parts[0].name == "dog / wolf"


def test_a_forbidden_keyword_makes_it_zero_and_is_named() -> None:
    score = worded("red and blue", "red", forbidden=("blue",))
    assert score.value == 0.0
    assert "Contains forbidden: blue." in score.explanation


def test_only_forbidden_keywords_and_none_of_them_found_is_full_marks() -> None:
    assert worded("red", forbidden=("blue",)).value == 1.0


@given(any_text, st.lists(any_text, min_size=1, max_size=4))
def test_composed_and_decomposed_answers_get_the_same_keyword_score(
    answer: str, expected: list[str]
) -> None:
    composed = worded(unicodedata.normalize("NFC", answer), *expected)
    decomposed = worded(unicodedata.normalize("NFD", answer), *expected)
    assert composed == decomposed
    assert composed.value is not None
    assert 0.0 <= composed.value <= 1.0


@given(any_text, st.text(min_size=1, max_size=20), st.sampled_from([" ", "\n", "\t\n  "]))
def test_white_space_at_the_end_changes_no_keyword_score(
    answer: str, keyword: str, space: str
) -> None:
    assert worded(answer, keyword) == worded(answer + space, keyword)


@pytest.mark.parametrize(
    "junk", ["((((", "**", "Answer: ", "1 ", "1,", "= 5 ", "a ", "\u0301", "9", ". ", "« "]
)
def test_junk_of_200_kilobytes_is_marked(junk: str) -> None:
    answer = junk * (200_000 // len(junk))
    with no_hang():
        for normalize in ("text", "number"):
            exactly(answer, "5", normalize=normalize)  # type: ignore[arg-type]
        assert worded(answer, "two words", "C++", "x").value is not None


@pytest.mark.parametrize("answer", ["9" * 300 + "^99", "1.2.3^4", "1/0", "½½", "٣/٤", "↉"])
def test_odd_fractions_and_powers_are_no_number_rather_than_an_error(answer: str) -> None:
    assert exactly(answer, "1/2", normalize="number").no_answer


def test_a_long_number_is_shown_as_it_was_written() -> None:
    number = read_number("123456789012345678901234567890.5").number
    assert number is not None
    assert show(number.readings[0]) == "123456789012345678901234567890.5"
