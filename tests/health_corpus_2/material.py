"""The written material the broken texts are made of.

Comes in: the text files in written/ and healthy.json. Goes out: topics, lists of phrases,
lines, words, and the healthy openings. Knows nothing about how a text is broken.
"""

import json
import random
import re
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PROSE_FORMS = ("explanation", "comparison", "definition", "diagnosis", "report", "wrong facts")
# A random prompt is never one that asks for hashes or figures: soup could pass for an answer.
NUMERIC_FORMS = ("hex and ids", "numbers and units", "table", "log")
LINE_FORMS = ("code", "configuration", "steps", "list", "shell session")


@dataclass(frozen=True)
class Topic:
    """A prompt, what it asks for in words, its subject, and plain statements about it."""

    prompt: str
    asks: str
    subject: str
    sentences: tuple[str, ...]

    @property
    def english(self) -> bool:
        """Whether the statements are in English."""
        return self.subject.startswith("the ")


def _lines(name: str) -> list[str]:
    return (HERE / "written" / name).read_text(encoding="utf-8").splitlines()


def _topics() -> list[Topic]:
    blocks = re.split(r"(?m)^# ", "\n".join(_lines("topics.txt")))[1:]
    topics = []
    for block in blocks:
        prompt, asks, subject, *sentences = block.strip().splitlines()
        topics.append(
            Topic(prompt, asks.removeprefix("q: "), subject.removeprefix("t: "), tuple(sentences))
        )
    return topics


def load_healthy() -> list[dict[str, str]]:
    """The hand-written healthy passages."""
    passages: list[dict[str, str]] = json.loads((HERE / "healthy.json").read_text(encoding="utf-8"))
    return passages


HEALTHY = load_healthy()
TOPICS = _topics()
ENGLISH_TOPICS = [topic for topic in TOPICS if topic.english]
PHRASES = _lines("phrases.txt")
LINES = _lines("lines.txt")
COUNTERS = _lines("counters.txt")
FRAMES = [tuple(line.split(" | ")) for line in _lines("frames.txt")]
FILLERS = {
    name: values.split(" | ")
    for name, values in (line.split(": ", 1) for line in _lines("fillers.txt"))
}
SYNONYMS = dict(line.split(" ", 1) for line in _lines("synonyms.txt"))
LISTS = {
    name: words.split() for name, words in (line.split(": ", 1) for line in _lines("lists.txt"))
}
WORDS = " ".join(_lines("words.txt")).split()
PIECES = " ".join(_lines("pieces.txt")).split()
PROSE = [passage for passage in HEALTHY if passage["form"] in PROSE_FORMS]
LINED = [
    passage
    for passage in HEALTHY
    if passage["form"] in LINE_FORMS and passage["text"].count("\n") >= 3
]
PROMPTS = [
    passage["prompt"]
    for passage in HEALTHY
    if passage["prompt"].isascii() and passage["form"] not in NUMERIC_FORMS
]


def sentences_of(text: str) -> list[str]:
    """The sentences of a prose text, each with its closing mark."""
    return re.split(r"(?<=[.!?]) +(?=[A-Z])", text.replace("\n", " "))


def opening(rng: random.Random, least: int, most: int) -> tuple[str, str]:
    """A prompt and the healthy first sentences of an answer, least to most words long."""
    while True:
        passage = rng.choice(PROSE)
        sentences = sentences_of(passage["text"])
        fitting = [
            " ".join(sentences[:count])
            for count in range(1, len(sentences) + 1)
            if least <= len(" ".join(sentences[:count]).split()) <= most
        ]
        if fitting:
            return passage["prompt"], rng.choice(fitting)


def cut_to_words(text: str, count: int) -> str:
    """The text up to the end of its word number count, white space kept."""
    ends = [match.end() for match in re.finditer(r"\S+", text)]
    return text if len(ends) <= count else text[: ends[count - 1]]
