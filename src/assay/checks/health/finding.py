"""Where in an answer a word or phrase stands.

In: alternatives and a text. Out: the place of the first that is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from assay.checks.keywords import occurs
from assay.text.folding import fold_for_matching


def place_of_any(alternatives: Iterable[str], text: str) -> tuple[int, int] | None:
    """Start and end of the first alternative that occurs as a word, however it is written."""
    folded = fold_for_matching(text)
    for alternative in alternatives:
        if not occurs(alternative, folded, "word"):
            continue
        plain = _pattern(alternative).search(text)
        # Folding can change lengths; where the plain search fails the whole text is the place.
        return plain.span() if plain else (0, len(text))
    return None


@lru_cache(maxsize=1024)
def _pattern(phrase: str) -> re.Pattern[str]:
    body = r"\s+".join(map(re.escape, phrase.split()))
    left = r"(?<!\w)" if phrase[:1].isalnum() else ""
    right = r"(?!\w)" if phrase[-1:].isalnum() else ""
    return re.compile(left + body + right, re.IGNORECASE)
