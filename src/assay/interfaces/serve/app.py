"""The addresses of the server, and who may ask at them: as with the viewer, a page of another site
cannot, and beyond this machine every request needs the token.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from assay.api.serving import Completed, OfferedModel, Unanswerable
from assay.interfaces.serve.access import OnlyThoseAllowed
from assay.interfaces.serve.documents import (
    chat_document,
    completion_document,
    error_document,
    events,
    models_document,
    tokens_document,
)
from assay.interfaces.serve.fields import (
    AskedCompletions,
    read_chat,
    read_completions,
    read_tokenize,
)
from assay.interfaces.web.security import Access
from assay.messages import tr

MOST_BYTES = 64 * 2**20

Read = Callable[[Mapping[str, Any], OfferedModel], AskedCompletions]
Written = Callable[[AskedCompletions, Sequence[Completed], OfferedModel], dict[str, Any]]


def make_app(model: OfferedModel, access: Access) -> ASGIApp:
    async def models(request: Request) -> Response:
        return JSONResponse(models_document(model))

    async def tokenize(request: Request) -> Response:
        return await _answered(request, model, lambda body: _tokenized(body, model))

    async def completions(request: Request) -> Response:
        return await _answered(
            request, model, lambda body: _done(body, model, read_completions, completion_document)
        )

    async def chat(request: Request) -> Response:
        return await _answered(
            request, model, lambda body: _done(body, model, read_chat, chat_document)
        )

    routes = [
        Route("/v1/models", models),
        Route("/v1/completions", completions, methods=["POST"]),
        Route("/v1/chat/completions", chat, methods=["POST"]),
        Route("/tokenize", tokenize, methods=["POST"]),
    ]
    return OnlyThoseAllowed(Starlette(routes=routes), access)


def _tokenized(body: Mapping[str, Any], model: OfferedModel) -> Response:
    return JSONResponse(tokens_document(read_tokenize(body, model), model))


def _done(body: Mapping[str, Any], model: OfferedModel, read: Read, written: Written) -> Response:
    asked = read(body, model)
    document = written(asked, model.complete(asked.wanted), model)
    if asked.streams:
        return StreamingResponse(
            events(document, counts=asked.counts), media_type="text/event-stream"
        )
    return JSONResponse(document)


async def _answered(
    request: Request, model: OfferedModel, do: Callable[[Mapping[str, Any]], Response]
) -> Response:
    try:
        body = await _body(request)
        named = body.get("model")
        if named not in (None, model.facts.name, model.facts.spec):
            said = tr("there is no model {name!r} here, only {model}",
                      name=named, model=model.facts.name)  # fmt: skip
            return JSONResponse(error_document(said), 404)
        return await run_in_threadpool(do, body)
    except Unanswerable as error:
        return JSONResponse(error_document(str(error)), 400)
    except MemoryError:
        said = tr("too little memory on the device, even for one at a time")
        return JSONResponse(error_document(said, "server_error"), 500)


async def _body(request: Request) -> dict[str, Any]:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_BYTES:
            raise Unanswerable(tr("the request is larger than {most} bytes", most=MOST_BYTES))
        parts.append(part)
    try:
        body = json.loads(b"".join(parts))
    except (ValueError, RecursionError) as error:
        raise Unanswerable(tr("the request is not JSON: {why}", why=error)) from error
    if not isinstance(body, dict):
        raise Unanswerable(tr("the request is no JSON object"))
    return body
