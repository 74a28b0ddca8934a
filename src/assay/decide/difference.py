"""How much one candidate is ahead of another, and how surely.

In: two Measured and the Scale they are ranked on. Out: an Estimate of the difference of their
ranking scores, and what could not be paired.

Tests are drawn within their categories and blocks within the text, the same draw on both sides;
runs of the speed measurement are drawn for each side by itself, and so are blocks where the
tokenizers cut the text differently. Only tests that both sides have are drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from assay import stats
from assay.decide.rank import Scale
from assay.decide.weigh import GOOD_PERPLEXITY, USUAL_SPEED, WEIGHTS, os_average
from assay.messages import tr
from assay.types import Estimate
from assay.types.decisions import OS_AVERAGED, OS_SUITE, Measured, Part

MMLU_SUITE, MMLU_CATEGORIES = "mmlu", ("computer_science",)
Pairs = tuple[list[float], list[float]]


def difference(a: Measured, b: Measured, scale: Scale) -> tuple[Estimate | None, tuple[str, ...]]:
    """How much higher a ranks than b, with its interval, and notes on what could not be paired."""
    found = [_piece(part, a, b, scale) for part in scale.parts]
    notes = tuple(note for _, note in found if note)
    return stats.composite_difference([piece for piece, _ in found]), notes


def _piece(part: Part, a: Measured, b: Measured, scale: Scale) -> tuple[stats.ScorePiece, str]:
    match part:
        case "perplexity":
            return _reading(a, b, scale), ""
        case "os_benchmark":
            return _tests(a, b, OS_SUITE, OS_AVERAGED, (os_average(a), os_average(b)), part)
        case "mmlu_cs":
            return _tests(a, b, MMLU_SUITE, MMLU_CATEGORIES, (a.mmlu_cs, b.mmlu_cs), part)
        case "speed":
            return _speed(a, b), ""


# -------------------------------------------------------------------------------------------- tests


def _tests(
    a: Measured,
    b: Measured,
    suite: str,
    categories: Sequence[str],
    figures: tuple[Estimate | None, Estimate | None],
    part: Part,
) -> tuple[stats.ScorePiece, str]:
    """Paired where every category has tests that both answered, else as two figures."""
    pairs = _pairs(a, b, suite, categories)
    note = _note(a, b, suite, pairs)
    if not pairs:
        return _apart(*figures, WEIGHTS[part]), note
    weight = WEIGHTS[part] / len(categories)
    together = [(first, second, weight) for first, second in pairs.values()]
    return stats.TestsTogether(categories=together), note


def _pairs(a: Measured, b: Measured, suite: str, categories: Sequence[str]) -> dict[str, Pairs]:
    """By category the scores of the tests that both have; nothing where one category has none."""
    found: dict[str, Pairs] = {}
    for category in categories:
        of_a, of_b = (
            side.suites[suite].scores.get(category, {}) if suite in side.suites else {}
            for side in (a, b)
        )
        shared = sorted(of_a.keys() & of_b.keys())
        if not shared:
            return {}
        found[category] = [of_a[test] for test in shared], [of_b[test] for test in shared]
    return found


def _note(a: Measured, b: Measured, suite: str, pairs: Mapping[str, Pairs]) -> str:
    """What a reader must know where the two did not answer the same tests."""
    names = {"a": a.name, "b": b.name, "suite": suite}
    if not pairs:
        return tr("{a} and {b} share too few tests of {suite}: compared unpaired.", **names)
    tests = sum(len(first) for first, _ in pairs.values())
    digests = {a.suites[suite].digest, b.suites[suite].digest} - {""}
    sizes = {_answered(side, suite, pairs) for side in (a, b)}
    if sizes != {tests}:
        return tr(
            "{a} and {b} were marked on different tests of {suite}: compared on the {tests} they "
            "share.",
            tests=tests,
            **names,
        )
    if len(digests) > 1:
        return tr("{a} and {b} were asked different versions of {suite}.", **names)
    return ""


def _answered(side: Measured, suite: str, categories: Collection[str]) -> int:
    scores = side.suites[suite].scores
    return sum(len(scores[category]) for category in categories)


# ---------------------------------------------------------------------------------- text and speed


def _reading(a: Measured, b: Measured, scale: Scale) -> stats.ScorePiece:
    assert a.text is not None
    assert b.text is not None
    weight = WEIGHTS["perplexity"] * GOOD_PERPLEXITY
    stretches = scale.stretch(a), scale.stretch(b)
    if a.text.blocks and b.text.blocks:
        same_cut = [n for _, n in a.text.blocks] == [n for _, n in b.text.blocks]
        return stats.Blocks(
            a=a.text.blocks,
            b=b.text.blocks,
            weight=weight,
            together=same_cut and a.text.tokenizer == b.text.tokenizer,
            stretches=stretches,
        )
    return _apart(
        _inverse(a.text.perplexity, stretches[0]), _inverse(b.text.perplexity, stretches[1]), weight
    )


def _inverse(perplexity: Estimate, stretch: float) -> Estimate:
    """1 / perplexity, and its interval the other way round."""
    value, low, high = (
        None if limit is None or limit <= 0 else limit**-stretch
        for limit in (perplexity.value, perplexity.high, perplexity.low)
    )
    return replace(perplexity, value=value, low=low, high=high)


def _speed(a: Measured, b: Measured) -> stats.ScorePiece:
    assert a.speed is not None
    assert b.speed is not None
    weight = WEIGHTS["speed"] / USUAL_SPEED
    if a.speed.runs_per_s and b.speed.runs_per_s:
        return stats.Runs(a=a.speed.runs_per_s, b=b.speed.runs_per_s, weight=weight)
    return _apart(a.speed.tokens_per_s, b.speed.tokens_per_s, weight)


def _apart(a: Estimate | None, b: Estimate | None, weight: float) -> stats.Apart:
    assert a is not None
    assert b is not None
    return stats.Apart(a=a, b=b, weight=weight)
