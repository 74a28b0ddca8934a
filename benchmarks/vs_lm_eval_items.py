"""The items both sides are asked, as strings in memory.

In: a data folder (MMLU as CSV, HellaSwag as JSON lines, WikiText-2 test) and how much is wanted.
Out: questions with their continuations, texts, prompts.

Prompts are worded as lm-eval's tasks word them: MMLU with five examples, HellaSwag with endings as
continuations.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SHOTS = 5
LETTERS = "ABCD"
# The redundancy of these two, 7.3 and 7.9 tokens forwarded for one needed, is near the mean of 57.
QUICK_SUBJECTS = ("college_computer_science", "machine_learning")


@dataclass(frozen=True, slots=True)
class Asked:
    """A context, its choices as they are counted and as they are scored, and the right one."""

    context: str
    choices: tuple[str, ...]
    right: int

    @property
    def continuations(self) -> tuple[str, ...]:
        """What follows the context."""
        return tuple(f" {choice}" for choice in self.choices)


# ------------------------------------------------------------------------------------------ MMLU


def mmlu(data: Path, *, quick: bool) -> list[list[Asked]]:
    """The questions of each subject."""
    tests = sorted((data / "mmlu" / "test").glob("*_test.csv"))
    subjects = [file.name.removesuffix("_test.csv") for file in tests]
    chosen = QUICK_SUBJECTS if quick else subjects
    return [_subject(data, name)[: 40 if quick else None] for name in chosen]


def _subject(data: Path, name: str) -> list[Asked]:
    about = name.replace("_", " ")
    opening = f"The following are multiple choice questions (with answers) about {about}.\n\n"
    for row in _rows(data / "mmlu" / "dev" / f"{name}_dev.csv")[:SHOTS]:
        opening += f"{_worded(row)} {row[5]}\n\n"
    return [
        Asked(opening + _worded(row), tuple(LETTERS), LETTERS.index(row[5]))
        for row in _rows(data / "mmlu" / "test" / f"{name}_test.csv")
    ]


def _rows(file: Path) -> list[list[str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines))


def _worded(row: Sequence[str]) -> str:
    choices = "".join(f"{letter}. {row[n]}\n" for n, letter in enumerate(LETTERS, 1))
    return f"{row[0].strip()}\n{choices}Answer:"


# ------------------------------------------------------------------------------------- HellaSwag


def hellaswag(data: Path, *, quick: bool) -> list[Asked]:
    """All items, or a hundred spread over both of the sources, short and long ones."""
    with (data / "hellaswag" / "hellaswag_val_2000.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        Asked(
            _cleaned(f"{row['activity_label']}: {_begun(row['ctx'])}"),
            tuple(_cleaned(ending) for ending in row["endings"]),
            int(row["label"]),
        )
        for row in (rows[:: len(rows) // 100][:100] if quick else rows)
    ]


def _begun(context: str) -> str:
    """The unfinished sentence at the end, which the endings go on with, as `str.capitalize` has it.
    The data holds a context in one piece; only that sentence begins in lower case.
    """
    before, dot, last = context.rpartition(". ")
    return f"{before}{dot}{last.capitalize()}" if last[:1].islower() else context


def _cleaned(text: str) -> str:
    text = text.strip().replace(" [title]", ". ")
    return re.sub(r"\[.*?\]", "", text).replace("  ", " ")


# ---------------------------------------------------------------------------------------- texts


def articles(data: Path) -> list[str]:
    """WikiText-2 test, article by article."""
    text = (data / "wikitext2" / "wiki.test.raw").read_text("utf-8")
    starts = [found.start() for found in re.finditer(r"^ = [^=].*[^=] = \n", text, re.MULTILINE)]
    return [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]


def prompts(data: Path, *, quick: bool) -> list[str]:
    """Beginnings of articles, of 20 to 2,400 characters, in no order of length."""
    count = 40 if quick else 200
    paragraphs = list(_paragraphs(articles(data)))
    step = max(1, len(paragraphs) // count)
    return [
        paragraphs[(number * step) % len(paragraphs)][: 20 + 59 * ((number * 17) % 41)].rstrip()
        for number in range(count)
    ]


def _paragraphs(texts: Sequence[str]) -> Iterator[str]:
    """Stretches of an article from each long paragraph on, to cut prompts from."""
    for text in texts:
        for found in re.finditer(r"^ [^=\n]{400,}", text, re.MULTILINE):
            yield text[found.start() : found.start() + 2500]


def corpus(data: Path) -> Iterator[str]:
    """All that a tokenizer is trained on."""
    for subject in mmlu(data, quick=False):
        yield subject[0].context
        yield from (item.context[-1500:] for item in subject)
    for item in hellaswag(data, quick=False):
        yield " ".join((item.context, *item.choices))
    yield from articles(data)
