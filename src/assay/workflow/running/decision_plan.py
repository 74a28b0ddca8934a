"""What a run will measure of its checkpoints and decide on."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from assay.suites.held_out_text import HeldOut
from assay.types.choices import MeasureKind
from assay.types.decisions import DecisionPlan, Gate, NamedText, PlannedCheckpoint
from assay.types.measures import every_measure, kinds_by_default
from assay.workflow.checkpoints.measures import training_log
from assay.workflow.checkpoints.places import CheckpointPlace, planned_checkpoint
from assay.workflow.running.job import Job
from assay.workflow.running.opening import Opened
from assay.workflow.running.own_prompts import is_own


def what_to_decide(
    job: Job,
    places: Sequence[CheckpointPlace | None],
    opened: Opened,
    gate: Gate | None,
    held_out: HeldOut | None,
    named: Mapping[str, HeldOut],
    training: HeldOut | None,
    confirming: Mapping[str, str],
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
        texts=tuple(
            NamedText(
                name=name,
                file=text.name,
                digest=text.digest,
                is_perplexity=text is held_out and "perplexity" in kinds,
            )
            for name, text in named.items()
        ),
        train_text=training.name if training else "",
        train_text_digest=training.digest if training else "",
        samples=job.samples,
        top=tops.pop() if len(tops) == 1 else "",
        write_back=job.write_back,
        leaves=job.leaves,
        confirming=confirming,
        early=job.decide,
    )


def _measurable(gate: Gate, opened: Opened) -> Gate:
    """The default gate for plugins' models alone, without what they cannot do."""
    writes = all("generate" in model.facts.capabilities for model in opened.models)
    for measure in every_measure():
        if measure.kind == "speed" or (measure.kind == "generation" and not writes):
            gate = measure.leave_out(gate)
    return gate if writes else replace(gate, suites=())


def measures_of(job: Job, gate: Gate) -> tuple[MeasureKind, ...]:
    training: tuple[MeasureKind, ...] = () if job.train_text is None else ("training",)
    if gate.texts:
        training = ("text", *training)
    if job.measures is not None:
        return (*job.measures, *training)
    asked = job.gate is not None
    needed = {each.kind for each in every_measure() if asked and each.is_needed(gate)}
    if job.text:
        needed.add("perplexity")
    return (*(kind for kind in kinds_by_default() if kind in needed), *training)


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
