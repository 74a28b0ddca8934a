"""The server of the viewer: one address, bound before anything is said, until Ctrl-C."""

from __future__ import annotations

import errno
import os
import socket
import sys
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlencode

import uvicorn

from assay.api.viewing import Viewing
from assay.errors import UsageError
from assay.interfaces.web.app import make_app
from assay.interfaces.web.pages import address
from assay.interfaces.web.security import Access, machine_names, require_token
from assay.messages import tr

WAITING = 128  # connections that may wait until the server is ready


def serve(
    out: Path,
    *,
    run: str | None,
    host: str,
    port: int,
    token: str | None,
    open_browser: bool,
    say: Callable[[str], None],
) -> None:
    """Show a store until Ctrl-C. `port` 0: any that is free. Every mistake is raised before."""
    require_token(host, token)
    viewing = Viewing(out)
    path = address("/runs", viewing.find_run(run).id) if run else "/"
    with listen_at(host, port) as listening:
        bound = listening.getsockname()[1]
        access = Access(host, bound, token or None, machine_names(host))
        config = uvicorn.Config(
            make_app(viewing, access), log_level="warning", access_log=False, lifespan="off",
            server_header=False, proxy_headers=False, ws="none", timeout_graceful_shutdown=1,
        )  # fmt: skip
        name = f"[{host}]" if ":" in host else host
        url = f"http://{name}:{bound}{path}" + (f"?{urlencode({'token': token})}" if token else "")
        say(tr("The viewer is at {url}  (Ctrl-C ends it)", url=url))
        if open_browser and _has_screen():
            webbrowser.open(url)
        with suppress(KeyboardInterrupt):  # Ctrl-C is how it ends
            uvicorn.Server(config).run(sockets=[listening])


def listen_at(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":  # there it would share the port with another program
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(WAITING)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            raise UsageError(
                tr("port {port} is in use, perhaps by another viewer", port=port),
                hint=tr("choose another with --port N; --port 0 takes any that is free"),
            ) from error
        raise UsageError(
            tr("cannot listen at {host}:{port}: {why}", host=host, port=port, why=error.strerror),
            hint=tr("leave --host out, or name an address of this machine"),
        ) from error
    return listening


def _has_screen() -> bool:
    """Elsewhere a browser in the terminal would be started, on top of what is written there."""
    shown = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in shown)
