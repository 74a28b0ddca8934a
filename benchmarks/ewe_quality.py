"""How well Ewe is told from other languages and from made text, on sources never seen.

    python benchmarks/ewe_quality.py [--texts FOLDER] [--ntrex FILE] [--development]

Takes the texts that `scripts/make_language_model.py` counts. Development: four sources, by whose
figures the rules and constants were chosen. Test: three more. Each is read twice: by models of the
other sources of the development and NTREX, and by models of all other sources; NTREX is read too.
No source has a say in what the evidence of its own models is worth. Made text is of as many words
as the real lines of six and more; made-up words and word lists come from the sources the model
knows. By hand: minutes.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

import make_language_model as letters
import make_word_order as word_order

from assay.checks.ewe.language import LanguageModel, contains_ewe, sentences
from assay.checks.ewe.quality import read_ewe
from assay.checks.ewe.word_order import WordOrder
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
    parser.add_argument("--ntrex", type=Path, help="the Ewe lines of NTREX-128")
    parser.add_argument("--development", action="store_true", help="leave the test alone")
    options = parser.parse_args()
    lines = word_order.take_apart(letters.read_lines(options.texts, options.ntrex))
    few = [line for line in lines if line.source in (*DEVELOPMENT, letters.NTREX)]
    show("Development, read by the others of the development", read_each(lines, few, DEVELOPMENT))
    if not options.development:
        show("Test, read by the development", read_each(lines, few, TEST))
        show("Development, each read by all others", read_each(lines, lines, DEVELOPMENT))
        show("Test, each read by all others", read_each(lines, lines, TEST))
        if options.ntrex:
            show("NTREX, read by all others", read_each(lines, lines, [letters.NTREX]))


def read_each(
    lines: Sequence[letters.Line], counted: Sequence[letters.Line], sources: Sequence[str]
) -> dict[str, Counted]:
    """Each source, read by models of what is counted of the others."""
    texts = word_order.ewe_by_source(counted)
    rotations = word_order.rotate(texts)
    found = {}
    for source in sources:
        others = [text for name, each in texts.items() if name != source for text in each]
        weights = word_order.weigh_runs(others, word_order.count_words(others))
        worth = word_order.find_worth(each for name, each in rotations.items() if name != source)
        model = letters.train(counted, without_sources=[source])
        order = word_order.put_together(weights, worth)
        found[source] = measure(lines, source, others, model, order)
    return found


def measure(
    lines: Sequence[letters.Line],
    source: str,
    others: Sequence[str],
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
    for kind, every in word_order.made_and_real(ewe, others, draw).items():
        found[f"quality: {kind}, six words and more"] = _pass(every, model, order)
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
