"""Learns how Ewe words follow each other, from texts that are not shipped.

In: the texts that scripts/make_language_model.py reads. Out: word_order.bin beside parameters.bin.

    python scripts/make_word_order.py            write it (a few minutes)

Two steps. Weights of features: Ewe lines against the same words shuffled, words made up letter by
letter, and common words drawn at random. What weights, unknown and common words are worth together:
lines of each source read by weights of the other sources, against every kind of made text. The same
texts give the same bytes, up to the last bit of a logarithm.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent))

from make_language_model import NEVER_COUNTED, TEXTS, Line, read_lines

from assay.checks.ewe.language import COMMON_FROM, sentences
from assay.checks.ewe.word_order import (
    JUDGED_FROM,
    SLOTS,
    WORD_ORDER,
    WordOrder,
    slots_of,
    unusual,
)

Words = list[str]

SHUFFLES, MADE_UP, PARTICLES = 8, 3, 1  # of each line
STEPS, RATE, RIDGE = 150, 0.1, 1.0
REAL_KEPT = 0.96  # of real lines of sources not seen that are to pass
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


def ewe_by_source(lines: Iterable[Line]) -> dict[str, list[Words]]:
    found: dict[str, list[Words]] = defaultdict(list)
    for line in lines:
        if line.language == "ewe" and line.source not in NEVER_COUNTED:
            found[line.source].append(words_of(line.text))
    return found


def words_of(text: str) -> Words:
    return " ".join(sentences(text)).split()


def count_words(texts: Iterable[Words]) -> dict[str, int]:
    seen = Counter(word for words in texts for word in words)
    return {word: min(count, COMMON_FROM) for word, count in seen.items()}


# ------------------------------------------------------------------------------------ made texts


def shuffled(words: Words, draw: random.Random) -> Words:
    return draw.sample(words, len(words))


def made_up(texts: Sequence[Words], lengths: Sequence[int], draw: random.Random) -> list[Words]:
    """Letters drawn by the two before them: most words exist, and no sentence does."""
    after: dict[str, Counter[str]] = defaultdict(Counter)
    for words in texts:
        line = f"  {' '.join(words)} "
        for at in range(2, len(line)):
            after[line[at - 2 : at]][line[at]] += 1
    choices = {pair: (list(seen), list(seen.values())) for pair, seen in after.items()}
    found = []
    for length in lengths:
        text = "  "
        while text[-1] != " " or len(text.split()) < length:
            letters, weights = choices.get(text[-2:], choices["  "])
            text += draw.choices(letters, weights)[0]
        found.append(text.split()[:length])
    return found


def seen_often(known: Mapping[str, int], times: int = COMMON_FROM) -> list[str]:
    return sorted(word for word, count in known.items() if count >= times)


def salad(lexicon: Sequence[str], lengths: Sequence[int], draw: random.Random) -> list[Words]:
    """Words drawn from the lexicon, each as likely as the other."""
    return [draw.choices(lexicon, k=length) for length in lengths]


# --------------------------------------------------------------------------------------- learning


def learn_weights(texts: Sequence[Words], known: Mapping[str, int]) -> NDArray[np.float64]:
    """Logistic regression with a ridge, by AdaGrad."""
    draw = random.Random(1)
    real = [words for words in texts if len(words) > 1]
    made = [shuffled(words, draw) for _ in range(SHUFFLES) for words in real]
    lengths = [len(words) for words in real]
    made += made_up(real, lengths * MADE_UP, draw)
    made += salad(seen_often(known), lengths * PARTICLES, draw)
    rows = [_slots(words, known) for words in [*real, *made]]
    sizes = np.array([len(row) for row in rows])
    starts, slots = np.cumsum(sizes) - sizes, np.concatenate(rows)
    is_real = np.arange(len(rows)) < len(real)
    share = np.where(is_real, 1.0, len(real) / len(made))
    weights, bias, squares = np.zeros(SLOTS), 0.0, np.full(SLOTS, 1e-3)
    for _ in range(STEPS):
        chance = _logistic(np.add.reduceat(weights[slots], starts) + bias)
        error = share * (chance - is_real)
        of_slots = np.bincount(slots, weights=np.repeat(error, sizes), minlength=SLOTS)
        slope = of_slots + RIDGE * weights
        squares += slope * slope
        weights -= RATE * slope / np.sqrt(squares)
        bias -= 0.0005 * float(error.sum())
    return weights


def _slots(words: Words, known: Mapping[str, int]) -> NDArray[np.int32]:
    return np.array([slot for slots in slots_of(words, known) for slot in slots], dtype=np.int32)


def _logistic(value: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(-np.clip(value, -40, 40))))


class Rotation(NamedTuple):
    """One source, what the others know, and weights learned from the others."""

    texts: Sequence[Words]
    others: Sequence[Words]
    known: Mapping[str, int]
    weights: NDArray[np.float64]


def rotate(by_source: Mapping[str, Sequence[Words]]) -> dict[str, Rotation]:
    found = {}
    for name, texts in by_source.items():
        print(f"reading {name} by the others", file=sys.stderr)
        others = [words for other in by_source if other != name for words in by_source[other]]
        known = count_words(others)
        found[name] = Rotation(texts, others, known, learn_weights(others, known))
    return found


def learn(by_source: Mapping[str, Sequence[Words]], rotations: Iterable[Rotation]) -> WordOrder:
    """The weights of all sources, and what they are worth on sources they do not know."""
    rows: list[list[float]] = []
    is_real: list[bool] = []
    for number, each in enumerate(rotations):
        kinds = made_and_real(each.texts, each.others, random.Random(number))
        for kind, found in kinds.items():
            rows += [_row(words, each.known, each.weights) for words in found]
            is_real += [kind == "real"] * len(found)
    every = [words for found in by_source.values() for words in found]
    weights = learn_weights(every, count_words(every))
    return _combine(weights, np.array(rows), np.array(is_real))


def made_and_real(
    real: Sequence[Words], others: Sequence[Words], draw: random.Random
) -> dict[str, list[Words]]:
    """Real lines of JUDGED_FROM words and more, and texts made of as many words; made-up words and
    lexicons come from the other sources.
    """
    real = [words for words in real if len(words) >= JUDGED_FROM]
    lengths = [len(words) for words in real]
    known = count_words(others)
    return {
        "real": list(real),
        "shuffled": [shuffled(words, draw) for _ in range(3) for words in real],
        "made up": made_up(others, [*lengths, *lengths], draw),
        "salad": salad(sorted(known), lengths, draw),
        "salad of words seen twice": salad(seen_often(known, 2), lengths, draw),
        "salad of common words": salad(seen_often(known), lengths, draw),
    }


def _row(words: Words, known: Mapping[str, int], weights: NDArray[np.float64]) -> list[float]:
    root = len(words) ** 0.5
    unknown, common = unusual([known.get(word, 0) for word in words])
    gain = float(weights[_slots(words, known)].sum())
    return [gain / root, unknown / root, common / root, root, 1.0]


def _combine(
    weights: NDArray[np.float64], rows: NDArray[np.float64], is_real: NDArray[np.bool_]
) -> WordOrder:
    """Logistic regression by Newton's method; then the bias so that REAL_KEPT is above 0."""
    share = np.where(is_real, 1 / is_real.sum(), 1 / (~is_real).sum()) * len(is_real)
    worth = np.zeros(rows.shape[1])
    for _ in range(30):
        chance = _logistic(rows @ worth)
        slope = rows.T @ (share * (chance - is_real)) + 0.1 * worth
        bend = (rows * (share * chance * (1 - chance))[:, None]).T @ rows
        worth -= np.linalg.solve(bend + 0.1 * np.eye(len(worth)), slope)
    worth[-1] -= np.quantile((rows @ worth)[is_real], 1 - REAL_KEPT)
    step = float(np.abs(weights).max()) / 127
    order, unknown, uncommon, length, bias = (round(float(value), 5) for value in worth)
    return WordOrder(
        weights=np.asarray(np.round(weights / step), dtype=np.int8),
        step=round(step, 8), order=order, unknown=unknown, uncommon=uncommon, length=length,
        bias=bias,
    )  # fmt: skip


def pack_order(order: WordOrder) -> bytes:
    """A JSON line and the weights, compressed; `unpack_order` reads it."""
    head: dict[str, Any] = {
        name: getattr(order, name)
        for name in ("step", "order", "unknown", "uncommon", "length", "bias")
    }
    return zlib.compress(json.dumps(head).encode() + b"\n" + order.weights.tobytes(), 9)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--texts", type=Path, default=TEXTS)
    parser.add_argument("--out", type=Path, default=WORD_ORDER)
    options = parser.parse_args(arguments)
    texts = ewe_by_source(take_apart(read_lines(options.texts)))
    packed = pack_order(learn(texts, rotate(texts).values()))
    options.out.write_bytes(packed)
    print(f"{options.out}: {len(packed):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
