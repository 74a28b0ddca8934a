"""A run begun or continued: its key, its models, its folder, and how to go on after a stop."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from assay.errors import (
    BudgetSpent,
    Interrupted,
    ServerGone,
)
from assay.machine import this_machine
from assay.messages import tr
from assay.store import Run, RunModel, Store, new_run_id
from assay.types import Model, Suite
from assay.types.model_spec import without_secrets
from assay.version import __version__
from assay.workflow.running.job import Job
from assay.workflow.running.preparation import Prepared
from assay.workflow.running.run_folder import RunFolder


@contextmanager
def resumable(out: Path, command: str, run: str = "") -> Iterator[None]:
    """Ctrl-C, a spent budget and a server that is gone say how to continue, and which run."""
    hint = tr("continue with: {command}", command=command)
    try:
        yield
    except KeyboardInterrupt as stop:
        message = tr("every answer that was counted is kept in {out}", out=out)
        stopped = Interrupted(message, hint=hint)
        stopped.run = run
        raise stopped from stop
    except Interrupted as stopped:
        if isinstance(stopped, BudgetSpent | ServerGone):
            stopped.hint = hint
        stopped.run = stopped.run or run
        raise


def begin_run(job: Job, store: Store, prepared: Prepared) -> tuple[Run, RunFolder]:
    planned = Run(
        id="",
        key=key_of(job, prepared),
        models=models_of(prepared.specs, prepared.models),
        seed=job.seed,
        repeats=job.repeats,
        command=job.command,
        sampling=job.sampling,
        machine=this_machine(),
        deciding=prepared.deciding,
    )
    run, folder = begin_or_continue(store, planned, prepared.suites, fresh=job.fresh)
    # A checkpoint that broke on the way may be whole again; options may be others.
    again = prepared.deciding
    return (store.update_run(run, deciding=again) if again else run), folder


def begin_or_continue(
    store: Store, planned: Run, suites: Sequence[Suite], *, fresh: bool
) -> tuple[Run, RunFolder]:
    out = store.path.parent
    if not fresh and (run := store.find_unfinished_run(planned.key)):
        folder = RunFolder(out, run.id)
        if folder.take():
            return run, folder
    # Taken before the store shows it: another process must not continue it.
    folder = RunFolder(out, new_run_id())
    folder.take()
    return store.begin_run(replace(planned, id=folder.run_id), suites, fresh=fresh), folder


def models_of(specs: Sequence[str], models: Sequence[Model]) -> tuple[RunModel, ...]:
    return tuple(
        RunModel(position=at, spec=without_secrets(spec), slug=slug_of(model), facts=model.facts)
        for at, (spec, model) in enumerate(zip(specs, models, strict=True))
    )


# As the options were listed here once, all at their defaults: runs begun before are continued.
_USUAL_OPTIONS: tuple[list[object], list[object]] = (
    [[], None, 0, 1],
    ["fixed", None, None, None, None, "auto"],
)


def key_of(job: Job, prepared: Prepared) -> str:
    """Equal for equal questions to equal models. Files stand for their content: that is quick."""
    body = [
        __version__,
        [
            [without_secrets(spec), model.facts.fingerprint]
            for spec, model in zip(prepared.specs, prepared.models, strict=True)
        ],
        [[suite.name, suite.source] for suite in prepared.suites],
        *_USUAL_OPTIONS,
        *([told] if (told := job.identity()) else []),
        *([["language", job.language]] if job.language else []),
        *([prepared.deciding_key] if prepared.deciding else []),
        *([["measures", *prepared.of_plugins_key]] if prepared.measures.of_plugins else []),
        *([prepared.panel.key] if prepared.panel and prepared.panel.key else []),
    ]
    return sha256(json.dumps(body).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def slug_of(model: Model) -> str:
    facts = model.facts
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", facts.name).strip("-.")[:60] or "model"
    return f"{readable}-{sha256(f'{facts.spec}|{facts.fingerprint}'.encode()).hexdigest()[:6]}"
