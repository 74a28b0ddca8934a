"""The files that a job names, found and read; and options that contradict each other.

Every mistake goes into a list, so that all can be shown at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import ParamSpec, TypeVar

from assay.errors import AssayError, UsageError
from assay.files.notes import invalid_files
from assay.files.wording import did_you_mean
from assay.judge.rubrics import load_rubric
from assay.messages import tr
from assay.reports.checkpoints.tensorboard import tensorboard_writer
from assay.sandbox import open_sandbox
from assay.suites.catalogue import benchmarks_folder, find
from assay.suites.gate_file import check_gate, load_gate
from assay.suites.held_out_text import HeldOut, load_held_out
from assay.suites.load import load_all, only_tests, pick_all
from assay.suites.suite_file import with_default_system
from assay.types import Suite
from assay.types.choices import MeasureKind
from assay.types.decisions import MEASURES, Gate
from assay.workflow.checkpoints.places import CheckpointPlace, is_text
from assay.workflow.evaluate.job import Job

T = TypeVar("T")
P = ParamSpec("P")

KINDS: tuple[MeasureKind, ...] = (*MEASURES, "training")
LOGS_TO_COME = ("mlflow", "wandb")
NAMED = 5  # how many names an error lists


def tried(
    errors: list[AssayError], attempt: Callable[P, T], *given: P.args, **named: P.kwargs
) -> list[T]:
    """What it gives, alone in a list; or nothing, and one more error."""
    try:
        return [attempt(*given, **named)]
    except AssayError as error:
        errors.append(error)
        return []


def senseless(job: Job) -> Iterator[UsageError]:
    """What cannot be meant."""
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
        if name not in KINDS:
            yield UsageError(
                did_you_mean(tr("there is no measure '{name}'", name=name), str(name), KINDS),
                hint=tr("measures are {names}", names=", ".join(KINDS)),
            )
    if "training" in (job.measures or ()) and job.train_text is None:
        yield UsageError(
            tr("the training loss is measured on a training text, and none was named"),
            hint=tr("name the file with --train-text"),
        )
    if job.repeats < 1:
        yield UsageError(
            tr("a test is asked at least once, not {count} times", count=job.repeats),
            hint=tr("give --repeats 1 or more"),
        )


def suites_of(job: Job, errors: list[AssayError]) -> tuple[Suite, ...]:
    """Those that were named, with the tests that were picked; none where anything is wrong."""
    found = [
        files
        for _ in tried(errors, benchmarks_folder, job.benchmarks)
        for name in job.suites
        for files in tried(errors, find, name, job.benchmarks)
    ]
    for suites in tried(
        errors,
        load_all,
        found,
        data_seed=job.data_seed,
        get_sandbox=cache(lambda: open_sandbox(job.sandbox)),
        check_rubric=load_rubric,
    ):
        if len(found) == len(job.suites):
            if job.system is not None:
                suites = tuple(with_default_system(suite, job.system) for suite in suites)
            suites = (*suites, *job.own)
            if job.only_tests is not None:
                suites = tuple(only_tests(suites, job.only_tests))
                if not suites:
                    names = ", ".join(sorted(job.only_tests)[:NAMED])
                    errors.append(
                        UsageError(
                            tr("none of the answers is called like a test: {names}", names=names),
                            hint=tr("an answer's file is called after its test, such as CT-01.txt"),
                        )
                    )
                    return ()
            for picked in tried(errors, pick_all, suites, job.categories, job.limit, job.seed):
                return picked
    return ()


def gate_and_text(
    job: Job,
    places: Sequence[CheckpointPlace | None],
    suites: Sequence[Suite],
    errors: list[AssayError],
) -> tuple[Gate | None, HeldOut | None]:
    """By what checkpoints are decided on, where there are any."""
    if not any(places):
        if job.gate or job.text or job.train_text or job.log:
            errors.append(
                UsageError(
                    tr(
                        "--gate, --text, --train-text and --log are for checkpoints, and "
                        "none was named"
                    ),
                    hint=tr("name the folder of a checkpoint, or leave them out"),
                )
            )
        return None, None
    gates = tried(errors, load_gate, job.gate)
    known = {suite.name: [each.name for each in suite.categories] for suite in suites}
    for gate in gates:
        if job.gate is not None and suites and (findings := check_gate(gate, known)):
            errors.append(invalid_files(gate.source, findings))
    texts = tried(errors, load_held_out, job.text)
    for target in job.log:
        tried(errors, _check_log, target)
    return next(iter(gates), None), next(iter(texts), None)


def training_text(job: Job, errors: list[AssayError]) -> HeldOut | None:
    if job.train_text is None:
        return None
    return next(iter(tried(errors, load_held_out, job.train_text)), None)


def texts_to_read(job: Job, held_out: HeldOut | None, training: HeldOut | None) -> list[HeldOut]:
    """Those that every checkpoint will be given to read, as far as the user named them."""
    reads = job.text is not None and (job.measures is None or "perplexity" in job.measures)
    return [*([held_out] if held_out and reads else []), *([training] if training else [])]


def _check_log(target: str) -> None:
    """Refused before the run: hours later, when there are curves, is too late. Nothing is created
    here; the first folder above it that exists shows whether it can be written.
    """
    kind, _, place = target.partition(":")
    if kind != "tensorboard" or not place:
        problem = tr("--log does not understand {target!r}", target=target)
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
