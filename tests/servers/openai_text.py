"""A language model that is none: what comes next after a text, and how likely it was.

In: a text. Out: the next tokens, their log-probabilities, in the shape of the old completions. It
is a function of the text alone, so that a text that is generated and the same text echoed have the
same log-probabilities, as on a server that is right.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

from tests.servers import tokens
from tests.servers.speech import Book, Draw, say

EXPECTED = -0.125
_WORDS = ("the", "a", "of", "and", "to", "in", "it", "is", "was", "for", "on", "with")


def likelihood(before: str, token: str, draw: Draw, book: Book) -> float:
    """How likely this token is after this text."""
    return table(before, token, draw, book)[token]


def table(before: str, token: str, draw: Draw, book: Book) -> dict[str, float]:
    """This token and its rivals. The expected one is the likeliest, the rest hang on the text."""
    said = say(before, draw, book)
    written = tokens.written(said.text)
    done = _already(before, written)
    rivals = {f" {word}": _by_chance(before, f" {word}") for word in _WORDS}
    rivals[token] = _by_chance(before, token)
    if done == 0 and said.first_logprobs is not None:
        return {token: rivals[token], **said.first_logprobs}
    if done == 0:
        rivals.update({letter: -1.0 - place for place, letter in enumerate(said.letters)})
    if done < len(written):
        rivals[written[done]] = EXPECTED
    return rivals


def _already(before: str, written: Sequence[str]) -> int:
    """How much of the answer stands at the end of the text already."""
    for count in range(len(written), 0, -1):
        if before.endswith("".join(written[:count])):
            return count
    return 0


def _by_chance(before: str, token: str) -> float:
    return -2.5 - zlib.crc32(f"{before[-40:]}|{token}".encode()) % 5000 / 1000


def legacy_logprobs(
    prompt: Sequence[str], written: Sequence[str], top: int, draw: Draw, book: Book
) -> dict[str, Any]:
    """Tokens of the echoed prompt and of the answer. The very first has nothing before it."""
    text, offsets = "", []
    values: list[float | None] = []
    best: list[dict[str, float] | None] = []
    start = "" if prompt else None
    for token in [*prompt, *written]:
        offsets.append(len(text))
        if text == start:
            values.append(None)
            best.append(None)
        else:
            rivals = table(text, token, draw, book)
            values.append(rivals[token])
            ranked = sorted(rivals.items(), key=lambda item: -item[1])
            best.append({**dict(ranked[:top]), token: rivals[token]})
        text += token
    return {
        "tokens": [*prompt, *written], "token_logprobs": values,
        "top_logprobs": best if top else None, "text_offset": offsets,
    }  # fmt: skip


def off_by_one(told: dict[str, Any]) -> dict[str, Any]:
    """The mistake some servers make: each token has the likelihood of the one after it."""
    shifted = [*told["token_logprobs"][1:], None]
    best = told["top_logprobs"] and [*told["top_logprobs"][1:], None]
    return {**told, "token_logprobs": shifted, "top_logprobs": best}
