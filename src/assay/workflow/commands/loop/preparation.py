"""What a loop needs, checked before its first training; and its folder, for one loop at a time."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from assay.errors import AssayError, UsageError, raise_all, tried
from assay.files.locks import try_lock
from assay.files.writing import explain_write_errors
from assay.messages import tr
from assay.models.opening import open_model
from assay.suites.gate_file import load_gate
from assay.types.decisions import Gate
from assay.types.measures import kinds_by_default
from assay.types.options import LoopOptions
from assay.workflow.commands.loop.user_commands import UserCommand
from assay.workflow.reporting.reference import gate_with_reference
from assay.workflow.running.job import Job
from assay.workflow.running.job_files import check_files

PLACEHOLDERS = ("changes", "steps", "out", "resume")
LOCK_S = 15.0  # in which the training of a killed loop ends


class PreparedLoop(NamedTuple):
    """`others`: the commands of --review and --on-accept, where there are any."""

    job: Job
    gate: Gate
    train: UserCommand
    others: dict[str, UserCommand]


def check_options(options: LoopOptions) -> PreparedLoop:
    """Every mistake that can be known is told before the first training."""
    errors: list[AssayError] = []
    job = _job(options, errors)
    gate = tried(errors, check_files, job) if not errors else []
    gate = [found for each in gate for found in tried(errors, gate_with_reference, each, job.out)]
    train = tried(errors, UserCommand.read, "--train", options.train, PLACEHOLDERS)
    for command in train:
        errors += _unfit(command, options)
    others = {
        name: tried(errors, UserCommand.read, name, text, known)
        for name, text, known in (
            ("--review", options.review, ("checkpoint",)),
            ("--on-accept", options.on_accept, ("checkpoint", "round")),
        )
        if text is not None
    }
    if options.judge is not None:
        tried(errors, _check_judge, options.judge, job)
        if options.review is not None:
            problem = tr("--review and --judge both say who reviews a round")
            errors.append(UsageError(problem, hint=tr("leave one of them out")))
    raise_all(errors)
    commands = {name: found[0] for name, found in others.items()}
    return PreparedLoop(job, gate[0], train[0], commands)


def _job(options: LoopOptions, errors: list[AssayError]) -> Job:
    """With a gate only what it needs is measured, round after round; without one, everything."""
    called = options.command_line("loop", "--train", options.train)
    job = Job.of(options, models=("",), called=called)
    if options.gate is None:
        return replace(job, measures=options.measures or kinds_by_default())
    for gate in [] if options.suites else tried(errors, load_gate, options.gate):
        names = tuple(dict.fromkeys(each.name for each in gate.suites))
        job = replace(job, suites=names, only_named=True)
    return job


def _unfit(command: UserCommand, options: LoopOptions) -> Iterator[UsageError]:
    named = {*command.named()}
    if "out" not in named:
        yield UsageError(
            tr("--train needs {out}: without it, the checkpoints cannot be found"),
            hint=tr("give it the folder to write into, as in: python train.py --out {out}"),
        )
    if "steps" in named and options.steps is None:
        yield UsageError(
            tr("--train uses {steps}, but --steps is not set"),
            hint=tr("set it, for example --steps 1000"),
        )
    try:
        out = str(options.out.resolve())
        command.fill(dict.fromkeys(PLACEHOLDERS, out) | {"steps": "1"})
    except UsageError as error:
        yield error


def _check_judge(spec: str, job: Job) -> None:
    model = open_model(spec, job, job)
    try:
        model.probe()
    finally:
        model.close()


@contextmanager
def take_folder(out: Path) -> Iterator[int]:
    """The process that guards a training holds the lock too: a loop that follows a killed one
    begins when that training has ended.
    """
    with explain_write_errors(out):
        out.mkdir(parents=True, exist_ok=True)
        lock = (out / "loop.lock").open("w")
    with lock:
        until = time.monotonic() + LOCK_S
        while not try_lock(lock):
            if time.monotonic() > until:
                raise UsageError(
                    tr("another loop is running in {out}", out=out),
                    hint=tr("wait until it ends, or choose another folder with --out"),
                )
            time.sleep(0.05)
        yield lock.fileno()
