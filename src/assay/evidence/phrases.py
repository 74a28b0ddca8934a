"""A vocabulary, and where a text uses it.

In: dimensions such as customer or measure, each with keys and the phrases for them; a text. Out:
Labels, from left to right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby, islice

MOST = 80  # labels, and figures, of one sentence or row


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimension:
    """Keys and the phrases that name them. `owns_one`: one word names one figure ("average 12"),
    while a customer may have many. `kinds`: a key's figures are of these kinds; without an entry,
    of any. `narrowed_by`: words that tell, in a sentence or over it, which of its keys a phrase for
    several means; those that tell it best come first.
    """

    name: str
    phrases: Mapping[str, tuple[str, ...]]
    owns_one: bool = False
    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    narrowed_by: tuple[Dimension, ...] = ()
    pattern: re.Pattern[str] = field(init=False, repr=False, compare=False)
    keys_of: tuple[frozenset[str], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        keys: dict[str, set[str]] = {}
        for key, phrases in self.phrases.items():
            for phrase in phrases:
                keys.setdefault(phrase, set()).add(key)
        ordered = _ordered(keys)
        object.__setattr__(self, "pattern", any_of(tuple(ordered)))
        object.__setattr__(self, "keys_of", tuple(frozenset(keys[one]) for one in ordered))


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A phrase found in a text. A phrase can stand for several keys."""

    keys: frozenset[str]
    start: int
    end: int


def _body(phrase: str) -> str:
    """Blanks and hyphens are alike, "*" stands for any end of a word."""
    words = [re.escape(word).replace(r"\*", r"\w*") for word in re.split(r"[\s-]+", phrase)]
    return r"[\s\-_/]{1,3}".join(words)


def _ending(phrase: str) -> str:
    """What may follow a phrase, by its last character: a plural or possessive "s", no letter."""
    if phrase[-1] == "*":
        return ""
    plural = r"(?:['’]?s)?" if phrase[-1].isalpha() else ""
    fraction = "|[.,][0-9]" if phrase[-1].isdigit() else ""
    return plural + (rf"(?![^\W_]{fraction})" if phrase[-1].isalnum() else "")


def _ordered(phrases: Iterable[str]) -> list[str]:
    """Words before signs, the longest first."""
    return sorted(phrases, key=lambda phrase: (not phrase[0].isalnum(), -len(phrase)))


@lru_cache(maxsize=512)
def any_of(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """One pattern with a group for each phrase, the longest first.

    That words begin where a word begins is asked once for all of them: asked for each, reading an
    answer takes about twice as long. What may follow is written once for neighbours that end alike:
    the patterns are compiled in half of the time.
    """
    words = [one for one in _ordered(phrases) if one[0].isalnum()]
    signs = [one for one in _ordered(phrases) if not one[0].isalnum()]
    parts = [rf"(?<![^\W_])(?:{_alternatives(words)})"] if words else []
    return re.compile("|".join([*parts, _alternatives(signs)] if signs else parts), re.IGNORECASE)


def _alternatives(phrases: Sequence[str]) -> str:
    return "|".join(
        f"(?:{'|'.join(f'({_body(one)})' for one in alike)}){ending}"
        for ending, alike in groupby(phrases, key=_ending)
    )


def find_labels(text: str, dimension: Dimension) -> tuple[Label, ...]:
    """The phrases of a dimension in a text, from left to right."""
    return tuple(
        Label(keys=dimension.keys_of[place], start=start, end=end)
        for place, start, end in _places(text, dimension.pattern)
    )


@lru_cache(maxsize=2048)  # what stands over or before a passage is looked at for each figure in it
def _places(text: str, pattern: re.Pattern[str]) -> tuple[tuple[int, int, int], ...]:
    return tuple(
        ((match.lastindex or 1) - 1, *match.span())
        for match in islice(pattern.finditer(text), MOST)
    )
