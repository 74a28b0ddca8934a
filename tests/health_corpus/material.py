"""The written material the broken texts are made from, and the two ways a generation is cut.

In: material.json beside this file. Out: topics and word lists, typed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

_FILE = json.loads((Path(__file__).parent / "material.json").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Topic:
    prompt: str
    intro: list[str]
    core: str
    variants: list[str]
    others: list[str]
    phrase: str
    subject: str

    @property
    def sayings(self) -> list[str]:
        return [self.core, *self.variants]

    @property
    def sentences(self) -> list[str]:
        return [*self.intro, self.core, *self.others]


class Broken(NamedTuple):
    prompt: str
    text: str


Maker = Callable[[Random, int], Broken]

TOPICS = [Topic(**row) for row in _FILE["topics"]]
LOOPS: dict[str, Any] = _FILE["loops"]
REPETITIONS: dict[str, Any] = _FILE["repetitions"]
NONSENSE: dict[str, Any] = _FILE["nonsense"]


def topic(index: int, *, shift: int = 0) -> Topic:
    return TOPICS[(index + shift) % len(TOPICS)]


def word_count(text: str) -> int:
    return len(text.split())


def first_words(text: str, count: int) -> str:
    """The beginning of a text up to its n-th word, with its line breaks."""
    ends = [match.end() for match in re.finditer(r"\S+", text)]
    return text if len(ends) <= count else text[: ends[count - 1]]


def cut_short(text: str, rng: Random) -> str:
    """A text that ran into the token limit: the last one to eight characters are missing."""
    return text[: -rng.randint(1, 8)].rstrip(" ")
