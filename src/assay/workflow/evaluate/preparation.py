"""Everything a job needs, found and checked before the first request.

Raises every mistake at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.errors import AssayError, raise_all
from assay.messages import tr
from assay.models.opening import read_spec
from assay.plan import Plan, cannot_think, make_plan
from assay.suites.catalogue import FETCHED, catalogue
from assay.suites.sample_prompts import load_samples
from assay.types import Model, Request, Suite
from assay.types.decisions import MEASURES, DecisionPlan, Gate
from assay.types.model_spec import without_secrets
from assay.workflow.checkpoints.decision_plan import what_to_decide
from assay.workflow.checkpoints.measures import (
    SPEED,
    Measures,
    share_timed_runs,
    ways_to_write,
)
from assay.workflow.checkpoints.places import CheckpointPlace, places_of
from assay.workflow.evaluate.job import Job
from assay.workflow.evaluate.job_files import (
    gate_and_text,
    senseless,
    suites_of,
    texts_to_read,
    training_text,
    tried,
)
from assay.workflow.evaluate.opened_models import left_out, open_models, place_of_given
from assay.workflow.judging.panel import JudgePanel, judged_cases, open_panel

OF_SERVED = ("coding", "data")
OF_CHECKPOINTS = ("os", "technical", "troubleshooting")  # and what was fetched


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A job that can begin. `specs` name the models, in their order. Of the suites `remeasured`
    only the replies are reused that the run itself asked for.
    """

    suites: tuple[Suite, ...]
    specs: tuple[str, ...]
    models: tuple[Model, ...]
    plans: tuple[Plan, ...]
    notes: tuple[str, ...] = ()
    deciding: DecisionPlan | None = None
    measures: Measures | None = None
    remeasured: tuple[str, ...] = ()
    panel: JudgePanel | None = None

    def close(self) -> None:
        for model in self.models:
            model.close()
        if self.panel:
            self.panel.close()

    def measures_of(self, spec: str, model: Model) -> list[Request]:
        """What is measured of a model: nothing of a served one, and no speed of a plugin's."""
        subjects = {each.spec: each for each in (self.deciding.subjects if self.deciding else ())}
        if self.measures is None or without_secrets(spec) not in subjects:
            return []
        on_disk = [
            each.facts
            for name, each in zip(self.specs, self.models, strict=True)
            if (subject := subjects.get(without_secrets(name))) and subject.path
        ]
        timed = share_timed_runs(model.facts, on_disk) if model.facts in on_disk else ()
        return list(self.measures.requests(model.facts, timed))

    @property
    def deciding_key(self) -> list[object]:
        """What another decision would be another run for."""
        if self.deciding is None:
            return []
        deciding = self.deciding
        return [
            repr(deciding.gate),
            list(deciding.measures),
            [deciding.text_digest, deciding.train_text_digest, repr(deciding.samples)],
            [subject.name for subject in deciding.subjects if subject.failed],
            *self.remeasured,
        ]


def prepare(job: Job) -> Prepared:
    """Load, find and plan everything; collect what is wrong and show it together. A server is
    probed only when nothing else is wrong, for then a probe is all that asks a model anything.
    """
    named = [(each.spec, each) for each in job.places] or places_of(job.models)
    places = [*map(place_of_given, job.given), *(place for _, place in named)]
    whole = _with_defaults(job, places)
    by_default, job = whole.suites != job.suites, whole
    errors: list[AssayError] = [*senseless(job)]
    suites = suites_of(job, errors)
    gate, held_out = gate_and_text(job, places, suites, errors)
    training = training_text(job, errors)
    opened = open_models(job, named, texts_to_read(job, held_out, training), errors)
    panel: JudgePanel | None = None
    try:
        opened.leave_out_copies()
        errors += opened.named_twice()
        for model in opened.models:
            errors += cannot_think(model.facts, job.options)
        if job.judges or judged_cases(suites):  # evidence needs it also without judges
            tested = [model.facts for model in opened.models]
            panel = next(iter(tried(errors, open_panel, job, suites, tested, job, job)), None)
        raise_all(errors)
        opened.probe(errors)
        if panel:
            panel.probe_judges(errors)
        raise_all(errors)
        if by_default:
            suites = opened.leave_out_texts(suites)
        plans = [
            plan
            for model in opened.models
            for plan in tried(errors, make_plan, suites, model.facts, job.options)
        ]
        raise_all(errors)
        opened.refuse_if_all_failed()
    except BaseException:
        opened.close()
        if panel:
            panel.close()
        raise
    deciding = what_to_decide(job, places, opened, gate, held_out, training)
    unused = "" if job.given else job.unused_judge_options
    no_effect = tr(
        "nothing is judged, because no --judge is given: {options} has no effect", options=unused
    )
    return Prepared(
        suites=suites,
        specs=tuple(opened.specs),
        models=tuple(opened.models),
        plans=tuple(plans),
        notes=(
            *([no_effect] if unused else []),
            *(panel.unchecked(suites) if panel else ()),
            *opened.notes,
            *(
                left_out(place.name, opened.failed[place])
                for place in places
                if place in opened.failed
            ),
        ),
        deciding=deciding,
        measures=Measures(
            kinds=deciding.measures,
            held_out=held_out,
            samples=deciding.samples or load_samples(),
            ways=ways_to_write(deciding),
            training=training,
        )
        if deciding and held_out
        else None,
        remeasured=(SPEED,) if job.remeasure else (),
        panel=panel,
    )


def check_files(job: Job) -> Gate:
    """What is wrong with suites, gate and texts, for a job whose checkpoints are yet to come.
    Raises every mistake at once; returns the gate.
    """
    to_come = [CheckpointPlace(spec="", path=Path(), parent="", step_name="")]
    job = _with_defaults(job, to_come)
    errors: list[AssayError] = [*senseless(job)]
    gate, _ = gate_and_text(job, to_come, suites_of(job, errors), errors)
    training_text(job, errors)
    raise_all(errors)
    assert gate is not None
    return gate


def _with_defaults(job: Job, places: Sequence[CheckpointPlace | None]) -> Job:
    """No suite named: what every checkpoint is asked, or every served model. Answers of a script
    are answers to tests that somebody had in mind, so those must be named.
    """
    if job.suites or job.own or job.only_named or not places:
        return job
    if not any(places) and not any(read_spec(spec).scheme == "scripted" for spec in job.models):
        return replace(job, suites=OF_SERVED)
    if not all(places):
        return job
    named = catalogue(job.benchmarks)
    fetched = tuple(name for name in FETCHED if name in named)
    return replace(job, suites=(*OF_CHECKPOINTS, *fetched), measures=job.measures or MEASURES)
