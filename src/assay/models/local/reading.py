"""How a text was read, in the units people compare: per token, per word, per byte.

In: what the engine found in a text, and the text. Out: Figures.

All of them come from one sum, the log-likelihood of the whole text, so that a mean over several
texts is weighted by what they hold: add the sums, then divide.

    perplexity per X    exp(-sum / number of X), X being tokens, words or bytes
    bits per byte       -sum / bytes / ln 2; the one to compare models of different tokenizers by

Words and bytes are counted as lm-evaluation-harness counts them: pieces between white space (a text
that begins or ends with white space has an empty piece there), and bytes of UTF-8.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.engine.read import Reading

_WHITE_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Sums over a text, or over several. A text given as token ids has no words and no bytes."""

    log_likelihood: float
    tokens: int
    words: int | None
    bytes: int | None
    top1: int
    top5: int

    @property
    def per_token(self) -> float | None:
        """Perplexity per token."""
        return perplexity(self.log_likelihood, self.tokens)

    @property
    def per_word(self) -> float | None:
        """Perplexity per word."""
        return perplexity(self.log_likelihood, self.words)

    @property
    def per_byte(self) -> float | None:
        """Perplexity per byte of UTF-8."""
        return perplexity(self.log_likelihood, self.bytes)

    @property
    def bits_per_byte(self) -> float | None:
        """What the text would take if the model compressed it."""
        return bits_per_byte(self.log_likelihood, self.bytes)

    @property
    def accuracy_top1(self) -> float | None:
        """The share of tokens that were the model's first guess."""
        return self.top1 / self.tokens if self.tokens else None

    @property
    def accuracy_top5(self) -> float | None:
        """The share of tokens that were among its first five."""
        return self.top5 / self.tokens if self.tokens else None


def figures_of(reading: Reading, text: str | None) -> Figures:
    """A Reading and the text it is of; None where only token ids are known."""
    return Figures(
        log_likelihood=reading.log_likelihood,
        tokens=reading.tokens,
        words=None if text is None else words_in(text),
        bytes=None if text is None else bytes_in(text),
        top1=reading.top1,
        top5=reading.top5,
    )


def together(parts: Iterable[Figures]) -> Figures:
    """Several texts as one. Where one of them has no words or bytes, all have none."""
    given = list(parts)
    return Figures(
        log_likelihood=math.fsum(each.log_likelihood for each in given),
        tokens=sum(each.tokens for each in given),
        words=_sum_of_all(each.words for each in given),
        bytes=_sum_of_all(each.bytes for each in given),
        top1=sum(each.top1 for each in given),
        top5=sum(each.top5 for each in given),
    )


def _sum_of_all(counts: Iterable[int | None]) -> int | None:
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total


# ---------------------------------------------------------------------------------------- formulas


def perplexity(log_likelihood: float, units: int | None) -> float | None:
    """None where nothing was measured; infinite where no float holds it."""
    if not units:
        return None
    try:
        return math.exp(-log_likelihood / units)
    except OverflowError:
        return math.inf


def bits_per_byte(log_likelihood: float, count: int | None) -> float | None:
    """None where nothing was measured."""
    return -log_likelihood / count / math.log(2) if count else None


def words_in(text: str) -> int:
    """One more than there are stretches of white space."""
    return 1 + sum(1 for _ in _WHITE_SPACE.finditer(text))


def bytes_in(text: str) -> int:
    """In UTF-8; half a surrogate pair, which JSON can hold, counts as the three it would take."""
    return len(text.encode("utf-8", "surrogatepass"))
