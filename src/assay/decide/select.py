"""Which checkpoint to ship: the gate first, then the highest score, and how sure that is.

An interval of the difference across 0 is a tie, and so is a difference without one; the higher
score is selected all the same. Equal scores go to the later step, of which `final` is the last.

Of the difference, tests are drawn within their categories and blocks within the text, the same draw
on both sides; runs of the speed measurement for each side by itself, and so blocks where tokenizers
differ.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from assay.decide.accept import accept
from assay.decide.scores import (
    GOOD_PERPLEXITY,
    TESTS,
    USUAL_SPEED,
    WEIGHTS,
    RankingScale,
    common_scale,
    parts_of,
    weigh,
)
from assay.stats import composite
from assay.text.number_format import fixed
from assay.types import Estimate
from assay.types.decisions import (
    PARTS,
    Acceptance,
    DecisionFact,
    Gate,
    Measurements,
    Ranked,
    Selection,
    Value,
    fact,
)

Pairs = tuple[list[float], list[float]]


class _Candidate(NamedTuple):
    measured: Measurements
    acceptance: Acceptance
    row: Ranked

    @property
    def accepted(self) -> bool:
        return self.acceptance.accepted is True


def select(
    candidates: Sequence[Measurements], gate: Gate, *, timestamp: str, noise: Collection[str] = ()
) -> Selection:
    """Apply the gate, rank on what all of them have, pick. `noise`: suites that decide nothing."""
    scale = common_scale([each for each in candidates if not each.failed], noise)
    ranking = sorted((_candidate(each, gate, scale) for each in candidates), key=_best_first)
    accepted = [each for each in ranking if each.accepted]
    evaluated = [each for each in ranking if not each.measured.failed]
    ahead = [difference(accepted[0].measured, each.measured, scale) for each in accepted[1:]]
    tied_with = tuple(
        other.row.name
        for other, (by, _) in zip(accepted[1:], ahead, strict=True)
        if _across_zero(by)
    )
    to_next = ahead[0][0] if ahead else None
    best = evaluated[0] if evaluated and not accepted else None
    if accepted:
        reasons = _why_selected(accepted, len(ranking), scale, to_next)
    elif best is not None:
        reasons = _why_none(best, len(ranking), scale)
    else:
        reasons = [fact("none_evaluated" if ranking else "no_checkpoints")]
    return Selection(
        selected=accepted[0].row.name if accepted else None,
        best_so_far=None if best is None else best.row.name,
        reasons=tuple(reasons),
        tie=bool(ahead) and _across_zero(to_next),
        tied_with=tied_with,
        ranking=tuple(each.row for each in ranking),
        ranked_on=scale.parts,
        difference=to_next,
        gate=gate.source,
        timestamp=timestamp,
        notes=_notes(evaluated, scale, [note for _, found in ahead for note in found]),
    )


def _candidate(measured: Measurements, gate: Gate, scale: RankingScale) -> _Candidate:
    weighted = weigh(measured)
    acceptance = accept(measured, gate)
    row = Ranked(
        name=measured.name,
        accepted=acceptance.accepted,
        weighted_score=weighted.value,
        ranking_score=weigh(measured, scale).value,
        missing_parts=weighted.missing,
        failed=measured.failed,
    )
    return _Candidate(measured, acceptance, row)


def _best_first(each: _Candidate) -> tuple[bool, bool, float, float, str, str]:
    """Failed ones last, accepted first; the name last, so that no order of arrival counts."""
    measured = each.measured
    score = -math.inf if each.row.ranking_score is None else each.row.ranking_score
    step = math.inf if measured.step is None else measured.step
    return bool(measured.failed), not each.accepted, -score, -step, measured.name, measured.path


def _across_zero(by: Estimate | None) -> bool:
    """Whether 0 cannot be ruled out; without a scale in common, or an interval, it never can."""
    if by is None or by.low is None or by.high is None:
        return True
    return by.low <= 0.0 <= by.high


def _why_selected(
    accepted: Sequence[_Candidate], of: int, scale: RankingScale, to_next: Estimate | None
) -> list[DecisionFact]:
    best = accepted[0]
    reasons = [fact("passes_gate", name=best.row.name)]
    if len(accepted) > 1 and scale.parts:
        passing = len(accepted)
        reasons.append(fact("highest_score", passing=passing, **_ranking(best, scale)))
    elif of > 1 and len(accepted) == 1:
        reasons.append(fact("only_one_passes", of=of))
    marginal = tuple(name for name, each in best.acceptance.criteria.items() if each.marginal)
    if marginal:
        reasons.append(fact("marginal_criteria", criteria=marginal))
    if len(accepted) > 1:
        reasons.append(_ahead_of(accepted[1].row.name, to_next))
    return reasons


def _ranking(best: _Candidate, scale: RankingScale) -> dict[str, Value]:
    score = weigh(best.measured, scale)
    adds = {part: score.adds.get(part) for part in PARTS}
    parts = tuple(f"{part} {'–' if of is None else fixed(of, 3)}" for part, of in adds.items())
    return {"score": score.value, "parts": parts}


def _ahead_of(other: str, by: Estimate | None) -> DecisionFact:
    if by is None or by.value is None:
        return fact("not_comparable", other=other)
    if by.low is None and by.high is None:
        return fact("tie_without_interval", other=other, by=by.value)
    kind = "tie" if _across_zero(by) else "ahead"
    return fact(kind, other=other, by=by.value, low=by.low, high=by.high)


def _why_none(best: _Candidate, of: int, scale: RankingScale) -> list[DecisionFact]:
    reasons = [fact("none_passes", count=of)]
    if of > 1 and best.row.ranking_score is not None:
        reasons.append(fact("best_so_far", name=best.row.name, **_ranking(best, scale)))
    reasons.append(fact("lacks", name=best.row.name))
    for each in best.acceptance.criteria.values():
        reasons += [] if each.passed else each.reasons
    return reasons


def _notes(
    evaluated: Sequence[_Candidate], scale: RankingScale, on_pairs: Sequence[DecisionFact]
) -> tuple[DecisionFact, ...]:
    notes = [*scale.notes, *on_pairs]
    for part in PARTS:
        lacking = tuple(each.row.name for each in evaluated if part in each.row.missing_parts)
        if lacking and len(lacking) < len(evaluated):
            notes.append(fact("ranked_without", count=len(lacking), part=part, names=lacking))
    if "speed" in scale.parts and len({_machine(each.measured) for each in evaluated}) > 1:
        notes.append(fact("machines_differ"))
    for each in evaluated:
        parts = parts_of(each.measured, scale)
        unfinished = tuple(part for part in scale.parts if parts[part].incomplete)
        if unfinished:
            notes.append(fact("ranked_on_incomplete", name=each.row.name, parts=unfinished))
    return tuple(note for place, note in enumerate(notes) if note not in notes[:place])


def _machine(measured: Measurements) -> tuple[str, str]:
    """What decides how fast a processor is, as far as it was noted."""
    noted = measured.provenance.get("machine")
    known = noted if isinstance(noted, Mapping) else {}
    return str(known.get("processor", "")), str(known.get("cores", ""))


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
            notes += _pairing_notes(a, b, suite, pairs)
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


def _pairing_notes(
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
