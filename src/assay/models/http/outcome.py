"""One request to one reply: what a server's model gave, or why it gave nothing.

In: a way to ask, the request, the connection it goes over. Out: a Reply; a Fault becomes Failed,
its words cleaned of secrets.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from assay.messages import tr
from assay.models.http.connection import Connection
from assay.models.http.faults import Fault
from assay.models.reasoning import as_unicode
from assay.types import Failed, Reply, Request


def reply_of(
    ask: Callable[[Request], Reply],
    request: Request,
    connection: Connection,
    *,
    learn: Callable[[Fault], None] = lambda fault: None,
) -> Reply:
    """Ask. `learn` is told of a Fault before it becomes an outcome."""
    started = time.perf_counter()
    try:
        return ask(request)
    except Fault as error:
        fault = error
        learn(error)
    # What a server can send has no end; one reply that we did not foresee costs one test.
    except Exception as error:  # noqa: BLE001
        kind = type(error).__name__
        fault = Fault("other", tr("an answer we did not foresee ({kind})", kind=kind))
    return Failed(
        request_id=request.id,
        reason=as_unicode(connection.without_secrets(fault.sentence)),
        cause=fault.cause,
        partial=as_unicode(connection.clean_answer(fault.partial)),
        total_s=time.perf_counter() - started,
        attempts=fault.attempts,
    )
