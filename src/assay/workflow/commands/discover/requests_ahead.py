"""How much a job will ask, before it is begun."""

from contextlib import nullcontext
from dataclasses import dataclass

from assay.ask_loop import find_unanswered
from assay.store import Run, Store
from assay.store.verbs import FILE_NAME
from assay.workflow.running.announcements import estimate_seconds
from assay.workflow.running.beginning import key_of
from assay.workflow.running.job import Job
from assay.workflow.running.ledgers import StoredReplies
from assay.workflow.running.preparation import Prepared, prepare
from assay.workflow.running.trials import TestTrial


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestsAhead:
    """What is left to ask of the tested models."""

    requests: int
    reused: int
    """Answers that the store has already."""

    to_judge: int
    """Answers that every judge reads, at most: a judge's stored readings are not looked up."""

    seconds: float | None
    """None if the store does not know the speed of each model."""


def count_requests(job: Job) -> RequestsAhead:
    """Prepare the job and count; raise every mistake of it. No model is asked anything."""
    prepared = prepare(job)
    exists = (job.out / FILE_NAME).is_file()
    try:
        with Store(job.out, read_only=True) if exists else nullcontext() as store:
            return _count(job, prepared, store)
    finally:
        prepared.close()


def _count(job: Job, prepared: Prepared, store: Store | None) -> RequestsAhead:
    # A run that is still to begin may use every stored reply.
    run = (store.find_unfinished_run(key_of(job, prepared)) if store else None) or Run(
        id="", key=""
    )
    left = turns = to_judge = 0
    seconds: float | None = 0.0
    for plan in prepared.plans:
        turns += plan.turns
        if prepared.panel:
            to_judge += sum(1 for trial in plan.trials if trial.case.check.judged)
        trials = [TestTrial(plan, trial) for trial in plan.trials]
        if store:
            find_unanswered(trials, StoredReplies(store, run, plan.facts.fingerprint))
        requests = [trial.request for trial in trials if trial.request]
        left += sum(trial.left for trial in trials)
        if not requests or seconds is None:
            continue
        more = estimate_seconds(store, plan.facts.fingerprint, requests) if store else None
        seconds = None if more is None else seconds + more
    return RequestsAhead(requests=left, reused=turns - left, to_judge=to_judge, seconds=seconds)
