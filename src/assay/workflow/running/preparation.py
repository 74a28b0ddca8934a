"""Everything a job needs, found and checked before the first request; every mistake at once."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from assay.errors import AssayError, raise_all, tried
from assay.harness.tasks import HarnessTasks
from assay.messages import tr
from assay.plan import Plan, cannot_think, make_plan
from assay.suites.load import confirming_suites
from assay.types import Model, Request, Suite
from assay.types.decisions import DecisionPlan
from assay.types.measures import every_measure
from assay.types.model_spec import without_secrets
from assay.types.models import NATIVE
from assay.workflow.checkpoints.measures import Measures, timed_runs_of
from assay.workflow.checkpoints.places import (
    CheckpointPlace,
    place_of_served,
    places_of,
    with_bases,
)
from assay.workflow.checkpoints.tokenizer_texts import SourceTexts, texts_to_cut
from assay.workflow.running.decision_plan import measures_of, what_to_decide
from assay.workflow.running.early import StopRule, rule_of_gate
from assay.workflow.running.job import Job
from assay.workflow.running.job_checks import senseless, with_usual_suites
from assay.workflow.running.job_files import JobFiles, read_files, without_suite_file
from assay.workflow.running.judging.panel import JudgePanel, judged_cases, open_panel
from assay.workflow.running.opening import (
    Opened,
    left_out,
    open_models,
    place_of_given,
    without_texts,
)
from assay.workflow.running.own_prompts import is_own


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A job that can begin. `confirming`: suites that only the selected checkpoint is asked."""

    suites: tuple[Suite, ...]
    specs: tuple[str, ...]
    models: tuple[Model, ...]
    plans: tuple[Plan, ...]
    notes: tuple[str, ...] = ()
    deciding: DecisionPlan | None = None
    measures: Measures = field(default_factory=Measures)
    to_cut: tuple[SourceTexts, ...] = ()
    panel: JudgePanel | None = None
    confirming: tuple[Suite, ...] = ()
    harness: Mapping[str, HarnessTasks] = field(default_factory=dict)
    stop: StopRule | None = None  # when a model has been asked enough; None: ask everything

    def close(self) -> None:
        for model in self.models:
            model.close()
        if self.panel:
            self.panel.close()

    def measures_of(self, spec: str, model: Model, plan: Plan) -> list[Request]:
        """What is measured of a model: of a served one the figures of plugins; no speed of a
        plugin's model.
        """
        subjects = {each.spec: each for each in (self.deciding.subjects if self.deciding else ())}
        if without_secrets(spec) not in subjects:
            return list(self.measures.requests(plan, subject=False))
        on_disk = [
            each.facts
            for name, each in zip(self.specs, self.models, strict=True)
            if (subject := subjects.get(without_secrets(name))) and subject.path
        ]
        timed = timed_runs_of(model.facts, on_disk) if model.facts in on_disk else ()
        return list(self.measures.requests(plan, timed))

    @property
    def of_plugins_key(self) -> list[str]:
        """What the measures of plugins ask: other prompts are another run."""
        asked = (self.measures.requests(plan, subject=False) for plan in self.plans)
        return [request.id for requests in asked for request in requests]

    @property
    def deciding_key(self) -> list[object]:
        """What another decision would be another run for."""
        deciding = self.deciding
        assert deciding is not None
        gate = deciding.gate
        return [
            repr(gate),
            *([repr(gate.tables)] if gate.tables else []),
            *([repr(gate.more)] if gate.more else []),
            *([repr(deciding.texts)] if deciding.texts else []),
            list(deciding.measures),
            [deciding.text_digest, deciding.train_text_digest, repr(deciding.samples)],
            [subject.name for subject in deciding.subjects if subject.failed],
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _NamedModels:
    """The models of a job by their specs, each with its place if it is decided on, and the job with
    its usual suites; `by_default`: nobody named them. `given`: of models that are open already.
    """

    job: Job
    by_default: bool
    named: tuple[tuple[str, CheckpointPlace | None], ...]
    given: tuple[CheckpointPlace | None, ...]

    @property
    def places(self) -> tuple[CheckpointPlace | None, ...]:
        return (*self.given, *(place for _, place in self.named))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Planned:
    """Which tests are asked, and of each model how."""

    suites: tuple[Suite, ...]
    plans: tuple[Plan, ...]
    notes: tuple[str, ...]


def prepare(job: Job) -> Prepared:
    """Collect what is wrong and show it together. A server is probed only when nothing else is."""
    named = _name_models(job)
    errors: list[AssayError] = [*senseless(named.job)]
    files = read_files(named.job, named.places, errors)
    with ExitStack() as unless_ready:
        opened = _open_models(named, files, errors)
        unless_ready.callback(opened.close)
        panel = _open_panel(named.job, files, opened, errors)
        if panel:
            unless_ready.callback(panel.close)
        raise_all(errors)
        opened = opened.probed(errors)
        if panel:
            panel.probe_judges(errors)
        raise_all(errors)
        planned = _plan_requests(named, files, opened, errors)
        raise_all(errors)
        opened.refuse_if_all_failed()
        unless_ready.pop_all()
    return _put_together(named, files, opened, panel, planned)


def _name_models(job: Job) -> _NamedModels:
    named = [(each.spec, each) for each in job.places] or with_bases(places_of(job.specs), job.base)
    given = tuple(map(place_of_given, job.given))
    whole = with_usual_suites(job, [*given, *(place for _, place in named)])
    if job.gate is not None:
        named = [(spec, place or place_of_served(spec)) for spec, place in named]
    return _NamedModels(
        job=whole, by_default=whole.suites != job.suites, named=tuple(named), given=given
    )


def _open_models(named: _NamedModels, files: JobFiles, errors: list[AssayError]) -> Opened:
    job = named.job
    reads = bool(job.text or job.texts) and (job.measures is None or "perplexity" in job.measures)
    to_read = [each for each in (files.held_out if reads else None, files.training) if each]
    to_read += files.named.values()
    opened = open_models(job, named.named, to_read, errors).without_second_mentions()
    errors += opened.named_twice()
    for model in opened.models:
        errors += cannot_think(model.facts, job.options)
    return opened


def _open_panel(
    job: Job, files: JobFiles, opened: Opened, errors: list[AssayError]
) -> JudgePanel | None:
    """Evidence needs it also without judges."""
    if not job.judges and not judged_cases(files.suites):
        return None
    tested = [model.facts for model in opened.models]
    writes = files.gate is not None and "generation" in measures_of(job, files.gate)
    found = tried(errors, open_panel, job, files.suites, tested, job, job, has_samples=writes)
    return next(iter(found), None)


def _plan_requests(
    named: _NamedModels, files: JobFiles, opened: Opened, errors: list[AssayError]
) -> _Planned:
    """Of suites that nobody named, only the tests that all models can answer."""
    suites, gate = files.suites, files.gate
    silent = opened.that_cannot_write if named.by_default else ()
    notes: tuple[str, ...] = ()
    if silent:
        suites = without_texts(suites)
        notes = (
            tr("{models} cannot write text: only multiple-choice tests are asked",
               models=", ".join(silent)),
        )  # fmt: skip
    kept_back = confirming_suites(suites, gate)
    asked = tuple(each for each in suites if each.name not in kept_back)
    plans = tuple(
        plan
        for model in opened.models
        for plan in tried(errors, make_plan, asked, model.facts, named.job.options)
    )
    return _Planned(suites=suites, plans=plans, notes=notes)


def _put_together(
    named: _NamedModels,
    files: JobFiles,
    opened: Opened,
    panel: JudgePanel | None,
    planned: _Planned,
) -> Prepared:
    job, places, suites = named.job, named.places, planned.suites
    held_out, training = files.held_out, files.training
    confirming = confirming_suites(suites, files.gate)
    deciding = what_to_decide(
        job, places, opened, files.gate, held_out, files.named, training, confirming
    )
    failed = [(each.name, opened.failed[each]) for each in places if each and each in opened.failed]
    return Prepared(
        suites=suites,
        specs=opened.specs,
        models=opened.models,
        plans=planned.plans,
        notes=(
            *without_suite_file(job, suites),
            *(panel.unchecked(suites) if panel else ()),
            *opened.notes,
            *_through_v1(job, opened.models),
            *planned.notes,
            *(left_out(name, why) for name, why in failed),
        ),
        deciding=deciding,
        measures=Measures(
            deciding=deciding if held_out else None,
            held_out=held_out,
            training=training,
            named=files.named,
            of_plugins=own_measures_of(job),
        ),
        confirming=tuple(each for each in suites if each.name in confirming),
        to_cut=texts_to_cut(suites, held_out if "perplexity" in deciding.measures else None)
        if deciding
        else (),
        panel=panel,
        harness=files.harness,
        stop=rule_of_gate(
            deciding.gate,
            [each for each in suites if each.name not in confirming],
            seed=job.seed,
            repeats=job.repeats,
        )
        if deciding and deciding.early
        else None,
    )


def _through_v1(job: Job, models: Sequence[Model]) -> Iterator[str]:
    """Of a model behind Ollama that is not asked by Ollama's own interface."""
    for facts in (model.facts for model in models):
        if native := facts.about.get(NATIVE):
            words = shlex.split(job.command)
            instead = [native if word == facts.spec else word for word in words]
            yield tr(
                "{spec} is behind an Ollama: through /v1 its repeat_penalty cannot be switched "
                "off, its context cannot be set, so that long prompts may be cut in silence, and "
                "it reports no times; its own interface has none of this: {command}",
                spec=facts.spec,
                command=shlex.join(instead) if instead != words else f"assay run {native}",
            )


def own_measures_of(job: Job) -> tuple[str, ...]:
    """The measures of plugins that every model of a run is asked for; own prompts are no run."""
    own = [each.name for each in every_measure() if each.of_every_model]
    if job.only_named:
        own = [name for name in own if name in (job.measures or ())]
    return () if job.own and all(map(is_own, job.own)) else tuple(own)
