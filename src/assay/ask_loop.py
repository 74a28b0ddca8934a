"""RUN: pending Requests and a Model in, a stream of Replies out.

In: requests, the model they are for, and when to stop. Out: exactly one Reply for each request, as
they come, until the time is up.

What a model may do wrong is mended here, as an outcome and never as an answer: a request it skipped
is Failed, a reply to nothing that was asked is dropped, a second reply to one request too.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from assay.errors import BudgetSpent
from assay.messages import tr, trn
from assay.types import Failed, Model, Reply, Request


def ask(
    model: Model, requests: Sequence[Request], *, until: float | None = None
) -> Iterator[Reply]:
    """Ask them all; every request gets one reply. Raises BudgetSpent at the moment `until` (of
    time.monotonic): what has come is handed out before, what has not is not failed but left.
    """
    waiting = {request.id for request in requests}
    _refuse_without_time(until, waiting)
    replies = model.answer(requests)
    try:
        with _stopped_in_time(model, until):
            for reply in replies:
                if _over(until) and isinstance(reply, Failed):
                    break  # given up because of the time: not a failure, but left
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
            yield Failed(request_id=request.id, reason=tr("the model gave no reply"))


def _over(until: float | None) -> bool:
    return until is not None and time.monotonic() >= until


def _refuse_without_time(until: float | None, waiting: set[str]) -> None:
    if _over(until) and waiting:
        raise BudgetSpent(
            trn(
                "the time that --budget allows is spent; {count} request is left",
                "the time that --budget allows is spent; {count} requests are left",
                len(waiting),
            )
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
