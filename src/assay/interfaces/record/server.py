"""Binds an address of this machine, passes on until Ctrl-C, and says what was recorded."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import uvicorn

from assay.api.recording import CallRecording, Recorded, Upstream
from assay.errors import UsageError
from assay.interfaces.record.access import OnlyThoseAllowed
from assay.interfaces.record.proxy import Proxy
from assay.interfaces.web.security import Access, is_loopback
from assay.interfaces.web.server import listen_at
from assay.messages import tr

HOST = "127.0.0.1"


def record(to: str, folder: Path, *, port: int, say: Callable[[str], None]) -> None:
    """`port` 0: any that is free. Every mistake is raised before anything is said."""
    upstream = Upstream.of(to)
    if is_loopback(upstream.host) and upstream.port == port != 0:
        raise UsageError(
            tr("--to names the address of the recording itself"),
            hint=tr("choose another port with --port N"),
        )
    with listen_at(HOST, port) as listening:
        recording = CallRecording(folder)
        bound = listening.getsockname()[1]

        def told(path: str, recorded: Recorded) -> None:
            said = tr("recorded as call {number}", number=recorded.number)
            if recorded.why_not:
                said = tr("not recorded: {why}", why=recorded.why_not)
            say(tr("{path}: {what}", path=path, what=said))

        config = uvicorn.Config(
            OnlyThoseAllowed(Proxy(upstream, recording, told), Access(HOST, bound)),
            log_level="critical", access_log=False, lifespan="off", server_header=False,
            date_header=False, proxy_headers=False, ws="none", http="h11",
            timeout_graceful_shutdown=1,
        )  # fmt: skip
        url = f"http://{HOST}:{bound}{upstream.path}"
        with closing(recording), suppress(KeyboardInterrupt):  # Ctrl-C is how it ends
            say(tr("{server} is recorded into {folder}  (Ctrl-C ends it)",
                   server=upstream.url, folder=folder))  # fmt: skip
            say(tr("ask at {url} instead", url=url))
            uvicorn.Server(config).run(sockets=[listening])
        for line in recording.summary():
            say(line)
