"""The checkpoints of one model folder as reports see them: figures, names, decisions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from assay.messages import tr
from assay.text.number_format import count, fixed, readable
from assay.types import Estimate
from assay.types.decisions import (
    Acceptance,
    Decision,
    Gate,
    GateCriterion,
    Measurements,
    Selection,
    WeightedScore,
)
from assay.types.measures import every_measure


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatedFolder:
    checkpoints: Sequence[Measurements]
    gate: Gate
    acceptances: Mapping[str, Acceptance] = field(default_factory=dict)
    weighted: Mapping[str, WeightedScore] = field(default_factory=dict)
    selected: str | None = None


def evaluated_folder(
    decision: Decision, names: Collection[str], selection: Selection | None
) -> EvaluatedFolder:
    return EvaluatedFolder(
        checkpoints=[each for each in decision.measured if each.name in names],
        gate=decision.gate,
        acceptances=decision.acceptances,
        weighted=decision.weighted,
        selected=selection.selected if selection else None,
    )


def in_words(figure: Estimate) -> str:
    shown = readable(figure.value or 0.0)
    if figure.low is not None or figure.high is not None:
        low, high = ("?" if end is None else readable(end) for end in (figure.low, figure.high))
        shown = f"{shown} [{low}–{high}]"
    shown = f"{shown} n={count(figure.n)}"
    return tr("{figure}, incomplete", figure=shown) if figure.incomplete else shown


def figures(of: EvaluatedFolder, checkpoint: Measurements) -> dict[str, Estimate | None]:
    criteria, score = _criteria(of, checkpoint), of.weighted.get(checkpoint.name)
    found = {
        name: figure
        for measure in every_measure()
        for name, figure in measure.shown(checkpoint, of.gate, criteria).items()
    }
    parts = score.parts if score else {}
    found |= {
        "weighted_score": score.estimate if score else None,
        **{f"weighted_score.{part}": each for part, each in parts.items()},
    }
    return {name: each if each and each.n else None for name, each in found.items()}


def parts_in_words(score: WeightedScore) -> str:
    """Perplexity 0.082 + os_benchmark 0.269 + speed 0.146, without mmlu_cs"""
    adds = score.adds.items()
    said = " + ".join(f"{part} {fixed(each, 3)}" for part, each in adds if each is not None)
    missing = ", ".join(score.missing)
    return tr("{parts}, without {missing}", parts=said, missing=missing) if missing else said


def figure_cells(of: Estimate | None) -> tuple[float | None, ...]:
    return (None,) * 4 if of is None else (of.value, of.low, of.high, of.n)


def estimates_of(checkpoint: Measurements) -> dict[str, Estimate | None]:
    found = (measure.figures(checkpoint).items() for measure in every_measure())
    return {name: figure for figures in found for name, figure in figures}


def limits(of: EvaluatedFolder, name: str) -> list[float]:
    """Those of one criterion, one for each size class among the checkpoints, lowest first."""
    criteria = (_criteria(of, checkpoint).get(name) for checkpoint in of.checkpoints)
    return sorted({each.limit for each in criteria if each and each.limit is not None})


def marginal(of: EvaluatedFolder, checkpoint: Measurements, name: str | None = None) -> bool:
    criteria = _criteria(of, checkpoint).items()
    return any(criterion.marginal for key, criterion in criteria if name in (None, key))


def accepted_words(of: EvaluatedFolder, checkpoint: Measurements) -> str:
    acceptance = of.acceptances.get(checkpoint.name)
    if checkpoint.failed:
        return tr("failed")
    if acceptance is None:
        return "–"
    shown = {True: tr("yes"), False: tr("no"), None: "?"}[acceptance.accepted]
    near = marginal(of, checkpoint)
    if acceptance.accepted is False:  # one limit that is clearly missed decides alone
        missed = (each for each in acceptance.criteria.values() if each.passed is False)
        near = all(each.marginal for each in missed)
    return tr("{accepted}, marginal", accepted=shown) if near else shown


def _criteria(of: EvaluatedFolder, checkpoint: Measurements) -> Mapping[str, GateCriterion]:
    acceptance = of.acceptances.get(checkpoint.name)
    return acceptance.criteria if acceptance is not None else {}


def parent_of(checkpoints: Sequence[Measurements]) -> str | None:
    parents = {checkpoint.name.rpartition("/")[0] for checkpoint in checkpoints}
    only = parents.pop() if len(parents) == 1 else ""
    return only or None


def short_name(checkpoint: Measurements, parent: str | None) -> str:
    return checkpoint.name if parent is None else checkpoint.name[len(parent) + 1 :]
