"""The main job: ask every question of the chosen suites, mark the answers, report.

In: a Job (what a user asked for) and an Observer. Out: a Report, and under `out` all that a run
leaves. The steps, in order:

    1 prepare   load suites, find models; refuse with every mistake at once, before any request
    2 plan      what a server can do where only asking tells; then what each model will be asked
    3 begin     continue the unfinished run of the same command, or start a new one
    4 ask       what the store does not hold yet; each reply durable and marked before the next
    5 mark      replies that were in the store already
    6 report    from the store, as `assay report` would
"""

from __future__ import annotations

import gc
import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import ParamSpec, TypeVar

import assay
from assay.errors import AssayError, BudgetSpent, Interrupted, UsageError, raise_all
from assay.machine import this_machine
from assay.messages import tr
from assay.models.opening import open_model
from assay.models.spec import without_secrets
from assay.plan import Exchange, Plan, cannot_think, make_plan
from assay.results import Report
from assay.run import ask
from assay.scorers.mark import mark
from assay.store import Run, RunModel, Store, new_run_id, utc_now
from assay.suites.catalogue import benchmarks_folder, find
from assay.suites.default_system import with_default_system
from assay.suites.load import load_all
from assay.suites.pick import pick_all
from assay.types import Answered, Failed, Model, Observed, Observer, Reply, Request, Suite
from assay.uncollected import uncollected
from assay.workflow.job import Job
from assay.workflow.meanwhile import Meanwhile
from assay.workflow.results import report_of
from assay.workflow.run_folder import RunFolder, file_stem, ids_in_several

T = TypeVar("T")
P = ParamSpec("P")

MARKED_AT_ONCE = 1000
LONGEST_STEM = 230  # bytes; file systems take 255, and .1000.txt.partial comes on top


def evaluate(job: Job, observer: Observer) -> Report:
    """Do the main job."""
    until = time.monotonic() + job.budget_s if job.budget_s is not None else None
    with uncollected():
        suites, plans, models = prepare(job)
        gc.freeze()  # they live as long as the run: later collections need not look at them
    try:
        with Store(job.out) as store:
            for note in store.notes:
                observer.note(note)
            run, folder = _begin(job, store, suites, models)
            with folder:
                meanwhile = Meanwhile(folder, suites)
                try:
                    for model, plan, known in zip(models, plans, run.models, strict=True):
                        _Asking(store, run, known, model, plan, observer, meanwhile, until).finish()
                        model.close()
                    guesses = meanwhile.finish()
                finally:
                    meanwhile.stop()
                # Written first, finished then: a run killed in between is continued, and writes.
                report = report_of(store, replace(run, finished=utc_now()), guesses=guesses)
                folder.write(report, suites, store)
                store.finish(run)
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
        for model in models:
            model.close()


# ------------------------------------------------------------------------------------- prepare


def prepare(job: Job) -> tuple[tuple[Suite, ...], tuple[Plan, ...], tuple[Model, ...]]:
    """Load, find and plan everything; collect what is wrong and show it together. A server is
    probed only when nothing else is wrong, for then a probe is all that asks a model anything.
    """
    errors: list[AssayError] = [*_senseless(job)]
    suites = _suites(job, errors)
    models = [
        found
        for spec in job.models
        for found in _tried(errors, open_model, spec, job.server, job.local)
    ]
    try:
        errors += _named_twice(models)
        errors += _names_too_long(suites)
        for model in models:
            errors += cannot_think(model.facts, job.wishes)
        raise_all(errors)
        for model in models:
            _tried(errors, model.probe)
        raise_all(errors)
        plans = [
            plan
            for model in models
            for plan in _tried(errors, make_plan, suites, model.facts, job.wishes)
        ]
        raise_all(errors)
    except BaseException:
        for model in models:
            model.close()
        raise
    return suites, tuple(plans), tuple(models)


