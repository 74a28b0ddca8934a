"""How well a text reads as Ewe; not whether it is true, polite or to the point.

value = share x words x word order x variety x letters, and at most 0.5 for a single word:

    share        letters in stretches that read as Ewe, names apart; full from 90 % on
    words        known and common Ewe words among all; made-up words and rare ones in a row fall
    word_order   words following each other as in Ewe; shuffled words fall
    variety      different word triples among all; a loop falls
    letters      signs that only look like Ewe letters (U+037B for ɔ), or none of ɖ ɛ ƒ ɣ ŋ ɔ ʋ in a
                 whole paragraph; costs a tenth at most

Below six words the order says too little: there, half of the words must be known.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise

from assay.checks.ewe.language import (
    CHARACTERS_READ,
    COMMON_FROM,
    MARGIN_NEEDED,
    MARGIN_OF_KNOWN,
    NAME,
    QUOTE_MARGIN,
    LanguageModel,
    LanguageSpan,
    composed,
    known_and_short,
    logistic,
    mark_names,
    shipped_model,
    spans,
)
from assay.checks.ewe.word_order import (
    JUDGED_FROM,
    WordOrder,
    shipped_word_order,
    unusual,
)
from assay.messages import tr, trn
from assay.text.look_alikes import CONFUSABLES

FULL_SHARE = 0.9
SURE_MARGIN = 8.0  # nats; a text with less counts in proportion
UNKNOWN_COST = 0.6  # of a text of fewer words, all of them unknown
FLOOR, AT_EDGE = 0.3, 0.7  # the least of words x word order, and what it is where evidence is 0
VARIETY_FULL = 0.85
LETTERS_COST, LETTERS_FLOOR = 2.0, 0.9
SPECIAL_LETTERS = frozenset("ɖɛƒɣŋɔʋ")
SPECIAL_EXPECTED_FROM = 60  # letters; none of 962 real Ewe lines this long lacks one
SINGLE_WORD_CAP = 0.5
WORTH_NAMING = 0.9  # a factor above this is not worth a sentence
MOST_NAMED, MOST_SHOWN = 5, 60  # words or stretches, and letters of each


@dataclass(frozen=True)
class EweReading:
    """A text read as Ewe, by models that may be other than the shipped ones."""

    text: str
    model: LanguageModel
    order: WordOrder

    @cached_property
    def spans(self) -> tuple[LanguageSpan, ...]:
        return spans(self.text, self.model)

    @cached_property
    def words(self) -> list[str]:
        return [word for span in self.spans for word in span.text.split()]

    @cached_property
    def ewe(self) -> list[str]:
        """The words of stretches read as Ewe, names inside them too; of a French sentence none."""
        return [w for span in self.spans if span.code == "ewe" for w in span.text.split()]

    @cached_property
    def counts(self) -> list[int]:
        return [self.model.ewe_words.get(word, 0) for word in self.ewe]

    @cached_property
    def marked(self) -> list[tuple[LanguageSpan, list[str]]]:
        """Each stretch with its words, and NAME in place of a name."""
        marked = iter(mark_names(self.text, self.words, self.model.ewe_words))
        return [(span, [*islice(marked, len(span.text.split()))]) for span in self.spans]

    @cached_property
    def gains(self) -> list[float]:
        """How well each word, and the end, follow what is before them."""
        marked = [word for span, words in self.marked if span.code == "ewe" for word in words]
        return self.order.gains(marked, self.model.ewe_words)

    @cached_property
    def factors(self) -> dict[str, float]:
        words, word_order = self._words_and_order()
        found = {
            "share": min(1.0, self._sure_share() / FULL_SHARE),
            "words": words,
            "word_order": word_order,
            "variety": _variety(self.words),
            "letters": self._letters(),
        }
        return {name: round(value, 4) for name, value in found.items()}

    def value(self) -> float:
        value = math.prod(self.factors.values())
        return round(min(value, SINGLE_WORD_CAP) if len(self.words) < 2 else value, 4)

    def explanation(self) -> str:
        """What cost points, with the words that did."""
        if not self.words:
            said = [tr("There are no words to read.")]
        elif self.factors["share"] == 0:
            said = [tr("Nothing in it reads as Ewe.")]
        else:
            said = [*self._costs()] or [tr("Reads as Ewe.")]
        if len(self.text) > CHARACTERS_READ:
            said.append(tr("Only the first {count} characters were read.", count=CHARACTERS_READ))
        return " ".join(said)

    def _sure_share(self) -> float:
        """Where Ewe is the lesser part, only what is as sure as a quotation in Ewe is believed.
        Names that read as another language are no part of it.
        """
        letters = sum(
            span.letters if span.code == "ewe" else sum(len(word) for word in words if word != NAME)
            for span, words in self.marked
        )
        sure = 0.0
        for span in self.spans:
            if span.code != "ewe":
                continue
            if span.letters * 2 >= letters:
                known = known_and_short(" ".join(self.words), self.model)
                full = SURE_MARGIN * (MARGIN_OF_KNOWN / MARGIN_NEEDED if known else 1)
                sure += span.letters * min(1.0, max(0.0, span.margin) / full)
            elif span.margin >= QUOTE_MARGIN:
                sure += span.letters
        return sure / letters if letters else 0.0

    def _words_and_order(self) -> tuple[float, float]:
        """One value for both, by all the evidence, divided among them by what each cost."""
        length, unknown = len(self.counts), self.counts.count(0)
        if length < JUDGED_FROM:
            return 1 - UNKNOWN_COST * unknown / max(1, length), 1.0
        found = self.order.evidence(self.counts, sum(self.gains))
        edge = math.log((AT_EDGE - FLOOR) / (1 - AT_EDGE))
        both = FLOOR + (1 - FLOOR) * logistic(sum(found) + edge)
        by_words, by_order = max(0.0, -found.words), max(0.0, -found.order)
        part = by_words / (by_words + by_order) if by_words else 0.0
        return both**part, both ** (1 - part)

    def _letters(self) -> float:
        letters = "".join(self.words)
        if len(letters) >= SPECIAL_EXPECTED_FROM and not SPECIAL_LETTERS.intersection(letters):
            return LETTERS_FLOOR
        wrong = sum(_look_alikes(self.text).values())
        return max(LETTERS_FLOOR, 1 - LETTERS_COST * wrong / max(1, len(letters)))

    def _costs(self) -> Iterator[str]:
        factors = self.factors
        if factors["share"] < 1:
            percent = round(100 * factors["share"] * FULL_SHARE)
            yield tr("Only {percent} % of it surely reads as Ewe.", percent=percent)
            foreign = [span.text for span in self.spans if span.code != "ewe"]
            if foreign := sorted(foreign, key=len, reverse=True):
                yield tr("Not read as Ewe: {words}.", words=_named(foreign))
        if factors["words"] < WORTH_NAMING:
            yield from self._word_costs()
        if factors["word_order"] < WORTH_NAMING:
            yield tr("Words that do not follow each other in our Ewe sentences: {pairs}.",
                     pairs=_named(self._worst_pairs()))  # fmt: skip
        if factors["variety"] < 1:
            yield tr("It repeats itself.")
        if factors["letters"] < 1:
            yield _letter_cost(_look_alikes(self.text))
        if len(self.words) < 2:
            yield tr("A single word is too short for a full score, so it gets half at most.")

    def _word_costs(self) -> Iterator[str]:
        counted = dict(zip(self.ewe, self.counts, strict=True))
        if unknown := [word for word, count in counted.items() if not count]:
            yield tr("Not among our Ewe words: {words}.", words=_named(unknown))
        if len(self.counts) >= JUDGED_FROM and unusual(self.counts)[1]:
            common = sum(count >= COMMON_FROM for count in self.counts)
            yield trn("Only {count} of {all} words is a common one.",
                      "Only {count} of {all} words are common ones.",
                      common, all=len(self.counts))  # fmt: skip

    def _worst_pairs(self) -> list[str]:
        gains = dict(zip(pairwise(self.ewe), self.gains[1:], strict=False))
        worst = sorted(gains, key=lambda pair: (gains[pair], pair))
        return [" ".join(pair) for pair in worst if gains[pair] < 0 or pair == worst[0]]


def read_ewe(
    text: str, model: LanguageModel | None = None, order: WordOrder | None = None
) -> EweReading:
    return EweReading(text, model or shipped_model(), order or shipped_word_order())


def _named(found: Sequence[str]) -> str:
    """The first few, in quotes, each cut short where it is long."""
    cut = (each if len(each) <= MOST_SHOWN else each[:MOST_SHOWN] + "…" for each in found)
    shown = [tr("“{words}”", words=each) for each in islice(cut, MOST_NAMED)]
    return ", ".join(shown) + (", …" if len(found) > MOST_NAMED else "")


def _variety(words: list[str]) -> float:
    """Squared, so that a sentence said twice fails and not only one said five times."""
    length = min(3, max(1, len(words) // 2))
    runs = [tuple(words[at : at + length]) for at in range(len(words) - length + 1)]
    return min(1.0, len(set(runs)) / len(runs) / VARIETY_FULL) ** 2 if runs else 0.0


def _look_alikes(text: str) -> Counter[str]:
    return Counter(character for character in composed(text) if character in CONFUSABLES)


def _letter_cost(found: Counter[str]) -> str:
    if not found:
        return tr("It has none of the letters ɖ ɛ ƒ ɣ ŋ ɔ ʋ.")
    pairs = ", ".join(
        tr("U+{code} for {letter}", code=f"{ord(sign):04X}", letter=CONFUSABLES[sign])
        for sign, _ in found.most_common(4)
    )
    return trn(
        "{count} sign only looks like an Ewe letter: {pairs}.",
        "{count} signs only look like Ewe letters: {pairs}.",
        sum(found.values()),
        pairs=pairs,
    )
