"""What a run will measure of its checkpoints and decide on; and the decision itself."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from assay.decide.accept import accept, find_not_covered
from assay.decide.advice import advise
from assay.decide.scores import weigh
from assay.decide.select import select
from assay.decide.trend import Trend, changes_from_base, find_signals, trend
from assay.suites.held_out_text import HeldOut
from assay.types.choices import MeasureKind
from assay.types.decisions import (
    MEASURES,
    Acceptance,
    ChangeFromBase,
    Decision,
    DecisionPlan,
    Gate,
    Measurements,
    PlannedCheckpoint,
    Selection,
)
from assay.workflow.checkpoints.measures import training_log
from assay.workflow.checkpoints.places import CheckpointPlace, planned_checkpoint
from assay.workflow.evaluate.job import Job, Opened, is_own


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
    signals = {folder: find_signals(found) for folder, found in inside.items()}
    bases = {subject.name for subject in deciding.subjects if subject.is_base}
    for folder, found in inside.items():
        trends |= dict.fromkeys(folders[folder], trend(found))
        if deciding.selects:
            noise = [each.suite for each in signals[folder] if not each.carries]
            candidates = _candidates(found, bases)
            selections[folder] = select(candidates, gate, timestamp=timestamp, noise=noise)
    overall = None
    if deciding.selects and folders and (deciding.top or len(folders) > 1):
        several = [each for found in inside.values() for each in _candidates(found, bases)]
        overall = select(several, gate, timestamp=timestamp)
    return Decision(
        gate=gate,
        gate_decides=deciding.selects,
        measured=tuple(measured),
        acceptances={
            name: each if deciding.selects else _without_decision(each)
            for name, each in acceptances.items()
        },
        weighted=weighed,
        advice={
            each.name: advise(each, acceptances[each.name], trends.get(each.name), gate)
            for each in measured
        },
        not_covered={
            each.name: find_not_covered(each, gate, weighed[each.name]) for each in measured
        },
        folders=folders,
        selections=selections,
        signals=signals,
        overall=overall,
        changes={name: change for of in inside.values() for name, change in _changes(of, bases)},
    )


def _candidates(found: Sequence[Measurements], bases: Collection[str]) -> list[Measurements]:
    """The base of adapters is measured to compare with, not to be selected."""
    return [each for each in found if each.name not in bases] or list(found)


def _changes(
    found: Sequence[Measurements], bases: Collection[str]
) -> Iterator[tuple[str, tuple[ChangeFromBase, ...]]]:
    whole = [each for each in found if not each.failed]
    for base in (each for each in whole if each.name in bases):
        yield from (
            (each.name, changes_from_base(base, each)) for each in whole if each is not base
        )


def _without_decision(acceptance: Acceptance) -> Acceptance:
    criteria = {name: replace(each, passed=None) for name, each in acceptance.criteria.items()}
    return Acceptance(accepted=None, criteria=criteria)


def selected_in(decision: Decision) -> str | None:
    if decision.overall is not None:
        return decision.overall.selected
    if len(decision.selections) == 1:
        return next(iter(decision.selections.values())).selected
    return None


def passes(deciding: DecisionPlan, decision: Decision) -> bool:
    """A folder has one selected, a named one is accepted; unknown passes the default gate alone."""
    if not deciding.selects:
        return True
    chosen = not decision.folders or selected_in(decision) is not None
    named = [subject.name for subject in deciding.subjects if not subject.folder]
    accepted = {decision.acceptances[name].accepted for name in named}
    return chosen and not accepted & ({False, None} if deciding.asked else {False})


def what_to_decide(
    job: Job,
    places: Sequence[CheckpointPlace | None],
    opened: Opened,
    gate: Gate | None,
    held_out: HeldOut | None,
    training: HeldOut | None,
) -> DecisionPlan | None:
    """Own prompts decide nothing, and neither do models that are no checkpoints."""
    known = [place for place in places if place is not None]
    prompts = bool(job.own) and all(map(is_own, job.own))
    if not known or held_out is None or gate is None or prompts:
        return None
    if job.gate is None and not any(place.on_disk for place in known):
        gate = _measurable(gate, opened)
    if job.temperature_and_seeds is not None:
        temperature, seeds = job.temperature_and_seeds
        gate = replace(gate, generation_temperature=temperature, generation_seeds=seeds)
    open_ones = set(opened.places)
    tops = {str(place.top or "") for place in known if place.folder is not None}
    kinds = measures_of(job, gate)
    return DecisionPlan(
        subjects=tuple(
            _subject(place, opened.failed.get(place, ""), known)
            for place in known
            if place in open_ones or place in opened.failed
        ),
        measures=kinds,
        gate=gate,
        selects=job.apply_gate and (job.gate is not None or job.measures is not None),
        asked=job.gate is not None,
        text=held_out.name if "perplexity" in kinds else "",
        text_digest=held_out.digest if "perplexity" in kinds else "",
        train_text=training.name if training else "",
        train_text_digest=training.digest if training else "",
        samples=job.samples,
        top=tops.pop() if len(tops) == 1 else "",
        write_back=job.write_back,
        leaves=job.leaves,
    )


def _measurable(gate: Gate, opened: Opened) -> Gate:
    """The default gate for plugins' models alone, without what they cannot do."""
    writes = all("generate" in model.facts.capabilities for model in opened.models)
    return replace(
        gate,
        suites=gate.suites if writes else (),
        speed_min=None,
        memory_max_mb=None,
        generation_max_failures=gate.generation_max_failures if writes else None,
    )


def measures_of(job: Job, gate: Gate) -> tuple[MeasureKind, ...]:
    training: tuple[MeasureKind, ...] = () if job.train_text is None else ("training",)
    if job.measures is not None:
        return (*job.measures, *training)
    asked = job.gate is not None
    needed: Mapping[MeasureKind, bool] = {
        "perplexity": job.text is not None
        or (asked and (gate.perplexity_max is not None or bool(gate.accuracy_min))),
        "answers": False,
        "generation": asked and gate.generation_max_failures is not None,
        "speed": asked and not (gate.speed_min is None and gate.memory_max_mb is None),
    }
    return (*(kind for kind in MEASURES if needed[kind]), *training)


def _subject(
    place: CheckpointPlace, failed: str, known: Sequence[CheckpointPlace]
) -> PlannedCheckpoint:
    """Several models of one plugin are selected from, like the checkpoints of a folder."""
    planned = replace(planned_checkpoint(place), failed=failed)
    if not place.on_disk:
        alike = [each for each in known if not each.on_disk and each.parent == place.parent]
        is_of_several = len(alike) > 1 and not place.served
        return replace(planned, path="", folder=f"{place.parent}:" if is_of_several else "")
    training, note = training_log(place.path, place.folder, place.step)
    return replace(planned, training=training, training_note=note)
