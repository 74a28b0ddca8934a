"""Ollama's protocol: its endpoints as functions, its streams as one result, or a Fault."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.messages import tr
from assay.models.http.connection import Connection
from assay.models.http.faults import Fault, message_in, readable
from assay.models.http.figures import reported_count, reported_seconds
from assay.models.http.served import AnswerFigures
from assay.models.reasoning import as_unicode

NANOSECOND = 1e-9
SOON_S = 10.0  # for questions that need no computing
UNLOADING_S = 10.0  # takes 10 ms where the server is well
LOADING_S = 600.0  # a large model from a slow disk
# 500s that stay: a wrong option, a bad schema, a broken file. Words of 0.11.10 and 0.17.4.
LASTING = (
    "invalid",
    "unable to load",
    "exceeds file size",
    "cannot unmarshal",
    "failed to parse",
    "option",
    "unsupported",
    "does not support",
    "exceeds the context",
)


@dataclass(slots=True)
class OllamaAnswer(AnswerFigures):
    text: str = ""
    thinking: str = ""
    finish: str = ""
    total_s: float | None = None
    load_s: float | None = None

    @property
    def queue_s(self) -> float | None:
        """What the total leaves beside its parts; a part that is missing took no time."""
        if self.total_s is None or self.prefill_s is None:
            return None
        parts = (self.load_s or 0.0) + self.prefill_s + (self.decode_s or 0.0)
        return max(0.0, self.total_s - parts)


@dataclass(slots=True)
class _Stream:
    started: float
    pieces: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    written: OllamaAnswer = field(default_factory=OllamaAnswer)
    done: bool = False

    def take(self, line: Mapping[str, Any]) -> None:
        text, thought = _said(line)
        now = time.perf_counter() - self.started
        if (text or thought) and self.written.first_token_at is None:
            self.written.first_token_at = now
        if text and self.written.first_answer_at is None:
            self.written.first_answer_at = now
        self.pieces.append(text)
        self.thoughts.append(thought)
        if self.written.first_logprobs is None and not any(self.thoughts):
            self.written.first_logprobs = _first(line.get("logprobs"))
        if line.get("done") is True:
            self._finish(line, now)

    def _finish(self, line: Mapping[str, Any], now: float) -> None:
        self.done = True
        found = self.written
        found.finish = as_unicode(str(line.get("done_reason") or "stop")[:40])
        found.ended_at = now
        found.prompt_tokens = reported_count(line.get("prompt_eval_count"))
        found.output_tokens = reported_count(line.get("eval_count"))
        found.cached_tokens = reported_count(line.get("prompt_eval_cached_count"))
        found.total_s = reported_seconds(line.get("total_duration"), unit=NANOSECOND)
        found.load_s = reported_seconds(line.get("load_duration"), unit=NANOSECOND)
        found.prefill_s = reported_seconds(line.get("prompt_eval_duration"), unit=NANOSECOND)
        found.decode_s = reported_seconds(line.get("eval_duration"), unit=NANOSECOND)

    @property
    def text(self) -> str:
        return "".join(self.pieces)


def _said(line: Mapping[str, Any]) -> tuple[str, str]:
    """Text and thought of one line, of /api/chat or of /api/generate."""
    message = line.get("message", line)
    if not isinstance(message, dict):
        raise TypeError
    text = message.get("response" if message is line else "content")
    thought = message.get("thinking") or ""
    if not isinstance(text, str) or not isinstance(thought, str):
        raise TypeError
    return text, thought


class OllamaClient:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def version(self) -> str:
        document = self._connection.document("GET", "/api/version", timeout_s=SOON_S)
        version = document.get("version") if isinstance(document, dict) else None
        if not isinstance(version, str):
            raise self._connection.unreadable(tr("no version; is this an Ollama server?"))
        return readable(version)[:40]

    def models(self) -> list[dict[str, Any]]:
        """What is installed, as /api/tags lists it."""
        return self._list("/api/tags")

    def loaded(self) -> list[dict[str, Any]]:
        """What is in memory, as /api/ps lists it."""
        return self._list("/api/ps")

    def show(self, name: str) -> dict[str, Any]:
        document = self._connection.document("POST", "/api/show", {"model": name}, timeout_s=60.0)
        if not isinstance(document, dict):
            raise self._connection.unreadable(tr("no facts about {name}", name=name))
        return document

    def load(
        self, name: str, options: Mapping[str, Any], keep_alive: str, *, patient: bool = True
    ) -> float:
        """Bring a model into memory; returns how long it took, by our clock."""
        body = {
            "model": name,
            "stream": False,
            "keep_alive": keep_alive,
            "shift": False,  # as every answer will be asked: a change means loading again
            "options": options,
        }
        started = time.perf_counter()
        try:
            limit = LOADING_S if patient else None
            self._connection.document("POST", "/api/generate", body, timeout_s=limit)
        except Fault as fault:
            # A file that could not be loaded now will not load in a second, and trying is slow.
            fault.retry = fault.status in (429, 503)
            raise
        return time.perf_counter() - started

    def unload(self, name: str) -> None:
        """Take a model out of memory, which also ends whatever it computes."""
        body = {"model": name, "keep_alive": 0, "stream": False}
        self._connection.document("POST", "/api/generate", body, timeout_s=UNLOADING_S)

    def write(self, path: str, body: Mapping[str, Any]) -> OllamaAnswer:
        """One streamed answer. A stream that ends early is a Fault that holds what had come."""
        stream = _Stream(time.perf_counter())
        try:
            with self._connection.lines(path, body) as lines:
                for raw in lines:
                    line = self._connection.parsed(raw)
                    self._take(stream, line)
                    if stream.done:
                        self._connection.read_out(lines)
                        break
        except Fault as fault:
            fault.partial = stream.text
            raise _lasting(fault) from fault
        # "load" without a word: the server did something else than answer.
        if not stream.done or (stream.written.finish in ("load", "unload") and not stream.text):
            raise Fault(
                "broken_stream",
                tr("{url} stopped before the answer was complete", url=self._connection.url),
                retry=True,
                partial=stream.text,
            )
        stream.written.text = self._connection.clean_answer(stream.text)
        stream.written.thinking = self._connection.clean_answer("".join(stream.thoughts))
        return stream.written

    def _take(self, stream: _Stream, line: object) -> None:
        if isinstance(line, dict) and line.get("error"):
            told = line["error"]
            words = told if isinstance(told, str) else message_in(json.dumps(line))
            message = readable(self._connection.without_secrets(words))
            raise Fault(
                "server_error",
                tr("{url} failed while answering: {why}", url=self._connection.url, why=message),
                retry=True,
                message=message,
            )
        try:
            if not isinstance(line, dict):
                raise TypeError
            stream.take(line)
        except (TypeError, ValueError) as error:
            shown = readable(self._connection.without_secrets(str(line)[:4000]))
            raise self._connection.unreadable(shown[:200]) from error

    def _list(self, path: str) -> list[dict[str, Any]]:
        document = self._connection.document("GET", path, timeout_s=SOON_S)
        models = document.get("models") if isinstance(document, dict) else None
        if models is None and isinstance(document, dict) and "models" in document:
            return []  # a Go server writes null for an empty list
        if not isinstance(models, list):
            raise self._connection.unreadable(tr("no list of models; is this an Ollama server?"))
        return [model for model in models if isinstance(model, dict)]


def _lasting(fault: Fault) -> Fault:
    """A 500 is not always worth another try; its words tell."""
    if fault.status == 500 and any(word in fault.message.lower() for word in LASTING):
        fault.retry = False
    if fault.message and "context length" in fault.message and fault.status == 400:
        fault.cause = "prompt_too_long"
    return fault


def _first(logprobs: object) -> Mapping[str, Any] | None:
    if isinstance(logprobs, list) and logprobs and isinstance(logprobs[0], dict):
        return logprobs[0]
    return None
