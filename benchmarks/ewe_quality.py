"""How well Ewe is told from other languages and from made text, on sources never seen.

    python benchmarks/ewe_quality.py [--texts FOLDER]

Takes the texts that `scripts/make_language_model.py` counts. Development: each of four sources is
read by models of the other three; the constants were chosen by these figures. Test: three more
sources, read by models of the four. Made text is of as many words as the real lines of six and
more; made-up words and word lists come from the sources the model knows. By hand: minutes.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

import make_language_model as letters
import make_word_order as word_order

from assay.checks.ewe.language import LanguageModel, contains_ewe, sentences
from assay.checks.ewe.quality import read_ewe
from assay.checks.ewe.word_order import JUDGED_FROM, WordOrder
from assay.stats.estimates import proportion

DEVELOPMENT = ("books", "travel", "UDHR", "stories")
TEST = ("news", "later stories", "MediaWiki")
NEIGHBOURS = ("fra", "eng", "twi", "fon")
MOST_LINES = 150  # of another language in a source
PASS_MARK = 0.7

Counted = dict[str, list[bool]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--texts", type=Path, default=letters.TEXTS)
    lines = word_order.take_apart(letters.read_lines(parser.parse_args().texts))
    texts = word_order.ewe_by_source(line for line in lines if line.source in DEVELOPMENT)
    rotations = word_order.rotate(texts)
    order = word_order.learn(texts, rotations.values())
    found = {}
    for name, rotation in rotations.items():
        weights = np.asarray(np.round(rotation.weights / order.step).clip(-127, 127), np.int8)
        model = letters.train(lines, without_sources=[*TEST, name])
        reading = (model, replace(order, weights=weights))
        found[name] = measure(lines, name, rotation.others, *reading)
    show("Development", found)
    model = letters.train(lines, without_sources=TEST)
    known = [words for each in texts.values() for words in each]
    show("Test", {name: measure(lines, name, known, model, order) for name in TEST})


def measure(
    lines: Sequence[letters.Line],
    source: str,
    others: Sequence[word_order.Words],
    model: LanguageModel,
    order: WordOrder,
) -> Counted:
    draw = random.Random(source)
    here = [line for line in lines if line.source == source and sentences(line.text)]
    ewe = [line.text for line in here if line.language == "ewe"]
    foreign = {
        code: [line.text for line in here if line.language == code][:MOST_LINES]
        for code in model.languages
        if code != "ewe"
    }
    found = {
        "whole lines: Ewe recognised": [contains_ewe(text, model) for text in ewe],
        "whole lines: other languages accepted": [
            contains_ewe(text, model) for texts in foreign.values() for text in texts
        ],
        "quality: real, all lines": _pass(ewe, model, order),
    }
    for size in (2, 3):
        for code, texts in [("ewe", ewe), *((code, foreign[code]) for code in NEIGHBOURS)]:
            cut = phrases(texts, size, draw)
            found[f"{size} words: {code} accepted"] = [contains_ewe(text, model) for text in cut]
        found[f"{size} words: quality of Ewe"] = _pass(phrases(ewe, size, draw), model, order)
    made = word_order.made_and_real([word_order.words_of(text) for text in ewe], others, draw)
    real = [text.split() for text in ewe if len(word_order.words_of(text)) >= JUDGED_FROM]
    made["real"] = real
    made["shuffled"] = [word_order.shuffled(words, draw) for _ in range(3) for words in real]
    for kind, every in made.items():
        found[f"quality: {kind}, six words and more"] = _pass(map(" ".join, every), model, order)
    return found


def phrases(texts: Iterable[str], size: int, draw: random.Random) -> list[str]:
    """One from each sentence that is long enough."""
    words = [part.split() for text in texts for part in sentences(text)]
    starts = [(each, draw.randrange(len(each) - size + 1)) for each in words if len(each) >= size]
    return [" ".join(each[at : at + size]) for each, at in starts]


def _pass(texts: Iterable[str], model: LanguageModel, order: WordOrder) -> list[bool]:
    return [read_ewe(text, model, order).value() >= PASS_MARK for text in texts]


def show(title: str, found: Mapping[str, Counted]) -> None:
    """A row a figure, a column a source and one for all, each with n and a 95 % interval."""
    print(f"\n{title}\n\n| figure | {' | '.join(found)} | all |")
    print("|---" * (len(found) + 2) + "|")
    for name in next(iter(found.values())):
        columns = [counted[name] for counted in found.values()]
        cells = [_cell(column) for column in [*columns, [each for c in columns for each in c]]]
        print(f"| {name} | {' | '.join(cells)} |")


def _cell(values: Sequence[bool]) -> str:
    if not values:
        return "–"
    share = proportion(sum(values), len(values))
    return (
        f"{share.value:.3f} ({share.low:.3f} to {share.high:.3f}), {sum(values)} of {len(values)}"
    )


if __name__ == "__main__":
    main()
