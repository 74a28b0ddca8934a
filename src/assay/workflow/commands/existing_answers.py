"""`assay judge`: judges existing answers; the tested model is asked nothing.

The answers are those of a run, or of a folder `outputs/MODEL/TEST-ID.txt` from anywhere. Earlier
judgements stay in the store; the newest count.
"""

import itertools
import re
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from assay.errors import AssayError, UsageError, raise_all
from assay.judge.evaluation_reading import Imported
from assay.messages import tr
from assay.models.scripted import WrittenOutputs
from assay.store import Run, Store
from assay.suites.test_plan_file import load_test_plans
from assay.types import Observer, Suite
from assay.types.options import StoredAnswerOptions
from assay.types.results import Report
from assay.workflow.commands.evaluation import evaluate
from assay.workflow.commands.imported_evaluations import (
    assign_evaluations,
    read_imports,
    take_back_imports,
    without_counts,
)
from assay.workflow.commands.prompts_to_paste import write_prompts
from assay.workflow.reporting.checkpoint_files import write_decisions
from assay.workflow.reporting.results import report_of
from assay.workflow.reporting.run_files import write_run
from assay.workflow.running.beginning import resumable
from assay.workflow.running.job import Job
from assay.workflow.running.judging.panel import judged_cases, open_panel
from assay.workflow.running.judging.samples import samples_to_judge
from assay.workflow.running.judging.stage import JudgingStage
from assay.workflow.running.run_folder import RunFolder

OUTPUTS, TEST_PLANS = "outputs", "test-plans"
_REPEAT = re.compile(r"\.(\d{1,4})$")


def judge_existing(job: StoredAnswerOptions, observer: Observer) -> Report:
    folder = Path(job.run_or_dir)
    is_outputs = (folder / OUTPUTS).is_dir()
    _refuse_contradictions(job, is_outputs=is_outputs)
    readings = read_imports(job.imports)
    if is_outputs:
        return _judge_folder(job, readings, observer)
    is_folder = folder.name != job.run_or_dir or (folder.is_dir() and job.run_or_dir != "latest")
    if is_folder or job.suites:
        raise UsageError(
            tr("there is no folder {path!r}", path=str(folder / OUTPUTS)),
            hint=tr(
                "answers are in outputs/MODEL/TEST-ID.txt; a run is named by its id, without -s: "
                "it knows its tests"
            ),
        )
    return _judge_run(job, readings, observer)


def _refuse_contradictions(job: StoredAnswerOptions, *, is_outputs: bool) -> None:
    ways = {
        "--judge": bool(job.judges),
        "--import": bool(job.imports),
        "--undo-import": job.undo_import,
        "--write-prompts": job.write_prompts is not None,
    }
    given = [name for name, is_given in ways.items() if is_given]
    if len(given) > 1 and given != ["--judge", "--import"]:
        raise UsageError(
            tr("{names} do not go together", names=", ".join(given)),
            hint=tr("give one of them; --judge and --import go together"),
        )
    if not given and not is_outputs:  # a folder is scored by its checks
        raise UsageError(
            tr("no judge given"),
            hint=tr("name a model, as in --judge ollama:qwen3:8b, or evaluations with --import"),
        )


def _judge_run(
    job: StoredAnswerOptions, readings: Sequence[Imported], observer: Observer
) -> Report:
    with Store(job.out, must_exist=True) as store:
        run = store.find_run(job.run_or_dir)
        if run.finished is None:
            raise UsageError(
                tr("run {run} is not finished", run=run.id),
                hint=tr("continue it first: {command}", command=run.command),
            )
        folder = RunFolder(job.out, run.id)
        folder.take_or_refuse()
        with folder:
            return judge_in(store, run, folder, job, readings, observer)


