"""The files that a job names (suites, gate, texts, logs), read and checked."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from assay.errors import AssayError, UsageError, raise_all, tried
from assay.files.notes import invalid_files
from assay.harness.tasks import HarnessTasks
from assay.judge.rubrics import load_rubric
from assay.messages import tr
from assay.reports.checkpoints.curves import tensorboard_writer
from assay.sandbox import open_sandbox
from assay.suites.gate_file import check_gate, load_gate
from assay.suites.held_out_text import HeldOut, HeldOutTexts, load_held_out, load_texts
from assay.suites.load import (
    benchmarks_folder,
    find,
    hold_back,
    load_all,
    only_tests,
    pick_all,
)
from assay.suites.suite_file import has_suite_file, with_defaults
from assay.types import Suite
from assay.types.decisions import Gate, SizeClass
from assay.workflow.checkpoints.places import (
    CheckpointPlace,
)
from assay.workflow.running.harness_tasks import LoadedTasks, is_harness, load_suite_of
from assay.workflow.running.job import Job
from assay.workflow.running.job_checks import senseless, with_usual_suites

LOGS_TO_COME = ("mlflow", "wandb")


NAMED = 5  # how many names an error lists
OF_EWE = frozenset("ɖɛƒɣŋɔʋ")
_NAMES_EWE = re.compile(r"\b(?:ewe|éwé|eʋegbe)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFiles:
    """`held_out`: read for perplexity; `training`: for the training loss; `named`: by the names
    given to them, the one of perplexity may be among them. `harness`: by suite, the tasks of
    lm-evaluation-harness.
    """

    suites: tuple[Suite, ...]
    gate: Gate | None = None
    held_out: HeldOut | None = None
    named: Mapping[str, HeldOut] = field(default_factory=dict)
    training: HeldOut | None = None
    harness: Mapping[str, HarnessTasks] = field(default_factory=dict)


def check_files(job: Job) -> Gate:
    """What can be refused before there is a checkpoint."""
    to_come = [CheckpointPlace(spec="", path=Path(), parent="", step_name="")]
    job = with_usual_suites(job, to_come)
    errors: list[AssayError] = [*senseless(job)]
    gate = read_files(job, to_come, errors).gate
    raise_all(errors)
    assert gate is not None
    return gate


def read_files(
    job: Job, places: Sequence[CheckpointPlace | None], errors: list[AssayError]
) -> JobFiles:
    named = [name for name in dict.fromkeys(job.suites) if is_harness(name)]
    tasks = [
        each
        for name in named
        for each in tried(
            errors, load_suite_of, name, job.include_path, allow_code=job.allow_code_execution
        )
    ]
    if len(tasks) < len(named):
        return JobFiles(suites=())
    suites = _suites(job, tasks, errors)
    files = _gate_and_texts(job, places, suites, errors)
    return replace(files, harness={each.suite.name: each.tasks for each in tasks})


def _suites(job: Job, tasks: Sequence[LoadedTasks], errors: list[AssayError]) -> tuple[Suite, ...]:
    names = [name for name in job.suites if not is_harness(name)]
    found = [
        files
        for _ in tried(errors, benchmarks_folder, job.benchmarks)
        for name in names
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
    if not loaded or len(found) < len(names):
        return ()
    suites = (*loaded[0], *(each.suite for each in tasks))
    return next(iter(tried(errors, _picked, job, suites)), ())


def _picked(job: Job, suites: tuple[Suite, ...]) -> tuple[Suite, ...]:
    if job.system is not None or job.language is not None:
        suites = tuple(
            suite if suite.scored_together else with_defaults(suite, job.system, job.language)
            for suite in suites
        )
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
    suites = pick_all(suites, job.categories, job.limit, job.seed)
    for gate in gates if job.apply_gate else ():
        asked = {limit.name for limit in gate.suites if is_harness(limit.name)}
        if gate.accept.confirm is not None and asked:
            raise UsageError(
                tr("'confirm' keeps tests back, and {task} is scored as a whole",
                   task=sorted(asked)[0]),
                hint=tr("take 'confirm' out of the gate, or the task"),
            )  # fmt: skip
        suites = hold_back(suites, gate, job.seed)
    return suites


def without_suite_file(job: Job, suites: Sequence[Suite]) -> Iterator[str]:
    """Where the same folder would score otherwise by `run_benchmark.py`: one with Ewe in it."""
    for suite in suites if job.language is None and job.suites else ():
        if os.path.lexists(suite.path) and not has_suite_file(suite.path) and _has_ewe(suite):
            yield tr(
                "warning: {suite} has no suite.json, so no language is assumed; run_benchmark.py "
                "takes it for Ewe, with the prompt of Yawo. For the same scores write a suite.json "
                'with {{"language": "ee"}}',
                suite=suite.name,
            )


def _has_ewe(suite: Suite) -> bool:
    """Whether a test is asked or checked in Ewe, by its letters or by the name of the language: in
    the prompt, the suite's name or a category's.
    """
    for case in suite.cases:
        said = " ".join(message.content for message in case.messages)
        names = f"{suite.name} {case.category}".replace("_", " ")
        if not OF_EWE.isdisjoint(said.lower()) or _NAMES_EWE.search(f"{names} {said}"):
            return True
        if case.method == "ewe_quality" or not OF_EWE.isdisjoint(repr(case.check).lower()):
            return True
        if "contains_ewe=True" in repr(case.check):
            return True
    return False


def _gate_and_texts(
    job: Job,
    places: Sequence[CheckpointPlace | None],
    suites: Sequence[Suite],
    errors: list[AssayError],
) -> JobFiles:
    checkpoints = [place for place in places if place is not None and not place.served]
    if not checkpoints and (job.text or job.train_text or job.log):
        errors.append(
            UsageError(
                tr("--text, --train-text and --log are for checkpoints, and none was named"),
                hint=tr("name the folder of a checkpoint, or leave them out"),
            )
        )
    if not any(places):
        return JobFiles(suites=tuple(suites))
    gates = tried(errors, load_gate, job.gate)
    known = {suite.name: [each.name for each in suite.categories] for suite in suites}
    texts = next(iter(tried(errors, load_texts, job.text)), HeldOutTexts())
    for gate in gates if job.gate is not None else ():
        if findings := check_gate(gate, known if suites else None, texts.named):
            errors.append(invalid_files(gate.source, findings))
    gates = [replace(gate, texts=_with_all(gate, texts.named)) for gate in gates]
    training = tried(errors, load_held_out, job.train_text) if job.train_text else []
    for target in job.log:
        tried(errors, _check_log, target)
    return JobFiles(
        suites=tuple(suites),
        gate=next(iter(gates), None),
        held_out=job.texts or texts.main,
        named=texts.named,
        training=next(iter(training), None),
    )


def _with_all(gate: Gate, named: Iterable[str]) -> Mapping[str, Mapping[SizeClass, float] | None]:
    """The limits of every text, and None for one that is measured without."""
    return {**dict.fromkeys(named), **gate.texts}


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
