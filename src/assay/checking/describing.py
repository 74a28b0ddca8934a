"""Whether a text describes something: its name, and a word for what is said of it, in one part.

In: a text as a reader sees it, a name, words. Out: whether they stand together. Containment only.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from .blocks import parts_of
from .visible import normalised, visible_text

_SHORT = 3  # letters: up to these a word has to be whole
_PARTS = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+#|]|\d+[.)]))")


def describes(text: str, name: str, words: Sequence[str], least: int) -> bool:
    """Whether parts with the name have `least` other words or more, and one of `words`."""
    said = said_of(text, name)
    return len(said) >= least and any(is_word(word, words) for word in said)


def said_of(text: str, name: str, *, below: bool = False) -> set[str]:
    """The words of the parts that have the name, but for the name; with `below` without those of
    their headings, which are said of all that follows.
    """
    own = [part for part in _parts(text) if has_name(part, name)]
    own = [part.partition("\n")[2] for part in own] if below else own
    return set().union(*(words_in(part) for part in own)) - words_in(name)


def cited_in(answer: str) -> list[tuple[str, list[str]]]:
    """The paragraphs, list items and rows outside of blocks, each with what stands in backticks in
    it and is shown.
    """
    outside = "\n\n".join("\n".join(lines) for fence, lines in parts_of(answer) if fence is None)
    shown = visible_text(answer)
    return [
        (part, [one for one in re.findall(r"`([^`\n]+)`", part) if normalised(one) in shown])
        for part in _parts(outside)
    ]


def own_words(texts: Sequence[set[str]]) -> list[set[str]]:
    """The words of each text that most of the others do not have: what is said of all tells none
    from another.
    """
    counts = Counter(word for text in texts for word in text)
    most = max(1, len(texts) // 2)
    return [{word for word in text if counts[word] <= most} for text in texts]


def words_in(text: str) -> set[str]:
    """Of two letters or digits or more, in any script."""
    return set(re.findall(r"[^\W_]{2,}", text.casefold()))


def is_word(word: str, group: Sequence[str]) -> bool:
    """Short words are whole ones, of longer ones the beginning counts."""
    return any(word == one or (len(one) > _SHORT and word.startswith(one)) for one in group)


def has_name(text: str, name: str) -> bool:
    """As a word of its own."""
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


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
