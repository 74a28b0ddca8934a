"""Whether a text describes something: its name, and a word for what is said of it, in one part.

In: a text as a reader sees it, a name, words. Out: whether they stand together. Containment only.
"""

import re
from collections.abc import Iterator, Sequence

_SHORT = 3  # letters: up to these a word has to be whole
_PARTS = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+#|]|\d+[.)]))")


def describes(text: str, name: str, words: Sequence[str], least: int) -> bool:
    """Whether parts with the name have `least` other words or more, and one of `words`."""
    own = [part for part in _parts(text) if re.search(rf"\b{re.escape(name)}\b", part)]
    said = set().union(*(words_in(part) for part in own)) - words_in(name)
    return len(said) >= least and any(is_word(word, words) for word in said)


def words_in(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]{2,}", text.casefold()))


def is_word(word: str, group: Sequence[str]) -> bool:
    """Short words are whole ones, of longer ones the beginning counts."""
    return any(word == one or (len(one) > _SHORT and word.startswith(one)) for one in group)


def _parts(text: str) -> Iterator[str]:
    """Paragraphs, list items and rows of tables, each below the heading that it stands under."""
    heading = ""
    for part in _PARTS.split(text):
        first, _, rest = part.strip().partition("\n")
        if first.startswith("#"):
            heading = first
            if rest.strip():
                yield part
        else:
            yield f"{heading}\n{part}"
