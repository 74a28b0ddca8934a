"""One server: JSON out, JSON or lines of it back, within a deadline, and never a secret in words
(docs/decisions/servers.md). Answers are cleaned of long secrets only: `pass` is in many a program.
"""

import base64
import ipaddress
import json
import re
import threading
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit

import httpcore

from assay.errors import UsageError
from assay.messages import tr
from assay.models.address import server_name
from assay.models.http.deadlines import (
    CalledOff,
    DeadlineNetwork,
    DeadlineStream,
    Seconds,
    clock,
    within,
)
from assay.models.http.faults import Fault, fault_of_status, message_in, readable
from assay.models.http.reasons import (
    ProxyInUse,
    Reason,
    proxy_variable,
    wants_tls,
    why_no_connection,
)
from assay.models.http.slots import ServerSlots, Spent, Stay
from assay.types import Cause

# A reply of 1,024 tokens with 20 likelihoods each takes 2 MB; ten times the longest seen is plenty.
MAX_BYTES = 64 * 1024 * 1024
MAX_LINE = 8 * 1024 * 1024
MAX_ERROR_BYTES = 64 * 1024
END_OF_STREAM_S = 1.0
_ERRNO = re.compile(r"^\[Errno -?\d+\] ")


@dataclass(slots=True)
class RequestUnderWay:
    """What has come of a request so far, for those who watch. Times are those of time.monotonic."""

    began: float = field(default_factory=time.monotonic)
    first_token_at: float = 0.0
    tokens: int = 0


