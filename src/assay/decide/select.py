"""Which checkpoint to ship: the gate first, then the highest score, and how sure that is.

In: Measured candidates, a Gate, and the time as a text. Out: a Selection with its reason in whole
sentences.

The difference to the runner-up comes from a paired bootstrap. An interval across 0 is a tie, and so
is a difference without one; the higher score is selected all the same. Equal scores go to the
later step, of which `final` is the last.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.decide.accept import accept
from assay.decide.difference import difference
from assay.decide.figures import interval_shown, shown
from assay.decide.rank import Scale, common_scale, score_on
from assay.decide.weigh import weigh
from assay.messages import tr, trn
from assay.types import Estimate
from assay.types.decisions import (
    OS_AVERAGED,
    OS_SUITE,
    PARTS,
    Acceptance,
    Gate,
    Measured,
    Part,
    Ranked,
    Selection,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    """A checkpoint with all that is decided of it alone."""

    measured: Measured
    acceptance: Acceptance
    weighted: float | None
    missing: tuple[Part, ...]
    score: float | None

    @property
    def name(self) -> str:
        return self.measured.name

    @property
    def accepted(self) -> bool:
        return self.acceptance.accepted is True

    def row(self) -> Ranked:
        return Ranked(
            name=self.name,
            accepted=self.acceptance.accepted,
            weighted_score=self.weighted,
            ranking_score=self.score,
            missing_parts=self.missing,
            failed=self.measured.failed,
        )


def select(candidates: Sequence[Measured], gate: Gate, *, timestamp: str) -> Selection:
    """Judge all, rank them on what all of them have, and pick."""
    scale = common_scale([each for each in candidates if not each.failed])
    ranking = sorted((_judged(each, gate, scale) for each in candidates), key=_best_first)
    accepted = [each for each in ranking if each.accepted]
    evaluated = [each for each in ranking if not each.measured.failed]
    ahead = [difference(accepted[0].measured, each.measured, scale) for each in accepted[1:]]
    tied_with = tuple(
        other.name for other, (by, _) in zip(accepted[1:], ahead, strict=True) if _across_zero(by)
    )
    to_next = ahead[0][0] if ahead else None
    best = evaluated[0] if evaluated and not accepted else None
    if accepted:
        reason = _why_selected(accepted, len(ranking), scale, to_next)
    else:
        reason = _why_nothing(ranking) if best is None else _why_none(best, len(ranking), scale)
    return Selection(
        selected=accepted[0].name if accepted else None,
        best_so_far=None if best is None else best.name,
        reason=reason,
        tie=bool(ahead) and _across_zero(to_next),
        tied_with=tied_with,
        ranking=tuple(each.row() for each in ranking),
        ranked_on=scale.parts,
        difference=to_next,
        gate=gate.source,
        timestamp=timestamp,
        notes=_notes(evaluated, scale, [note for _, found in ahead for note in found]),
    )


def _judged(measured: Measured, gate: Gate, scale: Scale) -> _Candidate:
    weighted, missing = weigh(measured)
    return _Candidate(
        measured=measured,
        acceptance=accept(measured, gate),
        weighted=weighted,
        missing=missing,
        score=score_on(scale, measured),
    )


# -------------------------------------------------------------------------------------------- order


def _strength(each: _Candidate) -> tuple[float, float]:
    """The score, then the step: of two that are equal, the one that has learnt longer, from which
    training would go on.
    """
    step = math.inf if each.measured.step is None else each.measured.step
    return (-math.inf if each.score is None else each.score), step


def _best_first(each: _Candidate) -> tuple[bool, bool, float, float, str, str]:
    """Accepted, then evaluated, then failed; the name last, so that no order of arrival counts."""
    score, step = _strength(each)
    measured = each.measured
    return bool(measured.failed), not each.accepted, -score, -step, measured.name, measured.path


def _across_zero(by: Estimate | None) -> bool:
    """Whether 0 cannot be ruled out; without a scale in common, or an interval, it never can."""
    if by is None or by.low is None or by.high is None:
        return True
    return by.low <= 0.0 <= by.high


# ------------------------------------------------------------------------------------------ reasons


def _why_selected(
    accepted: Sequence[_Candidate], of: int, scale: Scale, to_next: Estimate | None
) -> str:
    best = accepted[0]
    told = [tr("{name} passes the gate.", name=best.name)]
    if len(accepted) > 1 and scale.parts:
        told.append(
            tr(
                "Of {count} that pass it has the highest score: {score} on {parts}.",
                count=len(accepted),
                score=shown(best.score or 0.0),
                parts=_listed(scale.parts),
            )
        )
    elif of > 1 and len(accepted) == 1:
        told.append(tr("It is the only one of {count} that passes.", count=of))
    marginal = [name for name, each in best.acceptance.criteria.items() if each.marginal]
    if marginal:
        told.append(tr("Marginal: {criteria}.", criteria=", ".join(marginal)))
    if len(accepted) > 1:
        told.append(_ahead_of(accepted[1], to_next))
    return " ".join(told)


def _ahead_of(other: _Candidate, by: Estimate | None) -> str:
    if by is None or by.value is None:
        return tr(
            "It cannot be compared with {other}: no part was measured of all. "
            "The later step was taken.",
            other=other.name,
        )
    limits = interval_shown(by)
    if limits is None:
        return tr(
            "This counts as a tie with {other}: the difference, {by}, has no interval, because "
            "nothing is known of how a part of it varies: one test, block of text or run alone "
            "does not tell. The higher score is selected.",
            other=other.name,
            by=shown(by.value),
        )
    gaps = {"other": other.name, "by": shown(by.value), "low": limits[0], "high": limits[1]}
    if _across_zero(by):
        return tr(
            "This is a tie with {other}: the difference, {by}, has a 95 % interval across 0, "
            "{low} to {high}. The higher score is selected.",
            **gaps,
        )
    return tr("It is {by} ahead of {other}; the 95 % interval is {low} to {high}.", **gaps)


def _why_none(best: _Candidate, of: int, scale: Scale) -> str:
    told = [
        trn("The checkpoint does not pass the gate.", "None of {count} passes the gate.", of),
    ]
    if of > 1 and best.score is not None:
        told.append(
            tr(
                "The best so far is {name}, with {score} on {parts}.",
                name=best.name,
                score=shown(best.score),
                parts=_listed(scale.parts),
            )
        )
    lacks = [each.reason for each in best.acceptance.criteria.values() if each.passed is not True]
    return " ".join([*told, tr("What {name} lacks:", name=best.name), *lacks])


def _why_nothing(ranking: Sequence[_Candidate]) -> str:
    if not ranking:
        return tr("There is no checkpoint to select from.")
    return tr("No checkpoint could be evaluated.")


def _listed(parts: Sequence[Part]) -> str:
    return ", ".join(parts)


# -------------------------------------------------------------------------------------------- notes


def _notes(
    evaluated: Sequence[_Candidate], scale: Scale, on_pairs: Sequence[str]
) -> tuple[str, ...]:
    """What a reader of the ranking must know, each once."""
    notes = [*scale.notes, *on_pairs]
    for part in PARTS:
        lacking = [each.name for each in evaluated if part in each.missing]
        if lacking and len(lacking) < len(evaluated):
            notes.append(
                trn(
                    "Ranked without {part}, which {names} lacks.",
                    "Ranked without {part}, which {names} lack.",
                    len(lacking),
                    part=part,
                    names=", ".join(lacking),
                )
            )
    if "speed" in scale.parts and len({_machine(each.measured) for each in evaluated}) > 1:
        notes.append(tr("Speeds were measured on different machines, and are ranked as they are."))
    for each in evaluated:
        unfinished = [part for part in scale.parts if part in _incomplete_parts(each.measured)]
        if unfinished:
            notes.append(
                tr(
                    "{name} is ranked on incomplete figures: {parts}.",
                    name=each.name,
                    parts=_listed(unfinished),
                )
            )
    return tuple(dict.fromkeys(notes))


def _incomplete_parts(measured: Measured) -> set[Part]:
    found: set[Part] = set()
    suite = measured.suites.get(OS_SUITE)
    if suite and any(
        task in suite.categories and suite.categories[task].incomplete for task in OS_AVERAGED
    ):
        found.add("os_benchmark")
    if measured.mmlu_cs is not None and measured.mmlu_cs.incomplete:
        found.add("mmlu_cs")
    return found


def _machine(measured: Measured) -> tuple[str, str]:
    """What decides how fast a processor is, as far as it was noted."""
    noted = measured.provenance.get("machine")
    known = noted if isinstance(noted, Mapping) else {}
    return str(known.get("processor", "")), str(known.get("cores", ""))
