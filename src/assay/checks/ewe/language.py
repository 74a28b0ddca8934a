"""Which language a text is in, decided by runs of one to four letters.

Three quantities decide, all in nats:

    margin   how far the best language is ahead of the next one
    mixture  the text read by a mixture of all languages, free to change at every letter: what an
             unknown language looks like, for no single one explains it better than the mixture does
    fit      (best - mixture + 2 * margin) per letter; below 0 the language is one we do not know

The thresholds and the figures behind them are in docs/decisions/010-ewe-language-model.md.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.checks.ewe.language_model import LanguageModel, sentences, shipped_model

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

MARGIN_NEEDED = 5.0
FIT_SLOPE = 4.0  # confidence is 0.5 at a margin of 5 and at a fit of 0
UNKNOWN_HANDICAP = 0.7  # nats per letter that the mixture starts behind, word by word
SWITCH_INSIDE, SWITCH_AT_BREAK = 14.0, 7.0  # what it costs to change the language between words
QUOTE_WORDS = 3  # the least Ewe inside another language that counts
QUOTE_MARGIN = 16.0  # and how sure it must be where it is no sentence of its own


@dataclass(frozen=True, slots=True)
class LanguageReading:
    """The language of a text as a whole. `code` is None where none is clearly best; `confidence`
    is then below 0.5.
    """

    code: str | None
    confidence: float


@dataclass(frozen=True, slots=True)
class LanguageSpan:
    """Words in a row that read as one language; `code` is None for an unknown one. `words` counts
    the different ones that alone would be read so: the others were carried along. `margin`: by how
    many nats the language is ahead of the best other one there.
    """

    code: str | None
    words: int
    letters: int
    margin: float


def identify(text: str, model: LanguageModel | None = None) -> LanguageReading:
    """The language of a text as a whole, or none where it is too short or fits no known one."""
    import numpy as np

    read = " ".join(sentences(text))
    if not read:
        return LanguageReading(code=None, confidence=0.0)
    model = model or shipped_model()
    likelihoods = model.log_likelihoods(read)
    totals = likelihoods.sum(axis=0)
    best, second = (int(place) for place in np.argsort(-totals[:-1], kind="stable")[:2])
    margin = float(totals[best] - totals[second])
    fit = float(totals[best] - totals[-1] + 2 * margin) / len(likelihoods)
    confidence = min(1 - 0.5 ** (margin / MARGIN_NEEDED), logistic(FIT_SLOPE * fit))
    return LanguageReading(
        code=model.languages[best] if confidence >= 0.5 else None,
        confidence=confidence,
    )


def logistic(value: float) -> float:
    """1 / (1 + e^-value), without overflow."""
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, value))))


def spans(text: str, model: LanguageModel | None = None) -> tuple[LanguageSpan, ...]:
    """The text word by word: the likeliest sequence of languages, each change having its price."""
    import numpy as np

    parts = sentences(text)
    if not parts:
        return ()
    model = model or shipped_model()
    words = [word for part in parts for word in part.split()]
    letters = model.log_likelihoods(" ".join(parts))
    letters[:, -1] -= UNKNOWN_HANDICAP
    starts = np.cumsum([0, *(len(word) + 1 for word in words[:-1])])
    of_word: Matrix = np.add.reduceat(letters, starts, axis=0)
    price = np.full(len(words), SWITCH_INSIDE)
    price[np.cumsum([len(part.split()) for part in parts[:-1]], dtype=np.intp)] = SWITCH_AT_BREAK
    path = _likeliest_path(of_word, price)
    edges = [0, *(np.flatnonzero(np.diff(path)) + 1), len(words)]
    return tuple(
        _span(model.languages, int(path[first]), of_word[first:last], words[first:last])
        for first, last in itertools.pairwise(edges)
    )


def _likeliest_path(of_word: Matrix, price: Matrix) -> NDArray[np.intp]:
    """Viterbi. Every change costs the same, so only the best state is worth changing from."""
    import numpy as np

    changed = np.zeros(of_word.shape, dtype=bool)
    came_from = np.zeros(len(of_word), dtype=np.intp)
    value = of_word[0].copy()
    for word in range(1, len(of_word)):
        best = int(value.argmax())
        after_change = value[best] - price[word]
        came_from[word] = best
        changed[word] = value < after_change
        value = np.maximum(value, after_change) + of_word[word]
    path = np.zeros(len(of_word), dtype=np.intp)
    path[-1] = value.argmax()
    for word in range(len(of_word) - 1, 0, -1):
        state = path[word]
        path[word - 1] = came_from[word] if changed[word, state] else state
    return path


def _span(
    languages: tuple[str, ...], state: int, of_word: Matrix, words: list[str]
) -> LanguageSpan:
    import numpy as np

    known = state < len(languages)
    own, rivals = of_word[:, state], of_word[:, :-1]
    if known:
        rivals = np.delete(rivals, state, axis=1)
    ahead = own - rivals.max(axis=1)
    telling = {word for word, nats in zip(words, ahead, strict=True) if nats > 0}
    return LanguageSpan(
        code=languages[state] if known else None,
        words=len(telling),
        letters=sum(len(word) for word in words),
        margin=float(own.sum() - rivals.sum(axis=0).max()),
    )


def contains_ewe(text: str, model: LanguageModel | None = None) -> bool:
    """The whole reads as Ewe, or a sentence or quotation in it, or several words inside a sentence.
    A single Ewe word in a French text does not make it contain Ewe.
    """
    if identify(text, model).code == "ewe":
        return True
    if any(
        span.code == "ewe" and span.words >= QUOTE_WORDS and span.margin >= QUOTE_MARGIN
        for span in spans(text, model)
    ):
        return True
    return any(
        len(set(part.split())) >= QUOTE_WORDS and identify(part, model).code == "ewe"
        for part in sentences(text)
    )
