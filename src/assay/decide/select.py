"""Which checkpoint to ship: the gate first, then the highest score, and how sure that is.

Tied with the selected one is every accepted one that a simultaneous 95 % bound over all pairs does
not put behind it: the best of many was chosen from the same data. The higher score is selected all
the same. Equal scores go to the later step, of which `final` is the last.

Of the difference, tests are drawn within their categories and blocks within the text, the same draw
on both sides; runs of the speed measurement for each side by itself, and so blocks where tokenizers
differ.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from assay.decide.accept import accept
from assay.decide.scores import RankingScale, common_scale, own_scale, parts_of, weigh
from assay.stats import composite
from assay.stats.intervals import Z95
from assay.stats.ties import compare_all
from assay.types import Estimate
from assay.types.decisions import (
    Acceptance,
    DecisionFact,
    Gate,
    Measurements,
    Ranked,
    Selection,
    Value,
    fact,
)
from assay.types.measures import every_measure
from assay.types.score_parts import ScorePiece, WeighedPart
from assay.types.score_units import FigureRow, ScoreUnits


class _Candidate(NamedTuple):
    measured: Measurements
    acceptance: Acceptance
    row: Ranked

    @property
    def accepted(self) -> bool:
        return self.acceptance.accepted is True


def select(
    candidates: Sequence[Measurements],
    gate: Gate,
    *,
    timestamp: str,
    noise: Collection[str] = (),
    attempts: int | None = None,
) -> Selection:
    """Apply the gate, rank on what all of them have, pick; what confirms the selected one takes no
    part in that. `noise`: suites that decide nothing. `attempts`: runs so far against this gate.
    """
    known = [each for each in candidates if not each.failed]
    asked = _asked_in_full(known, gate)
    scale, own = common_scale(asked, gate, noise), own_scale(gate, asked)
    ranking = sorted((_candidate(each, gate, scale, own) for each in candidates), key=_best_first)
    accepted = [each for each in ranking if each.accepted]
    evaluated = [each for each in ranking if not each.measured.failed]
    ahead = [difference(accepted[0].measured, each.measured, scale) for each in accepted[1:]]
    tied_with = _tied_with_first(accepted, scale)
    to_next = ahead[0][0] if ahead else None
    best = evaluated[0] if evaluated and not accepted else None
    confirmed = _is_confirmed(accepted[0].measured, gate) if accepted else None
    if accepted:
        reasons = _why_selected(accepted, len(ranking), scale, to_next, tied_with)
        reasons += _how_sure(accepted[0].measured, gate, len(evaluated))
        best = accepted[0] if confirmed is False else None
    elif best is not None:
        reasons = _why_none(best, len(ranking), scale)
    else:
        reasons = [fact("none_evaluated" if ranking else "no_checkpoints")]
    return Selection(
        selected=accepted[0].row.name if accepted and confirmed is not False else None,
        best_so_far=None if best is None else best.row.name,
        reasons=tuple(reasons),
        tie=bool(tied_with),
        tied_with=tied_with,
        ranking=tuple(each.row for each in ranking),
        ranked_on=scale.names,
        difference=to_next,
        gate=gate.source,
        timestamp=timestamp,
        confirmed=confirmed,
        max_by_formula=_max_by_formula(accepted),
        attempts=attempts,
        notes=_notes(evaluated, scale, own, [note for _, found in ahead for note in found]),
    )


def _asked_in_full(known: Sequence[Measurements], gate: Gate) -> list[Measurements]:
    """With --decide only those that pass are asked what they are ranked on."""
    if not any(suite.left for each in known for suite in each.suites.values()):
        return list(known)
    passing = [each for each in known if accept(replace(each, confirming={}), gate).accepted]
    return passing or list(known)


def _candidate(
    measured: Measurements, gate: Gate, scale: RankingScale, own: RankingScale
) -> _Candidate:
    weighted = weigh(measured, own)
    acceptance = accept(replace(measured, confirming={}), gate)
    row = Ranked(
        name=measured.name,
        accepted=acceptance.accepted,
        weighted_score=weighted.value,
        ranking_score=weigh(measured, scale).value,
        missing_parts=weighted.missing,
        failed=measured.failed,
    )
    return _Candidate(measured, acceptance, row)


def _is_confirmed(selected: Measurements, gate: Gate) -> bool | None:
    """None where the gate keeps no tests back; what was not asked confirms nothing."""
    if gate.accept.confirm is None:
        return None
    found = accept(selected, gate).criteria.get("confirm")
    return found is not None and found.passed is True


def _how_sure(selected: Measurements, gate: Gate, of: int) -> tuple[DecisionFact, ...]:
    """The best of several was chosen from the data that it is judged by."""
    if gate.accept.confirm is None:
        return (fact("best_of", count=of),) if of > 1 else ()
    found = accept(selected, gate).criteria.get("confirm")
    return (fact("not_yet_confirmed"),) if found is None else found.reasons


def _max_by_formula(accepted: Sequence[_Candidate]) -> str | None:
    """By the specification's formula alone, among those that pass; None where it is selected."""
    values = {each.row.name: weigh(each.measured).value for each in accepted}
    known = {name: value for name, value in values.items() if value is not None}
    if not known or not accepted:
        return None
    most = max(known.values())
    if known.get(accepted[0].row.name) == most:
        return None
    return next(name for name, value in known.items() if value == most)


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


