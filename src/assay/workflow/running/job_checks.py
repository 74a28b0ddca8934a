"""A job as its user meant it: usual suites filled in, and what makes no sense refused."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.errors import UsageError
from assay.files.wording import did_you_mean
from assay.messages import tr
from assay.models.opening import read_spec
from assay.suites.default_suites import OF_CHECKPOINTS, OF_SERVED
from assay.suites.load import (
    catalogue,
)
from assay.types.measures import every_measure, kinds_by_default
from assay.workflow.checkpoints.places import (
    CheckpointPlace,
    is_text,
)
from assay.workflow.running.harness_tasks import is_harness
from assay.workflow.running.job import Job


def with_usual_suites(job: Job, places: Sequence[CheckpointPlace | None]) -> Job:
    """What every checkpoint is asked, or every served model; for a script tests must be named."""
    if job.suites or job.own or job.only_named or not places:
        return job
    if not any(places) and not any(read_spec(spec).scheme == "scripted" for spec in job.specs):
        return replace(job, suites=OF_SERVED)
    if not all(places):
        return job
    installed = catalogue(job.benchmarks)
    suites = tuple(name for name in OF_CHECKPOINTS if name in installed)
    return replace(job, suites=suites, measures=job.measures or kinds_by_default())


def _senseless_tasks(job: Job) -> Iterator[UsageError]:
    """Of tasks of lm-evaluation-harness, which bring their own prompts and repeats."""
    tasks = [name for name in job.suites if is_harness(name)]
    given = {
        "--repeats": job.repeats > 1,
        "--think": job.think is not None,
        "--system": job.system is not None,
    }
    for option in (name for name, is_given in given.items() if tasks and is_given):
        yield UsageError(
            tr("{option} cannot be used with {task}: its prompts are the harness's own",
               option=option, task=tasks[0]),
            hint=tr("leave it out, or ask the task in a run of its own"),
        )  # fmt: skip
    if job.include_path and not tasks:
        yield UsageError(
            tr("--include-path is for tasks of lm-evaluation-harness, and none was named"),
            hint=tr("name one with -s lm-eval:TASK"),
        )


def senseless(job: Job) -> Iterator[UsageError]:
    if not job.models and not job.given:
        yield UsageError(tr("no model was named"), hint=tr("name one, as in ollama:llama3.2:3b"))
    if not job.suites and not job.own and not job.only_named:
        yield UsageError(
            tr("no suite was chosen"),
            hint=tr("name one with -s, for example -s example; `assay suites` lists them"),
        )
    if not all(map(is_text, (job.command, *job.specs))):
        yield UsageError(
            tr(
                "a name in this command is not UTF-8, and the store cannot keep it: {command}",
                command=job.command.encode("utf-8", "backslashreplace").decode(),
            ),
            hint=tr("rename that file or folder"),
        )
    known = [*kinds_by_default(), *(each.name for each in every_measure() if each.of_every_model)]
    for name in job.measures or ():
        if name not in known:
            yield UsageError(
                did_you_mean(tr("there is no measure '{name}'", name=name), str(name), known),
                hint=tr("the training loss is measured where a training text is named"),
            )
    if job.gate is not None and not job.apply_gate:
        yield UsageError(
            tr("--gate names a gate, and --no-gate asks for none"), hint=tr("leave one of them out")
        )
    if job.decide and (not job.apply_gate or (job.gate is None and job.measures is None)):
        yield UsageError(
            tr("--decide stops when the gate is decided, and no gate applies here"),
            hint=tr("name one with --gate, or leave --decide out"),
        )
    yield from _senseless_tasks(job)
    if job.repeats < 1:
        yield UsageError(
            tr("a test is asked at least once, not {count} times", count=job.repeats),
            hint=tr("give --repeats 1 or more"),
        )
