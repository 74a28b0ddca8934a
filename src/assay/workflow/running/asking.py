"""Every model of a run is asked, one after another; every reply is stored."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

from assay.ask_loop import ask_all
from assay.errors import (
    AssayError,
    BudgetSpent,
    ModelUnavailable,
    Refusals,
)
from assay.harness.tasks import HarnessTasks
from assay.machine import this_machine
from assay.messages import tr
from assay.plan import AskOptions, Plan, make_plan
from assay.store import Run, RunModel, Store
from assay.types import (
    Model,
    Observed,
    Observer,
    Request,
    TokenizerFigures,
    ToTime,
)
from assay.types.scores import tell_phase
from assay.workflow.checkpoints.measures import take_own_figures
from assay.workflow.checkpoints.tokenizer_texts import tokenizer_figures
from assay.workflow.running.announcements import announce_requests
from assay.workflow.running.background import BackgroundWork
from assay.workflow.running.early import StopRule, UndecidedTests
from assay.workflow.running.harness_tasks import ModelScores, score_tasks
from assay.workflow.running.judging.stage import AnswerToJudge, JudgingStage
from assay.workflow.running.ledgers import ScoredReplies
from assay.workflow.running.opening import left_out, why_failed
from assay.workflow.running.preparation import Prepared
from assay.workflow.running.trials import AnyTrial, MeasureTrial, TestTrial

CORES_TO_GET_READY = 4


def ask_model(
    ledger: ScoredReplies,
    model: Model,
    plan: Plan,
    measures: Sequence[Request],
    observer: Observer,
    until: float | None,
    tokenizer: tuple[TokenizerFigures, ...] = (),
    harness: Mapping[str, HarnessTasks] | None = None,
    stop: StopRule | None = None,
    again: bool = False,
) -> None:
    """`stop`: ask the tests in a drawn order until it has enough. `again`: more of one that was
    asked, of whom what was seen then is kept.
    """
    store, run, known = ledger.store, ledger.run, ledger.model
    # A scored trial of this very run needs no hash: the run's key holds all that its id does.
    scored = store.find_scored(run, known)
    more = (
        UndecidedTests(rule=stop, plan=plan, read=ledger.read_values, scored=scored)
        if stop
        else None
    )
    first = stop.first_of(plan) if stop else plan
    trials: list[AnyTrial] = [
        *(TestTrial(plan, each) for each in first.trials if each.key not in scored),
        *(MeasureTrial(each) for each in measures if each.key not in scored),
    ]
    done = first.turns + len(measures) - sum(each.left for each in trials)
    ledger.background.begin()
    of_tasks = ModelScores({}, ())
    try:
        ask_all(
            model, trials, ledger, observer, name=known.spec, done=done, until=until, more=more,
            announce=partial(announce_requests, store, model.facts),
        )  # fmt: skip
        if harness:
            ledger.flush()
            tell_phase(observer, tr("lm-evaluation-harness scores the answers"))
            of_tasks = score_tasks(store, run, known, plan, harness)
    except BudgetSpent as spent:
        if more and (undecided := more.tell_undecided()):
            raise BudgetSpent(f"{spent}; {undecided}") from spent
        raise
    finally:  # a stopped run, too, reports the answers it found in the store
        ledger.flush()
        seen = model.observed() if ledger.asked else Observed()
        own = take_own_figures(known, store.read_measures(run, known)).figures if measures else {}
        observed = replace(
            seen,
            tokenizer=tokenizer,
            figures=own,
            metrics=of_tasks.metrics,
            notes=(*seen.notes, *of_tasks.notes, *plan.notes),
        )
        if observed != Observed() and not again:
            store.store_observed(run, known, observed)


def ask_models(
    store: Store,
    run: Run,
    prepared: Prepared,
    observer: Observer,
    background: BackgroundWork,
    until: float | None,
) -> tuple[Run, list[AnswerToJudge]]:
    """One after another; each is closed, and its evidence gathered, before the next. Speed comes
    last, when nothing else computes.
    """
    with ExitStack() as beside:
        return _ask_models(store, run, prepared, observer, background, until, beside)


def _ask_models(
    store: Store,
    run: Run,
    prepared: Prepared,
    observer: Observer,
    background: BackgroundWork,
    until: float | None,
    beside: ExitStack,
) -> tuple[Run, list[AnswerToJudge]]:
    checked: list[AnswerToJudge] = []
    to_time: list[tuple[Model, Plan, RunModel, list[Request]]] = []
    cut: dict[str, tuple[TokenizerFigures, ...]] = {}  # checkpoints of a folder share a tokenizer
    every = zip(prepared.models, prepared.plans, run.models, strict=True)
    for after, (model, plan, known) in zip(reversed(range(len(run.models))), every, strict=True):
        if after and (read_ahead := getattr(prepared.models[-after], "read_ahead", None)):
            read_ahead()
        tell_phase(observer, tr("opening {model}", model=known.spec), more=after)
        measures = prepared.measures_of(known.spec, model, plan)
        timed = [each for each in measures if isinstance(each.work, ToTime)]
        measures = [each for each in measures if not isinstance(each.work, ToTime)]
        if not after:  # the last to be asked
            first, its = (to_time[0][0], to_time[0][3]) if to_time else (model, timed)
            beside.enter_context(_made_ready(store, run, prepared, first, its))
        kind = model.facts.tokenizer
        try:
            if kind and kind not in cut:
                cut[kind] = tokenizer_figures(model, prepared.to_cut)
            ledger = ScoredReplies(store, run, known, background)
            ask_model(
                ledger, model, plan, measures, observer, until, cut.get(kind, ()),
                prepared.harness, prepared.stop,
            )  # fmt: skip
        except (ModelUnavailable, Refusals) as error:
            run = _leave_out(store, run, known.spec, error, observer)
            timed = []
        model.close()
        to_time += [(model, replace(plan, trials=()), known, timed)] if timed else []
        if prepared.panel:
            stage = JudgingStage(store, run, prepared.suites, prepared.panel, observer)
            checked += stage.check_answers([known])
    if to_time:
        background.guesses()
    for model, nothing, known, timed in to_time:
        tell_phase(observer, tr("measuring the speed of {model}", model=known.spec))
        ledger = ScoredReplies(store, run, known, background)
        ask_model(ledger, model, nothing, timed, observer, until, again=True)
    return run, checked


def _made_ready(
    store: Store, run: Run, prepared: Prepared, model: Model, timed: Sequence[Request]
) -> AbstractContextManager[object]:
    """What times a model begins beside the asking, unless it was timed already: where the model is
    computed elsewhere than on the cores, and one of them is free.
    """
    missing = [each for each in timed if store.find_answer(run, each.id) is None]
    free = getattr(model, "leaves_cores_free", False) and this_machine().cores >= CORES_TO_GET_READY
    found: AbstractContextManager[object] = nullcontext()
    if missing and free and (get_ready := getattr(model, "get_ready", None)):
        found = get_ready(missing)
    return found


def ask_to_confirm(
    store: Store,
    run: Run,
    prepared: Prepared,
    chosen: Collection[str],
    options: AskOptions,
    observer: Observer,
    background: BackgroundWork,
    until: float | None,
) -> list[AnswerToJudge]:
    """The tests that took no part in the selection, of the chosen models alone."""
    checked: list[AnswerToJudge] = []
    for model, known in zip(prepared.models, run.models, strict=True):
        if known.spec not in chosen:
            continue
        tell_phase(observer, tr("confirming {model}", model=known.spec))
        plan = make_plan(prepared.confirming, model.facts, options)
        ledger = ScoredReplies(store, run, known, background)
        ask_model(ledger, model, plan, (), observer, until, again=True)
        model.close()
        if prepared.panel:
            stage = JudgingStage(store, run, prepared.suites, prepared.panel, observer)
            checked += stage.check_answers([known])
    return checked


def ask_ranked(
    store: Store,
    run: Run,
    prepared: Prepared,
    chosen: Collection[str],
    suites: Collection[str],
    observer: Observer,
    background: BackgroundWork,
    until: float | None,
) -> None:
    """The suites that candidates are ranked on, in full, of those that pass by part of them."""
    for model, plan, known in zip(prepared.models, prepared.plans, run.models, strict=True):
        if known.spec not in chosen:
            continue
        tell_phase(observer, tr("asking {model} in full, to rank it", model=known.spec))
        trials = tuple(each for each in plan.trials if each.case.suite in suites)
        ledger = ScoredReplies(store, run, known, background)
        ask_model(ledger, model, replace(plan, trials=trials), (), observer, until, again=True)
        model.close()


def _leave_out(store: Store, run: Run, spec: str, error: AssayError, observer: Observer) -> Run:
    """A checkpoint of a folder may break or go away; any other model's error is raised."""
    subject = next((each for each in run.subjects if each.spec == spec), None)
    if run.deciding is None or subject is None or not subject.folder:
        raise error
    failed = replace(subject, failed=why_failed(Path(subject.path), error))
    observer.note(left_out(failed.name, failed.failed))
    others = tuple(failed if each is subject else each for each in run.subjects)
    return store.update_run(run, deciding=replace(run.deciding, subjects=others))
