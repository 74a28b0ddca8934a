"""Composed facts as documents, and prose cut into short ones: the streams a model is trained on.

In: devices, prose documents, a seed. Out: any number of documents of each stream, the same ones for
the same seed. No document that leaks.py objects to leaves this module.

Most documents of facts are one pair of question and answer, so that a model asked one question ends
its text with the answer. The others are five to eight pairs with a blank line between: the shape in
which a base model is asked, behind worked examples. There are none of two to four, so that behind
the third example an answer has one usual ending, a blank line, and the best beams are different
answers instead of one answer with different endings.
"""

from __future__ import annotations

import json
import lzma
import random
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from commands import Commands
from hardware import Device, Hardware
from installation import Installation
from leaks import Forbidden
from troubles import Troubles
from wording import pair

# Shares of the rows of a training batch.
WEIGHTS = {
    "hardware": 8, "drivers": 8, "commands": 14, "installation": 4, "troubles": 5,
    "sentences": 35, "pieces": 21, "whole": 5,
}  # fmt: skip
BARE = ("hardware", "drivers", "commands", "installation")  # the answer is a name or a command
SEVERAL = (5, 8)  # pairs in a document of several
ALONE = 0.93  # of the documents of facts; those of several have a third of the tokens
STATED = 0.1  # of them are statements instead of pairs
MIXED = 0.08  # of those with several pairs mix the tasks
_SENTENCE_END = re.compile(r"(?<=[a-z0-9)\"'][.?!]) +(?=[A-Z\"'])")

Draw = Callable[[random.Random], tuple[str, str]]


class Facts:
    """Documents of facts by stream."""

    def __init__(self, devices: list[Device], forbidden: Forbidden) -> None:
        hardware, commands = Hardware(devices), Commands()
        self.forbidden = forbidden
        self.dropped = 0
        self._draws: dict[str, Draw] = {
            "hardware": hardware.kind, "drivers": hardware.driver,
            "commands": commands.pair, "installation": Installation().pair,
            "troubles": Troubles().pair,
        }  # fmt: skip
        self._statements = {
            "hardware": hardware.statement, "drivers": hardware.statement,
            "commands": commands.statement,
        }  # fmt: skip

    def documents(self, stream: str, count: int, seed: int) -> Iterator[str]:
        """`count` documents; those that leak are dropped and made up for."""
        draw = random.Random(f"{stream} {seed}")
        made = 0
        while made < count:
            text = self._document(stream, draw)
            if self.forbidden.found_in(text) is None:
                made += 1
                yield text
            else:
                self.dropped += 1

    def _document(self, stream: str, draw: random.Random) -> str:
        shape = draw.random()
        if shape < STATED and stream in self._statements:
            return self._statements[stream](draw)
        if shape < ALONE:
            return pair(*self.question(stream, draw))
        count = draw.randint(*SEVERAL)
        if draw.random() < MIXED:
            streams = draw.choices(list(self._draws), k=count)
        else:
            streams = [stream] * count
        return "\n\n".join(pair(*self.question(one, draw)) for one in streams)

    def question(self, stream: str, draw: random.Random) -> tuple[str, str]:
        """A pair that does not leak by itself; a document of eight is not lost for one of them."""
        while True:
            question, answer = self._draws[stream](draw)
            if self.forbidden.found_in(pair(question, answer)) is None:
                return question, answer
            self.dropped += 1


def prose(path: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Kind, title and paragraphs of each document of a corpus."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            yield row["kind"], row["title"], row["text"]


def prose_documents(
    documents: Iterable[tuple[str, str, list[str]]], stream: str, seed: int
) -> Iterator[str]:
    """Prose cut into documents: a few sentences, a few paragraphs, or the whole."""
    draw = random.Random(f"{stream} {seed}")
    for kind, title, paragraphs in documents:
        if stream == "sentences":
            yield from _sentences(kind, title, paragraphs, draw)
        elif stream == "pieces":
            yield from _pieces(paragraphs, draw)
        elif len(paragraphs) > 2:
            yield "\n\n".join(paragraphs[:12])


def _sentences(kind: str, title: str, paragraphs: list[str], draw: random.Random) -> Iterator[str]:
    if kind == "dictionaries" and len(title) < 40 and draw.random() < 0.7:
        opening = draw.choice(
            (
                "What is {}?\n",
                "What does {} mean?\n",
                "{}: ",
                "Define {}: ",
                "{} is defined as follows. ",
            )
        )
        yield opening.format(title) + " ".join(_SENTENCE_END.split(paragraphs[0])[:3])
    if kind == "package descriptions" and len(paragraphs) > 1 and draw.random() < 0.5:
        opening = draw.choice(
            ("What is {}?\n", "{}: ", "What is the package {} for?\n", "The package {}: ")
        )
        text = " ".join(_SENTENCE_END.split(paragraphs[1])[:3])
        yield opening.format(title) + text
    for paragraph in paragraphs:
        sentences = _SENTENCE_END.split(paragraph)
        at = 0
        while at < len(sentences):
            count = draw.randint(1, 4)
            text = " ".join(sentences[at : at + count])
            at += count
            if len(text) > 30 and text[0].isupper() and text[-1] in ".?!":
                yield text


def _pieces(paragraphs: list[str], draw: random.Random) -> Iterator[str]:
    at = 0
    while at < len(paragraphs):
        count = draw.randint(1, 3)
        text = "\n\n".join(paragraphs[at : at + count])
        at += count
        if text[-1] != ":":
            yield text
