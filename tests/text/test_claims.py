"""The quick look at a sentence that says more than the answer, beside the reading of it all."""

import re

from hypothesis import given
from hypothesis import strategies as st

from assay.text import claims
from assay.text.answer_words import WORDS, words_of_ascii
from assay.text.folding import fold_whole_answer
from assay.text.number_words import has_number_words

QUESTIONS = (
    "Who wrote the novel 'Things Fall Apart'?",
    "What is the capital of Kenya?",
    "Which of these is not a fruit, a carrot or an apple?",
    "Is water wet?",
    "",
)
ACCEPTED = (
    ("chinua achebe", "achebe"),
    ("nairobi",),
    ("carrot", "a carrot"),
    ("yes",),
    ("c++",),
    ("in 1958",),
    ("it's me",),
)
LISTED = sorted({*re.findall(r"[a-z']+", " ".join(WORDS.values()))})
SAID = sorted(
    {word for texts in (QUESTIONS, *ACCEPTED) for text in texts for word in text.lower().split()}
)
WORD = st.one_of(
    st.sampled_from(SAID),
    st.sampled_from(LISTED),
    st.sampled_from(("came", "nairobis", "painted", "1958", "_", "it's", "il s'agit de", "c'est")),
    st.text("abn'_-.:,;!()\"*+?0 ", max_size=4),
)


@given(
    st.lists(WORD, max_size=9).map(" ".join),
    st.sampled_from(ACCEPTED),
    st.sampled_from(QUESTIONS),
)
def test_a_quick_look_and_the_whole_reading_agree(
    said: str, accepted: tuple[str, ...], question: str
) -> None:
    text = fold_whole_answer(f"{said} {accepted[0]} {said}")
    for each in (text, fold_whole_answer(f"{accepted[-1]} {said}"), fold_whole_answer(said)):
        quick = claims.says_only(each, accepted, question)
        held = any(word in each for word in accepted) and len(each) <= claims.ONE_CLAIM
        assert quick == (held and claims._says_only(each, accepted, question))


def test_one_word_beside_the_answer_is_seen_at_once_and_a_form_of_the_question_is_not() -> None:
    question, accepted = QUESTIONS[0], ACCEPTED[0]
    assert claims._has_other_word("achebe and soyinka wrote it", accepted, question)
    assert not claims._has_other_word("the novels was by chinua achebe", accepted, question)
    assert claims.says_only("the novel was by chinua achebe", accepted, question)


@given(st.text(st.characters(max_codepoint=127)))
def test_words_of_ascii_are_those_of_the_pattern(text: str) -> None:
    assert words_of_ascii(text) == re.findall(r"[^\W_]+", text)


@given(st.lists(st.sampled_from(("one", "One2", "two_", "3", "none", "-", "twenty-one"))))
def test_number_words_are_seen_in_ascii_as_elsewhere(words: list[str]) -> None:
    text = " ".join(words)
    assert has_number_words(text, None) == has_number_words(f"{text} é", None)