def _tied_with_first(accepted: Sequence[_Candidate], scale: RankingScale) -> tuple[str, ...]:
    """Without a part in common nobody is behind."""
    others = [each.row.name for each in accepted[1:]]
    if not others or not scale.parts:
        return tuple(others)
    measured = [each.measured for each in accepted]
    parts: list[ScoreUnits] = []
    for part in scale.parts:
        units = part.units(measured, scale.of(part.name))
        parts += units if units is not None else [_as_figures(measured, scale, part)]
    leads = compare_all(parts)
    return tuple(name for place, name in enumerate(others, 1) if not leads.sure(0, place))


def _as_figures(
    measured: Sequence[Measurements], scale: RankingScale, part: WeighedPart
) -> FigureRow:
    """Figures with their intervals alone; without an interval nothing is sure."""
    found = [parts_of(each, scale)[part.name] for each in measured]
    return FigureRow(
        values=[part.weight * (of.value or 0.0) for of in found],
        errors=[
            math.inf
            if of.low is None or of.high is None
            else part.weight * (of.high - of.low) / (2 * Z95)
            for of in found
        ],
        freedom=min(of.n for of in found) - 1,
        groups=range(len(found)),
    )


def _why_selected(
    accepted: Sequence[_Candidate],
    of: int,
    scale: RankingScale,
    to_next: Estimate | None,
    tied_with: Sequence[str],
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
        reasons.append(_ahead_of(accepted[1].row.name, to_next, tied_with, len(accepted)))
    return reasons


def _ranking(best: _Candidate, scale: RankingScale) -> dict[str, Value]:
    score = weigh(best.measured, scale)
    return {"score": score.value, "parts": {part: score.adds.get(part) for part in scale.every}}


def _ahead_of(
    other: str, by: Estimate | None, tied_with: Sequence[str], passing: int
) -> DecisionFact:
    if by is None or by.value is None:
        return fact("not_comparable", other=other)
    if by.low is None and by.high is None:
        return fact("tie_without_interval", other=other, by=by.value)
    if other not in tied_with:
        return fact("ahead", other=other, by=by.value, low=by.low, high=by.high)
    kind = "tie" if _across_zero(by) else "tie_among"
    return fact(kind, other=other, by=by.value, low=by.low, high=by.high, passing=passing)


def _why_none(best: _Candidate, of: int, scale: RankingScale) -> list[DecisionFact]:
    reasons = [fact("none_passes", count=of)]
    if of > 1 and best.row.ranking_score is not None:
        reasons.append(fact("best_so_far", name=best.row.name, **_ranking(best, scale)))
    reasons.append(fact("lacks", name=best.row.name))
    for each in best.acceptance.criteria.values():
        reasons += [] if each.passed else each.reasons
    return reasons


def _notes(
    evaluated: Sequence[_Candidate],
    scale: RankingScale,
    own: RankingScale,
    on_pairs: Sequence[DecisionFact],
) -> tuple[DecisionFact, ...]:
    notes = [*_what_counts(evaluated, scale), *scale.notes, *on_pairs]
    for part in own.names:
        lacking = tuple(each.row.name for each in evaluated if part in each.row.missing_parts)
        if lacking and len(lacking) < len(evaluated):
            notes.append(fact("ranked_without", count=len(lacking), part=part, names=lacking))
    for each_part in scale.parts:
        notes += each_part.notes_on([each.measured for each in evaluated])
    for each in evaluated:
        parts = parts_of(each.measured, scale)
        unfinished = tuple(part for part in scale.names if parts[part].incomplete)
        if unfinished:
            notes.append(fact("ranked_on_incomplete", name=each.row.name, parts=unfinished))
    return tuple(note for place, note in enumerate(notes) if note not in notes[:place])


def _what_counts(evaluated: Sequence[_Candidate], scale: RankingScale) -> Iterator[DecisionFact]:
    """What was ranked on, and which of the figures that were measured took no part."""
    if len(evaluated) < 2 or not scale.parts:
        return
    yield fact("ranked_on", parts={part.name: part.weight for part in scale.parts})
    counted = {name for part in scale.parts for name in part.covers}
    known = dict.fromkeys(
        name
        for measure in every_measure()
        for each in evaluated
        for name in measure.measured_parts(each.measured)
    )
    if left_out := tuple(name for name in known if name not in counted):
        yield fact("took_no_part", names=left_out)


def difference(
    a: Measurements, b: Measurements, scale: RankingScale
) -> tuple[Estimate | None, tuple[DecisionFact, ...]]:
    """How much higher a ranks than b, with its interval, and notes on what could not be paired."""
    pieces: list[ScorePiece] = []
    notes: list[DecisionFact] = []
    for part in scale.parts:
        if part.is_equal(a, b):
            continue
        piece, said = part.difference(a, b, scale.of(part.name))
        notes += said
        if piece is None:  # two figures with their intervals
            of_a, of_b = (parts_of(side, scale)[part.name] for side in (a, b))
            piece = composite.unpaired(of_a, of_b, weight=part.weight)
        pieces.append(piece)
    return composite.composite_difference(pieces), tuple(notes)
