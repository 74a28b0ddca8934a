"""Every way to spoil an answer.

In: an Exchange, the answer it should have, the details of the order. Out: bytes on the wire. An
answer is frames; a frame is a line of NDJSON, an event of a stream, or a whole body.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from email.utils import formatdate
from typing import Any

from tests.servers.wire import Answer, Exchange, as_json, chunk

KILLED = "an error was encountered while running the model: unexpected EOF"
Refusal = Callable[[str, int, str], Answer]
Kind = Callable[[Exchange, Answer, Mapping[str, Any], Refusal], None]


# ------------------------------------------------------------------- instead of an answer


def _hang(exchange: Exchange, _: Answer, details: Mapping[str, Any], __: Refusal) -> None:
    exchange.wait(details.get("seconds"))
    exchange.cut()


def _status(default: int, message: str) -> Kind:
    def send(exchange: Exchange, _: Answer, details: Mapping[str, Any], refusal: Refusal) -> None:
        said = details.get("message", message)
        answer = refusal(exchange.path, details.get("status", default), said)
        exchange.send(replace(answer, headers=(*answer.headers, *_retry_after(details))))

    return send


def _retry_after(details: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """`retry_after` as it is, or `retry_after_date`: that many seconds from now as an HTTP date."""
    if "retry_after_date" in details:
        date = formatdate(time.time() + details["retry_after_date"], usegmt=True)
        return (("Retry-After", date),)
    if "retry_after" in details:
        return (("Retry-After", str(details["retry_after"])),)
    return ()


def _auth(exchange: Exchange, _: Answer, details: Mapping[str, Any], refusal: Refusal) -> None:
    key = exchange.headers.get("authorization", "(none)")
    message = details.get("message", "the key {key} is not valid").replace("{key}", key)
    exchange.send(refusal(exchange.path, 401, message))


def _fixed(content_type: str, body: bytes) -> Kind:
    def send(exchange: Exchange, _: Answer, details: Mapping[str, Any], __: Refusal) -> None:
        given = details.get("body", body)
        if isinstance(given, str):
            given = given.encode()
        elif not isinstance(given, bytes):
            given = as_json(given)
        exchange.send(
            Answer(details.get("status", 200), details.get("content_type", content_type),
                   [(0.0, given)])
        )  # fmt: skip

    return send


def _not_http(exchange: Exchange, _: Answer, details: Mapping[str, Any], __: Refusal) -> None:
    exchange.raw(details.get("body", "SSH-2.0-OpenSSH_9.6\r\n").encode())
    exchange.cut()


def _reset(exchange: Exchange, _: Answer, __: Mapping[str, Any], ___: Refusal) -> None:
    exchange.cut(hard=True)


def _closes(exchange: Exchange, _: Answer, __: Mapping[str, Any], ___: Refusal) -> None:
    exchange.cut()


def _redirect(exchange: Exchange, _: Answer, details: Mapping[str, Any], __: Refusal) -> None:
    location = details.get("location", "/elsewhere")
    exchange.send(
        Answer(details.get("status", 302), "text/html", [(0.0, b"moved")],
               headers=(("Location", location),))
    )  # fmt: skip


# ------------------------------------------------------------------- an answer, spoilt


def _half(answer: Answer) -> list[tuple[float, bytes]]:
    return answer.frames[: max(1, len(answer.frames) // 2)]


def _open(exchange: Exchange, answer: Answer, frames: list[tuple[float, bytes]]) -> None:
    """The head, and these frames of a stream; of one body, its first half."""
    if answer.chunked:
        exchange.raw(exchange.head(answer) + b"".join(chunk(frame) for _, frame in frames))
    else:
        body = answer.body
        exchange.raw(exchange.head(answer) + body[: len(body) // 2])


def _hang_mid_stream(
    exchange: Exchange, answer: Answer, details: Mapping[str, Any], _: Refusal
) -> None:
    _open(exchange, answer, _half(answer))
    exchange.wait(details.get("seconds"))
    exchange.cut()


def _bytes_without_token(
    exchange: Exchange, answer: Answer, details: Mapping[str, Any], _: Refusal
) -> None:
    """Half of the answer, then signs of life without end: empty pieces, and comments."""
    _open(exchange, answer, _half(answer))
    frame = b": still here\n\n" if _is_sse(answer) else _without_text(answer.frames[0][1])
    while True:
        exchange.raw(chunk(frame))
        exchange.wait(details.get("every", 0.05))


def _without_text(line: bytes) -> bytes:
    return re.sub(rb'("(?:content|response)":)"(?:[^"\\]|\\.)*"', rb'\1""', line)


def _closes_mid_chunk(
    exchange: Exchange, answer: Answer, details: Mapping[str, Any], _: Refusal
) -> None:
    _open(exchange, answer, _half(answer))
    if answer.chunked:
        exchange.raw(b'80\r\n{"model":"smoll')
    exchange.cut(hard=details.get("hard", False))


def _delay(exchange: Exchange, answer: Answer, details: Mapping[str, Any], _: Refusal) -> None:
    exchange.wait(details.get("seconds", 1.0))
    exchange.send(answer)


def _drip(part: str) -> Kind:
    def send(exchange: Exchange, answer: Answer, details: Mapping[str, Any], _: Refusal) -> None:
        head = exchange.head(answer)
        body = b"".join(chunk(f) for _, f in answer.frames) if answer.chunked else answer.body
        end = b"0\r\n\r\n" if answer.chunked else b""
        if part == "body":
            exchange.raw(head)
        for byte in head + body + end if part == "headers" else body + end:
            exchange.raw(bytes([byte]))
            exchange.wait(details.get("every", 0.2))

    return send


def _error_mid_stream(
    exchange: Exchange, answer: Answer, details: Mapping[str, Any], refusal: Refusal
) -> None:
    refused = refusal(exchange.path, 500, details.get("message", KILLED))
    if not answer.chunked:
        exchange.send(refused)
        return
    line = refused.body.rstrip() + b"\n"
    if _is_sse(answer):
        line = b"data: " + line + b"\n"
    exchange.send(replace(answer, frames=[*_half(answer), (0.0, line)]))


def _ends_without_done(
    exchange: Exchange, answer: Answer, _: Mapping[str, Any], __: Refusal
) -> None:
    if answer.chunked:
        exchange.send(replace(answer, frames=answer.frames[:-1]))
    else:
        exchange.send(_changed(answer, _not_done))


def _ends_unsaid(exchange: Exchange, answer: Answer, _: Mapping[str, Any], __: Refusal) -> None:
    """A stream that ends in order behind its last token, and does not say why."""
    ends = 2 if _is_sse(answer) else 1
    exchange.send(replace(answer, frames=answer.frames[:-ends]))


def _not_done(document: dict[str, Any]) -> dict[str, Any]:
    if "done" in document:
        return {**document, "done": False}
    return {name: value for name, value in document.items() if name != "choices"}


def _duplicate_done(exchange: Exchange, answer: Answer, _: Mapping[str, Any], __: Refusal) -> None:
    exchange.send(replace(answer, frames=[*answer.frames, answer.frames[-1]]))


def _endless(exchange: Exchange, answer: Answer, details: Mapping[str, Any], _: Refusal) -> None:
    frame = answer.frames[0][1] if answer.chunked else b" "
    exchange.raw(exchange.head(replace(answer, chunked=True)))
    while True:
        exchange.raw(chunk(frame))
        exchange.wait(details.get("every", 0.002))


def _huge_line(exchange: Exchange, answer: Answer, details: Mapping[str, Any], _: Refusal) -> None:
    exchange.raw(exchange.head(replace(answer, chunked=True)))
    exchange.raw(chunk(b'{"model":"'))
    left = details.get("megabytes", float("inf"))
    while left > 0:
        exchange.raw(chunk(b"x" * 65536))
        exchange.wait(0.0)
        if exchange.is_over():
            break
        left -= 1 / 16
    exchange.cut()


def _latin1(exchange: Exchange, answer: Answer, _: Mapping[str, Any], __: Refusal) -> None:
    spoilt = [
        (pause, re.sub(rb'("(?:content|response|text)":")', b"\\1caf\xe9 ", frame, count=1))
        for pause, frame in answer.frames
    ]
    exchange.send(replace(answer, frames=spoilt))


def _numbers(value: Any) -> Kind:
    def send(exchange: Exchange, answer: Answer, _: Mapping[str, Any], __: Refusal) -> None:
        exchange.send(_changed(answer, lambda document: _with_numbers(document, value)))

    return send


def _with_numbers(document: Any, value: Any) -> Any:
    """Timings and counts replaced; the rest as it was."""
    if not isinstance(document, dict):
        return document
    told = re.compile(r"_(duration|count|tokens)$")
    return {
        name: value if told.search(name) else _with_numbers(part, value)
        for name, part in document.items()
    }


def _changed(answer: Answer, change: Callable[[dict[str, Any]], Any]) -> Answer:
    """The last frame's documents, changed."""
    pause, last = answer.frames[-1]
    lines = []
    for line in last.split(b"\n"):
        mark, found, rest = line.partition(b"{")
        if not found:
            lines.append(line)
            continue
        document = change(json.loads(found + rest))
        lines.append(mark + json.dumps(document, separators=(",", ":")).encode())
    return replace(answer, frames=[*answer.frames[:-1], (pause, b"\n".join(lines))])


