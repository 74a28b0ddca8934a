"""Which letters a multiple-choice test allows, the texts behind them, and the likeliest of them."""

import math
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from assay.text.folding import drop_invisible
from assay.types import LETTERS, Case, ChoiceLikelihoods, Requests

_DEFAULT = "ABCDE"

# "A. ", "A) ", "(A) ", "A: ", "- **A)** " at the start of a line; the same inside one.
_AT_LINE_START = re.compile(
    r"^[ \t]*(?:[-*•>][ \t]+)?[*_]{0,2}\(?([A-Za-z])[*_]{0,2}[.):][*_]{0,2}(?=\s|\S)", re.MULTILINE
)
_IN_LINE = re.compile(r"(?<![\w.'’])\(?([A-Za-z])[.):](?=\s|\()")


@dataclass(frozen=True, slots=True)
class Options:
    """The letters allowed, the text behind each where the test gives it, and how it is found."""

    letters: str
    texts: tuple[str, ...] = ()
    match: str = "word"


def options_of(case: Case, choices: tuple[str, ...], expected: str) -> Options:
    """From `choices`, else from the markers in the conversation, latest turn first, else A to E; an
    expected letter is always an allowed one, whatever the markers look like.
    """
    if choices:
        return Options(LETTERS[: len(choices)], choices)
    marked = (options_in(message.content) for message in reversed(case.messages))
    options = next(filter(None, marked), Options(_DEFAULT))
    last = LETTERS.find(expected) + 1
    return options if last <= len(options.letters) else Options(LETTERS[:last])


@lru_cache(maxsize=2048)
def options_in(prompt: str) -> Options | None:
    """The last run of markers A, B, … in a prompt; None where there are not two of them."""
    text = unicodedata.normalize("NFKC", drop_invisible(prompt))
    for pattern in (_AT_LINE_START, _IN_LINE):
        run = _last_run(pattern.finditer(text))
        if len(run) >= 2:
            ends = [marker.start() for marker in run[1:]]
            ends.append(len(text))
            texts = tuple(
                _first_line(text[marker.end() : end]) for marker, end in zip(run, ends, strict=True)
            )
            return Options(LETTERS[: len(run)], texts)
    return None


def _last_run(markers: Iterable[re.Match[str]]) -> list[re.Match[str]]:
    """The markers of the last question: from an A onwards, each the next letter."""
    best: list[re.Match[str]] = []
    run: list[re.Match[str]] = []
    for marker in markers:
        letter = marker[1].upper()
        if len(run) < len(LETTERS) and run and letter == LETTERS[len(run)]:
            run.append(marker)
        elif letter == "A":
            run = [marker]
        if len(run) >= 2:
            best = run
    return best


def _first_line(text: str) -> str:
    stripped = text.strip()
    line = stripped.splitlines()[0] if stripped else ""
    return line.strip(" \t*_;,").rstrip(".")


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
