"""What the likeliest first tokens say of letters, and of words such as Yes and No."""

from __future__ import annotations

import math

import pytest

from assay.models.reasoning import read_first_token


def told(**shares: float) -> dict[str, object]:
    """A server's entry; `_` in front of a token stands for its space."""
    tokens = [(token.replace("_", " "), share) for token, share in shares.items()]
    return {"top_logprobs": [{"token": t, "logprob": math.log(p)} for t, p in tokens]}


def test_a_word_counts_in_any_letter_case_and_with_its_space() -> None:
    found = read_first_token(told(Yes=0.3, _Yes=0.1, yes=0.1, YES=0.05, No=0.2), ("Yes", "No"))
    assert found is not None
    assert [math.exp(one) for one in found[0]] == pytest.approx([0.55, 0.2])
    assert found[1] == (False, False)


def test_a_letter_counts_in_its_own_case_only() -> None:
    found = read_first_token(told(A=0.3, a=0.4, B=0.2), ("A", "B"))
    assert found is not None
    assert [math.exp(one) for one in found[0]] == pytest.approx([0.3, 0.2])


def test_words_that_differ_by_their_case_alone_stay_apart() -> None:
    found = read_first_token(told(May=0.3, may=0.4, MAY=0.2), ("May", "may"))
    assert found is not None
    assert [math.exp(one) for one in found[0]] == pytest.approx([0.3, 0.4])


def test_a_longer_word_that_begins_alike_is_another_one() -> None:
    found = read_first_token(told(Not=0.5, Nothing=0.2, Yes=0.2), ("Yes", "No"))
    assert found is not None
    assert found[1] == (False, True)
    assert math.exp(found[0][1]) == pytest.approx(0.2)  # the least that was told


def test_neither_word_among_the_tokens_decides_nothing() -> None:
    assert read_first_token(told(The=0.6, It=0.3), ("Yes", "No")) is None


def test_hardly_any_share_on_both_words_decides_nothing() -> None:
    assert read_first_token(told(The=0.9, Yes=0.004, No=0.004), ("Yes", "No")) is None
