"""Counts which words follow which, for the health checks, from texts that are not shipped.

In: ../shared/data (wikitext2, tldr, nl2bash, langid, mmlu, hellaswag). Out: words.bin beside
assay.checks.health.word_model.

    python scripts/make_health_words.py            write the file
    python scripts/make_health_words.py --check    compare the shipped file with a fresh one

Only statistics are written: words, two classes each, how often class follows class, and, for the
coarser classes, how often one follows two. The same texts give the same bytes. Counted are
WikiText-2 (CC BY-SA), tldr pages (CC BY), NL2Bash, MMLU and every second item of HellaSwag (MIT),
and the English and French of langid (FLORES-200, CC BY-SA, and others); never the texts on which
the health checks are measured (sysadmin_qa, package descriptions, the other half of HellaSwag).
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.checks.health.word_model import (
    BORDER,
    PARAMETERS,
    STEPS_OF_TWO_PER_NAT,
    STEPS_PER_NAT,
    UNKNOWN,
    shape,
    tokens,
)

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
ROUNDS = 25
PRIOR = 3.0  # how many observations chance is worth
LARGEST_GAIN = 4.0  # nats
PRIOR_OF_TWO = 20.0  # how many observations after two classes the one before is worth
LARGEST_GAIN_OF_TWO = 2.0  # nats
# own classes, shared classes, words at most, seen at least; own and shared of the coarser classes
SIZES = {"eng": (300, 160, 16_000, 3, 60, 40), "fra": (120, 40, 6_000, 2, 30, 20)}


def english() -> Iterator[str]:
    for line in (DATA / "wikitext2" / "wiki.test.raw").read_text("utf-8").splitlines():
        if line.strip() and not line.strip().startswith("="):
            yield _untokenised(line.strip())
    yield from (DATA / "langid" / "eng.txt").read_text("utf-8").splitlines()
    seen = set()
    for row in _rows(DATA / "tldr" / "tldr.tsv"):
        for cell in row[2:4]:
            if cell not in seen:
                seen.add(cell)
                yield cell
    yield from (row[0] for row in _rows(DATA / "nl2bash" / "nl2bash.tsv"))
    stories = (DATA / "hellaswag" / "hellaswag_val_2000.jsonl").read_text("utf-8").split("\n")
    for line in stories[1::2]:
        if line:
            story = json.loads(line)
            yield story["ctx"] + " " + story["endings"][story["label"]]
    for path in sorted((DATA / "mmlu").glob("*/*.csv")):
        with path.open(encoding="utf-8", newline="") as table:
            yield from (row[0] for row in csv.reader(table))


def french() -> Iterator[str]:
    yield from (DATA / "langid" / "fra.txt").read_text("utf-8").splitlines()


def _rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as table:
        return list(csv.reader(table, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]


def _untokenised(line: str) -> str:
    """WikiText as it was before its words were taken apart."""
    for mark in ("-", ",", "."):
        line = line.replace(f" @{mark}@ ", mark)
    return re.sub(r" ([,.;:!?)])", r"\1", line).replace("( ", "(").replace(" 's", "'s")


class Counted(NamedTuple):
    """Words in order of frequency, their classes, and the gain of class after class."""

    words: list[str]
    classes: NDArray[np.uint16]
    steps: NDArray[np.int8]
    coarse: NDArray[np.uint16]
    steps_of_two: NDArray[np.int8]


def count(
    texts: Iterator[str],
    own: int,
    shared: int,
    most: int,
    seen: int,
    coarse_own: int,
    coarse_shared: int,
) -> Counted:
    """Count the texts of one language."""
    written = [[token.text for token in tokens(text)] for text in texts]
    often = Counter(word for text in written for word in text)
    ranked = sorted(often.items(), key=lambda item: (-item[1], item[0]))[:most]
    kept = {word for word, times in ranked if times >= seen}

    def counted_as(word: str) -> str:
        if word in kept:
            return word
        return word.lower() if word.lower() in kept else shape(word)

    read = [[BORDER, *map(counted_as, text), BORDER] for text in written if text]
    often = Counter(word for text in read for word in text)
    often[UNKNOWN] += 1
    words = sorted(often, key=lambda word: (-often[word], word))
    number_of = {word: number for number, word in enumerate(words)}
    rows = [np.array([number_of[word] for word in text]) for text in read]
    times = np.array([often[word] for word in words], dtype=float)
    classes = _classes(rows, times, own, shared)
    coarse = _classes(rows, times, coarse_own, coarse_shared)
    return Counted(
        words,
        classes.astype("<u2"),
        _gains(rows, classes, own + shared),
        coarse.astype("<u2"),
        _gains_of_two(rows, coarse, coarse_own + coarse_shared),
    )


def _classes(rows: list[NDArray[np.int64]], times: NDArray[np.float64], own: int, shared: int):
    """The commonest words by themselves; the others by their neighbours among those, k-means."""
    before = np.zeros((len(times), own))
    after = np.zeros((len(times), own))
    for row in rows:
        common = row[:-1] < own
        np.add.at(before, (row[1:][common], row[:-1][common]), 1)
        common = row[1:] < own
        np.add.at(after, (row[:-1][common], row[1:][common]), 1)
    around = np.concatenate([before, after], axis=1)
    around = np.sqrt(around / np.maximum(around.sum(axis=1, keepdims=True), 1))[own:]
    weight = np.sqrt(times[own:])
    chance = np.random.default_rng(0)
    centres = around[chance.choice(len(around), shared, replace=False, p=weight / weight.sum())]
    for _ in range(ROUNDS):
        nearest = ((centres**2).sum(axis=1) - 2 * around @ centres.T).argmin(axis=1)
        for which in range(shared):
            mine = nearest == which
            if mine.any():
                centres[which] = np.average(around[mine], axis=0, weights=weight[mine])
    return np.concatenate([np.arange(own), own + nearest])


def _gains(rows: list[NDArray[np.int64]], classes: NDArray[np.int64], width: int):
    follows = np.zeros((width, width))
    for row in rows:
        np.add.at(follows, (classes[row[:-1]], classes[row[1:]]), 1)
    chance = (follows.sum(axis=0) + 0.5) / (follows.sum() + 0.5 * width)
    given = (follows + PRIOR * chance) / (follows.sum(axis=1, keepdims=True) + PRIOR)
    gain = np.clip(np.log(given / chance), -LARGEST_GAIN, LARGEST_GAIN)
    return np.round(gain * STEPS_PER_NAT).astype(np.int8)


def _gains_of_two(rows: list[NDArray[np.int64]], classes: NDArray[np.int64], width: int):
    """How much likelier a class is after two than after the second of them alone."""
    follows = np.zeros((width, width, width))
    for row in rows:
        of = classes[row]
        np.add.at(follows, (of[:-2], of[1:-1], of[2:]), 1)
    pairs = follows.sum(axis=0)
    chance = pairs.sum(axis=0) / pairs.sum()
    after_one = (pairs + PRIOR * chance) / (pairs.sum(axis=1, keepdims=True) + PRIOR)
    total = follows.sum(axis=2, keepdims=True) + PRIOR_OF_TWO
    given = (follows + PRIOR_OF_TWO * after_one[None]) / total
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = np.nan_to_num(np.log(given / after_one[None]), nan=0.0)
    gain = np.clip(gain, -LARGEST_GAIN_OF_TWO, LARGEST_GAIN_OF_TWO)
    return np.round(gain * STEPS_OF_TWO_PER_NAT).astype(np.int8)


def pack() -> bytes:
    """Everything as `shipped_words` reads it."""
    counted = {
        language: count(texts, *SIZES[language])
        for language, texts in (("eng", english()), ("fra", french()))
    }
    header = json.dumps(
        {
            "words": {language: of.words for language, of in counted.items()},
            "classes": {language: len(of.steps) for language, of in counted.items()},
            "own": {language: SIZES[language][0] for language in counted},
            "coarse": {language: len(of.steps_of_two) for language, of in counted.items()},
        },
        ensure_ascii=False,
    ).encode()
    arrays = b"".join(array.tobytes() for of in counted.values() for array in of[1:])
    return zlib.compress(len(header).to_bytes(4, "little") + header + arrays, 9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    packed = pack()
    if parser.parse_args().check:
        same = zlib.decompress(packed) == zlib.decompress(PARAMETERS.read_bytes())
        print("the same" if same else "different")
        sys.exit(0 if same else 1)
    PARAMETERS.write_bytes(packed)
    print(f"{PARAMETERS.name}: {len(packed)} bytes")


if __name__ == "__main__":
    main()
