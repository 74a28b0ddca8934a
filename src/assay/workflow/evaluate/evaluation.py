"""The main job: ask every question of the chosen suites, mark the answers, report.

In: a Job (what a user asked for) and an Observer. Out: a Report, and under `out` all that a run
leaves. The steps, in order:

    1 prepare   load suites, find models; refuse with every mistake at once, before any request
    2 plan      what a server can do where only asking tells; then what each model will be asked
    3 begin     continue the unfinished run of the same command, or start a new one
    4 ask       what the store does not hold yet; each reply durable and marked before the next
    5 mark      replies that were in the store already
    6 judge     the answers that no rule can mark, where judges were named
    7 report    from the store, as `assay report` would
"""

from __future__ import annotations

import gc
import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

import assay
from assay.ask_loop import ask
from assay.checks.scoring import score_reply
from assay.errors import BudgetSpent, Interrupted, ModelUnavailable, Refusals
from assay.machine import this_machine
from assay.messages import tr
from assay.pause_gc import pause_gc
from assay.plan import Exchange, Plan
from assay.store import Run, RunModel, Store, TryKey, new_run_id, utc_now
from assay.types import Answered, Failed, Model, Observed, Observer, Reply, Request, Score
from assay.types.model_spec import without_secrets
from assay.types.results import Report
from assay.workflow.checkpoints.measures import MEASURED
from assay.workflow.checkpoints.report_files import leave_verdicts
from assay.workflow.evaluate.background_work import BackgroundWork
from assay.workflow.evaluate.job import Job
from assay.workflow.evaluate.opened_models import left_out, why_failed
from assay.workflow.evaluate.preparation import Prepared, prepare
from assay.workflow.evaluate.run_folder import RunFolder
from assay.workflow.history.results import report_of
from assay.workflow.judging.stage import judge_answers

MARKED_AT_ONCE = 1000


def evaluate(job: Job, observer: Observer) -> Report:
    """Do the main job."""
    until = time.monotonic() + job.budget_s if job.budget_s is not None else None
    with pause_gc():
        prepared = prepare(job)
        gc.freeze()  # they live as long as the run: later collections need not look at them
    try:
        with Store(job.out) as store:
            panel = prepared.panel
            for note in (*store.notes, *prepared.notes, *(panel.notes if panel else ())):
                observer.note(note)
            run, folder = _begin(job, store, prepared)
            with folder:
                background = BackgroundWork(folder, prepared.suites)
                try:
                    for model, plan, known in zip(
                        prepared.models, prepared.plans, run.models, strict=True
                    ):
                        measures = prepared.measures_of(known.spec, model)
                        asking = _Asking(
                            store, run, known, model, plan, measures, observer, background, until
                        )
                        run = _asked(asking)
                        model.close()
                    guesses = background.finish()
                finally:
                    background.stop()
                if panel:
                    run = judge_answers(store, run, prepared.suites, panel, observer, until=until)
                # Written first, finished then: a run killed in between is continued, and writes.
                ended = replace(run, finished=utc_now())
                report = report_of(store, ended, guesses=guesses)
                folder.write(report, prepared.suites, store)
                for note in leave_verdicts(
                    report,
                    job.out,
                    run.deciding,
                    tensorboard=job.tensorboard,
                ):
                    observer.note(note)
                store.update_run(run, finished=ended.finished)
            return report
    except KeyboardInterrupt as stop:
        raise Interrupted(
            tr("every answer that was counted is kept in {out}", out=job.out),
            hint=tr("continue with: {command}", command=job.command),
        ) from stop
    except BudgetSpent as spent:
        spent.hint = tr("continue with: {command}", command=job.command)
        raise
    finally:
        gc.unfreeze()
        for model in prepared.models:
            model.close()
        if prepared.panel:
            prepared.panel.close()


# --------------------------------------------------------------------------------------- begin


def _begin(job: Job, store: Store, prepared: Prepared) -> tuple[Run, RunFolder]:
    """Continue the unfinished run of the same command unless another process has it."""
    key = key_of(job, prepared)
    if not job.fresh and (run := store.find_unfinished_run(key)):
        folder = RunFolder(job.out, run.id)
        if folder.take():
            # A checkpoint that broke on the way may be whole again; options may be others.
            again = prepared.deciding
            return (store.update_run(run, deciding=again) if again else run), folder
    # Taken before the store shows it: another process must not continue it background.
    folder = RunFolder(job.out, new_run_id())
    folder.take()
    run = store.begin_run(
        run_id=folder.run_id,
        key=key,
        models=[
            RunModel(
                position=position,
                spec=without_secrets(spec),
                slug=slug_of(model),
                facts=model.facts,
            )
            for position, (spec, model) in enumerate(
                zip(prepared.specs, prepared.models, strict=True)
            )
        ],
        suites=prepared.suites,
        seed=job.seed,
        repeats=job.repeats,
        command=job.command,
        version=assay.__version__,
        fresh=job.fresh,
        sampling=job.sampling,
        machine=this_machine(),
        deciding=prepared.deciding,
    )
    return run, folder