def _is_sse(answer: Answer) -> bool:
    return answer.content_type.startswith("text/event-stream")


def _as_answer(exchange: Exchange, answer: Answer, _: Mapping[str, Any], __: Refusal) -> None:
    exchange.send(answer)


INSTEAD: dict[str, Kind] = {
    "hang": _hang,
    "http_400": _status(400, "bad request"),
    "http_404": _status(404, "not found"),
    "http_429": _status(429, "too many requests"),
    "http_500": _status(500, "internal error"),
    "http_502": _status(502, "bad gateway"),
    "http_503": _status(503, "server busy, please try again.  maximum pending requests exceeded"),
    "auth_401": _auth,
    "garbage": _fixed("application/json; charset=utf-8", b"\x00\x17 this is {not JSON]\n"),
    "html": _fixed(
        "text/html; charset=utf-8", b"<!doctype html><title>Sign in</title><h1>Portal</h1>"
    ),
    "wrong_shape": _fixed(
        "application/json; charset=utf-8", b'{"result":["unexpected"],"done":"yes","message":7}\n'
    ),
    "empty_body": _fixed("application/json; charset=utf-8", b""),
    "not_http": _not_http,
    "redirect": _redirect,
    "reset": _reset,
    "closes": _closes,
}

SPOILT: dict[str, Kind] = {
    "delay": _delay,
    "hang_mid_stream": _hang_mid_stream,
    "bytes_without_token": _bytes_without_token,
    "closes_mid_chunk": _closes_mid_chunk,
    "drip_headers": _drip("headers"),
    "drip_body": _drip("body"),
    "error_mid_stream": _error_mid_stream,
    "ends_without_done": _ends_without_done,
    "ends_unsaid": _ends_unsaid,
    "duplicate_done": _duplicate_done,
    "endless": _endless,
    "huge_line": _huge_line,
    "latin1": _latin1,
    "nulls": _numbers(None),
    "negative": _numbers(-1),
    "nan": _numbers(float("nan")),
    # The server itself lets the time pass while it holds its slot (ollama.py); a plain server has
    # no slots, and only answers late.
    "slow_prefill": _as_answer,
}
