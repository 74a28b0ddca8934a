"""Counts how Ewe words follow each other, in texts that are not shipped.

In: the texts that scripts/make_language_model.py reads. Out: word_order.bin beside parameters.bin.

    python scripts/make_word_order.py --ntrex FILE    write it (a minute)

Two steps. Weights of runs of words, by interpolated Kneser-Ney smoothing: how much likelier a word
is after the words before it than anywhere. What the weights of each view, unknown and common words
are worth together: lines of each source read by weights of the other sources, against every kind of
made text; lines of NTREX are counted, and do not say what real Ewe is like. The same texts give
the same bytes, up to the last bit of a logarithm.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent))

from make_language_model import NEVER_COUNTED, NTREX, TEXTS, Line, read_lines

from assay.checks.ewe.language import COMMON_FROM, COUNTED_TO, mark_names, sentences
from assay.checks.ewe.word_order import (
    ANY,
    JUDGED_FROM,
    VIEWS,
    WORD_ORDER,
    WordOrder,
    place_of,
    runs_of,
    unusual,
)

Words = list[str]
Weights = tuple[dict[str, float], ...]  # of runs of words, one for each view

DISCOUNT = 0.75
KEPT_FROM = 2  # times; the longest runs seen once are two thirds of all, and tell nothing more
SHUFFLED_PASS = 0.10  # of shuffled lines, the hardest to tell; the aim is 0.15 on sources not seen
# The first 348 lines of FLORES-200 dev are from Wikinews, then Wikibooks up to 649, Wikivoyage; the
# first 102 lines of the stories are other books than the rest.
PLACES = {"FLORES": ((348, "news"), (649, "books"), (997, "travel")),
          "Storybook": ((102, "stories"), (sys.maxsize, "later stories"))}  # fmt: skip


def take_apart(lines: Sequence[Line]) -> list[Line]:
    """The lines with collections taken apart into what they were collected from."""
    numbers: Counter[tuple[str, str]] = Counter()
    found = []
    for line in lines:
        numbers[line.language, line.source] += 1
        places = PLACES.get(line.source, ((sys.maxsize, line.source),))
        number = numbers[line.language, line.source]
        name = next(name for last, name in places if number <= last)
        found.append(Line(line.language, name, line.text))
    return found


def ewe_by_source(lines: Iterable[Line]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        if line.language == "ewe" and line.source not in NEVER_COUNTED:
            found[line.source].append(line.text)
    return found


def words_of(text: str) -> Words:
    return " ".join(sentences(text)).split()


def count_words(texts: Iterable[str]) -> dict[str, int]:
    seen = Counter(word for text in texts for word in words_of(text))
    return {word: min(count, COUNTED_TO) for word, count in seen.items()}


# ------------------------------------------------------------------------------------ made texts


def shuffled(text: str, draw: random.Random) -> str:
    words = text.split()
    return " ".join(draw.sample(words, len(words)))


def made_up(texts: Iterable[str], lengths: Sequence[int], draw: random.Random) -> list[str]:
    """Letters drawn by the two before them: most words exist, and no sentence does."""
    after: dict[str, Counter[str]] = defaultdict(Counter)
    for text in texts:
        line = f"  {' '.join(words_of(text))} "
        for at in range(2, len(line)):
            after[line[at - 2 : at]][line[at]] += 1
    choices = {pair: (list(seen), list(seen.values())) for pair, seen in after.items()}
    found = []
    for length in lengths:
        made = "  "
        while made[-1] != " " or len(made.split()) < length:
            letters, weights = choices.get(made[-2:], choices["  "])
            made += draw.choices(letters, weights)[0]
        found.append(" ".join(made.split()[:length]))
    return found


def salad(
    known: Mapping[str, int], times: int, lengths: Sequence[int], draw: random.Random
) -> list[str]:
    """Texts of words that were seen at least `times` times, all equally likely."""
    lexicon = sorted(word for word, count in known.items() if count >= times)
    return [" ".join(draw.choices(lexicon, k=length)) for length in lengths]


def made_and_real(
    real: Iterable[str], others: Sequence[str], draw: random.Random
) -> dict[str, list[str]]:
    """Real lines of JUDGED_FROM words and more, and texts made of as many words; made-up words and
    lexicons come from the other sources.
    """
    long = [text for text in real if len(words_of(text)) >= JUDGED_FROM]
    lengths = [len(words_of(text)) for text in long]
    known = count_words(others)
    return {
        "real": long,
        "shuffled": [shuffled(text, draw) for _ in range(3) for text in long],
        "made up": made_up(others, [*lengths, *lengths], draw),
        "salad": salad(known, 1, lengths, draw),
        "salad of words seen twice": salad(known, 2, lengths, draw),
        "salad of common words": salad(known, COMMON_FROM, lengths, draw),
    }


# --------------------------------------------------------------------------------------- counting


def weigh_runs(texts: Iterable[str], known: Mapping[str, int]) -> Weights:
    marked = [mark_names(text, words_of(text), known) for text in texts]
    found = []
    for view in VIEWS:
        every = [runs for words in marked for runs in runs_of(words, known, view)]
        found.append(
            _smooth(Counter(runs[0] for runs in every), Counter(runs[-2] for runs in every))
        )
    return tuple(found)


def _smooth(alone: Counter[str], longest: Counter[str]) -> dict[str, float]:
    """Weights that add up to log P(word | words before) - log P(word); none for what was never
    seen. Shorter runs count by how many different words they follow.
    """
    counts = [longest]
    while " " in next(iter(counts[0])):
        counts.insert(0, Counter(_without_first(run) for run in counts[0]))
    every = sum(alone.values())
    chance = {"": 1 / len(alone)}
    weights: dict[str, float] = {}
    for of_length in counts:
        after: dict[str, list[int]] = defaultdict(list)
        for run, count in of_length.items():
            after[run.rpartition(" ")[0]].append(count)
        left = {before: DISCOUNT * len(seen) / sum(seen) for before, seen in after.items()}
        for run, count in of_length.items():
            before, shorter = run.rpartition(" ")[0], chance[_without_first(run)]
            chance[run] = (count - DISCOUNT) / sum(after[before]) + left[before] * shorter
            if before and of_length is longest and count < KEPT_FROM:
                continue
            if before:
                weights[run] = math.log(chance[run] / shorter / left[before])
                weights[f"{before} {ANY}"] = math.log(left[before])
            else:
                weights[run] = math.log(chance[run] * every / alone[run])
    return weights


def _without_first(run: str) -> str:
    return run.partition(" ")[2]


class Rotation(NamedTuple):
    """One source, read by weights of the others: rows of evidence, and of what kind of text."""

    rows: NDArray[np.float64]
    kinds: NDArray[np.str_]


def rotate(by_source: Mapping[str, Sequence[str]]) -> dict[str, Rotation]:
    found = {}
    for name in [name for name in by_source if name != NTREX]:
        texts = by_source[name]
        print(f"reading {name} by the others", file=sys.stderr)
        others = [text for other in by_source if other != name for text in by_source[other]]
        known = count_words(others)
        weights = weigh_runs(others, known)
        made = made_and_real(texts, others, random.Random(name))
        rows = [_row(text, known, weights) for every in made.values() for text in every]
        kinds = [kind for kind, every in made.items() for _ in every]
        found[name] = Rotation(np.array(rows), np.array(kinds))
    return found


def _row(text: str, known: Mapping[str, int], weights: Weights) -> list[float]:
    words = words_of(text)
    marked = mark_names(text, words, known)
    gains = [
        sum(of_view.get(run, 0.0) for runs in runs_of(marked, known, view) for run in runs)
        for view, of_view in zip(VIEWS, weights, strict=True)
    ]
    return [*gains, *unusual([known.get(word, 0) for word in words]), len(words), 1.0]


def find_worth(rotations: Iterable[Rotation]) -> NDArray[np.float64]:
    """Of each column of the rows: logistic regression by Newton's method; then the bias so that
    SHUFFLED_PASS are above 0.
    """
    each = list(rotations)
    rows = np.concatenate([rotation.rows for rotation in each])
    kinds = np.concatenate([rotation.kinds for rotation in each])
    is_real = kinds == "real"
    share = np.where(is_real, 1 / is_real.sum(), 1 / (~is_real).sum()) * len(is_real)
    worth = np.zeros(rows.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-np.clip(rows @ worth, -40, 40)))
        slope = rows.T @ (share * (chance - is_real)) + 0.1 * worth
        bend = (rows * (share * chance * (1 - chance))[:, None]).T @ rows
        worth -= np.linalg.solve(bend + 0.1 * np.eye(len(worth)), slope)
    worth[-1] -= np.quantile((rows @ worth)[kinds == "shuffled"], 1 - SHUFFLED_PASS)
    return worth


def put_together(weights: Weights, worth: NDArray[np.float64]) -> WordOrder:
    found: dict[int, float] = defaultdict(float)
    for number, of_view in enumerate(weights):
        for run, weight in of_view.items():
            found[place_of(number, run)] += weight * float(worth[number])
    step = max(map(abs, found.values())) / 127
    kept = {place: round(found[place] / step) for place in sorted(found)}
    kept = {place: steps for place, steps in kept.items() if steps}
    unknown, uncommon, length, bias = (round(float(value), 5) for value in worth[len(VIEWS) :])
    return WordOrder(
        places=np.array([*kept], dtype=np.uint32),
        weights=np.array([*kept.values()], dtype=np.int8),
        step=round(step, 8), unknown=unknown, uncommon=uncommon, length=length, bias=bias,
    )  # fmt: skip


def pack_order(order: WordOrder) -> bytes:
    """`unpack_order` reads it."""
    numbers = ("step", "unknown", "uncommon", "length", "bias")
    head = {name: getattr(order, name) for name in numbers}
    gaps = np.diff(order.places, prepend=np.uint32(0)).astype("<u2")
    body = gaps.tobytes() + order.weights.tobytes()
    return zlib.compress(json.dumps(head).encode() + b"\n" + body, 9)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--texts", type=Path, default=TEXTS)
    parser.add_argument("--ntrex", type=Path, required=True, help="the Ewe lines of NTREX-128")
    parser.add_argument("--out", type=Path, default=WORD_ORDER)
    options = parser.parse_args(arguments)
    texts = ewe_by_source(take_apart(read_lines(options.texts, options.ntrex)))
    every = [text for found in texts.values() for text in found]
    worth = find_worth(rotate(texts).values())
    packed = pack_order(put_together(weigh_runs(every, count_words(every)), worth))
    options.out.write_bytes(packed)
    print(f"{options.out}: {len(packed):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
