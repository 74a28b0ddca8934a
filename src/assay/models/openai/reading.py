"""Answers of an OpenAI-compatible server, whole or in pieces, as one result.

In: the JSON documents of an answer: one, or the events of a stream. Out: Written, or TypeError
where the shape is not the protocol's. Refuses to know: the network, and what a fault is.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MOST_CHOICES = 128
LARGEST_COUNT = 10**9  # a server may claim anything
_THOUGHTS = ("reasoning_content", "reasoning", "thinking")


@dataclass(frozen=True, slots=True)
class Said:
    """One answer. `called_tool`: it wants a function called. `silent`: not even an empty text."""

    text: str = ""
    thinking: str = ""
    finish: str = ""
    called_tool: bool = False
    silent: bool = True


@dataclass(slots=True)
class Written:
    """All answers of one request. `…_at` are seconds by our clock, `…_s` by the server's; None: not
    told. `logprobs` are those of the first answer, as they came last; `first_logprobs` its first.
    """

    choices: tuple[Said, ...] = ()
    first_token_at: float | None = None
    first_answer_at: float | None = None
    ended_at: float = 0.0
    prompt_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    prefill_s: float | None = None
    decode_s: float | None = None
    fingerprint: str = ""
    first_logprobs: Mapping[str, Any] | None = None
    logprobs: object = None


@dataclass(slots=True)
class _Pieces:
    text: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    finish: str = ""
    called_tool: bool = False
    silent: bool = True

    def put_together(self) -> Said:
        return Said(
            text="".join(self.text),
            thinking="".join(self.thoughts),
            finish=self.finish,
            called_tool=self.called_tool,
            silent=self.silent,
        )


class Gathering:
    """Takes documents until an answer is whole."""

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self._choices: dict[int, _Pieces] = {}
        self._written = Written()

    @property
    def finished(self) -> bool:
        """Every answer that began has ended."""
        return bool(self._choices) and all(choice.finish for choice in self._choices.values())

    @property
    def text(self) -> str:
        """What has come of the first answer."""
        first = self._choices.get(0)
        return "".join(first.text) if first else ""

    def result(self) -> Written:
        """What has come."""
        ordered = sorted(self._choices.items())
        self._written.choices = tuple(pieces.put_together() for _, pieces in ordered)
        return self._written

    def take(self, document: object) -> None:
        """The next one. Raises TypeError for what is none."""
        if not isinstance(document, dict):
            raise TypeError
        choices = document.get("choices")
        if choices is None and not isinstance(document.get("usage"), dict):
            raise TypeError
        now = time.perf_counter() - self._started
        for choice in _list(choices or []):
            self._take_choice(choice, now)
        self._take_counts(document)
        if isinstance(document.get("system_fingerprint"), str):
            self._written.fingerprint = document["system_fingerprint"]
        self._written.ended_at = now

    def _take_choice(self, choice: object, now: float) -> None:
        if not isinstance(choice, dict):
            raise TypeError
        index = choice.get("index", 0)
        if not isinstance(index, int) or not 0 <= index < MOST_CHOICES:
            raise TypeError
        pieces = self._choices.setdefault(index, _Pieces())
        text, thought = self._spoken(choice, pieces)
        if (text or thought) and self._written.first_token_at is None:
            self._written.first_token_at = now
        if text and self._written.first_answer_at is None:
            self._written.first_answer_at = now
        pieces.text.append(text)
        pieces.thoughts.append(thought)
        finish = choice.get("finish_reason")
        if finish:
            pieces.finish = str(finish)
        if index == 0 and choice.get("logprobs"):
            self._take_logprobs(choice["logprobs"])

    def _spoken(self, choice: Mapping[str, Any], pieces: _Pieces) -> tuple[str, str]:
        """The text and the thoughts of one piece: `delta`, `message`, or a plain `text`."""
        if "text" in choice:
            source: Mapping[str, Any] = {"content": choice["text"]}
        else:
            told = choice.get("delta", choice.get("message"))
            if not isinstance(told, dict) and not (told is None and choice.get("finish_reason")):
                raise TypeError
            source = told or {}
        if source.get("tool_calls") or source.get("function_call"):
            pieces.called_tool = True
        text = _text(source.get("content")) or _text(source.get("refusal"))
        if source.get("content") is not None or text:
            pieces.silent = False
        return text, next((t for name in _THOUGHTS if (t := _text(source.get(name)))), "")

    def _take_logprobs(self, logprobs: object) -> None:
        self._written.logprobs = logprobs
        content = logprobs.get("content") if isinstance(logprobs, dict) else None
        if self._written.first_logprobs is None and isinstance(content, list) and content:
            self._written.first_logprobs = content[0] if isinstance(content[0], dict) else None

    def _take_counts(self, document: Mapping[str, Any]) -> None:
        found = self._written
        usage = document.get("usage")
        if isinstance(usage, dict):  # some servers send it with every event: the last one holds
            found.prompt_tokens = count(usage.get("prompt_tokens"))
            found.output_tokens = count(usage.get("completion_tokens"))
            details = usage.get("prompt_tokens_details")
            if isinstance(details, dict):
                found.cached_tokens = count(details.get("cached_tokens"))
        timings = document.get("timings")
        if isinstance(timings, dict):
            self._take_timings(timings)

    def _take_timings(self, timings: Mapping[str, Any]) -> None:
        """llama.cpp's clock. After one token it names a microsecond for decoding: none at all."""
        found = self._written
        found.prefill_s = _seconds(timings.get("prompt_ms"))
        if (count(timings.get("predicted_n")) or 0) > 1:
            found.decode_s = _seconds(timings.get("predicted_ms"))
        kept = count(timings.get("cache_n"))
        if kept is not None:
            found.cached_tokens = kept


def count(value: object, *, most: int = LARGEST_COUNT) -> int | None:
    """A number of tokens that can be one."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= most else None


def _seconds(milliseconds: object) -> float | None:
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return None
    return milliseconds / 1000 if math.isfinite(milliseconds) and milliseconds >= 0 else None


def _text(value: object) -> str:
    """A text, or the texts of a list of parts; nothing is an empty one."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return "".join(_text(_part(part)) for part in _list(value))


def _part(part: object) -> object:
    if isinstance(part, dict) and part.get("type") == "text":
        return part.get("text")
    raise TypeError


def _list(value: object) -> Sequence[object]:
    if isinstance(value, list):
        return value
    raise TypeError