def key_of(job: Job, prepared: Prepared) -> str:
    """Equal for two commands that ask the same of the same models. The suites' files stand for
    their content: hashing 100,000 tests again would cost half a second of every start.
    """
    body = [
        assay.__version__,
        [
            [without_secrets(spec), model.facts.fingerprint]
            for spec, model in zip(prepared.specs, prepared.models, strict=True)
        ],
        [[suite.name, suite.source] for suite in prepared.suites],
        [sorted(job.categories), job.limit, job.seed, job.repeats],
        [job.sampling, job.max_tokens, job.think, job.system, job.server.num_ctx, job.server.form],
        *([prepared.deciding_key] if prepared.deciding else []),
        *([prepared.panel.key] if prepared.panel else []),
    ]
    return sha256(json.dumps(body).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def slug_of(model: Model) -> str:
    """A folder's name for a model: readable, and different for different models."""
    facts = model.facts
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", facts.name).strip("-.")[:60] or "model"
    return f"{readable}-{sha256(f'{facts.spec}|{facts.fingerprint}'.encode()).hexdigest()[:6]}"


# ----------------------------------------------------------------------------------------- ask


def _asked(asking: _Asking) -> Run:
    """Ask one model all that is left. A checkpoint of a folder may go away or break after the
    start, as trainers delete old ones: then it is a failed one, and the others go on.
    """
    run, spec = asking.run, asking.known.spec
    subjects = run.deciding.subjects if run.deciding else ()
    subject = next((each for each in subjects if each.spec == spec), None)
    try:
        asking.finish()
    except (ModelUnavailable, Refusals) as error:
        if run.deciding is None or subject is None or not subject.folder:
            raise
        failed = replace(subject, failed=why_failed(Path(subject.path), error))
        asking.observer.note(left_out(failed.name, failed.failed))
        others = tuple(failed if each is subject else each for each in subjects)
        return asking.store.update_run(run, deciding=replace(run.deciding, subjects=others))
    return run


_Pending = tuple[Exchange | None, Request]  # None: no test, but something that is measured


@dataclass(slots=True)
class _Asking:
    """One model's share of a run: what is left to ask, asked turn by turn, and marked."""

    store: Store
    run: Run
    known: RunModel
    model: Model
    plan: Plan
    measures: Sequence[Request]
    observer: Observer
    background: BackgroundWork
    until: float | None
    to_mark: list[tuple[Exchange | Request, int]] = field(default_factory=list)
    replies: dict[tuple[str, str, int], list[str]] = field(default_factory=dict)

    def finish(self) -> None:
        """Ask what is left; a live conversation's later turns follow its earlier ones."""
        pending = self._left_to_ask()
        left = sum(
            len(exchange.asked) - request.turn if exchange else 1 for exchange, request in pending
        )
        total = self.plan.turns + len(self.measures)
        self.observer.model_started(self.known.spec, total=total, reused=total - left)
        self.background.begin()
        try:
            while pending:
                pending = self._ask(pending)
        finally:  # a stopped run, too, reports the answers it found in the store
            self._mark_reused()
            if left and (observed := self.model.observed()) != Observed():
                self.store.store_observed(self.run, self.known, observed)
        self.observer.model_finished(self.known.spec)

    def _left_to_ask(self) -> list[_Pending]:
        """A set difference: what is planned less what the store holds."""
        marked = self.store.find_scored(self.run, self.known)
        pending: list[_Pending] = []
        for exchange in self.plan.exchanges:
            # A marked try of this very run needs no hash: the run's key holds all that its id does.
            if exchange.key in marked:
                continue
            if request := self._next_unanswered(exchange):
                pending.append((exchange, request))
        for request in self.measures:
            if (request.suite, request.test_id, request.repeat) in marked:
                continue
            reply_id = self.store.find_answer(self.run, request.id)
            if reply_id is None:
                pending.append((None, request))
            else:
                self.to_mark.append((request, reply_id))
        return pending

    def _next_unanswered(self, exchange: Exchange) -> Request | None:
        """The first turn the store has no answer to; None if it has them all."""
        replies: list[str] = []
        self.replies[exchange.key] = replies
        for turn in range(len(exchange.asked)):
            request = self.plan.request(exchange, turn, replies)
            reply_id = self.store.find_answer(self.run, request.id)
            if reply_id is None:
                return request
            if turn == len(exchange.asked) - 1:
                self.to_mark.append((exchange, reply_id))
            else:
                replies.append(_text_of(self.store.read_reply(reply_id)))
        return None

    def _ask(self, pending: Sequence[_Pending]) -> list[_Pending]:
        exchanges = {request.id: (exchange, request) for exchange, request in pending}
        following: list[_Pending] = []
        requests = [request for _, request in pending]
        for reply in ask(self.model, requests, until=self.until):
            exchange, request = exchanges[reply.request_id]
            score = None  # of what is measured, too: it is no test, and nobody misses a mark
            if exchange is None:
                measured = None if isinstance(reply, Failed) else MEASURED
                self.store.store_try(self.run, self.known, request, reply, measured)
            elif isinstance(reply, Failed) or request.turn == len(exchange.asked) - 1:
                score = score_reply(exchange.case, reply)
                self.store.store_try(self.run, self.known, request, reply, score)
                self.background.answered(self.known.slug, request, reply)
            else:
                self.store.store_reply(self.run, self.known, request, reply)
                replies = self.replies[exchange.key]
                replies.append(_text_of(reply))
                following.append((exchange, self.plan.request(exchange, request.turn + 1, replies)))
            self.observer.replied(self.known.spec, reply, score)
        return following

    def _mark_reused(self) -> None:
        for start in range(0, len(self.to_mark), MARKED_AT_ONCE):
            marks = [
                self._marked(asked, reply_id)
                for asked, reply_id in self.to_mark[start : start + MARKED_AT_ONCE]
            ]
            self.store.store_scores(self.run, self.known, marks)

    def _marked(self, asked: Exchange | Request, reply_id: int) -> tuple[TryKey, int, Score | None]:
        if isinstance(asked, Request):
            return (asked.suite, asked.test_id, asked.repeat), reply_id, MEASURED
        return asked.key, reply_id, score_reply(asked.case, self.store.read_reply(reply_id))


def _text_of(reply: Reply) -> str:
    return reply.text if isinstance(reply, Answered) else ""
