"""How well a text reads as Ewe; not whether it is true, polite or to the point.

value = share x word order x variety x letters, and at most 0.5 for a single word:

    share        letters in stretches that read as Ewe; full from 90 % on: names cost nothing
    word_order   common words in the order of Ewe; shuffled words and lists of particles fall
    variety      different word triples among all; a loop falls
    letters      signs that only look like Ewe letters (U+037B for ɔ), or none of ɖ ɛ ƒ ɣ ŋ ɔ ʋ in a
                 whole paragraph; costs a tenth at most
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping

from assay.checks.ewe.language import (
    CHARACTERS_READ,
    QUOTE_MARGIN,
    STEPS_PER_NAT,
    LanguageModel,
    LanguageSpan,
    composed,
    logistic,
    sentences,
    shipped_model,
    spans,
)
from assay.messages import tr, trn
from assay.text.look_alikes import CONFUSABLES

FULL_SHARE = 0.9
SURE_MARGIN = 8.0  # nats; a text with less counts in proportion
ORDER_FLOOR, ORDER_MIDDLE, ORDER_SLOPE = 0.3, -5.0, 2.0  # calibrated on held-out Ewe: decision 010
VARIETY_FULL = 0.85
LETTERS_COST, LETTERS_FLOOR = 2.0, 0.9
SPECIAL_LETTERS = frozenset("ɖɛƒɣŋɔʋ")
SPECIAL_EXPECTED_FROM = 60  # letters; none of 962 real Ewe lines this long lacks one
SINGLE_WORD_CAP = 0.5
WORTH_NAMING = 0.9  # a factor above this is not worth a sentence


def quality_of(
    text: str, model: LanguageModel | None = None, factors: Mapping[str, float] | None = None
) -> tuple[float, str]:
    """A value from 0 to 1, and the sentences that say what cost points."""
    factors = factors or factors_of(text, model)
    words = sum(len(part.split()) for part in sentences(text))
    value = math.prod(factors.values())
    if not words:
        said = [tr("There are no words to read.")]
    elif factors["share"] == 0:
        said = [tr("Nothing in it reads as Ewe.")]
    else:
        said = [*_costs(text, factors)]
        if words < 2:
            value = min(value, SINGLE_WORD_CAP)
            said.append(tr("A single word is too short for a full score, so it gets half at most."))
        said = said or [tr("Reads as Ewe.")]
    if len(text) > CHARACTERS_READ:
        said.append(tr("Only the first {count} characters were read.", count=CHARACTERS_READ))
    return round(value, 4), " ".join(said)


def factors_of(text: str, model: LanguageModel | None = None) -> Mapping[str, float]:
    """share, word_order, variety and letters, each from 0 to 1."""
    model = model or shipped_model()
    read = sentences(text)
    return {
        "share": round(min(1.0, _sure_share(spans(text, model)) / FULL_SHARE), 4),
        "word_order": round(_word_order(read, model), 4),
        "variety": round(_variety([word for part in read for word in part.split()]), 4),
        "letters": round(_letters(text, read), 4),
    }


def _sure_share(found: tuple[LanguageSpan, ...]) -> float:
    """Where Ewe is the lesser part, only what is as sure as a quotation in Ewe is believed."""
    letters = sum(span.letters for span in found)
    sure = 0.0
    for span in found:
        if span.code != "ewe":
            continue
        if span.letters * 2 >= letters:
            sure += span.letters * min(1.0, max(0.0, span.margin) / SURE_MARGIN)
        elif span.margin >= QUOTE_MARGIN:
            sure += span.letters
    return sure / letters if letters else 0.0


def _word_order(read: list[str], model: LanguageModel) -> float:
    """The evidence, in nats, that common words are beside each other as in Ewe and not by chance,
    put on a scale from ORDER_FLOOR to 1.
    """
    number_of = {word: number for number, word in enumerate(model.common_words, 2)}
    evidence = 0.0
    for sentence in read:
        numbers = [0, *(number_of.get(word, 1) for word in sentence.split()), 0]
        evidence += float(model.pair_gain[numbers[:-1], numbers[1:]].sum()) / STEPS_PER_NAT
    return ORDER_FLOOR + (1 - ORDER_FLOOR) * logistic((evidence - ORDER_MIDDLE) / ORDER_SLOPE)


def _variety(words: list[str]) -> float:
    """Squared, so that a sentence said twice fails and not only one said five times."""
    length = min(3, max(1, len(words) // 2))
    runs = [tuple(words[at : at + length]) for at in range(len(words) - length + 1)]
    return min(1.0, len(set(runs)) / len(runs) / VARIETY_FULL) ** 2 if runs else 0.0


def _letters(text: str, read: list[str]) -> float:
    letters = "".join(read).replace(" ", "")
    if len(letters) >= SPECIAL_EXPECTED_FROM and not SPECIAL_LETTERS.intersection(letters):
        return LETTERS_FLOOR
    wrong = sum(_look_alikes(text).values())
    return max(LETTERS_FLOOR, 1 - LETTERS_COST * wrong / max(1, len(letters)))


def _look_alikes(text: str) -> Counter[str]:
    return Counter(character for character in composed(text) if character in CONFUSABLES)


def _costs(text: str, factors: Mapping[str, float]) -> Iterator[str]:
    if factors["share"] < 1:
        percent = round(100 * factors["share"] * FULL_SHARE)
        yield tr("Only {percent} % of it surely reads as Ewe.", percent=percent)
    if factors["word_order"] < WORTH_NAMING:
        yield tr("Its common words do not follow each other as in Ewe sentences.")
    if factors["variety"] < 1:
        yield tr("It repeats itself.")
    if factors["letters"] < 1:
        yield _letter_cost(_look_alikes(text))


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
