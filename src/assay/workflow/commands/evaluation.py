"""The main job: refuse mistakes, continue or begin a run, ask, judge, report from the store."""

import time
from dataclasses import replace

from assay.errors import AssayError
from assay.messages import tr
from assay.store import Run, Store, utc_now
from assay.types import Observer
from assay.types.decisions import Decision
from assay.types.results import Report
from assay.types.scores import tell_phase
from assay.workflow.commands.benchmarks import without_benchmarks
from assay.workflow.reporting.checkpoint_files import write_decisions
from assay.workflow.reporting.decision import to_confirm, to_rank
from assay.workflow.reporting.reference import with_reference
from assay.workflow.reporting.results import report_of
from assay.workflow.reporting.run_files import write_run
from assay.workflow.running.asking import ask_models, ask_ranked, ask_to_confirm
from assay.workflow.running.background import BackgroundWork
from assay.workflow.running.beginning import begin_run, resumable
from assay.workflow.running.job import Job
from assay.workflow.running.judging.stage import AnswerToJudge, JudgingStage
from assay.workflow.running.preparation import Prepared, prepare


def evaluate(job: Job, observer: Observer) -> Report:
    until = time.monotonic() + job.budget if job.budget is not None else None
    for note in without_benchmarks(job):
        observer.note(note)
    tell_phase(observer, tr("preparing models and suites"))
    prepared = prepare(job)
    if prepared.deciding:
        try:
            deciding = with_reference(prepared.deciding, job.out)
        except AssayError:
            prepared.close()
            raise
        prepared = replace(prepared, deciding=deciding)
    try:
        with resumable(job.out, job.command), Store(job.out) as store:
            panel = prepared.panel
            about_judges = [*panel.notes, *panel.warnings] if panel else []
            for note in (*store.notes, *prepared.notes, *about_judges):
                observer.note(note)
            run, folder = begin_run(job, store, prepared)
            with folder, resumable(job.out, job.command, run.id):
                background = BackgroundWork(folder, prepared.suites)
                try:
                    run, checked = ask_models(store, run, prepared, observer, background, until)
                    if run.deciding and run.deciding.early:
                        _ask_ranked(store, run, prepared, observer, background, until)
                    if prepared.confirming and (planned := run.deciding):
                        run = _judged(store, run, prepared, checked, observer, until)
                        chosen = to_confirm(planned, _decided(store, run, background))
                        checked = ask_to_confirm(
                            store, run, prepared, chosen, job.options, observer, background, until
                        )
                    guesses = background.finish()
                finally:
                    background.stop()
                run = _judged(store, run, prepared, checked, observer, until)
                tell_phase(observer, tr("writing reports"))
                # Written first, finished then: a run killed in between is continued, and writes.
                ended = replace(run, finished=utc_now())
                report = report_of(store, ended, guesses=guesses)
                write_run(folder, report, prepared.suites, store)
                logs = job.tensorboard
                for note in write_decisions(report, job.out, run.deciding, tensorboard=logs):
                    observer.note(note)
                store.update_run(run, finished=ended.finished)
            return report
    finally:
        prepared.close()


def _decided(store: Store, run: Run, background: BackgroundWork) -> Decision | None:
    """So far; the baselines are scored once."""
    return report_of(store, run, guesses=background.guesses()).decision


def _ask_ranked(
    store: Store,
    run: Run,
    prepared: Prepared,
    observer: Observer,
    background: BackgroundWork,
    until: float | None,
) -> None:
    """With --decide, in full of those that pass, so that the selection is that of a full run."""
    assert run.deciding is not None
    planned = [suite.name for suite in prepared.suites]
    decision = _decided(store, run, background)
    chosen, suites = to_rank(run.deciding, decision, planned)
    ask_ranked(store, run, prepared, chosen, suites, observer, background, until)


def _judged(
    store: Store,
    run: Run,
    prepared: Prepared,
    checked: list[AnswerToJudge],
    observer: Observer,
    until: float | None,
) -> Run:
    panel = prepared.panel
    if not panel or not panel.judges:
        return run
    stage = JudgingStage(store, run, prepared.suites, panel, observer, until)
    return stage.judge_answers(checked)