class Connection:
    """Requests to one server. Threads may share it. `under_way`: what each thread waits for."""

    def __init__(
        self,
        url: str,
        *,
        timeout_s: float,
        connections: int = 1,
        headers: Mapping[str, str] | None = None,
        secrets: Iterable[str] = (),
        slots: ServerSlots | None = None,
        most_bytes: int = MAX_BYTES,
    ) -> None:
        parts = urlsplit(url)
        place = parts._replace(netloc=_netloc(parts), query="", fragment="")
        self.url = urlunsplit(place).rstrip("/")
        self.timeout_s = timeout_s
        self.called_off = threading.Event()
        self.under_way: dict[int, RequestUnderWay] = {}
        self.slots = slots
        self._most_bytes = most_bytes
        self._stays = threading.local()
        login = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}".encode()
        basic = base64.b64encode(login).decode() if login != b":" else ""
        hidden = (*secrets, *_secrets_of(parts), basic.rstrip("="))
        self._in_errors = _pattern(hidden, SHORTEST)
        self._in_answers = _pattern(hidden, SHORTEST_IN_ANSWERS)
        self._headers = [
            (name.encode(), value.encode("latin-1"))
            for name, value in {
                "host": place.netloc,
                "user-agent": "assay",
                "accept": "*/*",
                "accept-encoding": "identity",
                **({"authorization": f"Basic {basic}"} if basic else {}),
                **(headers or {}),
            }.items()
        ]
        self._proxy = _proxy_for(self.url)
        self._pool = _pool(self._proxy, connections)
        self._has_answered = False

    def document(
        self, method: str, path: str, body: object = None, *, timeout_s: Seconds | None = None
    ) -> Any:
        with self._answer(method, path, body, timeout_s) as response:
            raw = b"".join(self._within_bounds(response))
        return self.parsed(raw)

    def beside(self, path: str, *, timeout_s: float) -> Any:
        """What the server says of itself at a path of its own, beside that of our URL."""
        root = urlunsplit(urlsplit(self.url)._replace(path=""))
        with self._answer("GET", path, None, timeout_s, url=root) as response:
            raw = b"".join(self._within_bounds(response))
        return self.parsed(raw)

    @contextmanager
    def lines(
        self, path: str, body: object, *, timeout_s: Seconds | None = None
    ) -> Iterator[Iterator[bytes]]:
        """The first token has `timeout_s`; the next ones, by `allow_next_token`, the usual time."""
        with self._answer("POST", path, body, timeout_s) as response:
            yield self._lines_of(response)

    def allow_next_token(self) -> None:
        """A token has come: the time-out is for the next one."""
        clock.restart(self.timeout_s)
        if clock.turn is not None:
            clock.turn.count_token()
        request = self.under_way[threading.get_ident()]
        request.first_token_at = request.first_token_at or time.monotonic()
        request.tokens += 1

    def read_out(self, lines: Iterator[bytes]) -> None:
        """Read the stream's end, so that the connection can be used again; else it is lost."""
        clock.hurry(END_OF_STREAM_S)
        with suppress(Fault), self._translated("broken_stream"):
            next(lines, None)

    def parsed(self, raw: bytes) -> Any:
        try:
            return json.loads(raw.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise self.unreadable(tr("bytes that are not UTF-8")) from error
        except (ValueError, RecursionError) as error:
            text = self.in_words(raw[:MAX_ERROR_BYTES].decode("utf-8", "replace"))
            raise self.unreadable(text[:200] or tr("nothing")) from error

    def unreadable(self, what: str) -> Fault:
        sentence = tr("{url} sent an unreadable response: {what}", url=self.url, what=what)
        return Fault("unreadable", sentence, retry=True)

    def failed(self, why: str, partial: str = "") -> Fault:
        sentence = tr("{url} failed while answering: {why}", url=self.url, why=why)
        return Fault("server_error", sentence, retry=True, message=why, partial=partial)

    def broken_off(self, partial: str) -> Fault:
        sentence = tr("{url} stopped before the answer was complete", url=self.url)
        return Fault("broken_stream", sentence, retry=True, partial=partial)

    def without_secrets(self, text: str) -> str:
        """Whatever a server says of us or itself, a key or password in it goes no further."""
        return self._in_errors.sub(REMOVED, text) if self._in_errors else text

    def in_words(self, said: object) -> str:
        """For a sentence: without secrets, on one line, and not too long."""
        return readable(self.without_secrets(str(said)))

    def clean_answer(self, text: str) -> str:
        """The same for what a model wrote, where short words stay: they are no secrets there."""
        return self._in_answers.sub(REMOVED, text) if self._in_answers else text

    def call_off(self) -> None:
        self.called_off.set()

    def resume(self) -> None:
        self.called_off.clear()

    def close(self) -> None:
        self._pool.close()

    @contextmanager
    def _answer(
        self,
        method: str,
        path: str,
        body: object,
        timeout_s: Seconds | None,
        *,
        url: str | None = None,
    ) -> Iterator[httpcore.Response]:
        request = self._request(method, (url or self.url) + path, body)
        with self._turn(method):
            self.under_way[threading.get_ident()] = RequestUnderWay()
            try:
                with within(timeout_s or self.timeout_s, self.called_off):
                    with self._translated("unreachable"):
                        response = self._pool.handle_request(request)
                    self._has_answered = True
                    with closing(response), self._translated("broken_stream"):
                        self._refuse_what_nobody_asked_for(response)
                        if response.status != 200:
                            raise self._refusal(response)
                        yield response
            finally:
                del self.under_way[threading.get_ident()]

    @contextmanager
    def _turn(self, method: str) -> Iterator[None]:
        """Whatever is computed waits for a slot; questions about the server do not."""
        self._stays.last = None
        if self.slots is None or method != "POST":
            yield
            return
        with self.slots.taken(self.called_off) as stay:
            self._stays.last = stay
            yield
        self._stays.spent = self.spent.with_stay(stay)

    @property
    def spent(self) -> Spent:
        """By this thread's requests that were answered."""
        return getattr(self._stays, "spent", Spent())

    @property
    def last_stay(self) -> Stay | None:
        """Of this thread's last request at the server, where it computed."""
        return getattr(self._stays, "last", None)

    @property
    def last_silence_s(self) -> float:
        """How long this thread's last request was waited for that had no answer in time."""
        return getattr(self._stays, "silence_s", 0.0)

    def _request(self, method: str, url: str, body: object) -> httpcore.Request:
        headers, content = self._headers, b""
        if body is not None:
            text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
            content = text.encode("utf-8", "backslashreplace")
            length = (b"content-length", str(len(content)).encode())
            headers = [*headers, (b"content-type", b"application/json"), length]
        return httpcore.Request(method, url, headers=headers, content=content)

    def _refuse_what_nobody_asked_for(self, response: httpcore.Response) -> None:
        """An answer from before the question would shift every later one to the wrong test."""
        stream = response.extensions.get("network_stream")
        if isinstance(stream, DeadlineStream) and not stream.read_since_write:
            raise self.unreadable(tr("an answer before the question"))

    def _refusal(self, response: httpcore.Response) -> Fault:
        raw = b""
        for chunk in response.iter_stream():
            raw += chunk
            if len(raw) > MAX_ERROR_BYTES:
                break
        # Cleaned after decoding, for in JSON a key may be spelt with escapes, and before it is
        # cut, for half a key is a secret too.
        message = self.in_words(message_in(raw.decode("utf-8", "replace")))
        headers = {
            name.decode("latin-1").lower(): self.without_secrets(value.decode("latin-1"))
            for name, value in response.headers
        }
        fault = fault_of_status(self.url, response.status, headers, message)
        if response.status == 400 and "HTTPS" in message and (why := wants_tls(self.url, message)):
            return _fault_for(why)
        return fault

    def _within_bounds(self, response: httpcore.Response) -> Iterator[bytes]:
        size = 0
        for chunk in response.iter_stream():
            size += len(chunk)
            if size > self._most_bytes:
                raise self.unreadable(tr("more than {count} MB", count=self._most_bytes // 2**20))
            yield chunk

    def _lines_of(self, response: httpcore.Response) -> Iterator[bytes]:
        rest = b""
        for chunk in self._within_bounds(response):
            *whole, rest = (rest + chunk).split(b"\n")  # U+2028 may be inside a JSON text
            yield from (line for line in whole if line.strip())
            if len(rest) > MAX_LINE:
                raise self.unreadable(tr("a line of more than {count} MB", count=MAX_LINE // 2**20))
        if rest.strip():
            yield rest

    @contextmanager
    def _translated(self, broken: Cause) -> Iterator[None]:
        try:
            yield
        except Fault:
            raise
        except CalledOff as error:
            raise Fault("other", tr("cancelled")) from error
        except httpcore.ConnectTimeout as error:
            raise self._no_connection(tr("connecting took too long")) from error
        except httpcore.TimeoutException as error:
            self._stays.silence_s = clock.allowed_s
            late = tr("{url} was silent for {seconds:g} s", url=self.url,
                      seconds=round(clock.allowed_s, 1))  # fmt: skip
            raise Fault("timeout", late) from error
        except httpcore.ConnectError as error:
            raise self._no_connection(_told(error) or tr("connection refused")) from error
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError) as error:
            why = _told(error) or type(error).__name__
            if not self._has_answered and (reason := self._why(why)):
                raise _fault_for(reason) from error
            sentence = tr("the connection to {url} broke: {why}", url=self.url, why=why)
            raise Fault(broken, sentence, retry=True) from error

    def _why(self, said: str) -> Reason | None:
        """Of a connection that has not worked yet."""
        if self._proxy is None and (reason := wants_tls(self.url)):
            return reason
        return why_no_connection(self.url, self.without_secrets(said), self._proxy)

    def _no_connection(self, why: str) -> Fault:
        if not self._has_answered and (
            reason := why_no_connection(self.url, self.without_secrets(why), self._proxy)
        ):
            return _fault_for(reason)
        sentence = tr("no server answers at {url}: {why}", url=self.url, why=why)
        return Fault("unreachable", sentence, retry=True, away=True)


def _told(error: Exception) -> str:
    """What the system says, without its number for it."""
    return readable(_ERRNO.sub("", str(error)))


def _netloc(parts: SplitResult) -> str:
    host = server_name(parts.hostname or "")
    host = f"[{host}]" if ":" in host else host
    return host if parts.port is None else f"{host}:{parts.port}"


def _secrets_of(parts: SplitResult) -> Iterator[str]:
    """The password in both spellings, and a name that stands alone: a token."""
    for part in (parts.password, None if parts.password else parts.username):
        if part and unquote(part).lower() not in PLACEHOLDERS:
            yield from (part, unquote(part))


def _fault_for(reason: Reason) -> Fault:
    """Trying again changes nothing."""
    return Fault("unreachable", reason.sentence, hint=reason.hint, instead=reason.instead)


def _pool(proxy: ProxyInUse | None, connections: int) -> httpcore.ConnectionPool:
    kind = httpcore.ConnectionPool if proxy is None else _through(proxy.url)
    return kind(
        max_connections=connections,
        max_keepalive_connections=connections,
        keepalive_expiry=30.0,
        network_backend=DeadlineNetwork(),
    )


def _proxy_for(url: str) -> ProxyInUse | None:
    """The environment's proxy, for servers elsewhere: one on this machine is never behind it."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if is_this_machine(host) or urllib.request.proxy_bypass(host):
        return None
    found = urllib.request.getproxies().get(parts.scheme)
    return ProxyInUse(found, proxy_variable(parts.scheme)) if found else None


def _through(proxy: str) -> Callable[..., httpcore.ConnectionPool]:
    parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    # Inside the TLS of a proxy `DeadlineStream` would write past that of the server.
    if parts.scheme != "http" or not parts.hostname:
        raise UsageError(
            tr("the environment names a proxy that cannot be used: only http:// is understood"),
            hint=tr("unset http_proxy and https_proxy, or name the server in no_proxy"),
        )
    login = (unquote(parts.username or ""), unquote(parts.password or ""))
    place = f"http://{_netloc(parts)}"
    return partial(httpcore.HTTPProxy, place, proxy_auth=login if any(login) else None)


def is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


REMOVED = "[removed]"
# What people write where a server wants some key or password are no secrets, and would be cut out
# of every text that has the word.
PLACEHOLDERS = frozenset(
    {"ollama", "empty", "none", "null", "dummy", "token", "no-key", "nokey", "not-needed",
     "lm-studio", "llama.cpp", "llamacpp", "vllm", "local", "test", "anything", "unused", "pass",
     "password", "admin", "secret", "key", "1234", "12345", "123456", "changeme"}
)  # fmt: skip
SHORTEST = 4
# A password such as "pass" must not change a Python program in an answer, and its score.
SHORTEST_IN_ANSWERS = 8


def _pattern(secrets: Iterable[str], shortest: int) -> re.Pattern[str] | None:
    long_enough = (secret for secret in secrets if len(secret) >= shortest)
    spellings = {spelling for secret in long_enough for spelling in _spellings(secret)}
    longest_first = sorted(filter(None, spellings), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first))) if longest_first else None


def _spellings(secret: str) -> Iterable[str]:
    raw = secret.encode("utf-8", "replace")
    return (
        secret,
        quote(secret),
        quote(secret, safe=""),
        secret.replace("/", "\\/"),
        json.dumps(secret)[1:-1],
        base64.b64encode(raw).decode().rstrip("="),
    )
