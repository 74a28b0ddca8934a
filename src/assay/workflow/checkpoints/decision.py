"""From measured checkpoints to a decision. The steps, in order:

1 accept    every checkpoint at the gate
2 weigh     what each is worth
3 select    the one to ship, in every model folder and over all of them
4 advise    what to change next, by the trend over a folder's steps
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from assay.decide.accept import accept
from assay.decide.advice import advise
from assay.decide.scores import weigh, weighted_estimate
from assay.decide.select import select
from assay.decide.trend import Trend, trend
from assay.types.decisions import (
    Acceptance,
    Decision,
    DecisionPlan,
    Measurements,
    Selection,
)


def decide(deciding: DecisionPlan, measured: Sequence[Measurements], *, timestamp: str) -> Decision:
    gate = deciding.gate
    acceptances = {each.name: accept(each, gate) for each in measured}
    weighed = {each.name: weigh(each) for each in measured}
    of_folders: dict[str, list[str]] = {}
    for subject in deciding.subjects:
        if subject.folder:
            of_folders.setdefault(subject.folder, []).append(subject.name)
    folders = {folder: tuple(names) for folder, names in of_folders.items()}
    by_name = {each.name: each for each in measured}
    inside = {
        folder: [by_name[name] for name in names if name in by_name]
        for folder, names in folders.items()
    }
    selections: dict[str, Selection] = {}
    trends: dict[str, Trend | None] = {}
    for folder, candidates in inside.items():
        trends |= dict.fromkeys(folders[folder], trend(candidates))
        if deciding.selects:
            selections[folder] = select(candidates, gate, timestamp=timestamp)
    overall = None
    if deciding.selects and folders and (deciding.top or len(folders) > 1):
        overall = select([each for of in inside.values() for each in of], gate, timestamp=timestamp)
    return Decision(
        gate=gate,
        gate_decides=deciding.selects,
        measured=tuple(measured),
        acceptances=acceptances if deciding.selects else _without_decision(acceptances),
        weighted={name: score for name, (score, _) in weighed.items()},
        missing_parts={name: missing for name, (_, missing) in weighed.items()},
        advice={
            each.name: advise(each, acceptances[each.name], trends.get(each.name), gate)
            for each in measured
        },
        weighted_estimates={each.name: weighted_estimate(each) for each in measured},
        folders=folders,
        selections=selections,
        overall=overall,
    )


def _without_decision(acceptances: Mapping[str, Acceptance]) -> dict[str, Acceptance]:
    """How each fares at a gate that decides nothing: figures and limits, and no yes or no."""
    return {
        name: Acceptance(
            accepted=None,
            criteria={
                key: replace(criterion, passed=None)
                for key, criterion in acceptance.criteria.items()
            },
        )
        for name, acceptance in acceptances.items()
    }


def selected_in(decision: Decision) -> str | None:
    """The name of the one to ship: over all folders, or in the only one."""
    if decision.overall is not None:
        return decision.overall.selected
    if len(decision.selections) == 1:
        return next(iter(decision.selections.values())).selected
    return None


def passes(deciding: DecisionPlan, decision: Decision) -> bool:
    """Whether the gate lets it pass: one of what the folders hold can be shipped, and what was
    named with a gate is accepted.
    """
    if not deciding.selects:
        return True
    chosen = not decision.folders or selected_in(decision) is not None
    named = [subject.name for subject in deciding.subjects if not subject.folder]
    accepted = all(decision.acceptances[name].accepted is True for name in named)
    return chosen and (accepted or not deciding.asked)
