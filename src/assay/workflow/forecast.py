"""What a job will take, before it is begun: how many requests, and about how long.

In: a Job. Out: a Forecast. Refuses to know: how it is shown. What the store holds already counts as
reused, as it will when the job runs. The time comes from earlier replies of the same model where
the store has some; else each model is asked one short question, whose answer is not kept.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import islice

from assay.messages import tr, trn
from assay.models.spec import read_spec
from assay.plan import Exchange, Plan
from assay.run import ask
from assay.store import Run, Store
from assay.store.verbs import FILE_NAME
from assay.types import (
    Answered,
    Chosen,
    Failed,
    Message,
    Model,
    Request,
    Sampling,
    ToAnswer,
)
from assay.workflow.evaluate import prepare
from assay.workflow.job import Job

TIMED_TOKENS = 16
SHORT_ANSWER, LONG_ANSWER = 50, 200  # tokens; what tests of all suites are answered with, mostly
LONG_THOUGHT = 1000
CAME_AT_ONCE = 0.05  # share of the time between the first token and the last
MOST_EARLIER = 300  # replies looked at; more would not change a rough figure
USUAL_CONNECTIONS = {"openai": 8}  # DESIGN; all others one

Range = tuple[float, float]
# A run that is still to begin may use every reply there is.
_TO_COME = Run(
    id="", key="", created="", finished=None, first_reply=0, seed=0, repeats=1, command="",
    version="", models=(), digests=(),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """`requests` are to be asked, `reused` are in the store. The seconds are None where a model
    could not be timed; `basis` is a whole sentence that says what they rest on.
    """

    requests: int
    reused: int
    seconds_low: float | None
    seconds_high: float | None
    basis: str


@dataclass(frozen=True, slots=True)
class _Share:
    """One model's part of a job."""

    requests: int
    reused: int
    seconds: Range | None
    basis: str


def forecast(job: Job, about_to_time: Callable[[str], None] = lambda spec: None) -> Forecast:
    """How many requests and about how long; every mistake of the job is raised, as in a run.

    `about_to_time` is told the spec of each model that is asked a question: loading it may take
    long.
    """
    _, plans, models = prepare(job)
    exists = (job.out / FILE_NAME).is_file()
    shares = []
    try:
        with Store(job.out, read_only=True) if exists else nullcontext() as store:
            for plan, model in zip(plans, models, strict=True):
                pending = list(_pending(plan, None if job.fresh else store))
                shares.append(_share(job, plan, model, pending, store, about_to_time))
                model.close()
    finally:
        for model in models:
            model.close()
    return _sum(shares)


def _sum(shares: Sequence[_Share]) -> Forecast:
    known = [share.seconds for share in shares if share.seconds is not None]
    complete = len(known) == len(shares)
    return Forecast(
        requests=sum(share.requests for share in shares),
        reused=sum(share.reused for share in shares),
        seconds_low=sum(low for low, _ in known) if complete else None,
        seconds_high=sum(high for _, high in known) if complete else None,
        basis="; ".join(dict.fromkeys(share.basis for share in shares if share.basis)),
    )


def _share(
    job: Job,
    plan: Plan,
    model: Model,
    pending: Sequence[tuple[Request, int]],
    store: Store | None,
    about_to_time: Callable[[str], None],
) -> _Share:
    left = sum(count for _, count in pending)
    reused = plan.turns - left
    if not left:
        return _Share(0, reused, (0.0, 0.0), "")
    width = job.server.connections or USUAL_CONNECTIONS.get(read_spec(plan.facts.spec).scheme, 1)
    earlier = _earlier_seconds(store, plan.facts.fingerprint) if store else []
    if earlier:
        seconds: Range | None = _by_earlier(left, earlier)
        basis = trn(
            "by {count} earlier answer of {model}",
            "by {count} earlier answers of {model}",
            len(earlier),
            model=plan.facts.name,
        )
    else:
        if not _is_scripted(plan):
            about_to_time(plan.facts.spec)
        seconds, basis = _by_asking(plan, model, pending)
    if seconds is not None:
        at_once = min(width, left)
        seconds = (seconds[0] / at_once, seconds[1] / at_once)
    return _Share(left, reused, seconds, basis)


# ----------------------------------------------------------------------------- what is to be asked


def _pending(plan: Plan, store: Store | None) -> Iterator[tuple[Request, int]]:
    """The next request of every test that is not answered yet, and how many turns are left."""
    for exchange in plan.exchanges:
        request = _next_unanswered(plan, exchange, store)
        if request is not None:
            yield request, len(exchange.asked) - request.turn


