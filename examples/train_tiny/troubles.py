"""Composed wordings about faults of Linux machines: what is seen, why, and what to do about it.

In: troubles.txt, a random source. Out: pairs of question and answer. The answer is one or two
sentences, the cause in the form that the frame of the question asks for, and the remedy.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from slots import NAMES, Values
from wording import capitalised, drawn, sections

TROUBLES = Path(__file__).with_name("troubles.txt")
PREFIX = "trouble: "
# Each frame with the form of the cause that stands behind it.
FRAMES = [
    (name.removeprefix(PREFIX), frame)
    for name, frames in sections("frames.txt").items()
    if name.startswith(PREFIX)
    for frame in frames
]
# Programs keep their small letters where a sentence begins.
PROGRAMS = frozenset(NAMES["programs of troubles"])
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass
class Trouble:
    """The patterns of one fault, by what stands before them in troubles.txt."""

    name: str
    seen: list[str] = field(default_factory=list)
    why: list[str] = field(default_factory=list)
    clauses: list[str] = field(default_factory=list)
    nouns: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    remedies: list[str] = field(default_factory=list)

    def add(self, line: str) -> None:
        """Put a line where its mark says."""
        marks = {
            "? ": self.why, "= ": self.clauses, "~ ": self.nouns,
            "+ ": self.others, "> ": self.remedies,
        }  # fmt: skip
        if line[:2] in marks:
            marks[line[:2]].append(line[2:])
        else:
            self.seen.append(line)


class Troubles:
    """Draws a fault and asks for its cause."""

    def __init__(self, path: Path = TROUBLES) -> None:
        self.troubles: list[Trouble] = []
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("  "):
                self.troubles[-1].add(line.strip())
            elif line and not line.startswith("#"):
                self.troubles.append(Trouble(line))
        # One with more wordings comes oftener, but not in proportion.
        self._weights = list(accumulate(len(trouble.seen) ** 0.5 for trouble in self.troubles))

    def pair(self, draw: random.Random) -> tuple[str, str]:
        """What is seen, and its cause and remedy."""
        trouble = draw.choices(self.troubles, cum_weights=self._weights)[0]
        return word_trouble(trouble, *draw.choice(FRAMES), draw)


def word_trouble(trouble: Trouble, form: str, frame: str, draw: random.Random) -> tuple[str, str]:
    """A fault asked for in a frame, and the answer in the form that belongs to the frame."""
    seen, why = drawn(draw.choice(trouble.seen), draw), drawn(draw.choice(trouble.why), draw)
    question = drawn(frame, draw).replace("{S}", _begin(seen)).replace("{s}", seen)
    question = question.replace("{q}", why)
    cause = _cause(trouble, form, draw)
    if question.endswith(("?", ".")):
        cause = _begin(cause)
    answer = f"{cause}. {capitalised(drawn(draw.choice(trouble.remedies), draw))}."
    values = Values(draw)
    question, answer = (_SLOT.sub(lambda m: values.of(m[1]), text) for text in (question, answer))
    return question, answer


def _cause(trouble: Trouble, form: str, draw: random.Random) -> str:
    if form in ("noun", "nouns"):
        noun = drawn(draw.choice(trouble.nouns), draw)
        if form == "noun":
            return noun
        joined = ", or " if " or " in noun or "," in noun else draw.choice((" or ", " and "))
        return noun + joined + drawn(draw.choice(trouble.others), draw)
    clause = drawn(draw.choice(trouble.clauses), draw)
    return {"that": f"that {clause}", "clause": clause, "sentence": _begin(clause)}[form]


def _begin(clause: str) -> str:
    """As a sentence begins; names of programs and interfaces keep their small letters."""
    first = clause.split(" ")[0]
    kept = first in PROGRAMS or any(letter.isdigit() for letter in first)
    return clause if kept else capitalised(clause)
