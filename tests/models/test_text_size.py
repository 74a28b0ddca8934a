"""Words and bytes of a text."""

import re

import pytest

from assay.models.base import bytes_in, words_in


@pytest.mark.parametrize(
    ("text", "words", "size"),
    [
        ("one two three", 3, 13),
        ("one", 1, 3),
        ("", 1, 0),
        (" one  two\n\n", 4, 11),
        ("ɖo ŋgɔ", 2, 9),
        ("a\u00a0b\u2003c", 3, 8),
        ("🙂", 1, 4),
        ("\ud83d", 1, 3),
    ],
)
def test_words_and_bytes_are_counted_as_lm_eval_counts_them(text, words, size):
    assert words_in(text) == words == len(re.split(r"\s+", text))
    assert bytes_in(text) == size