def judge_in(
    store: Store,
    run: Run,
    folder: RunFolder,
    job: StoredAnswerOptions,
    readings: Sequence[Imported],
    observer: Observer,
) -> Report:
    until = time.monotonic() + job.budget if job.budget is not None else None
    suites = store.read_suites(run)
    has_samples = any(samples_to_judge(store, run))
    if not judged_cases(suites) and not has_samples:
        raise UsageError(
            tr("no test of run {run} needs a judge", run=run.id),
            hint=tr("choose a run of a suite with judged tests, such as coding or data"),
        )
    tested = [model.facts for model in run.models]
    panel = open_panel(job, suites, tested, job, job, has_samples=has_samples)
    command = job.command_line("judge", job.run_or_dir)
    with closing(panel), resumable(job.out, command):
        cases = judged_cases(suites)
        imported = assign_evaluations(readings, run, cases, panel)
        notes = list(imported.notes)
        if readings and not imported.judgements and not job.judges:
            told = tr("no evaluation is about an answer of run {run}", run=run.id)
            raise UsageError(
                "\n".join([told, *notes]),
                hint=tr("TEST ID and MODEL name a test and a model of the run"),
            )
        if imported.judgements and run.judging is not None:
            kept = without_counts(run.judging.notes)
            run = replace(run, judging=replace(run.judging, notes=kept))
        stage = JudgingStage(store, run, suites, panel, observer, until)
        if job.write_prompts is not None:
            write_prompts(job.write_prompts, run, stage.stored_answers(), panel, observer)
            return report_of(store, run)
        if job.undo_import:
            run = take_back_imports(store, run, cases, panel)
            report = report_of(store, run)
            write_run(folder, report, suites, store)
            return report
        errors: list[AssayError] = []
        panel.probe_judges(errors)
        raise_all(errors)
        known = {
            kept.key[:2]
            for model in run.models
            for kept in store.read_judgements(run, model)
            if kept.judgement.evidence.checks
        }
        unchecked = panel.unchecked(suites, known)
        for note in (*store.notes, *panel.notes, *panel.warnings, *unchecked, *notes):
            observer.note(note)
        # The run's own command says nothing of who judged it later.
        notes = [*notes, tr("Judged with: {command}", command=command)]
        run = stage.judge_answers(imported=imported.judgements, notes=notes)
        report = report_of(store, run)
        write_run(folder, report, suites, store)
        for note in write_decisions(report, job.out, run.deciding) if has_samples else ():
            observer.note(note)
        return report


def _judge_folder(
    job: StoredAnswerOptions, readings: Sequence[Imported], observer: Observer
) -> Report:
    """The answers become a run like any other; imported evaluations are added to its judgements."""
    folder = Path(job.run_or_dir)
    models = _read_outputs(folder / OUTPUTS)
    own: tuple[Suite, ...] = ()
    if not job.suites:
        if not (folder / TEST_PLANS).is_dir():
            raise UsageError(
                tr("the tests that the answers in {folder} belong to are not known", folder=folder),
                hint=tr("name the tests with -s coding, or add a folder test-plans/"),
            )
        own = load_test_plans(folder / TEST_PLANS)
    stems = frozenset(stem for model in models for stem in model.test_ids)
    repeats = _repeats(stems)
    named = frozenset(_REPEAT.sub("", stem) for stem in stems)
    report = evaluate(
        Job.of(
            job,
            models=(),
            own=own,
            given=tuple(models),
            only_tests=named,
            repeats=repeats,
            called=job.command_line("judge", job.run_or_dir),
        ),
        observer,
    )
    beyond = {stem for stem in stems if _repeat_of(stem) > repeats}
    known = {
        name
        for suite in report.models[0].suites
        for test in suite.tests
        for name in (test.id, f"{suite.suite}.{test.id}")
    }
    if strangers := sorted((named - known) | beyond):
        observer.note(
            tr("no test has this name, nothing was judged: {names}", names=", ".join(strangers))
        )
    if not readings and job.write_prompts is None:
        return report
    return _judge_run(replace(job, run_or_dir=report.run, suites=()), readings, observer)


def _read_outputs(outputs: Path) -> list[WrittenOutputs]:
    folders = sorted(each for each in outputs.iterdir() if each.is_dir())
    if folders:
        return [WrittenOutputs(folder) for folder in folders]
    raise UsageError(
        tr("{folder} contains no model's answers", folder=outputs),
        hint=tr("answers are in outputs/MODEL/TEST-ID.txt"),
    )


def _repeats(stems: frozenset[str]) -> int:
    """How often there is an answer. Numbers have no gap: `CT-01.2024.txt` is no repeat."""
    numbers = {_repeat_of(stem) for stem in stems}
    return next(number for number in itertools.count(1) if number + 1 not in numbers)


def _repeat_of(stem: str) -> int:
    found = _REPEAT.search(stem)
    return int(found[1]) if found else 1
