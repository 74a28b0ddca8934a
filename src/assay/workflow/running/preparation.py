"""Everything a job needs, found and checked before the first request; every mistake at once."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from assay.errors import AssayError, UsageError, raise_all, tried
from assay.files.notes import invalid_files
from assay.files.wording import did_you_mean
from assay.judge.rubrics import load_rubric
from assay.messages import tr
from assay.models.opening import read_spec
from assay.plan import Plan, cannot_think, make_plan
from assay.reports.checkpoints.curves import tensorboard_writer
from assay.sandbox import open_sandbox
from assay.suites.default_suites import OF_CHECKPOINTS, OF_SERVED
from assay.suites.gate_file import check_gate, load_gate
from assay.suites.held_out_text import HeldOut, load_held_out
from assay.suites.load import (
    benchmarks_folder,
    catalogue,
    find,
    load_all,
    only_tests,
    pick_all,
    with_twins,
)
from assay.suites.suite_file import has_suite_file, language_code, with_defaults
from assay.types import CONSTRAINED, LANGUAGES, THINKING, Model, Request, Suite
from assay.types.decisions import MEASURES, DecisionPlan, Gate
from assay.types.model_spec import without_secrets
from assay.workflow.checkpoints.measures import SPEED, Measures, share_timed_runs
from assay.workflow.checkpoints.places import (
    CheckpointPlace,
    is_text,
    place_of_served,
    places_of,
    with_bases,
)
from assay.workflow.checkpoints.tokenizer_texts import SourceTexts, texts_to_cut
from assay.workflow.running.decision_plan import measures_of, what_to_decide
from assay.workflow.running.job import Job
from assay.workflow.running.judging.panel import JudgePanel, judged_cases, open_panel
from assay.workflow.running.opening import left_out, open_models, place_of_given

LOGS_TO_COME = ("mlflow", "wandb")
NAMED = 5  # how many names an error lists


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A job that can begin. Of the suites `remeasured` only this run's own replies are reused."""

    suites: tuple[Suite, ...]
    specs: tuple[str, ...]
    models: tuple[Model, ...]
    plans: tuple[Plan, ...]
    notes: tuple[str, ...] = ()
    deciding: DecisionPlan | None = None
    measures: Measures | None = None
    remeasured: tuple[str, ...] = ()
    to_cut: tuple[SourceTexts, ...] = ()
    panel: JudgePanel | None = None

    def close(self) -> None:
        for model in self.models:
            model.close()
        if self.panel:
            self.panel.close()

    def measures_of(self, spec: str, model: Model, plan: Plan) -> list[Request]:
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
        return list(self.measures.requests(plan, timed))

    @property
    def deciding_key(self) -> list[object]:
        """What another decision would be another run for."""
        deciding = self.deciding
        assert deciding is not None
        return [
            repr(deciding.gate),
            list(deciding.measures),
            [deciding.text_digest, deciding.train_text_digest, repr(deciding.samples)],
            [subject.name for subject in deciding.subjects if subject.failed],
            *self.remeasured,
        ]