def _suites(job: Job, errors: list[AssayError]) -> tuple[Suite, ...]:
    found = [
        files
        for _ in _tried(errors, benchmarks_folder, job.benchmarks)
        for name in job.suites
        for files in _tried(errors, find, name, job.benchmarks)
    ]
    for suites in _tried(errors, load_all, found):
        if len(found) == len(job.suites):
            if job.system is not None:
                suites = tuple(with_default_system(suite, job.system) for suite in suites)
            suites = (*suites, *job.own)
            for picked in _tried(errors, pick_all, suites, job.categories, job.limit, job.seed):
                return picked
    return ()


def _tried(
    errors: list[AssayError], attempt: Callable[P, T], *given: P.args, **named: P.kwargs
) -> list[T]:
    """What it gives, alone in a list; or nothing, and one more error."""
    try:
        return [attempt(*given, **named)]
    except AssayError as error:
        errors.append(error)
        return []


def _senseless(job: Job) -> Iterator[UsageError]:
    if not job.models:
        yield UsageError(tr("no model was named"), hint=tr("name one, as in ollama:llama3.2:3b"))
    if not job.suites and not job.own:
        yield UsageError(
            tr("no suite was chosen"),
            hint=tr("name one with -s, for example -s example; `assay suites` lists them"),
        )
    if job.repeats < 1:
        yield UsageError(
            tr("a test is asked at least once, not {count} times", count=job.repeats),
            hint=tr("give --repeats 1 or more"),
        )


def _named_twice(models: Sequence[Model]) -> Iterator[UsageError]:
    seen: dict[str, str] = {}
    for model in models:
        facts = model.facts
        if facts.fingerprint in seen:
            yield UsageError(
                tr(
                    "{second} is the same model as {first}",
                    first=seen[facts.fingerprint],
                    second=facts.spec,
                ),
                hint=tr("name each model once"),
            )
        seen.setdefault(facts.fingerprint, facts.spec)


def _names_too_long(suites: Sequence[Suite]) -> Iterator[UsageError]:
    """Answers become files; a name the disk cannot hold must not be found out at the end."""
    clashing = ids_in_several(suites)
    for suite in suites if clashing else ():  # an id alone is short enough: the loader sees to it
        stems = (file_stem(suite.name, case.id, clashing) for case in suite.cases)
        longest = max(stems, key=lambda stem: len(stem.encode()), default="")
        if len(longest.encode()) > LONGEST_STEM:
            yield UsageError(
                tr("the name {name!r} is too long for a file", name=longest),
                hint=tr("two suites share this test id; rename it or shorten the suite's name"),
            )


# --------------------------------------------------------------------------------------- begin


def _begin(
    job: Job, store: Store, suites: Sequence[Suite], models: Sequence[Model]
) -> tuple[Run, RunFolder]:
    """Continue the unfinished run of the same command unless another process has it."""
    key = key_of(job, suites, models)
    if not job.fresh and (run := store.unfinished(key)):
        folder = RunFolder(job.out, run.id)
        if folder.take():
            return run, folder
    # Taken before the store shows it: another process must not continue it meanwhile.
    folder = RunFolder(job.out, new_run_id())
    folder.take()
    run = store.begin(
        run_id=folder.run_id,
        key=key,
        models=[
            RunModel(
                position=position,
                spec=without_secrets(spec),
                slug=slug_of(model),
                facts=model.facts,
            )
            for position, (spec, model) in enumerate(zip(job.models, models, strict=True))
        ],
        suites=suites,
        seed=job.seed,
        repeats=job.repeats,
        command=job.command,
        version=assay.__version__,
        fresh=job.fresh,
        sampling=job.sampling,
        machine=this_machine(),
    )
    return run, folder


