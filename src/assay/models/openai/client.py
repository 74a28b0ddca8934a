"""The OpenAI protocol, in a dialect that gets better with every refusal. A status of 200 proves
nothing: errors come under it, whole and in the middle of a stream.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from assay.messages import tr
from assay.models.http.connection import Connection
from assay.models.http.faults import (
    Fault,
    Patience,
    fault_of_status,
    reported_count,
    reported_seconds,
)
from assay.models.http.reading_speed import ReadingSpeed
from assay.models.http.served import CUT, ServedAnswer
from assay.models.http.slots import Spent
from assay.models.openai.bodies import MATTERS, Dialect, Post
from assay.models.reasoning import OPENS_A_THOUGHT, split_reasoning
from assay.text.json_in_prose import read_call
from assay.types import Sampling, Timing

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
    def __init__(
        self, name: str, connection: Connection, patience: Patience, dialect: Dialect
    ) -> None:
        self.name = name
        self.dialect = dialect
        self._connection = connection
        self._patience = patience
        self.reading = ReadingSpeed()
        self._lock = threading.Lock()
        self._notes: dict[str, str] = {}

    def models(self) -> Any:
        document = self._connection.document("GET", "/models", timeout_s=SOON_S)
        self._refuse_error(document)
        return document

    def whole(self, make: Make, *, probing: bool = False) -> OpenAIAnswer:
        return self._tried(make, self._whole, probing=probing)

    def streamed(self, make: Make, sampling: Sampling) -> OpenAIAnswer:
        return self._tried(make, partial(self._streamed, sampling=sampling))

    @property
    def spent(self) -> Spent:
        return self._connection.spent

    def note(self, about: str, sentence: str) -> None:
        """Said once for each thing it is about."""
        with self._lock:
            self._notes.setdefault(about, sentence)

    @property
    def notes(self) -> tuple[str, ...]:
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
        allowed = self.reading.allowance(post.body, self._connection.timeout_s)
        try:
            document = self._connection.document("POST", post.path, post.body, timeout_s=allowed)
            self._take(answer, document, whole=True)
            answer.leave_out_the_queue(self._connection.last_stay)
        except Fault as fault:
            _classify(fault)
            raise
        return self._checked(answer, post)

    def _streamed(self, post: Post, sampling: Sampling) -> OpenAIAnswer:
        answer = OpenAIAnswer().follow(sampling)
        allowed = self.reading.allowance(post.body, self._connection.timeout_s)
        try:
            with self._connection.lines(post.path, post.body, timeout_s=allowed) as lines:
                self._read_events(answer, lines)
        except Fault as fault:
            # Broken off behind the end of the answer: nothing of it is missing.
            if fault.cause != "broken_stream" or not answer.finished:
                fault.partial = answer.text
                _classify(fault)
                raise
        answer.leave_out_the_queue(self._connection.last_stay)
        read_s = answer.prefill_s or answer.first_token_at
        self.reading.learn(post.body, read_s, new=answer.new_share)
        return self._checked(answer, post)

    def _read_events(self, answer: OpenAIAnswer, lines: Iterator[bytes]) -> None:
        """Each `data` line is an event; bare lines are no stream, or its last error."""
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
                if name in _OF_AN_ANSWER:
                    document = self._connection.parsed(value)
                    self._refuse_error(document)
                    self._take(answer, {"error": document} if name == b"error" else document)
                name = b""
                if answer.is_enough(self._connection):
                    return
            elif field not in _IGNORED:
                bare.append(line)
        if bare and not answer.finished:
            document = self._connection.parsed(b"\n".join(bare))
            self._take(answer, document, whole=not answer.begun)

    def _take(self, answer: OpenAIAnswer, document: object, *, whole: bool = False) -> None:
        self._refuse_error(document)
        try:
            answer.take(document, whole=whole)
        except (TypeError, AttributeError) as error:
            raise self._connection.unreadable(self._connection.in_words(document)[:200]) from error

    def _refuse_error(self, document: object) -> None:
        if not isinstance(document, dict):
            return
        error = document if document.get("object") == "error" else document.get("error")
        if not error:
            return
        told = error.get("message") if isinstance(error, dict) else error
        message = self._connection.in_words(told or error)
        code = error.get("code") if isinstance(error, dict) else None
        if isinstance(code, int) and 400 <= code < 600:
            raise fault_of_status(self._connection.url, code, {}, message)
        raise self._connection.failed(message)

    def _checked(self, answer: OpenAIAnswer, post: Post) -> OpenAIAnswer:
        if not answer.begun:
            raise self._connection.unreadable(tr("no answer at all (choices is empty)"))
        if not answer.finished and not answer.ends_stuck():
            raise self._connection.broken_off(answer.text)
        if answer.finish.startswith(_FILTERED) and not split_reasoning(answer.text).answer.strip():
            raise Fault("refused", tr("the server's filter withheld the answer (content_filter)"))
        if answer.finish == "error":
            raise self._connection.failed(tr("it does not say why"), answer.text)
        if not answer.text and not answer.thinking and not (answer.calls and "tools" in post.body):
            self._refuse_no_text(answer)
        answer.remove_secrets(self._connection)
        answer.finish = self._connection.in_words(answer.finish)[:40]
        return answer

    def _refuse_no_text(self, answer: OpenAIAnswer) -> None:
        if answer.calls:
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


_THOUGHTS = ("reasoning_content", "reasoning", "thinking")


@dataclass(slots=True)
class OpenAIAnswer(ServedAnswer):
    """`ended`: by the server's word. `silent`: not even an empty text came."""

    begun: bool = False
    ended: bool = False
    silent: bool = True
    thought_tokens: int | None = None
    fingerprint: str = ""
    logprobs: object = None

    @property
    def finished(self) -> bool:
        return self.begun and (self.ended or bool(self.finish))

    @property
    def thinks(self) -> bool:
        """With text or counts; or cut at a token that is shown as nothing, as an opening tag is."""
        text = self.text
        if self.thought_tokens or self.thinking or text.lstrip().startswith(OPENS_A_THOUGHT):
            return True
        return bool(split_reasoning(text).reasoning) or (not text and self.finish == CUT)

    @property
    def timing(self) -> Timing | None:
        timing = Timing(
            prefill_s=self.prefill_s, decode_s=self.decode_s, cached_tokens=self.cached_tokens
        )
        return timing if timing != Timing() else None

    def take(self, document: Any, *, whole: bool = False) -> None:
        """The next event, or the `whole` answer. Raises TypeError or AttributeError for others."""
        choices = document.get("choices")
        if (whole and choices is None) or not isinstance(choices or [], list):
            raise TypeError
        self.ended = self.ended or whole
        self.begun = self.begun or bool(choices)
        choice = choices[0] if choices else {}
        if choice.get("index") not in (None, 0):
            raise TypeError
        self._take_choice(choice)
        self._take_counts(document)
        if isinstance(document.get("system_fingerprint"), str):
            self.fingerprint = document["system_fingerprint"]

    def _take_choice(self, choice: Mapping[str, Any]) -> None:
        """The text and the thoughts are in `delta`, `message`, or a plain `text`."""
        source = choice.get("delta") or choice.get("message") or {"content": choice.get("text")}
        text, thought = _text_and_thought(source.get("content"))
        text = text or _text(source.get("refusal"))
        if source.get("content") is not None or text:
            self.silent = False
        told = next((t for name in _THOUGHTS if (t := _text(source.get(name)))), "")
        self.add(text, told or thought)
        self._take_calls(source.get("tool_calls") or source.get("function_call") or [])
        if finish := choice.get("finish_reason"):
            self.finish = finish if isinstance(finish, str) else "other"
        if logprobs := choice.get("logprobs"):
            self._take_logprobs(logprobs)

    def _take_calls(self, calls: Any) -> None:
        """Whole ones, or arguments bit by bit under an index; without one, a name begins a call."""
        for call in [calls] if isinstance(calls, dict) else calls:
            piece, place = read_call(call), call.get("index")
            if not isinstance(place, int):
                place = len(self.calls) - (0 if piece.name or not self.calls else 1)
            self.add_call(piece, place)

    def _take_logprobs(self, logprobs: object) -> None:
        self.logprobs = logprobs
        content = logprobs.get("content") if isinstance(logprobs, dict) else None
        if self.first_logprobs is None and isinstance(content, list) and content:
            self.first_logprobs = content[0] if isinstance(content[0], dict) else None

    def _take_counts(self, document: Mapping[str, Any]) -> None:
        usage = document.get("usage")
        if isinstance(usage, dict):  # some servers send it with every event: the last one holds
            self.prompt_tokens = reported_count(usage.get("prompt_tokens"))
            self.output_tokens = reported_count(usage.get("completion_tokens"))
            self.cached_tokens = _detail(usage, "prompt_tokens_details", "cached_tokens")
            self.thought_tokens = _detail(usage, "completion_tokens_details", "reasoning_tokens")
        timings = document.get("timings")
        if isinstance(timings, dict):
            self._take_timings(timings)

    def _take_timings(self, timings: Mapping[str, Any]) -> None:
        """llama.cpp's clock. After one token it names a microsecond for decoding: none at all."""
        self.prefill_s = reported_seconds(timings.get("prompt_ms"), unit=1e-3)
        if (reported_count(timings.get("predicted_n")) or 0) > 1:
            self.decode_s = reported_seconds(timings.get("predicted_ms"), unit=1e-3)
        kept = reported_count(timings.get("cache_n"))
        if kept is not None:
            self.cached_tokens = kept


def _detail(usage: Mapping[str, Any], group: str, name: str) -> int | None:
    details = usage.get(group)
    return reported_count(details.get(name)) if isinstance(details, dict) else None


def _text(value: Any) -> str:
    return _text_and_thought(value)[0]


def _text_and_thought(value: Any) -> tuple[str, str]:
    """Of a text, or of parts, as Mistral's servers tell them. Nothing is an empty text."""
    if value is None:
        return "", ""
    if isinstance(value, str):
        return value, ""
    texts: list[str] = []
    thoughts: list[str] = []
    for part in value:
        kind = part.get("type")
        if kind not in ("text", "refusal", "thinking"):
            raise TypeError
        (thoughts if kind == "thinking" else texts).append(_text(part.get(kind)))
    return "".join(texts), "".join(thoughts)