def prepare(job: Job) -> Prepared:
    """Collect what is wrong and show it together. A server is probed only when nothing else is."""
    named = [(each.spec, each) for each in job.places] or with_bases(
        places_of(job.models), job.base
    )
    given = [*map(place_of_given, job.given)]
    whole = _with_defaults(job, [*given, *(place for _, place in named)])
    by_default, job = whole.suites != job.suites, whole
    if job.gate is not None:
        named = [(spec, place or place_of_served(spec)) for spec, place in named]
    places = [*given, *(place for _, place in named)]
    errors: list[AssayError] = [*senseless(job)]
    suites = suites_of(job, errors)
    gate, held_out, training = gate_and_texts(job, places, suites, errors)
    reads = (job.text or job.texts) is not None and (
        job.measures is None or "perplexity" in job.measures
    )
    to_read = [each for each in (held_out if reads else None, training) if each]
    opened = open_models(job, named, to_read, errors)
    panel: JudgePanel | None = None
    try:
        opened.leave_out_second_mentions()
        errors += opened.named_twice()
        for model in opened.models:
            errors += cannot_think(model.facts, job.options)
        if job.judges or judged_cases(suites):  # evidence needs it also without judges
            tested = [model.facts for model in opened.models]
            writes = gate is not None and "generation" in measures_of(job, gate)
            panel = next(
                iter(tried(
                    errors, open_panel, job, suites, tested, job, job, has_samples=writes
                )),
                None,
            )  # fmt: skip
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
    return Prepared(
        suites=suites,
        specs=tuple(opened.specs),
        models=tuple(opened.models),
        plans=tuple(plans),
        notes=(
            *_without_suite_file(job, suites),
            *(panel.unchecked(suites) if panel else ()),
            *opened.notes,
            *(
                left_out(place.name, opened.failed[place])
                for place in places
                if place in opened.failed
            ),
        ),
        deciding=deciding,
        measures=Measures(deciding=deciding, held_out=held_out, training=training)
        if deciding and held_out
        else None,
        remeasured=(SPEED,) if job.remeasure else (),
        to_cut=texts_to_cut(suites, held_out if "perplexity" in deciding.measures else None)
        if deciding
        else (),
        panel=panel,
    )


def check_files(job: Job) -> Gate:
    to_come = [CheckpointPlace(spec="", path=Path(), parent="", step_name="")]
    job = _with_defaults(job, to_come)
    errors: list[AssayError] = [*senseless(job)]
    gate, *_ = gate_and_texts(job, to_come, suites_of(job, errors), errors)
    raise_all(errors)
    assert gate is not None
    return gate


def _with_defaults(job: Job, places: Sequence[CheckpointPlace | None]) -> Job:
    """What every checkpoint is asked, or every served model; for a script tests must be named."""
    if job.suites or job.own or job.only_named or not places:
        return job
    if not any(places) and not any(read_spec(spec).scheme == "scripted" for spec in job.models):
        return replace(job, suites=OF_SERVED)
    if not all(places):
        return job
    installed = catalogue(job.benchmarks)
    suites = tuple(name for name in OF_CHECKPOINTS if name in installed)
    return replace(job, suites=suites, measures=job.measures or MEASURES)


def senseless(job: Job) -> Iterator[UsageError]:
    if not job.models and not job.given:
        yield UsageError(tr("no model was named"), hint=tr("name one, as in ollama:llama3.2:3b"))
    if not job.suites and not job.own and not job.only_named:
        yield UsageError(
            tr("no suite was chosen"),
            hint=tr("name one with -s, for example -s example; `assay suites` lists them"),
        )
    if not all(map(is_text, (job.command, *job.models))):
        yield UsageError(
            tr(
                "a name in this command is not UTF-8, and the store cannot keep it: {command}",
                command=job.command.encode("utf-8", "backslashreplace").decode(),
            ),
            hint=tr("rename that file or folder"),
        )
    for name in job.measures or ():
        if name not in MEASURES:
            yield UsageError(
                did_you_mean(tr("there is no measure '{name}'", name=name), str(name), MEASURES),
                hint=tr("the training loss is measured where a training text is named"),
            )
    if job.gate is not None and not job.apply_gate:
        yield UsageError(
            tr("--gate names a gate, and --no-gate asks for none"), hint=tr("leave one of them out")
        )
    if job.suite_language is not None and language_code(job.suite_language) not in LANGUAGES:
        yield UsageError(
            tr("no language is known as {tag!r}", tag=job.suite_language),
            hint=tr("give one of {tags}", tags=", ".join(sorted(LANGUAGES))),
        )
    if job.repeats < 1:
        yield UsageError(
            tr("a test is asked at least once, not {count} times", count=job.repeats),
            hint=tr("give --repeats 1 or more"),
        )


