"""Who may ask the viewer what, and what its pages may do in a browser.

A page of another site can send requests to this machine. So the Host must be ours (a name that
somebody points at 127.0.0.1 is not), and a browser must not say that the request comes from
elsewhere (Origin, Sec-Fetch-Site). Beyond this machine a token is needed too, on every request:
in the address once, then in a cookie.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import secrets
import socket
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.errors import UsageError
from assay.messages import tr

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # without any, our own forms would have the Origin "null"
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([\w.-]+))(?::\d{1,5})?", re.ASCII)
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
NOT_FOREIGN = ("same-origin", "none")  # values of Sec-Fetch-Site; a browser sends one


@dataclass(frozen=True)
class Access:
    """Under which names the viewer is asked for, and the token that it wants, if any. `names`: of
    this machine, where others may ask.
    """

    host: str
    port: int
    token: str | None = None
    names: frozenset[str] = frozenset()
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32))

    @property
    def csrf(self) -> str:
        return self._signed("csrf")

    @property
    def cookie(self) -> str:
        return f"assay_view_{self.port}"  # a cookie belongs to a host, whatever the port

    @property
    def session(self) -> str:
        """What the cookie holds: not the token itself."""
        return self._signed(f"session {self.token}")

    def _signed(self, text: str) -> str:
        return hmac.new(self.secret, text.encode(), "sha256").hexdigest()

    def knows(self, host: str) -> bool:
        """A number needs no name service, so nobody can point it elsewhere."""
        name = host_name(host)
        if name in LOOPBACK_NAMES or name == self.host.lower():
            return True
        if is_loopback(self.host):
            return False
        return is_number(name) or name in self.names

    def admits(self, headers: Headers, asked: dict[str, str]) -> bool:
        if self.token is None:
            return True
        scheme, _, given = headers.get("authorization", "").partition(" ")
        tokens = [asked.get("token", ""), given if scheme.lower() == "bearer" else ""]
        known = [equal(each, self.token) for each in tokens]
        # Cookies of other programs on this host come along.
        cookie = cookie_parser(headers.get("cookie", "")).get(self.cookie, "")
        return any([*known, equal(cookie, self.session)])


def machine_names(host: str) -> frozenset[str]:
    """Asked once, at the start: a name service may take seconds to answer."""
    if is_loopback(host):
        return frozenset()
    return frozenset({socket.gethostname().lower(), socket.getfqdn().lower()})


def equal(given: str, right: str) -> bool:
    """In a time that does not say how much of it was right."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), right.encode("utf-8", "replace"))


def host_name(host: str) -> str:
    """The name alone, of `localhost:8080` or `[::1]:8080`; "" of what is no host."""
    found = HOST.fullmatch(host)
    return (found[1] or found[2]).lower() if found else ""


def is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def require_token(host: str, token: str | None) -> None:
    """Raises UsageError where other machines could ask without one."""
    if not is_loopback(host) and not token:
        raise UsageError(
            tr("{host} can be reached from other machines, so the server needs a token", host=host),
            hint=tr("add --token SECRET, or leave --host out"),
        )


def is_loopback(host: str) -> bool:
    if is_number(host):
        return ipaddress.ip_address(host).is_loopback
    return host.lower() == "localhost"


class Guard:
    """Refuses what may not come in, and sets the headers of what goes out."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        if scope["type"] != "http":
            return
        refusal = self._refusal(scope)
        await (refusal or self._app)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self._access.knows(host):
            return PlainTextResponse(tr("This viewer is not called {host!r}.", host=host), 400)
        site = headers.get("sec-fetch-site", "none")
        if site not in NOT_FOREIGN or origin not in (None, f"{scope['scheme']}://{host}"):
            return PlainTextResponse(tr("Requests from other sites are refused."), 403)
        asked = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
        if not self._access.admits(headers, asked):
            return PlainTextResponse(
                tr("A token is needed: open the address that `assay view` printed."), 401
            )
        if self._access.token is not None and asked.pop("token", None) is not None:
            return self._admitted(scope["path"], asked)
        return None

    def _admitted(self, path: str, asked: dict[str, str]) -> Response:
        """The token leaves the address, and with it the history of the browser."""
        query = f"?{urlencode(asked)}" if asked else ""
        response = RedirectResponse(f"/{path.lstrip('/')}{query}", 303)
        access = self._access
        response.set_cookie(access.cookie, access.session, httponly=True, samesite="strict")
        return response
