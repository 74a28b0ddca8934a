"""Runs a judge's inquiries: the store is asked first, then the judge; each reply is durable.

In: the store, a run, a judge, and inquiries (one judge, one answer, once). Out: the inquiries, with
nothing pending. The same loop as for the models that are tested, so that a stopped judging goes on
where it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.ask_loop import ask
from assay.judge.questionnaire import Questionnaire
from assay.store import Run, RunModel, Store
from assay.types import Model, Observer, Request


@dataclass(slots=True)
class _Asked:
    """One question, and everybody who waits for its answer: equal answers of two models are one."""

    request: Request
    listeners: list[Questionnaire] = field(default_factory=list)


def ask_all(
    store: Store,
    run: Run,
    judge: RunModel,
    model: Model,
    inquiries: Sequence[Questionnaire],
    observer: Observer,
    until: float | None = None,
) -> None:
    """Ask until nothing is pending."""
    planned = sum(len(inquiry.pending()) for inquiry in inquiries)
    waiting = _waiting(store, run, inquiries)
    left = sum(len(each.listeners) for each in waiting.values())
    observer.model_started(judge.spec, total=planned, reused=max(0, planned - left))
    while waiting:
        requests = [each.request for each in waiting.values()]
        for reply in ask(model, requests, until=until):
            asked = waiting[reply.request_id]
            store.store_reply(run, judge, asked.request, reply)
            for inquiry in asked.listeners:
                inquiry.take(asked.request, reply)
                observer.replied(judge.spec, reply, None)
        waiting = _waiting(store, run, inquiries)
        if left := sum(len(each.listeners) for each in waiting.values()):
            # Reasons, or what could not be read, are known only now: they have their own count.
            observer.model_finished(judge.spec)
            observer.model_started(judge.spec, total=left, reused=0)
    observer.model_finished(judge.spec)


def _waiting(store: Store, run: Run, inquiries: Sequence[Questionnaire]) -> dict[str, _Asked]:
    """What nobody has answered yet."""
    waiting: dict[str, _Asked] = {}
    for inquiry in inquiries:
        for request in _unheard(store, run, inquiry):
            waiting.setdefault(request.id, _Asked(request)).listeners.append(inquiry)
    return waiting


def _unheard(store: Store, run: Run, inquiry: Questionnaire) -> Sequence[Request]:
    """Tell an inquiry all that the store knows; what it still wants to hear."""
    while True:
        asked = inquiry.pending()
        known = [
            (request, reply_id)
            for request in asked
            if (reply_id := store.find_answer(run, request.id)) is not None
        ]
        if not known:
            return asked
        for request, reply_id in known:
            inquiry.take(request, store.read_reply(reply_id))