def suites_of(job: Job, errors: list[AssayError]) -> tuple[Suite, ...]:
    found = [
        files
        for _ in tried(errors, benchmarks_folder, job.benchmarks)
        for name in job.suites
        for files in tried(errors, find, name, job.benchmarks)
    ]
    loaded = tried(
        errors,
        load_all,
        found,
        data_seed=job.data_seed,
        get_sandbox=cache(lambda: open_sandbox(job.sandbox)),
        check_rubric=load_rubric,
        categories=job.categories,
    )
    if not loaded or len(found) < len(job.suites):
        return ()
    return next(iter(tried(errors, _picked, job, loaded[0])), ())


def _picked(job: Job, suites: tuple[Suite, ...]) -> tuple[Suite, ...]:
    if job.system is not None or job.suite_language is not None:
        suites = tuple(with_defaults(suite, job.system, job.suite_language) for suite in suites)
    suites = (*suites, *job.own)
    if job.only_tests is not None:
        suites = tuple(only_tests(suites, job.only_tests))
        if not suites:
            names = ", ".join(sorted(job.only_tests)[:NAMED])
            raise UsageError(
                tr("no answer has the name of a test: {names}", names=names),
                hint=tr("an answer's file is called after its test, such as CT-01.txt"),
            )
    gates = tried([], load_gate, job.gate) if job.gate else []
    used = [name for gate in gates for suite in gate.suites for name in suite.categories]
    suites = pick_all(suites, job.categories, job.limit, job.seed, used=used)
    for way in [CONSTRAINED] * job.constrained + [THINKING] * (job.think == "both"):
        suites = with_twins(suites, way)
    return suites


def _without_suite_file(job: Job, suites: Sequence[Suite]) -> Iterator[str]:
    """Where the same folder would score otherwise by `run_benchmark.py`."""
    for suite in suites if job.suite_language is None and job.suites else ():
        if os.path.lexists(suite.path) and not has_suite_file(suite.path):
            yield tr(
                "warning: {suite} has no suite.json, so no language is assumed; run_benchmark.py "
                "takes it for Ewe, with the prompt of Yawo. For the same scores write a suite.json "
                'with {{"language": "ee"}}, or add --suite-language ee',
                suite=suite.name,
            )


def gate_and_texts(
    job: Job,
    places: Sequence[CheckpointPlace | None],
    suites: Sequence[Suite],
    errors: list[AssayError],
) -> tuple[Gate | None, HeldOut | None, HeldOut | None]:
    checkpoints = [place for place in places if place is not None and not place.served]
    if not checkpoints and (job.text or job.train_text or job.log):
        errors.append(
            UsageError(
                tr("--text, --train-text and --log are for checkpoints, and none was named"),
                hint=tr("name the folder of a checkpoint, or leave them out"),
            )
        )
    if not any(places):
        return None, None, None
    gates = tried(errors, load_gate, job.gate)
    known = {suite.name: [each.name for each in suite.categories] for suite in suites}
    for gate in gates:
        if job.gate is not None and suites and (findings := check_gate(gate, known)):
            errors.append(invalid_files(gate.source, findings))
    texts = [job.texts] if job.texts else tried(errors, load_held_out, job.text)
    training = tried(errors, load_held_out, job.train_text) if job.train_text else []
    for target in job.log:
        tried(errors, _check_log, target)
    return next(iter(gates), None), next(iter(texts), None), next(iter(training), None)


def _check_log(target: str) -> None:
    """Refused before the run, by the first folder above that exists. Nothing is created."""
    kind, _, place = target.partition(":")
    if kind != "tensorboard" or not place:
        problem = tr("--log: {target!r} is not a known target", target=target)
        if kind in LOGS_TO_COME:
            problem = tr("--log {kind} is not available yet", kind=kind)
        raise UsageError(problem, hint=tr("use --log tensorboard:DIR"))
    tensorboard_writer()
    folder = Path(place)
    there = next((each for each in (folder, *folder.parents) if each.exists()), Path())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise UsageError(
            tr("the files for TensorBoard cannot be written into {folder}", folder=folder),
            hint=tr("choose a folder that you may write into, as in --log tensorboard:DIR"),
        )
