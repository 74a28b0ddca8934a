"""The most likely of the options that a model was asked to compare."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.types import LETTERS, ChoiceLikelihoods, Requests


@dataclass(frozen=True, slots=True)
class LikeliestOption:
    """The most likely letter; `tied` are those equally likely, `unseen` those without a figure."""

    letter: str
    likelihood: float
    tied: tuple[str, ...]
    unseen: tuple[str, ...]


def most_likely(test_id: str, asked: Requests, reply: ChoiceLikelihoods) -> LikeliestOption:
    """The first of the most likely options.

    By text the log-likelihood is divided by the characters of the option, because a longer text is
    less likely whatever it says. An option that is only bounded is never the most likely one: it
    was not among the likeliest tokens, and one that was is there. ValueError: the figures do not
    fit the options.
    """
    letters = LETTERS[: len(asked.options)] or asked.letters
    likelihoods = reply.log_likelihoods
    if any(math.isnan(value) for value in likelihoods):
        raise ValueError(f"a likelihood of {test_id!r} is not a number")
    if reply.method == "first_token" and asked.by_text:
        raise ValueError(f"the likelihood of a first token says nothing of the texts: {test_id!r}")
    if asked.by_text:
        lengths = (max(1, len(text)) for text in asked.options)
        likelihoods = tuple(
            value / length for value, length in zip(likelihoods, lengths, strict=True)
        )
    bounded = reply.bounded or (False,) * len(letters)
    seen = {
        letter: value
        for letter, value, only_bounded in zip(letters, likelihoods, bounded, strict=True)
        if not only_bounded
    }
    best = max(seen.values())
    tied = tuple(letter for letter, value in seen.items() if value == best)
    unseen = tuple(letter for letter in letters if letter not in seen)
    return LikeliestOption(tied[0], best, tied, unseen)
