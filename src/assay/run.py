"""RUN: pending Requests and a Model in, a stream of Replies out.

In: requests and the model they are for. Out: exactly one Reply for each request, as they come.
Refuses to know: tests, marking, the store, whether a request is worth asking (that is the plan's).

What a model may do wrong is mended here, as an outcome and never as an answer: a request it skipped
is Failed, a reply to nothing that was asked is dropped, a second reply to one request too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.messages import tr
from assay.types import Failed, Model, Reply, Request


def ask(model: Model, requests: Sequence[Request]) -> Iterator[Reply]:
    """Ask them all; every request gets one reply."""
    waiting = {request.id for request in requests}
    for reply in model.answer(requests):
        if reply.request_id in waiting:
            waiting.discard(reply.request_id)
            yield reply
    for request in requests:
        if request.id in waiting:
            yield Failed(request_id=request.id, reason=tr("the model gave no reply"))