def _next_unanswered(plan: Plan, exchange: Exchange, store: Store | None) -> Request | None:
    replies: list[str] = []
    for turn in range(len(exchange.asked)):
        request = plan.request(exchange, turn, replies)
        number = store.newest_answer(_TO_COME, request.id) if store else None
        if store is None or number is None:
            return request
        if turn < len(exchange.asked) - 1:
            reply = store.reply(number)
            replies.append(reply.text if isinstance(reply, Answered) else "")
    return None


# --------------------------------------------------------------------------------------- how long


def _earlier_seconds(store: Store, fingerprint: str) -> list[float]:
    """Of the newest replies of the same model; failed requests say little about good ones."""
    return list(islice(_seconds_of(store, fingerprint), MOST_EARLIER))


def _seconds_of(store: Store, fingerprint: str) -> Iterator[float]:
    for run in reversed(store.runs()):
        for model in run.models:
            if model.facts.fingerprint != fingerprint:
                continue
            for kept in store.tries(run, model):
                reply = kept.reply
                if isinstance(reply, Answered | Chosen) and reply.total_s is not None:
                    yield reply.total_s


def _by_earlier(left: int, seconds: Sequence[float]) -> Range:
    """Where the sum of so many more will lie, nineteen times in twenty if they are like these."""
    mean = statistics.fmean(seconds)
    if len(seconds) < 3:
        return left * mean / 2, left * mean * 2
    spread = statistics.stdev(seconds)
    aside = 2 * spread * math.sqrt(left + left**2 / len(seconds))
    return max(0.0, left * mean - aside), left * mean + aside


def _by_asking(
    plan: Plan, model: Model, pending: Sequence[tuple[Request, int]]
) -> tuple[Range | None, str]:
    reply = next(ask(model, [_TIMING]))
    if _is_scripted(plan) and isinstance(reply, Answered | Failed):  # it waits in either case
        total = (reply.total_s or 0.0) * sum(count for _, count in pending)
        return (total, total), tr("a script answers as fast as it says")
    if not isinstance(reply, Answered) or reply.total_s is None:
        why = reply.reason if isinstance(reply, Failed) else tr("it did not tell")
        return None, tr("{model} could not be timed: {why}", model=plan.facts.name, why=why)
    first, each = _speed(reply)
    lows, highs = zip(*(_tokens(plan, request) for request, _ in pending), strict=True)
    counts = [count for _, count in pending]
    drawn = [_draws(plan, request) for request, _ in pending]
    low, high = (
        sum(n * d * (first + each * t) for n, d, t in zip(counts, drawn, tokens, strict=True))
        for tokens in (lows, highs)
    )
    return (low, high), tr(
        "by estimate: {model} wrote {rate} tokens/s just now; answers of {low} to {high} tokens "
        "are assumed",
        model=plan.facts.name,
        rate=f"{1 / each:.0f}" if each > 0 else "?",
        low=max(lows),
        high=max(highs),
    )


def _is_scripted(plan: Plan) -> bool:
    return read_spec(plan.facts.spec).scheme == "scripted"


_TIMING = Request(
    id="timing",
    suite="",
    test_id="timing",
    turn=0,
    repeat=0,
    work=ToAnswer(
        messages=(Message("user", "Count from one to twenty in words."),),
        sampling=Sampling(temperature=0.0, seed=0, max_tokens=TIMED_TOKENS),
    ),
)


def _speed(reply: Answered) -> tuple[float, float]:
    """Seconds to the first token, and for each one after it, by our clock: it is ours that runs."""
    total = reply.total_s or 0.0
    tokens = reply.output_tokens or TIMED_TOKENS
    first = min(reply.first_token_s or 0.0, total)
    if total - first < CAME_AT_ONCE * total:  # a proxy held the stream back, or there was none
        return 0.0, total / tokens
    return first, (total - first) / max(1, tokens - 1)


def _tokens(plan: Plan, request: Request) -> tuple[int, int]:
    """Of a short and of a long answer; a letter that is chosen by its likelihood is one token."""
    if not isinstance(request.work, ToAnswer):
        return 1, 1
    thinks = plan.facts.thinks and plan.wishes.think != "off"
    most = request.work.sampling.max_tokens
    return min(SHORT_ANSWER, most), min(LONG_THOUGHT if thinks else LONG_ANSWER, most)


def _draws(plan: Plan, request: Request) -> int:
    """A server's k best are k answers."""
    if plan.facts.predicts_by != "sampled" or not isinstance(request.work, ToAnswer):
        return 1
    return request.work.sampling.predictions
