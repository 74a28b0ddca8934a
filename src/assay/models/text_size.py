"""How long a text is in words and bytes, counted as lm-evaluation-harness counts them."""

from __future__ import annotations

import re

_WHITE_SPACE = re.compile(r"\s+")


def words_in(text: str) -> int:
    """Pieces between white space: a text that begins or ends with some has an empty one there."""
    return 1 + sum(1 for _ in _WHITE_SPACE.finditer(text))


def bytes_in(text: str) -> int:
    """In UTF-8; half a surrogate pair, which JSON can hold, counts as the three it would take."""
    return len(text.encode("utf-8", "surrogatepass"))