def key_of(job: Job, suites: Sequence[Suite], models: Sequence[Model]) -> str:
    """Equal for two commands that ask the same of the same models. The suites' files stand for
    their content: hashing 100,000 tests again would cost half a second of every start.
    """
    body = [
        assay.__version__,
        [
            [without_secrets(spec), model.facts.fingerprint]
            for spec, model in zip(job.models, models, strict=True)
        ],
        [[suite.name, suite.source] for suite in suites],
        [sorted(job.categories), job.limit, job.seed, job.repeats],
        [job.sampling, job.max_tokens, job.think, job.system, job.server.num_ctx, job.server.form],
    ]
    return sha256(json.dumps(body).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def slug_of(model: Model) -> str:
    """A folder's name for a model: readable, and different for different models."""
    facts = model.facts
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", facts.name).strip("-.")[:60] or "model"
    return f"{readable}-{sha256(f'{facts.spec}|{facts.fingerprint}'.encode()).hexdigest()[:6]}"


# ----------------------------------------------------------------------------------------- ask


@dataclass(slots=True)
class _Asking:
    """One model's share of a run: what is left to ask, asked turn by turn, and marked."""

    store: Store
    run: Run
    known: RunModel
    model: Model
    plan: Plan
    observer: Observer
    meanwhile: Meanwhile
    until: float | None
    to_mark: list[tuple[Exchange, int]] = field(default_factory=list)
    replies: dict[tuple[str, str, int], list[str]] = field(default_factory=dict)

    def finish(self) -> None:
        """Ask what is left; a live conversation's later turns follow its earlier ones."""
        pending = self._left_to_ask()
        left = sum(len(exchange.asked) - request.turn for exchange, request in pending)
        self.observer.model_started(
            self.known.spec, total=self.plan.turns, reused=self.plan.turns - left
        )
        self.meanwhile.begin()
        try:
            while pending:
                pending = self._ask(pending)
        finally:  # a stopped run, too, reports the answers it found in the store
            self._mark_reused()
            if left and (observed := self.model.observed()) != Observed():
                self.store.observe(self.run, self.known, observed)
        self.observer.model_finished(self.known.spec)

    def _left_to_ask(self) -> list[tuple[Exchange, Request]]:
        """A set difference: what is planned less what the store holds."""
        marked = self.store.marked(self.run, self.known)
        pending = []
        for exchange in self.plan.exchanges:
            # A marked try of this very run needs no hash: the run's key holds all that its id does.
            if exchange.key in marked:
                continue
            if request := self._next_unanswered(exchange):
                pending.append((exchange, request))
        return pending

    def _next_unanswered(self, exchange: Exchange) -> Request | None:
        """The first turn the store has no answer to; None if it has them all."""
        replies: list[str] = []
        self.replies[exchange.key] = replies
        for turn in range(len(exchange.asked)):
            request = self.plan.request(exchange, turn, replies)
            reply_id = self.store.newest_answer(self.run, request.id)
            if reply_id is None:
                return request
            if turn == len(exchange.asked) - 1:
                self.to_mark.append((exchange, reply_id))
            else:
                replies.append(_text_of(self.store.reply(reply_id)))
        return None

    def _ask(self, pending: Sequence[tuple[Exchange, Request]]) -> list[tuple[Exchange, Request]]:
        exchanges = {request.id: (exchange, request) for exchange, request in pending}
        following: list[tuple[Exchange, Request]] = []
        requests = [request for _, request in pending]
        for reply in ask(self.model, requests, until=self.until):
            exchange, request = exchanges[reply.request_id]
            score = None
            if isinstance(reply, Failed) or request.turn == len(exchange.asked) - 1:
                score = mark(exchange.case, reply)
                self.store.keep_try(self.run, self.known, request, reply, score)
                self.meanwhile.answered(self.known.slug, request, reply)
            else:
                self.store.keep(self.run, self.known, request, reply)
                replies = self.replies[exchange.key]
                replies.append(_text_of(reply))
                following.append((exchange, self.plan.request(exchange, request.turn + 1, replies)))
            self.observer.replied(self.known.spec, reply, score)
        return following

    def _mark_reused(self) -> None:
        for start in range(0, len(self.to_mark), MARKED_AT_ONCE):
            marks = [
                (exchange.key, reply_id, mark(exchange.case, self.store.reply(reply_id)))
                for exchange, reply_id in self.to_mark[start : start + MARKED_AT_ONCE]
            ]
            self.store.mark_again(self.run, self.known, marks)


def _text_of(reply: Reply) -> str:
    return reply.text if isinstance(reply, Answered) else ""
