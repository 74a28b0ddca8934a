"""The ask loop: reuse what the ledger holds, ask the rest, store each reply, then count it."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, TypeVar

from assay.errors import BudgetSpent
from assay.messages import tr
from assay.types import Failed, Model, Observer, Reply, Request, Score


class RunningTrial(Protocol):
    """One request, or several that build on the replies. Hashed by identity."""

    def pending(self) -> Sequence[Request]:
        """What to ask next; empty when done."""

    def take(self, request: Request, reply: Reply) -> None:
        """Use the reply to a pending request."""

    @property
    def left(self) -> int:
        """How many requests are left, as far as is known."""


Asked = TypeVar("Asked", bound=RunningTrial)
AskedIn = TypeVar("AskedIn", bound=RunningTrial, contravariant=True)
AskedOut = TypeVar("AskedOut", bound=RunningTrial, covariant=True)


class Ledger(Protocol[AskedIn]):
    def reuse_reply(self, trial: AskedIn, request: Request) -> Reply | None:
        """The stored reply to a request; None if it must be asked."""

    def store_reply(self, trial: AskedIn, request: Request, reply: Reply) -> Score | None:
        """Make a reply durable; returns its score, where it ends a test."""


class NextTrials(Protocol[AskedOut]):
    """Which trials are asked next depends on the answers to those before."""

    def next_trials(self) -> Sequence[AskedOut]:
        """Empty: no more."""

    @property
    def most_left(self) -> int:
        """How many requests it may still hand out."""


def ask_all(
    model: Model,
    trials: Iterable[Asked],
    ledger: Ledger[Asked],
    observer: Observer,
    *,
    name: str,
    done: int = 0,
    until: float | None = None,
    more: NextTrials[Asked] | None = None,
    announce: Callable[[Sequence[Request]], str] = lambda requests: "",
) -> None:
    """Until nothing is pending. `done`: answered without a trial; `until`: a time.monotonic;
    `more`: gives further trials once all before are answered, until it has none. `announce`: a
    sentence about the first requests, for the observer.
    """
    trials = list(trials)
    later = more.most_left if more else 0
    planned = done + sum(each.left for each in trials) + later
    waiting = find_unanswered(trials, ledger)
    left = _count_left(waiting) + later
    if sentence := announce([request for request, _ in waiting.values()]):
        observer.note(sentence)
    observer.model_started(name, total=planned, reused=max(0, planned - left))
    if watched_by := getattr(model, "watched_by", None):
        watched_by(observer, name)
    while waiting or (waiting := _find_next(more, ledger)):
        requests = [request for request, _ in waiting.values()]
        for reply in ask(model, requests, until=until):
            request, askers = waiting[reply.request_id]
            score = ledger.store_reply(askers[0], request, reply)
            for trial in askers:
                trial.take(request, reply)
                observer.replied(name, reply, score)
                left -= 1
        waiting = find_unanswered((c for _, askers in waiting.values() for c in askers), ledger)
        if (now := _count_left(waiting) + (more.most_left if more else 0)) > left:
            # These were not known before: they are counted by themselves.
            observer.model_finished(name)
            observer.model_started(name, total=now, reused=0)
        left = now
    observer.model_finished(name)


_Waiting = dict[str, tuple[Request, list[Asked]]]


def find_unanswered(trials: Iterable[Asked], ledger: Ledger[Asked]) -> _Waiting[Asked]:
    """Hand out what the ledger holds; the requests that must be asked, by id."""
    waiting: _Waiting[Asked] = {}
    for trial in dict.fromkeys(trials):
        while pending := trial.pending():
            stored = [(each, ledger.reuse_reply(trial, each)) for each in pending]
            for request, reply in stored:
                if reply is not None:
                    trial.take(request, reply)
            if all(reply is None for _, reply in stored):
                for request in pending:
                    waiting.setdefault(request.id, (request, []))[1].append(trial)
                break
    return waiting


def _find_next(more: NextTrials[Asked] | None, ledger: Ledger[Asked]) -> _Waiting[Asked]:
    """Of the next trials those that the ledger does not hold."""
    while more and (trials := more.next_trials()):
        if waiting := find_unanswered(trials, ledger):
            return waiting
    return {}


def _count_left(waiting: _Waiting[Asked]) -> int:
    return sum(each.left for each in {each for _, askers in waiting.values() for each in askers})


def ask(
    model: Model, requests: Sequence[Request], *, until: float | None = None
) -> Iterator[Reply]:
    """One reply for every request; one that the model skipped is Failed. May raise BudgetSpent."""
    waiting = {request.id for request in requests}
    _refuse_without_time(until, waiting)
    replies = model.answer(requests)
    try:
        with _stopped_in_time(model, until):
            for reply in replies:
                if _over(until) and isinstance(reply, Failed):
                    break  # given up because of the time: not failed, but pending
                if reply.request_id in waiting:
                    waiting.discard(reply.request_id)
                    yield reply
                _refuse_without_time(until, waiting)
    finally:
        close = getattr(replies, "close", None)  # a generator ends what is under way
        if close:
            close()
    _refuse_without_time(until, waiting)
    for request in requests:
        if request.id in waiting:
            yield Failed(request_id=request.id, reason=tr("the model gave no answer"))


def _over(until: float | None) -> bool:
    return until is not None and time.monotonic() >= until


def _refuse_without_time(until: float | None, waiting: set[str]) -> None:
    if _over(until) and waiting:
        left = len(waiting)
        raise BudgetSpent(
            tr("the time that --budget allows is spent; requests left: {count}", count=left)
        )


@contextmanager
def _stopped_in_time(model: Model, until: float | None) -> Iterator[None]:
    """A request may take minutes; the budget does not wait for it."""
    if until is None:
        yield
        return
    timer = threading.Timer(max(0.0, until - time.monotonic()), model.stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
