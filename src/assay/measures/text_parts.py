"""The parts that a text has in the score: its perplexity, and the shares of tokens guessed right.

Perplexity counts 10 over itself in the specification's formula, and bounded by its limit in a
gate's `[score]`. Where tokenizers differ, the bits per byte of every candidate become the
perplexity of one common token, as many bytes as a token has on average over them; shares of tokens
cannot be compared then. Units are the documents of the text, or blocks of the only one.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from assay.stats import composite
from assay.stats.documents import pseudo_values
from assay.types import Estimate
from assay.types.decisions import DecisionFact, Measurements, TextFigures, fact
from assay.types.score_parts import Bound, CommonScale, ScorePiece, WeighedPart
from assay.types.score_units import ScoreUnits, UnitTable

GOOD = 10.0  # a perplexity that counts 1
LARGEST = math.log(1e300)  # a perplexity beyond this says no more, and JSON has no name for it
LEAST_BITS = 1e-9
Blocks = Sequence[tuple[float, int]]
Count = Callable[[Any], Any]


@dataclass(frozen=True, kw_only=True)
class UnitsPart(WeighedPart):
    """What a text adds, by its documents or blocks."""

    text: Callable[[Measurements], TextFigures | None]

    def blocks_of(self, measured: Measurements) -> Blocks:
        """An amount and the tokens of each; none where they were not kept."""
        raise NotImplementedError

    def count_of(self, measured: Measurements, scale: CommonScale) -> Count | None:
        """From the mean amount of a token to what it counts."""
        raise NotImplementedError

    def difference(
        self, a: Measurements, b: Measurements, scale: CommonScale
    ) -> tuple[ScorePiece | None, tuple[DecisionFact, ...]]:
        of_a, of_b = self.blocks_of(a), self.blocks_of(b)
        counts = self.count_of(a, scale), self.count_of(b, scale)
        if not of_a or not of_b or counts[0] is None or counts[1] is None:
            return None, ()
        same_cut = [n for _, n in of_a] == [n for _, n in of_b]
        piece = composite.text_blocks(
            a=of_a,
            b=of_b,
            weight=self.weight,
            together=same_cut and self._tokenizer(a) == self._tokenizer(b),
            counts=(counts[0], counts[1]),
        )
        return piece, ()

    def units(
        self, candidates: Sequence[Measurements], scale: CommonScale
    ) -> Sequence[ScoreUnits] | None:
        """Blocks of the same tokens, each as its leave-one-out pseudo-value."""
        import numpy as np

        blocks = [self.blocks_of(each) for each in candidates]
        cuts = {
            (self._tokenizer(each), *(n for _, n in of))
            for each, of in zip(candidates, blocks, strict=True)
        }
        counts = [self.count_of(each, scale) for each in candidates]
        if not all(blocks) or len(cuts) > 1 or None in counts:
            return None
        tokens = np.array([float(n) for _, n in blocks[0]])
        columns = [
            pseudo_values([amount for amount, _ in of], tokens, partial(_weighted, self, count))
            for of, count in zip(blocks, counts, strict=True)
        ]
        freedom = float(tokens.sum() ** 2 / (tokens**2).sum()) - 1
        return (UnitTable(values=np.stack(columns, axis=1), freedom=freedom),)

    def _tokenizer(self, measured: Measurements) -> str:
        text = self.text(measured)
        return text.tokenizer if text else ""

    def _texts(self, candidates: Sequence[Measurements]) -> list[TextFigures]:
        return [text for each in candidates if (text := self.text(each)) is not None]


def _weighted(part: WeighedPart, count: Any, mean: Any) -> Any:
    return part.weight * count(mean)


@dataclass(frozen=True, kw_only=True)
class PerplexityPart(UnitsPart):
    """`bound` None: 10 over the perplexity."""

    bound: Bound | None = None

    def part_of(self, measured: Measurements, scale: CommonScale) -> Estimate | None:
        text, count = self.text(measured), self._of_perplexity(measured, scale)
        if text is None or count is None:
            return None
        return text.perplexity.mapped(count, falling=True)

    def common_scale(self, candidates: Sequence[Measurements], noise: object) -> CommonScale:
        stretches, note = _stretches(self._texts(candidates), self.name)
        return CommonScale(
            by=stretches,
            limit=self.bound.common_limit(candidates) if self.bound else None,
            usable=stretches is not None,
            notes=(note,) if note else (),
        )

    def blocks_of(self, measured: Measurements) -> Blocks:
        text = self.text(measured)
        return text.blocks if text else ()

    def count_of(self, measured: Measurements, scale: CommonScale) -> Count | None:
        stretch = self._stretch(measured, scale)
        if self.bound is None:
            return partial(_inverse_of_mean, stretch)
        bounded = self.bound.function(measured, scale)
        return None if bounded is None else partial(_bounded_of_mean, bounded, stretch)

    def _of_perplexity(self, measured: Measurements, scale: CommonScale) -> Count | None:
        stretch = self._stretch(measured, scale)
        if self.bound is None:
            return lambda value: _inverse(value, stretch)
        bounded = self.bound.function(measured, scale)
        return None if bounded is None else lambda value: bounded(math.pow(value, stretch))

    def _stretch(self, measured: Measurements, scale: CommonScale) -> float:
        """1 where nothing needs to be stretched."""
        stretches: Mapping[str, float] = scale.by or {}
        return stretches.get(self._tokenizer(measured), 1.0)


@dataclass(frozen=True, kw_only=True)
class HitsPart(UnitsPart):
    """A share of next tokens, which counts as it is."""

    among: Literal["top1", "top5"]

    def part_of(self, measured: Measurements, scale: CommonScale) -> Estimate | None:
        text = self.text(measured)
        found: Estimate | None = getattr(text, self.among) if text else None
        return found

    def common_scale(self, candidates: Sequence[Measurements], noise: object) -> CommonScale:
        texts = self._texts(candidates)
        if len({text.text for text in texts}) > 1:
            return CommonScale(usable=False, notes=(fact("texts_differ", part=self.name),))
        if len({text.tokenizer for text in texts}) > 1:
            return CommonScale(usable=False, notes=(fact("tokens_differ", part=self.name),))
        return CommonScale()

    def blocks_of(self, measured: Measurements) -> Blocks:
        text = self.text(measured)
        if text is None or len(text.hits) != len(text.blocks):
            return ()
        place = 0 if self.among == "top1" else 1
        pairs = zip(text.hits, text.blocks, strict=True)
        return [(hits[place], tokens) for hits, (_, tokens) in pairs]

    def count_of(self, measured: Measurements, scale: CommonScale) -> Count | None:
        return _itself


def _itself(mean: Any) -> Any:
    return mean


def _inverse_of_mean(stretch: float, mean: Any) -> Any:
    import numpy as np

    return GOOD * np.exp(stretch * mean)


def _bounded_of_mean(bounded: Count, stretch: float, mean: Any) -> Any:
    import numpy as np

    return bounded(np.exp(np.minimum(-stretch * mean, LARGEST)))


def _inverse(perplexity: float, stretch: float) -> float:
    if stretch == 1.0:
        return GOOD / perplexity
    return GOOD * math.pow(perplexity, -stretch)


def _stretches(
    texts: Sequence[TextFigures], part: str
) -> tuple[Mapping[str, float] | None, DecisionFact | None]:
    """By tokenizer, and a warning; None where perplexities cannot be compared at all."""
    if len({text.text for text in texts}) > 1:
        return None, fact("texts_differ", part=part)
    if len({text.tokenizer for text in texts}) < 2:
        return {}, None
    lengths: dict[str, list[float]] = {}
    for text in texts:
        bits = None if text.bits_per_byte is None else text.bits_per_byte.value
        if bits is None or bits < 0:
            return None, fact("bits_unknown", part=part)
        if bits > LEAST_BITS:  # a text predicted without fail says nothing of its tokens
            of_token = math.log2(text.perplexity.value or 1.0) / bits
            lengths.setdefault(text.tokenizer, []).append(of_token)
    bytes_per_token = {
        tokenizer: math.fsum(found) / len(found) for tokenizer, found in lengths.items()
    }
    usual = math.fsum(bytes_per_token.values()) / len(bytes_per_token) if bytes_per_token else 1.0
    stretches = {name: usual / length for name, length in bytes_per_token.items() if length > 0}
    return stretches, fact("tokenizers_differ")
