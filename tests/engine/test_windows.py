"""Windows over a text: lm-evaluation-harness's rule, told again without its code."""

from __future__ import annotations

from itertools import islice, pairwise

from hypothesis import given
from hypothesis import strategies as st

from assay.engine.layout.windows import PREFIX, Window, windows


def fed_and_predicted(tokens, longest):
    """Of each window the tokens themselves, "P" standing for the prefix."""
    text = ["P", *range(tokens)]
    return [
        (text[window.start + 1 : window.end], text[window.first_predicted + 1 : window.end + 1])
        for window in windows(tokens, longest)
    ]


def one_by_one(tokens, longest):
    """The twin: which tokens each token is predicted from, by going from token to token."""
    text = ["P", *range(tokens)]
    sees = {}
    for token in range(min(longest, tokens)):
        sees[token] = text[: token + 1]
    start = longest
    while start < tokens:
        end = min(start + longest, tokens)
        for token in range(start, end):
            sees[token] = text[end - longest : token + 1]
        start = end
    return sees


def test_ten_tokens_in_windows_of_four_are_cut_as_lm_eval_cuts_them():
    assert fed_and_predicted(10, 4) == [
        (["P", 0, 1, 2], [0, 1, 2, 3]),
        ([3, 4, 5, 6], [4, 5, 6, 7]),
        ([5, 6, 7, 8], [8, 9]),
    ]


def test_a_short_text_is_one_window_and_an_empty_one_is_none():
    assert fed_and_predicted(3, 8) == [(["P", 0, 1], [0, 1, 2])]
    assert fed_and_predicted(8, 8) == [(["P", *range(7)], list(range(8)))]
    assert fed_and_predicted(0, 8) == []


def test_windows_are_made_one_at_a_time():
    first, second = islice(windows(10**15, 1024), 2)
    assert first == Window(PREFIX, 1024, 1024)
    assert second == Window(1023, 2048, 1024)


@given(st.integers(0, 200), st.integers(1, 40))
def test_every_token_is_predicted_once_from_what_the_rule_says(tokens, longest):
    sees = {}
    for window in windows(tokens, longest):
        assert 1 <= window.length <= longest
        assert window.length == longest or window.start == PREFIX
        for token in range(window.first_predicted, window.end):
            assert token not in sees
            sees[token] = ["P" if at == PREFIX else at for at in range(window.start, token)]
    assert sees == one_by_one(tokens, longest)
    assert list(sees) == list(range(tokens))


@given(st.integers(1, 200), st.integers(1, 40))
def test_middle_windows_share_one_token_and_the_last_is_filled(tokens, longest):
    found = list(windows(tokens, longest))
    for before, after in pairwise(found[:-1]):
        assert after.start == before.end - 1
    if len(found) > 1:
        assert found[-1].length == longest
