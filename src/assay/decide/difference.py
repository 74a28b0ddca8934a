"""How much one candidate is ahead of another, and how surely.

Tests are drawn within their categories and blocks within the text, the same draw on both sides;
runs of the speed measurement for each side by itself, and so blocks where tokenizers differ.
"""

from collections.abc import Mapping, Sequence

from assay.decide.scores import GOOD_PERPLEXITY, TESTS, USUAL_SPEED, WEIGHTS, RankingScale, parts_of
from assay.stats import composite
from assay.types import Estimate
from assay.types.decisions import DecisionFact, Measurements, fact

Pairs = tuple[list[float], list[float]]


def difference(
    a: Measurements, b: Measurements, scale: RankingScale
) -> tuple[Estimate | None, tuple[DecisionFact, ...]]:
    """How much higher a ranks than b, with its interval, and notes on what could not be paired."""
    pieces: list[composite.ScorePiece] = []
    notes: list[DecisionFact] = []
    for part in scale.parts:
        if part == "speed" and a.shape and a.shape == b.shape:
            continue
        if part in TESTS:
            suite, categories = TESTS[part]
            pairs = _pairs(a, b, suite, categories)
            notes += _notes(a, b, suite, pairs)
            weight = WEIGHTS[part] / len(categories)
            weighted = [(*pair, weight) for pair in pairs.values()]
            piece = composite.paired_tests(weighted) if weighted else None
        else:
            piece = _blocks(a, b, scale) if part == "perplexity" else _runs(a, b, scale)
        if piece is None:  # two figures with their intervals
            of_a, of_b = (parts_of(side, scale)[part] for side in (a, b))
            piece = composite.unpaired(of_a, of_b, weight=WEIGHTS[part])
        pieces.append(piece)
    return composite.composite_difference(pieces), tuple(notes)


def _pairs(
    a: Measurements, b: Measurements, suite: str, categories: Sequence[str]
) -> dict[str, Pairs]:
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


def _notes(
    a: Measurements, b: Measurements, suite: str, pairs: Mapping[str, Pairs]
) -> list[DecisionFact]:
    """What a reader must know where the two did not answer the same tests."""
    if not pairs:
        return [fact("tests_unpaired", a=a.name, b=b.name, suite=suite)]
    of_a, of_b = a.suites[suite], b.suites[suite]
    same = all(of_a.scores[name].keys() == of_b.scores[name].keys() for name in pairs)
    if same and len({of_a.digest, of_b.digest} - {""}) < 2:
        return []
    return [fact("tests_differ", a=a.name, b=b.name, suite=suite)]


def _blocks(a: Measurements, b: Measurements, scale: RankingScale) -> composite.ScorePiece | None:
    if a.text is None or b.text is None or not a.text.blocks or not b.text.blocks:
        return None
    same_cut = [n for _, n in a.text.blocks] == [n for _, n in b.text.blocks]
    return composite.text_blocks(
        a=a.text.blocks,
        b=b.text.blocks,
        weight=WEIGHTS["perplexity"] * GOOD_PERPLEXITY,
        together=same_cut and a.text.tokenizer == b.text.tokenizer,
        stretches=(scale.stretch(a), scale.stretch(b)),
    )


def _runs(a: Measurements, b: Measurements, scale: RankingScale) -> composite.ScorePiece | None:
    of_a, of_b = (speed.runs_per_s if (speed := scale.speed(each)) else () for each in (a, b))
    if not of_a or not of_b:
        return None
    return composite.repeated_runs(a=of_a, b=of_b, weight=WEIGHTS["speed"] / USUAL_SPEED)
