"""The letter a model means is read from whatever it wraps around it, and from nothing else."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.letters.options import Options, options_in
from assay.checks.letters.reading import read_letter
from assay.checks.multiple_choice import MultipleChoice
from assay.types import Answered, Case, ChoiceLikelihoods, Context, Message, Score
from tests.conftest import no_hang

CITIES = ("Lyon", "Paris", "Nice", "Rome")
any_text = st.text(st.characters(codec=None), max_size=300)


VOLTS = Options("ABCD", ("8.0 V", "5.0 V", "2.5 V", "2.0 V"))


@pytest.mark.parametrize(
    ("answer", "letter"),
    [
        ("8 V", "A"), ("8.0 V", "A"), ("8V", "A"), ("8.00 V", "A"), ("**2 V**", "D"), ("2.5V", "C"),
        ("V = 8 V", "A"), ("So it is 10 V * 4/5 = 8 V.", "A"), ("The output voltage is 2 V", "D"),
        ("80 V", None), ("8", None), ("0.8 V", None),
    ],
)  # fmt: skip
def test_a_number_with_its_unit_is_an_option_however_it_is_written(answer, letter):
    assert read_letter(answer, VOLTS, "What is the voltage?").letter == letter


def test_numbers_that_differ_in_zeros_alone_and_have_no_unit_stay_apart():
    versions = Options("AB", ("3.1", "3.10"))
    assert read_letter("3.1", versions, "Which version?").letter == "A"
    assert read_letter("3.10", versions, "Which version?").letter == "B"


def a_case(check: MultipleChoice, prompt: str = "Which city?") -> Case:
    return Case(id="t", suite="s", category="c", messages=(Message("user", prompt),), check=check)


def marked(
    answer: str,
    expected: str = "B",
    *,
    choices: tuple[str, ...] = (),
    prompt: str = "Which city? Answer A, B, C or D.",
) -> Score:
    check = MultipleChoice(expected=expected, choices=choices)
    return check.score(
        answer, Context(a_case(check, prompt), Answered(request_id="r", text=answer))
    )


# The 23 forms of the survey of other tools (each of them misread some), reasoning split off.
SURVEYED = [
    "B",
    "b",
    "B.",
    "B)",
    "B) Paris",
    "(B)",
    "**B**",
    "The answer is B",
    "The correct answer is **B**.",
    "Answer: B",
    "ANSWER: B",
    "ANSWER: b",
    "ANSWER: **B**",
    "**Answer:** B",
    "ANSWER: (B)",
    "ANSWER: B because A is wrong",
    "Answer: $B$",
    "Answer: \\boxed{B}",
    "Réponse : B",
    "Réponse\u00a0: B",
    "Re\u0301ponse : B",
    "La réponse est B",
    "La bonne réponse est la B.",
    "Answer：B",
    "ANSWER: A\nWait, no.\nANSWER: B",
    "\nANSWER: B",
    "A is wrong, so B",
    "Answer: Although unclear, B",
]
KIN = [
    "la réponse correcte est (b)",
    "La réponse, à mon avis, est B",
    "La bonne réponse est : B) Paris",
    "Réponse: « B »",
    "la réponse est b car Paris est la capitale",
    "La réponse n'est pas A mais B",
    "A est fausse, donc B",
    "L’option B est correcte",
    "Je choisis B",
    "Option B",
    "c'est B",
    "C’est la B.",
    "Lettre B",
    "D'accord, B",
    "Ａnswer：Ｂ",
    "Ⓑ",
    "\ufeffAnswer: \u200bB\u200b",
    "Antwort: B",
    "Antwort: Antwort: B",
    "Die richtige Antwort ist B.",
    "La respuesta correcta es B",
    "La respuesta es la opción B",
    "Resposta: B",
    "Ŋuɖoɖo: B",
    "Ŋuɖoɖoe nye B",
    "Ŋuɖoɖo nyuitɔe nye B.",
]
MORE = [
    "B. Paris\nC is wrong",
    "**B. Paris**",
    "B - Paris",
    "B?",
    "1. B",
    "B because it is the capital",
    "B\n\nIt is the capital.",
    "I think it's B",
    "I'd say B",
    "I would go with B.",
    "My choice: B",
    "B is correct",
    "Choice (B) is the best answer.",
    "**Final answer:** (B)",
    "The final answer is $\\boxed{\\textbf{(B)}}$",
    "### Answer\nB",
    "The answer is B, not A.",
    "The answer is not A but B",
    "The correct answer isn't A, it's B.",
    "A, C and D are wrong, so B",
    "A: Lyon is wrong. B: Paris is right.",
    "A) Lyon - incorrect\nB) Paris - correct\nC) Nice - incorrect",
    "Option A is wrong because of X. Option B is right.",
    "Not A, not C, so B.",
    '{"answer": "B"}',
    "<answer>B</answer>",
    "The answer is: __B__",
    "The answer is ‘B’.",
    "Answer: B\n\nExplanation: A is about Lyon, option C is about Nice.",
    "Answer: B. Option A is Lyon; option C is Nice.",
    "The answer to this question is B",
    "Answer: The correct option is B",
    "Some reasons.\nMore of them.\n\nB",
    "So it must be **B**.",
    "Therefore, (B).",
    "Definitely B.",
    "Yes. B",
    "B\x00",
    "<B>",
    "Answer: <B>",
    "<b>B</b>",
    "#B",
    "# B",
    "A: B",
    "B<|im_end|>",
    "B ✅",
    "👉 B",
    "| Answer |\n|---|\n| B |",
    "| Question | Answer |\n|---|---|\n| 1 | B |",
    "At first I thought the answer was A, but it is B.",
    "The answer is A... no, B.",
    "The answer is A. Actually, B.",
    "**B) Paris**\n\nExplanation:\n- A) Lyon is far\n- C) Nice is farther",
    "(B) Paris.\n\nA) Lyon is no capital.\nC) Nice is none.\nD) Rome is in Italy.",
    "Of A, B, C, D the right one is B",
    "Correct answer: B\nIncorrect answers: A, C, D",
    "Let me go with B.",
    "We should choose B.",
    "Choose B.",
    "My guess is B",
    "Il s’agit de B",
    "Richtig ist B.",
]


@pytest.mark.parametrize("answer", [*SURVEYED, *KIN, *MORE])
def test_b_is_read(answer: str) -> None:
    assert marked(answer).extracted == "B"
    assert marked(answer, choices=CITIES).extracted == "B"
    assert marked(unicodedata.normalize("NFD", answer)).extracted == "B"
    assert marked(answer).value == 1.0


@pytest.mark.parametrize(
    "answer",
    [
        "I am not sure.",
        "Answer: Because of X",
        "Both A and B",
        "A or B",
        "A, B",
        "Answer: A or B",
        "Answer: A, B",
        "Answer: A/B",
        "The answer is either A or B",
        "The answer is A and B",
        "ANSWER: None of the above",
        "Don't know",
        "I don't know",
        "Answer: I don't know",
        "Answer: N/A",
        "The answer is not A",
        "Answer: not B",
        "not A",
        "A is incorrect",
        "B isn't correct",
        "B n’est pas la bonne réponse",
        "La réponse n'est pas A",
        "I would not choose A.",
        "We eliminate A, C and D.",
        "A cat sat on a mat",
        "Answer: A cat",
        "The answer is a bit unclear",
        "Il y a un chat à la maison",
        "La réponse a été donnée",
        "La réponse est à chercher",
        "vitamin C is good",
        "Answer: C++ is a language",
        "Answer: B-trees",
        "e.g. the U.S.A., i.e. a country",
        "A. one\nB. two\nC. three\nD. four\nAnswer:",
        "Answer with A, B, C or D",
        "A; B",
        "Answer: A; B",
        "Answer: A and possibly B",
        "Choose:\n(A) one\n(B) two",
        "A) one\n\nB) two\n\nC) three",
        "| A | one |\n|---|---|\n| B | two |",
        "ABCD",
    ],
)
def test_no_letter_is_read(answer: str) -> None:
    score = marked(answer)
    assert score.extracted is None
    assert score.no_answer
    assert score.value == 0.0
    assert score.explanation


def test_another_letter_than_the_allowed_is_wrong_and_not_unanswered() -> None:
    score = marked("Answer: Z", choices=CITIES)
    assert (score.value, score.no_answer, score.extracted) == (0.0, False, "Z")
    assert "A, B, C, D" in score.explanation


def test_a_wrong_letter_is_wrong() -> None:
    score = marked("Answer: A")
    assert (score.value, score.no_answer, score.extracted) == (0.0, False, "A")


@pytest.mark.parametrize("answer", ["A", "a", "Answer: A because B is small", "The answer is a."])
def test_the_letter_a_is_read_where_it_is_no_article(answer: str) -> None:
    assert marked(answer).extracted == "A"


@pytest.mark.parametrize(
    ("answer", "letter"),
    [
        ("Paris", "B"),
        ("It is PARIS.", "B"),
        ("The answer is Paris, not Lyon.", "B"),
        ("It is not Paris", None),
        ("Paris is wrong", None),
        ("Paris and Lyon", None),
        ("Parisian", None),
    ],
)
def test_the_only_option_text_given_stands_for_its_letter(answer: str, letter: str | None) -> None:
    assert marked(answer, choices=CITIES).extracted == letter


@pytest.mark.parametrize(
    ("choices", "answer", "letter"),
    [
        (("True", "False"), "B. False. The statement is wrong.", "B"),
        (("True", "False"), "Answer: B) False", "B"),
        (("Yes", "No"), "B) No", "B"),
        (("Correct", "Incorrect"), "B: Incorrect", "B"),
        (("A and B", "A only", "B only"), "B only", "C"),
        (CITIES, "B) Paris is wrong.", None),
        (CITIES, "Option A is Lyon. Option C is Nice. Paris, which is option B, is it.", "B"),
        (CITIES, "A) Lyon\n\nExplanation:\n\n- B) Paris is too big\n- C) Nice is too warm", "A"),
    ],
)
def test_an_option_s_own_text_is_no_verdict_on_it(
    choices: tuple[str, ...], answer: str, letter: str | None
) -> None:
    assert marked(answer, choices=choices).extracted == letter


@pytest.mark.parametrize(
    ("texts", "answer", "letter"),
    [
        (("1/2", "5/8", "2/3"), "2/3 = 0.667 is larger than 5/8.", "C"),
        (("lion", "cheetah", "dog"), "The cheetah is faster than the lion.", "B"),
        (("lion", "guépard", "chien"), "Le guépard arrive avant le lion.", "B"),
    ],
)
def test_what_an_option_is_compared_with_is_not_the_answer(texts, answer, letter) -> None:
    assert read_letter(answer, Options("ABC", texts), "Which one?").letter == letter


@pytest.mark.parametrize(("answer", "letter"), [("4", "C"), ("3.", "B"), ("1", None)])
def test_a_number_is_the_option_that_says_it_in_words(answer: str, letter: str | None) -> None:
    options = Options("ABCD", ("two", "three", "four", "seven"))
    assert read_letter(answer, options).letter == letter


def test_an_option_inside_a_longer_one_is_not_given() -> None:
    clubs = ("Paris", "Paris Saint-Germain", "Nice")
    assert marked("It was Paris Saint-Germain.", choices=clubs).extracted == "B"


def test_none_of_the_above_is_an_answer_where_it_is_an_option() -> None:
    choices = ("Lyon", "None of the above")
    assert marked("ANSWER: None of the above", choices=choices).extracted == "B"


def test_an_option_that_begins_with_an_article_is_read_by_its_text() -> None:
    assert marked("Answer: A red apple", choices=("Pears", "A red apple")).extracted == "B"


@pytest.mark.parametrize(
    ("prompt", "letters", "texts"),
    [
        ("Q?\nA. x\nB. y", "AB", ("x", "y")),
        ("Q? A) Paris B) Lyon C) Nice", "ABC", ("Paris", "Lyon", "Nice")),
        ("(A) one (B) two", "AB", ("one", "two")),
        ("A: x\nB: y\nC: z", "ABC", ("x", "y", "z")),
        ("- **A)** foo\n- **B)** bar", "AB", ("foo", "bar")),
        ("a) un b) deux c) trois", "ABC", ("un", "deux", "trois")),
        ("Q1\nA. x\nB. y\nC. z\nQ2\nA. v\nB. w", "AB", ("v", "w")),
    ],
)
def test_options_are_found_in_the_prompt(prompt: str, letters: str, texts: tuple[str, ...]) -> None:
    assert options_in(prompt) == Options(letters, texts)


@pytest.mark.parametrize("prompt", ["Vitamin A. is good", "Answer A, B or C", "", "A. alone"])
def test_a_prompt_without_two_markers_has_no_options(prompt: str) -> None:
    assert options_in(prompt) is None


def test_letters_of_the_prompt_limit_what_is_allowed_and_a_to_e_where_it_has_none() -> None:
    assert "none of A, B;" in marked("C", prompt="Q?\nA. x\nB. y").explanation
    assert "none of A, B, C, D, E;" in marked("F", prompt="Q?").explanation


@pytest.mark.parametrize(
    "prompt",
    [
        "Capital?\nA. Lyon\nB. Paris\nC. Nice\nD. Rome\nAnswer with one letter.\nAnswer:",
        "Capital? A. Lyon B. Paris C. Nice D. Rome",
        "Options: A) Lyon B) Paris. Answer with A or B.",
        "Choose:\n(A) Lyon\n(B) Paris\n\nThe answer is",
    ],
)
def test_an_echoed_prompt_is_no_answer(prompt: str) -> None:
    assert marked(prompt, prompt=prompt).no_answer


# ------------------------------------------------------------------------------------ likelihood


def likeliest(check: MultipleChoice, *log_likelihoods: float) -> Score:
    reply = ChoiceLikelihoods(request_id="r", log_likelihoods=log_likelihoods)
    return check.score("", Context(a_case(check), reply))


def test_the_most_likely_letter_is_the_answer() -> None:
    score = likeliest(MultipleChoice(expected="B", choices=CITIES), -3.0, -1.0, -2.0, -9.0)
    assert (score.value, score.extracted) == (1.0, "B")


def test_texts_are_compared_per_character() -> None:
    check = MultipleChoice(expected="B", choices=("ab", "abcdefgh"), score_by="text")
    score = likeliest(check, -2.0, -4.0)
    assert (score.value, score.extracted) == (1.0, "B")
    assert "per character" in score.explanation


def test_a_tie_goes_to_the_first_and_says_so() -> None:
    score = likeliest(MultipleChoice(expected="B", choices=CITIES), -1.0, -1.0, -2.0, -2.0)
    assert (score.value, score.extracted) == (0.0, "A")
    assert "A, B" in score.explanation


@pytest.mark.parametrize("values", [(-1.0, -2.0), (), (-1.0, float("nan"), -2.0, -3.0)])
def test_likelihoods_that_do_not_fit_are_refused(values: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match=r"likelihood|zip|empty"):
        likeliest(MultipleChoice(expected="B", choices=CITIES), *values)


def by_first_token(
    *log_likelihoods: float, bounded: tuple[bool, ...] = (), score_by: str = "letter"
) -> Score:
    check = MultipleChoice(expected="B", choices=CITIES, score_by=score_by)  # type: ignore[arg-type]
    reply = ChoiceLikelihoods(
        request_id="r", log_likelihoods=log_likelihoods, method="first_token", bounded=bounded
    )
    return check.score("", Context(a_case(check), reply))


def test_a_mark_by_the_first_token_says_so() -> None:
    score = by_first_token(-3.0, -1.0, -2.0, -9.0)
    assert (score.value, score.extracted) == (1.0, "B")
    assert "by the likelihood of the first token" in score.explanation
    assert "not among" not in score.explanation


@pytest.mark.parametrize(
    ("bounded", "said"),
    [
        ((False, False, False, True), "D was not among the tokens"),
        ((False, False, True, True), "C, D were not among the tokens"),
        (
            (True, False, True, True),
            "A, C, D were not among the tokens that the server returned.",
        ),
    ],
)
def test_letters_without_a_likelihood_are_named(bounded: tuple[bool, ...], said: str) -> None:
    score = by_first_token(-3.0, -1.0, -9.0, -9.0, bounded=bounded)
    assert score.value == 1.0
    assert said in score.explanation


def test_a_bound_is_never_the_most_likely_nor_a_tie() -> None:
    score = by_first_token(-4.0, -5.0, -4.0, -1.0, bounded=(False, False, True, True))
    assert (score.value, score.extracted) == (0.0, "A")
    assert "Equally likely" not in score.explanation


@pytest.mark.parametrize("bounded", [(True,) * 4, (True, False)])
def test_bounds_without_a_likelihood_or_without_their_letters_are_refused(
    bounded: tuple[bool, ...],
) -> None:
    with pytest.raises(ValueError, match=r"zip|empty"):
        by_first_token(-3.0, -1.0, -2.0, -9.0, bounded=bounded)


def test_texts_cannot_be_told_by_their_first_token() -> None:
    with pytest.raises(ValueError, match="first token"):
        by_first_token(-3.0, -1.0, -2.0, -9.0, score_by="text")


# ------------------------------------------------------------------------------------ properties


@given(any_text, st.booleans())
def test_only_an_allowed_letter_can_score_and_nothing_raises(answer: str, given_: bool) -> None:
    score = marked(answer, choices=CITIES if given_ else ())
    assert score.extracted is None or score.extracted in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    assert score.value == (1.0 if score.extracted == "B" else 0.0)
    assert score.no_answer == (score.extracted is None)


@given(st.lists(st.sampled_from([*SURVEYED, *KIN, *MORE, " ", "\n", "A", "not", "or"]), max_size=6))
def test_white_space_at_the_end_changes_no_letter(pieces: list[str]) -> None:
    answer = " ".join(pieces)
    options = Options("ABCD", CITIES)
    assert read_letter(answer, options) == read_letter(answer + " \n\t", options)


@pytest.mark.parametrize(
    "junk",
    ["(", "**", "Answer: ", "Answer: A ", "a. ", "A or ", "answer is the ", "\\boxed{", "c ",
     "A) x x x ", "\n", "answer to ", "\ufdfa", "\ud800", "Not A "],
)  # fmt: skip
def test_junk_of_200_kilobytes_is_read(junk: str) -> None:
    with no_hang():
        score = marked(junk * (200_000 // len(junk)), choices=CITIES)
    assert score.unscored_reason is None


COUNTRIES = Options("ABCD", ("Togo", "Kenya", "Mali", "Chad"))
NUMBERS = Options("ABCD", ("12", "15", "20", "25"))


@pytest.mark.parametrize(
    "before",
    [
        "Let us think. Togo is in the west.",
        "A. Togo\nB. Kenya\nC. Mali\nD. Chad",
        "A. Togo is in the west.\nC. Mali has no coast.\nD. Chad has none.",
        "- Togo: Lomé\n- Kenya: Nairobi\n- Mali: Bamako\n- Chad: N'Djamena",
        "I compare **A. Togo** with **B. Kenya**, **C. Mali** and **D. Chad**.",
    ],
)
@pytest.mark.parametrize("last", ["**B. Kenya**", "**B) Kenya.**", "__B. Kenya__", "**B**"])
def test_a_choice_in_bold_on_the_last_line_is_that_choice(before: str, last: str) -> None:
    found = read_letter(
        f"{before}\n\n{last}", COUNTRIES, "Nairobi is the capital of which country?"
    )
    assert (found.letter, found.how) == ("B", "announced")


def test_the_option_that_is_there_again_below_the_whole_list_is_chosen() -> None:
    listed = "A. Togo\nB. Kenya\nC. Mali\nD. Chad"
    assert read_letter(f"{listed}\n\nB. Kenya", COUNTRIES).letter == "B"
    assert read_letter(f"{listed}\n{listed}", COUNTRIES).letter is None, "all are there again"


@pytest.mark.parametrize(
    "listed",
    [
        "12\n15\n20\n25", "- 12\n- 15\n- 20\n- 25", "1. 12\n2. 15\n3. 20\n4. 25", "12, 15, 20, 25",
        "A. 12\nB. 15\nC. 20\nD. 25", "The options are A. 12, B. 15, C. 20 and D. 25.",
        "A is 12, B is 15, C is 20, D is 25.", "What is 3 times 5?\nA. 12\nB. 15\nC. 20\nD. 25",
    ],
)  # fmt: skip
def test_options_that_are_all_copied_choose_none_though_the_last_is_a_number(listed: str) -> None:
    assert read_letter(listed, NUMBERS, "What is 3 times 5?").letter is None


@pytest.mark.parametrize(
    "chosen",
    ["It is not 12 or 20 or 25, it is 15.", "3 x 5 = 15", "12, 15, 20, 25\n\nAnswer: 15"],
)
def test_a_number_that_is_chosen_among_them_is_still_read(chosen: str) -> None:
    assert read_letter(chosen, NUMBERS, "What is 3 times 5?").letter == "B"
