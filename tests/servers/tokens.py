"""Text as tokens, by a rule simple enough to work out by hand.

In: a text. Out: the pieces it is written in, how many the prompt has, and how likely each was.
Counts fit the recorded ones within a few tokens: a short English word is one, so is a sign or a
digit, and so is the space before a digit.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

_WRITTEN = re.compile(r" ?\w+| ?[^\w\s]|\s")
_READ = re.compile(r"\d| (?=\d)|[^\W\d]+|[^\w\s]|\n")
_LONG_WORD = 12
# The 20 likeliest first tokens of the recorded case logprobs-letter, the letters of its prompt
# left out: what stands around the letters in the answer to any question with choices.
_AROUND = (
    ("The", -3.651), ("E", -3.740), ("I", -4.217), ("Red", -5.208), ("Earth", -5.329),
    ("You", -5.369), ("F", -5.441), ("Which", -5.467), ("S", -5.506), ("This", -5.532),
    ("To", -5.644), ("Plan", -6.084), ("It", -6.097), ("Mars", -6.274), ("R", -6.291),
    ("1", -6.312), ("2", -6.401), ("Answer", -6.512), ("Yes", -6.633), ("No", -6.781),
)  # fmt: skip
# Together with what stands around them no more than one probability.
_LETTERS = (-0.945, -1.275, -2.345, -2.831, -3.9, -4.2, -4.5, -4.8)
_ELSEWHERE = (-0.3, -2.9, -3.8, -4.4, -4.9)


def written(text: str, number: int | None = None) -> list[str]:
    """The pieces in which a text is streamed. Together they are the text; a number of them, if
    given, of equal length.
    """
    if number is None:
        return _WRITTEN.findall(text)
    ends = [len(text) * each // number for each in range(number + 1)]
    return [text[start:end] for start, end in itertools.pairwise(ends)]


def read(text: str) -> list[str]:
    """The pieces in which a prompt is read."""
    return _READ.findall(text)


def count(text: str) -> int:
    """How many tokens a prompt with this text has."""
    return sum(_size(piece) for piece in _READ.findall(text))


def _size(piece: str) -> int:
    if piece.isascii():
        return 1 + (len(piece) - 1) // _LONG_WORD
    return max(1, len(piece.encode()) * 3 // 4)


def likelihoods(
    tokens: Sequence[str],
    top: int,
    letters: Sequence[str] = (),
    given: Mapping[str, float] | None = None,
) -> list[dict[str, Any]]:
    """The log-probabilities of what was written, in the shape both Ollama and OpenAI use.

    `letters`: the choices in the prompt, likeliest first. `given`: what a test wants the first
    token's alternatives to be. The written token need not be among the best.
    """
    told = []
    for place, token in enumerate(tokens):
        table = _table(token, letters if place == 0 else (), given if place == 0 else None)
        best = sorted(table.items(), key=lambda item: -item[1])[:top]
        entry = _entry(token, table.get(token, -9.5))
        if top:
            entry["top_logprobs"] = [_entry(*item) for item in best]
        told.append(entry)
    return told


def _table(
    token: str, letters: Sequence[str], given: Mapping[str, float] | None
) -> dict[str, float]:
    if given is not None:
        return dict(given)
    if letters:
        return {**dict(_AROUND), **dict(zip(letters, _LETTERS, strict=False))}
    others = [f" {word}" for word, _ in _AROUND if f" {word}" != token]
    return dict(zip([token, *others], [*_ELSEWHERE, *(_AROUND[i][1] for i in range(20))],
                    strict=False))  # fmt: skip


def _entry(token: str, logprob: float) -> dict[str, Any]:
    return {"token": token, "logprob": logprob, "bytes": list(token.encode())}
