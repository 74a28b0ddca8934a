"""A conversation as the text a base model continues; and how long a text is.

A base model has no roles, so the contents stand alone, a blank line between two turns; an answer
follows its question, as it would have been written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.types import Message

BETWEEN_TURNS = "\n\n"  # plan.py ends the answers of base models here
_ENDS = (".", "?", "!", "…")
_WHITE_SPACE = re.compile(r"\s+")


def as_text(messages: Sequence[Message]) -> str:
    """The contents alone, each answer behind its question."""
    text = ""
    for message in messages:
        text += joint(text, message) + message.content
    return text


def joint(before: str, message: Message) -> str:
    """A begun sentence or a colon is answered on its line, a whole question on the next."""
    if not before:
        return ""
    if message.role != "assistant":
        return BETWEEN_TURNS
    on_next_line = "\n" in message.content or before.endswith(_ENDS)
    return "\n" if on_next_line else " "


def words_in(text: str) -> int:
    """Pieces between white space, as lm-evaluation-harness counts them: a text that begins or ends
    with some has an empty one there.
    """
    return 1 + sum(1 for _ in _WHITE_SPACE.finditer(text))


def bytes_in(text: str) -> int:
    """In UTF-8; half a surrogate pair, which JSON can hold, counts as the three it would take."""
    return len(text.encode("utf-8", "surrogatepass"))
