"""The OpenAI protocol: its endpoints as functions, its event streams as one result.

Takes paths and bodies and returns what the server said, or raises Fault. `PatientClient` asks
again, in a dialect that gets better with every refusal.

A status of 200 proves nothing: errors come under it, whole and in the middle of a stream.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from assay.messages import tr
from assay.models.http.connection import Connection
from assay.models.http.faults import Fault, fault_of_status, readable
from assay.models.http.retrying import Patience
from assay.models.http.served import CUT
from assay.models.openai.bodies import Post
from assay.models.openai.dialect import MATTERS, Dialect
from assay.models.openai.reading import Gathering, OneAnswer, OpenAIAnswers
from assay.models.reasoning import split_reasoning

DONE = b"[DONE]"
_IGNORED = (b"", b"data", b"id", b"retry")  # a line that begins with its colon is a comment
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


SOON_S = 10.0  # for questions that need no computing
_TOO_LONG = re.compile(
    r"context (?:length|size|window)|maximum (?:context|prompt|input)|too many (?:input )?tokens"
    r"|(?:prompt|input) is too long",
    re.IGNORECASE,
)
_OF_AN_ANSWER = (b"", b"message", b"error")  # events of other names are pings and the like
_FILTERED = "content_filter"


class OpenAIClient:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def models(self, path: str = "/models") -> Any:
        document = self._connection.document("GET", path, timeout_s=SOON_S)
        self._refuse_error(document)
        return document

    def whole(self, post: Post) -> OpenAIAnswers:
        gathering = Gathering()
        try:
            document = self._connection.document("POST", post.path, post.body)
            self._take(gathering, document, whole=True)
        except Fault as fault:
            _classify(fault)
            raise
        return self._checked(gathering)

    def write(self, post: Post) -> OpenAIAnswers:
        """One streamed answer. A stream that ends early is a Fault that holds what had come."""
        gathering = Gathering()
        try:
            with self._connection.lines(post.path, post.body) as lines:
                self._read_events(gathering, lines)
        except Fault as fault:
            # Broken off behind the end of every answer: nothing of them is missing.
            if fault.cause != "broken_stream" or not gathering.finished:
                fault.partial = gathering.text
                _classify(fault)
                raise
        return self._checked(gathering)

    def _read_events(self, gathering: Gathering, lines: Iterator[bytes]) -> None:
        """Each `data` line is one event. Lines outside of events are an answer that is no stream,
        or the error that a stream broke off with.
        """
        name, bare = b"", list[bytes]()
        for line in _single_lines(lines):
            field, _, value = line.partition(b":")
            value = value.strip()
            if field == b"data" and value == DONE:
                gathering.end()
                self._connection.read_out(lines)
                return
            if field == b"event":
                name = value
            elif field == b"data" and value:
                self._take_event(gathering, name, value)
                name = b""
            elif field not in _IGNORED:
                bare.append(line)
        if bare and not gathering.finished:
            document = self._connection.parsed(b"\n".join(bare))
            self._take(gathering, document, whole=not gathering.begun)

    # ------------------------------------------------------------------------------- checking

    def _take_event(self, gathering: Gathering, name: bytes, data: bytes) -> None:
        if name not in _OF_AN_ANSWER:
            return
        document = self._connection.parsed(data)
        self._refuse_error(document)
        if name == b"error":
            self._refuse_error({"error": document})
        self._take(gathering, document)

    def _take(self, gathering: Gathering, document: object, *, whole: bool = False) -> None:
        self._refuse_error(document)
        try:
            gathering.take(document, whole=whole)
        except TypeError as error:
            raise self._connection.unreadable(self._words_of(document)[:200]) from error

    def _words_of(self, value: object) -> str:
        try:
            words = str(value)
        except (RecursionError, ValueError):  # lists in lists without end; numbers of 5,000 digits
            words = "…"
        return readable(self._connection.without_secrets(words))

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
        raise Fault(
            "server_error",
            tr("{url} failed while answering: {why}", url=self._connection.url, why=message),
            retry=True,
            message=message,
        )

    def _checked(self, gathering: Gathering) -> OpenAIAnswers:
        written = gathering.result()
        if not written.choices:
            raise self._connection.unreadable(tr("no answer at all (choices is empty)"))
        if not gathering.finished:
            raise Fault(
                "broken_stream",
                tr("{url} stopped before the answer was complete", url=self._connection.url),
                retry=True,
                partial=gathering.text,
            )
        for said in written.choices:
            self._refuse_no_answer(said)
            self._refuse_no_text(said, written)
        written.choices = tuple(self._without_secrets(said) for said in written.choices)
        return written

    def _refuse_no_answer(self, said: OneAnswer) -> None:
        """Some servers say in the reason to finish that there is none."""
        if said.finish.startswith(_FILTERED) and not split_reasoning(said.text).answer.strip():
            raise Fault("refused", tr("the server's filter withheld the answer (content_filter)"))
        if said.finish == "error":
            raise Fault(
                "server_error",
                tr("{url} failed while answering, and does not say why", url=self._connection.url),
                retry=True,
                partial=said.text,
            )

    def _refuse_no_text(self, said: OneAnswer, written: OpenAIAnswers) -> None:
        if said.text or said.thinking:
            return
        if said.called_tool:
            raise Fault("unreadable", tr("the model asked for a tool call instead of answering"))
        # A model may end at its first token, which llama.cpp streams as null, or begin to think
        # with it; a server that counts more tokens and shows none has lost them.
        one = written.output_tokens is not None and written.output_tokens <= 1
        ended_at_once = one and said.finish in ("stop", CUT)
        if (said.silent or not said.finish) and not ended_at_once:
            raise self._connection.unreadable(tr("an answer without a text (content is null)"))

    def _without_secrets(self, said: OneAnswer) -> OneAnswer:
        clean = self._connection.clean_answer
        return replace(
            said,
            text=clean(said.text),
            thinking=clean(said.thinking),
            finish=self._words_of(said.finish)[:40],
        )


def _single_lines(lines: Iterator[bytes]) -> Iterator[bytes]:
    """A carriage return alone may end a line, too; JSON has none inside."""
    for line in lines:
        yield from line.strip().removeprefix(_BYTE_ORDER_MARK).split(b"\r")


def _classify(fault: Fault) -> None:
    if fault.status in (400, 413, 422) and _TOO_LONG.search(fault.message):
        fault.cause = "prompt_too_long"
        fault.retry = False


# ------------------------------------------------------------------------------ asking patiently

Make = Callable[[Dialect], Post]


class PatientClient:
    """The server, how to speak to it, and what is to be said of it."""

    def __init__(self, client: OpenAIClient, patience: Patience, dialect: Dialect) -> None:
        self._client = client
        self._patience = patience
        self._lock = threading.Lock()
        self._notes: dict[str, str] = {}
        self.dialect = dialect

    def streamed(self, make: Make) -> tuple[OpenAIAnswers, int]:
        return self._tried(make, self._client.write)

    def whole(self, make: Make, *, probing: bool = False) -> tuple[OpenAIAnswers, int]:
        return self._tried(make, self._client.whole, probing=probing)

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
        self, make: Make, send: Callable[[Post], OpenAIAnswers], *, probing: bool = False
    ) -> tuple[OpenAIAnswers, int]:
        dialect = self.dialect
        while True:
            post = make(dialect)
            try:
                return self._patience.tried(lambda post=post: send(post))  # type: ignore[misc]
            except Fault as fault:
                better = dialect.after_refusal(fault, post.body)
                # Later a refusal is about one request's value: changed, it would be another
                # request, and every one after it.
                if better is None or not (probing or better.draws_as(dialect)):
                    raise
                dialect = self.dialect = better


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
