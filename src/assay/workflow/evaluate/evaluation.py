"""The main job: refuse mistakes, continue or begin a run, ask, judge, report from the store."""

import gc
import json
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from assay.errors import (
    AssayError,
    BudgetSpent,
    Interrupted,
    ModelUnavailable,
    Refusals,
    ServerGone,
)
from assay.machine import this_machine
from assay.messages import tr
from assay.pause_gc import pause_gc
from assay.store import Run, RunModel, Store, new_run_id, utc_now
from assay.types import Model, Observer, Suite, TokenizerFigures
from assay.types.model_spec import without_secrets
from assay.types.results import Report
from assay.types.scores import tell_phase
from assay.version import __version__
from assay.workflow.checkpoints.report_files import write_decisions
from assay.workflow.checkpoints.tokenizer_texts import tokenizer_figures
from assay.workflow.evaluate.asking import ScoredReplies, ask_model
from assay.workflow.evaluate.job import Job, left_out, why_failed
from assay.workflow.evaluate.preparation import Prepared, prepare
from assay.workflow.evaluate.run_folder import BackgroundWork, RunFolder
from assay.workflow.history.results import report_of
from assay.workflow.judging.stage import AnswerToJudge, JudgingStage


def evaluate(job: Job, observer: Observer) -> Report:
    until = time.monotonic() + job.budget if job.budget is not None else None
    tell_phase(observer, tr("preparing models and suites"))
    with pause_gc():
        prepared = prepare(job)
        thaws = not gc.get_freeze_count()  # what the caller froze stays frozen
        if thaws:
            gc.freeze()  # they live as long as the run: later collections need not look at them
    try:
        with resumable(job.out, job.command), Store(job.out) as store:
            panel = prepared.panel
            about_judges = [*panel.notes, *panel.warnings] if panel else []
            for note in (*store.notes, *prepared.notes, *about_judges):
                observer.note(note)
            run, folder = _begin(job, store, prepared)
            with folder, resumable(job.out, job.command, run.id):
                background = BackgroundWork(folder, prepared.suites)
                try:
                    run, checked = _ask_models(store, run, prepared, observer, background, until)
                    guesses = background.finish()
                finally:
                    background.stop()
                if panel and panel.judges:
                    stage = JudgingStage(store, run, prepared.suites, panel, observer, until)
                    run = stage.judge_answers(checked)
                tell_phase(observer, tr("writing reports"))
                # Written first, finished then: a run killed in between is continued, and writes.
                ended = replace(run, finished=utc_now())
                report = report_of(store, ended, guesses=guesses)
                folder.write(report, prepared.suites, store)
                logs = job.tensorboard
                for note in write_decisions(report, job.out, run.deciding, tensorboard=logs):
                    observer.note(note)
                store.update_run(run, finished=ended.finished)
            return report
    finally:
        if thaws:
            gc.unfreeze()
        prepared.close()


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


def _begin(job: Job, store: Store, prepared: Prepared) -> tuple[Run, RunFolder]:
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


def key_of(job: Job, prepared: Prepared) -> str:
    """Equal for equal questions to equal models. Files stand for their content: that is quick."""
    body = [
        __version__,
        [
            [without_secrets(spec), model.facts.fingerprint]
            for spec, model in zip(prepared.specs, prepared.models, strict=True)
        ],
        [[suite.name, suite.source] for suite in prepared.suites],
        [sorted(job.categories), job.limit, job.seed, job.repeats],
        [job.sampling, job.max_tokens, job.think, job.system, job.num_ctx, job.form],
        *([] if job.loop_stop else ["no loop stop"]),
        *([["language", job.suite_language]] if job.suite_language else []),
        *(["constrained"] if job.constrained else []),
        *([prepared.deciding_key] if prepared.deciding else []),
        *([prepared.panel.key] if prepared.panel and prepared.panel.key else []),
    ]
    return sha256(json.dumps(body).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def slug_of(model: Model) -> str:
    facts = model.facts
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", facts.name).strip("-.")[:60] or "model"
    return f"{readable}-{sha256(f'{facts.spec}|{facts.fingerprint}'.encode()).hexdigest()[:6]}"


def _ask_models(
    store: Store,
    run: Run,
    prepared: Prepared,
    observer: Observer,
    background: BackgroundWork,
    until: float | None,
) -> tuple[Run, list[AnswerToJudge]]:
    """One after another; each is closed, and its evidence gathered, before the next."""
    checked: list[AnswerToJudge] = []
    cut: dict[str, tuple[TokenizerFigures, ...]] = {}  # checkpoints of a folder share a tokenizer
    every = zip(prepared.models, prepared.plans, run.models, strict=True)
    for after, (model, plan, known) in zip(reversed(range(len(run.models))), every, strict=True):
        tell_phase(observer, tr("opening {model}", model=known.spec), more=after)
        measures = prepared.measures_of(known.spec, model, plan)
        kind = model.facts.tokenizer
        try:
            if kind and kind not in cut:
                cut[kind] = tokenizer_figures(model, prepared.to_cut)
            ledger = ScoredReplies(store, run, known, background, prepared.remeasured)
            ask_model(ledger, model, plan, measures, observer, until, cut.get(kind, ()))
        except (ModelUnavailable, Refusals) as error:
            run = _leave_out(store, run, known.spec, error, observer)
        model.close()
        if prepared.panel:
            stage = JudgingStage(store, run, prepared.suites, prepared.panel, observer)
            checked += stage.check_answers([known])
    return run, checked


def _leave_out(store: Store, run: Run, spec: str, error: AssayError, observer: Observer) -> Run:
    """A checkpoint of a folder may break or go away; any other model's error is raised."""
    subject = next((each for each in run.subjects if each.spec == spec), None)
    if run.deciding is None or subject is None or not subject.folder:
        raise error
    failed = replace(subject, failed=why_failed(Path(subject.path), error))
    observer.note(left_out(failed.name, failed.failed))
    others = tuple(failed if each is subject else each for each in run.subjects)
    return store.update_run(run, deciding=replace(run.deciding, subjects=others))
