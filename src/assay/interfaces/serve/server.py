"""Loads the model, binds the address, and answers until Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, suppress

import uvicorn

from assay.api.serving import OfferedModel
from assay.interfaces.serve.app import make_app
from assay.interfaces.web.security import Access, machine_names, require_token
from assay.interfaces.web.server import listen_at
from assay.messages import tr
from assay.types.options import LocalOptions


def serve(
    spec: str,
    local: LocalOptions,
    *,
    host: str,
    port: int,
    token: str | None,
    say: Callable[[str], None],
) -> None:
    """`port` 0: any that is free. Every mistake is raised before anything is said."""
    require_token(host, token)
    with listen_at(host, port) as listening, closing(OfferedModel(spec, local)) as model:
        bound = listening.getsockname()[1]
        access = Access(host, bound, token or None, machine_names(host))
        config = uvicorn.Config(
            make_app(model, access), log_level="warning", access_log=False, lifespan="off",
            server_header=False, proxy_headers=False, ws="none", timeout_graceful_shutdown=1,
        )  # fmt: skip
        name = f"[{host}]" if ":" in host else host
        url = f"http://{name}:{bound}/v1"
        say(tr("{model} is served at {url}  (Ctrl-C ends it)", model=model.facts.name, url=url))
        say(tr("ask it: {command}", command=f"assay run openai:{model.facts.name}@{url}"))
        with suppress(KeyboardInterrupt):  # Ctrl-C is how it ends
            uvicorn.Server(config).run(sockets=[listening])
