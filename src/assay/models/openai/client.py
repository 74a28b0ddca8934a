"""The OpenAI protocol: its endpoints as functions, its event streams as one answer, or a Fault.

Asks again where that helps, in a dialect that gets better with every refusal. A status of 200
proves nothing: errors come under it, whole and in the middle of a stream.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from assay.messages import tr
from assay.models.http.connection import Connection
from assay.models.http.faults import Fault, fault_of_status, readable
from assay.models.http.retrying import Patience
from assay.models.http.served import CUT
from assay.models.openai.bodies import Post
from assay.models.openai.dialect import MATTERS, Dialect
from assay.models.openai.reading import OpenAIAnswer
from assay.models.reasoning import split_reasoning

DONE = b"[DONE]"
_IGNORED = (b"", b"data", b"id", b"retry")  # a line that begins with its colon is a comment
SOON_S = 10.0  # for questions that need no computing
_TOO_LONG = re.compile(
    r"context (?:length|size|window)|maximum (?:context|prompt|input)|too many (?:input )?tokens"
    r"|(?:prompt|input) is too long",
    re.IGNORECASE,
)
_OF_AN_ANSWER = (b"", b"message", b"error")  # events of other names are pings and the like
_FILTERED = "content_filter"


Make = Callable[[Dialect], Post]


class OpenAIClient:
    """The model `name` on a server, how to speak to it, and what is to be said of it."""

    def __init__(
        self, name: str, connection: Connection, patience: Patience, dialect: Dialect
    ) -> None:
        self.name = name
        self.dialect = dialect
        self._connection = connection
        self._patience = patience
        self._lock = threading.Lock()
        self._notes: dict[str, str] = {}

    def models(self, path: str = "/models") -> Any:
        document = self._connection.document("GET", path, timeout_s=SOON_S)
        self._refuse_error(document)
        return document

    def whole(self, make: Make, *, probing: bool = False) -> OpenAIAnswer:
        """An answer that comes at once."""
        return self._tried(make, self._whole, probing=probing)

    def streamed(self, make: Make) -> OpenAIAnswer:
        return self._tried(make, self._streamed)

    def note(self, about: str, sentence: str) -> None:
        """Said once for each thing it is about."""
        with self._lock:
            self._notes.setdefault(about, sentence)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the results should know of this server."""
        with self._lock:
            notes = tuple(self._notes.values())
        return (*notes, *_about_left_out(self.dialect))

    def _tried(
        self, make: Make, send: Callable[[Post], OpenAIAnswer], *, probing: bool = False
    ) -> OpenAIAnswer:
        dialect = self.dialect
        while True:
            post = make(dialect)
            try:
                answer, attempts = self._patience.tried(partial(send, post))
                answer.attempts = attempts
                return answer
            except Fault as fault:
                better = dialect.after_refusal(fault, post.body)
                # Later a refusal is about one request's value: changed, it would be another
                # request, and every one after it.
                if better is None or not (probing or better.draws_as(dialect)):
                    raise
                dialect = self.dialect = better

    def _whole(self, post: Post) -> OpenAIAnswer:
        answer = OpenAIAnswer()
        try:
            document = self._connection.document("POST", post.path, post.body)
            self._take(answer, document, whole=True)
        except Fault as fault:
            _classify(fault)
            raise
        return self._checked(answer)

    def _streamed(self, post: Post) -> OpenAIAnswer:
        """A stream that ends early is a Fault that holds what had come."""
        answer = OpenAIAnswer()
        try:
            with self._connection.lines(post.path, post.body) as lines:
                self._read_events(answer, lines)
        except Fault as fault:
            # Broken off behind the end of the answer: nothing of it is missing.
            if fault.cause != "broken_stream" or not answer.finished:
                fault.partial = answer.text
                _classify(fault)
                raise
        return self._checked(answer)

    def _read_events(self, answer: OpenAIAnswer, lines: Iterator[bytes]) -> None:
        """Each `data` line is one event. Lines outside of events are an answer that is no stream,
        or the error that a stream broke off with.
        """
        name, bare = b"", list[bytes]()
        for line in lines:
            field, _, value = line.strip().partition(b":")
            value = value.strip()
            if field == b"data" and value == DONE:
                answer.ended = True
                self._connection.read_out(lines)
                return
            if field == b"event":
                name = value
            elif field == b"data" and value:
                self._take_event(answer, name, value)
                name = b""
            elif field not in _IGNORED:
                bare.append(line)
        if bare and not answer.finished:
            document = self._connection.parsed(b"\n".join(bare))
            self._take(answer, document, whole=not answer.begun)

    def _take_event(self, answer: OpenAIAnswer, name: bytes, data: bytes) -> None:
        if name not in _OF_AN_ANSWER:
            return
        document = self._connection.parsed(data)
        self._refuse_error(document)
        if name == b"error":
            self._refuse_error({"error": document})
        self._take(answer, document)

    def _take(self, answer: OpenAIAnswer, document: object, *, whole: bool = False) -> None:
        self._refuse_error(document)
        try:
            answer.take(document, whole=whole)
        except (TypeError, AttributeError) as error:
            raise self._connection.unreadable(self._words_of(document)[:200]) from error

    def _words_of(self, value: object) -> str:
        return readable(self._connection.without_secrets(str(value)))

    def _refuse_error(self, document: object) -> None:
        if not isinstance(document, dict):
            return
        error = document if document.get("object") == "error" else document.get("error")
        if not error:
            return
        told = error.get("message") if isinstance(error, dict) else error
        message = self._words_of(told or error)
        code = error.get("code") if isinstance(error, dict) else None
        if isinstance(code, int) and 400 <= code < 600:
            raise fault_of_status(self._connection.url, code, {}, message)
        raise self._connection.failed(message)

    def _checked(self, answer: OpenAIAnswer) -> OpenAIAnswer:
        if not answer.begun:
            raise self._connection.unreadable(tr("no answer at all (choices is empty)"))
        if not answer.finished:
            raise self._connection.broken_off(answer.text)
        if answer.finish.startswith(_FILTERED) and not split_reasoning(answer.text).answer.strip():
            raise Fault("refused", tr("the server's filter withheld the answer (content_filter)"))
        if answer.finish == "error":
            raise self._connection.failed(tr("it does not say why"), answer.text)
        if not answer.text and not answer.thinking:
            self._refuse_no_text(answer)
        answer.remove_secrets(self._connection)
        answer.finish = self._words_of(answer.finish)[:40]
        return answer

    def _refuse_no_text(self, answer: OpenAIAnswer) -> None:
        if answer.called_tool:
            raise Fault("unreadable", tr("the model asked for a tool call instead of answering"))
        # A model may end at its first token, which llama.cpp streams as null, or begin to think
        # with it; a server that counts more tokens and shows none has lost them.
        one = answer.output_tokens is not None and answer.output_tokens <= 1
        ended_at_once = one and answer.finish in ("stop", CUT)
        if (answer.silent or not answer.finish) and not ended_at_once:
            raise self._connection.unreadable(tr("an answer without a text (content is null)"))


def _classify(fault: Fault) -> None:
    if fault.status in (400, 413, 422) and _TOO_LONG.search(fault.message):
        fault.cause = "prompt_too_long"
        fault.retry = False


def _about_left_out(dialect: Dialect) -> list[str]:
    notes = []
    plain = sorted(dialect.left_out - set(MATTERS))
    if plain:
        notes.append(tr("the server refuses {fields}; they were left out", fields=", ".join(plain)))
    if "seed" in dialect.left_out:
        notes.append(tr("the server takes no seed: its answers cannot be reproduced"))
    if "temperature" in dialect.left_out:
        notes.append(tr("the server takes no temperature: it sampled with its own"))
    return notes
