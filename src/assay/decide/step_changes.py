"""How a checkpoint differs from an earlier one, as surely as what was kept of both allows.

In: two checkpoints, or what was measured of them. Out: later less earlier, as an Estimate; None
where one lacks the figure.

Paired where both read the same blocks or answered the same tests: what is hard in a text is hard
for both and cancels, so that a difference far smaller than either interval can be told.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from assay.decide.difference import difference
from assay.decide.rank import Scale, score_on
from assay.decide.weigh import GOOD_PERPLEXITY, USUAL_SPEED, WEIGHTS, os_average
from assay.stats import nothing, paired_difference_by_category, ratio
from assay.types import Estimate
from assay.types.decisions import Measured, Part, SuiteFigures, TextFigures


def by_loss(a: Measured, b: Measured) -> Estimate | None:
    """Nats per token: a bootstrap over blocks of the same tokens, else of the two perplexities."""
    if a.text is None or b.text is None:
        return None
    if not _same_blocks(a.text, b.text):
        return unpaired(_logarithm(a.text.perplexity), _logarithm(b.text.perplexity))
    tokens = [float(count) for _, count in a.text.blocks]
    rises = [
        earlier - later
        for (earlier, _), (later, _) in zip(a.text.blocks, b.text.blocks, strict=True)
    ]
    return ratio(rises, tokens, unit="nats")


def by_bits(a: Measured, b: Measured) -> Estimate | None:
    """Bits per byte, unpaired: blocks of different tokenizers hold different text."""
    if a.text is None or b.text is None:
        return None
    return unpaired(a.text.bits_per_byte, b.text.bits_per_byte)


def by_tests(a: SuiteFigures, b: SuiteFigures) -> Estimate | None:
    """Points, over the tests that both have a score for, each category with the same weight;
    unpaired where there are none.
    """
    pairs = {
        category: ([earlier[test] for test in both], [b.scores[category][test] for test in both])
        for category, earlier in a.scores.items()
        if (both := sorted(earlier.keys() & b.scores.get(category, {}).keys()))
    }
    if not pairs:
        return unpaired(a.score, b.score)
    return paired_difference_by_category(pairs, dict.fromkeys(pairs, 1.0)).estimate


def by_score(scale: Scale) -> Callable[[Measured, Measured], Estimate | None]:
    """The weighted score on the parts that all steps have, paired as for a selection."""
    return lambda a, b: difference(b, a, scale)[0]


def score_at(scale: Scale, measured: Measured) -> Estimate | None:
    """The weighted score of one step, its interval from those of the parts (MOVER). A part without
    an interval adds nothing to it.
    """
    value = score_on(scale, measured)
    if value is None:
        return None
    weighted = [
        (WEIGHTS[part], of) for part in scale.parts if (of := _part(part, scale, measured)).n
    ]
    below = [weight * reach for weight, of in weighted if (reach := _reach([(of.value, of.low)]))]
    above = [weight * reach for weight, of in weighted if (reach := _reach([(of.high, of.value)]))]
    return Estimate(
        value=value,
        low=value - math.hypot(*below) if below else None,
        high=value + math.hypot(*above) if above else None,
        n=sum(of.n for _, of in weighted),
        unscored=sum(of.unscored for _, of in weighted),
        unit="score",
        method="mover",
    )


def _part(part: Part, scale: Scale, measured: Measured) -> Estimate:
    """One part before its weight, with its interval."""
    found: Estimate | None = None
    if part == "perplexity" and measured.text is not None:
        stretch = scale.stretch(measured)
        of = measured.text.perplexity
        found = replace(
            of,
            value=_inverse(of.value, stretch),
            low=_inverse(of.high, stretch),
            high=_inverse(of.low, stretch),
        )
    elif part == "os_benchmark":
        found = os_average(measured)
    elif part == "mmlu_cs":
        found = measured.mmlu_cs
    elif part == "speed" and measured.speed is not None:
        of = measured.speed.tokens_per_s
        value, low, high = (_over(end, USUAL_SPEED) for end in (of.value, of.low, of.high))
        found = replace(of, value=value, low=low, high=high)
    return found or nothing()


def _inverse(perplexity: float | None, stretch: float) -> float | None:
    return GOOD_PERPLEXITY * perplexity**-stretch if perplexity else None


def _over(figure: float | None, usual: float) -> float | None:
    return None if figure is None else figure / usual


def unpaired(a: Estimate | None, b: Estimate | None) -> Estimate | None:
    """Later less earlier, with MOVER's interval; without one where a side has none."""
    if a is None or b is None or a.value is None or b.value is None:
        return None
    value = b.value - a.value
    return Estimate(
        value=value,
        low=_less(value, (b.value, b.low), (a.high, a.value)),
        high=_more(value, (b.high, b.value), (a.value, a.low)),
        n=min(a.n, b.n),
        unscored=max(a.unscored, b.unscored),
        unit=b.unit,
        method="mover",
    )


Distance = tuple[float | None, float | None]


def _less(value: float, *distances: Distance) -> float | None:
    reach = _reach(distances)
    return None if reach is None else value - reach


def _more(value: float, *distances: Distance) -> float | None:
    reach = _reach(distances)
    return None if reach is None else value + reach


def _reach(distances: Sequence[Distance]) -> float | None:
    """Root of the sum of squares of upper less lower; None where a limit is missing."""
    known = [upper - lower for upper, lower in distances if upper is not None and lower is not None]
    return math.hypot(*known) if len(known) == len(distances) else None


def _same_blocks(a: TextFigures, b: TextFigures) -> bool:
    return (
        len(a.blocks) > 0
        and (a.tokenizer, a.window, a.stride) == (b.tokenizer, b.window, b.stride)
        and [count for _, count in a.blocks] == [count for _, count in b.blocks]
    )


def _logarithm(of: Estimate) -> Estimate | None:
    if of.value is None or of.value <= 0:
        return None
    return Estimate(
        value=math.log(of.value),
        low=math.log(of.low) if of.low else None,
        high=math.log(of.high) if of.high else None,
        n=of.n,
        unscored=of.unscored,
        unit="nats",
        method=of.method,
    )
