"""Scores a run again from its stored answers; no model is asked.

The tests are read again from their files, so that a fixed keyword list counts. A test that asks
something else now is scored by its stored form. Old scores stay in the store; the newest count.
"""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from assay.errors import SandboxUnavailable, SuiteNotFound
from assay.messages import tr
from assay.plugins import load_plugins
from assay.sandbox import open_sandbox
from assay.store import Run, Store
from assay.suites.load import SuiteFiles, load_suite
from assay.suites.suite_file import with_defaults
from assay.suites.test_folder import GetSandbox
from assay.types import ModelFacts, Observer, Score, Suite
from assay.types.options import (
    DEFAULT_OUT,
    JudgeOptions,
    LocalOptions,
    SandboxChoice,
    ServerOptions,
)
from assay.types.results import Report
from assay.types.scores import SilentProgress
from assay.workflow.reporting.new_scores import new_scores, questions
from assay.workflow.reporting.results import report_of
from assay.workflow.reporting.run_files import write_run
from assay.workflow.running.judging.panel import judged_cases, open_panel
from assay.workflow.running.judging.stage import JudgingStage
from assay.workflow.running.own_prompts import is_own
from assay.workflow.running.run_folder import RunFolder

NAMED = 5  # how many test ids a note names


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescored:
    report: Report
    scored: int
    changed: int
    notes: tuple[str, ...]


def rescore(
    run: str = "latest",
    *,
    plugins: Sequence[str] = (),
    out: str | Path = DEFAULT_OUT,
    allow_code_execution: bool = False,
    sandbox: SandboxChoice = "auto",
    observer: Observer | None = None,
) -> Rescored:
    """Score stored answers by today's tests; with `allow_code_execution` checkers run again."""
    load_plugins(plugins)
    options = JudgeOptions(allow_code_execution=allow_code_execution, sandbox=sandbox)
    with Store(out, must_exist=True) as store:
        found = store.find_run(run)
        folder = RunFolder(Path(out), found.id)
        folder.take_or_refuse()
        with folder:
            return _rescore(store, found, folder, options, observer or SilentProgress())


def _rescore(
    store: Store, run: Run, folder: RunFolder, options: JudgeOptions, observer: Observer
) -> Rescored:
    notes: list[str] = []
    get_sandbox = cache(lambda: open_sandbox(options.sandbox))
    facts = run.models[0].facts
    suites = [_todays(suite, facts, get_sandbox, notes) for suite in store.read_suites(run)]
    before = {
        (model.position, *kept.key): kept.score
        for model in run.models
        for kept in store.read_trials(run, model)
    }
    if any(case.check.judged.checker for case in judged_cases(suites) if case.check.judged):
        tested = [model.facts for model in run.models]
        with closing(open_panel(options, suites, tested, ServerOptions(), LocalOptions())) as panel:
            notes += panel.unchecked(suites)
            JudgingStage(store, run, suites, panel, observer).check_again()
    cases = {(suite.name, case.id): case for suite in suites for case in suite.cases}
    scored = changed = 0
    for model in run.models:
        scores = []
        for key, reply_id, new in new_scores(
            store, run, model, cases, tuple(store.read_trials(run, model))
        ):
            scores.append((key, reply_id, new))
            scored += 1
            changed += _worth(before[(model.position, *key)]) != _worth(new)
        store.store_scores(run, model, scores)
    run = store.update_run(run, suites=suites)
    report = report_of(store, run)
    if run.finished:
        write_run(folder, report, suites, store)
    return Rescored(report=report, scored=scored, changed=changed, notes=tuple(notes))


def _worth(score: Score | None) -> tuple[float | None, bool] | None:
    return (score.value, score.no_answer) if score else None


def _todays(kept: Suite, facts: ModelFacts, get_sandbox: GetSandbox, notes: list[str]) -> Suite:
    """The suite with today's tests, as far as they still ask what was asked."""
    if is_own(kept) or kept.scored_together:  # nothing in them can have been fixed
        return kept
    judged = (case.check.judged for case in kept.cases)
    try:
        now = load_suite(
            SuiteFiles(Path(kept.path), tuple(map(Path, kept.elsewhere.values()))),
            data_seed=next((check.data_seed for check in judged if check), 0),
            get_sandbox=get_sandbox,
        )
        now = with_defaults(now, kept.system, kept.language)  # as it was given for want of its own
    except (SuiteNotFound, SandboxUnavailable) as error:
        gaps = {"why": error.message, "suite": kept.name}
        notes.append(tr("{why}; the tests of {suite} are taken from the store", **gaps))
        return kept
    asked = questions(kept, facts)
    asks = questions(now, facts)
    todays = {case.id: case for case in now.cases if asks[case.id] == asked.get(case.id)}
    stale = [test_id for test_id in asked if test_id not in todays]
    if stale:
        gaps = {"suite": kept.name, "count": str(len(stale)), "ids": ", ".join(stale[:NAMED])}
        notes.append(
            tr("{suite}: tests that are gone or ask something else now, scored by their old "
               "rules: {count} ({ids})", **gaps)
        )  # fmt: skip
    # A test that moved to another file stays where the run's weights have it.
    categories = kept.with_cases(
        replace(todays.get(case.id, case), category=case.category) for case in kept.cases
    ).categories
    names = {category.name for category in categories}
    return replace(
        now,
        path=kept.path,
        categories=categories,
        weights={name: weight for name, weight in now.weights.items() if name in names},
        few_shot=kept.few_shot,
        shots=kept.shots,
    )
