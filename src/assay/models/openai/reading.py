"""Answers of an OpenAI-compatible server, whole or in pieces, as one OpenAIAnswers.

TypeError: the shape is not the protocol's.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.models.first_token import OPENS_A_THOUGHT
from assay.models.http.figures import reported_count, reported_seconds
from assay.models.http.served import CUT, AnswerFigures
from assay.models.reasoning import split_reasoning

MOST_CHOICES = 128
_THOUGHTS = ("reasoning_content", "reasoning", "thinking")


@dataclass(frozen=True, slots=True)
class OneAnswer:
    """One answer. `called_tool`: it wants a function called. `silent`: not even an empty text."""

    text: str = ""
    thinking: str = ""
    finish: str = ""
    called_tool: bool = False
    silent: bool = True

    @property
    def thinks(self) -> bool:
        """It begins with a thought, or was cut at a token that is shown as nothing: so a server
        shows the tag that opens one.
        """
        if self.thinking or self.text.lstrip().startswith(OPENS_A_THOUGHT):
            return True
        return bool(split_reasoning(self.text).reasoning) or (not self.text and self.finish == CUT)


@dataclass(slots=True)
class OpenAIAnswers(AnswerFigures):
    """All answers of one request. `logprobs` are those of the first answer, as they came last."""

    choices: tuple[OneAnswer, ...] = ()
    thought_tokens: int | None = None
    fingerprint: str = ""
    logprobs: object = None

    @property
    def thinks(self) -> bool:
        """Some servers show thoughts, others only count them."""
        return bool(self.thought_tokens) or any(said.thinks for said in self.choices)


@dataclass(slots=True)
class _Pieces:
    text: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    finish: str = ""
    called_tool: bool = False
    silent: bool = True

    def put_together(self) -> OneAnswer:
        return OneAnswer(
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
        self._written = OpenAIAnswers()
        self._ended = False

    @property
    def finished(self) -> bool:
        """Every answer that began has ended, by its own word or by the server's."""
        reasons = [choice.finish for choice in self._choices.values()]
        return bool(reasons) and (self._ended or all(reasons))

    @property
    def begun(self) -> bool:
        return bool(self._choices)

    @property
    def text(self) -> str:
        """What has come of the first answer."""
        first = self._choices.get(0)
        return "".join(first.text) if first else ""

    def result(self) -> OpenAIAnswers:
        ordered = sorted(self._choices.items())
        self._written.choices = tuple(pieces.put_together() for _, pieces in ordered)
        return self._written

    def end(self) -> None:
        self._ended = True

    def take(self, document: object, *, whole: bool = False) -> None:
        """The next event, or the `whole` answer. An event without choices counts tokens, or shows
        that the server is alive. Raises TypeError for anything else.
        """
        if not isinstance(document, dict) or (whole and document.get("choices") is None):
            raise TypeError
        self._ended = self._ended or whole
        now = time.perf_counter() - self._started
        for place, choice in enumerate(_list(document.get("choices") or [])):
            self._take_choice(choice, place, now)
        self._take_counts(document)
        if isinstance(document.get("system_fingerprint"), str):
            self._written.fingerprint = document["system_fingerprint"]
        self._written.ended_at = now

    def _take_choice(self, choice: object, place: int, now: float) -> None:
        if not isinstance(choice, dict):
            raise TypeError
        index = place if choice.get("index") is None else choice["index"]
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
            pieces.finish = finish if isinstance(finish, str) else "other"
        if index == 0 and choice.get("logprobs"):
            self._take_logprobs(choice["logprobs"])

    def _spoken(self, choice: Mapping[str, Any], pieces: _Pieces) -> tuple[str, str]:
        """The text and the thoughts of one piece: `delta`, `message`, or a plain `text`."""
        source = choice.get("delta") or choice.get("message") or {"content": choice.get("text")}
        if not isinstance(source, dict):
            raise TypeError
        if source.get("tool_calls") or source.get("function_call"):
            pieces.called_tool = True
        text, thought = _text_and_thought(source.get("content"))
        text = text or _text(source.get("refusal"))
        if source.get("content") is not None or text:
            pieces.silent = False
        told = next((t for name in _THOUGHTS if (t := _text(source.get(name)))), "")
        return text, told or thought

    def _take_logprobs(self, logprobs: object) -> None:
        self._written.logprobs = logprobs
        content = logprobs.get("content") if isinstance(logprobs, dict) else None
        if self._written.first_logprobs is None and isinstance(content, list) and content:
            self._written.first_logprobs = content[0] if isinstance(content[0], dict) else None

    def _take_counts(self, document: Mapping[str, Any]) -> None:
        found = self._written
        usage = document.get("usage")
        if isinstance(usage, dict):  # some servers send it with every event: the last one holds
            found.prompt_tokens = reported_count(usage.get("prompt_tokens"))
            found.output_tokens = reported_count(usage.get("completion_tokens"))
            found.cached_tokens = _detail(usage, "prompt_tokens_details", "cached_tokens")
            found.thought_tokens = _detail(usage, "completion_tokens_details", "reasoning_tokens")
        timings = document.get("timings")
        if isinstance(timings, dict):
            self._take_timings(timings)

    def _take_timings(self, timings: Mapping[str, Any]) -> None:
        """llama.cpp's clock. After one token it names a microsecond for decoding: none at all."""
        found = self._written
        found.prefill_s = reported_seconds(timings.get("prompt_ms"), unit=1e-3)
        if (reported_count(timings.get("predicted_n")) or 0) > 1:
            found.decode_s = reported_seconds(timings.get("predicted_ms"), unit=1e-3)
        kept = reported_count(timings.get("cache_n"))
        if kept is not None:
            found.cached_tokens = kept


def _detail(usage: Mapping[str, Any], group: str, name: str) -> int | None:
    details = usage.get(group)
    return reported_count(details.get(name)) if isinstance(details, dict) else None


def _text(value: object) -> str:
    return _text_and_thought(value)[0]


def _text_and_thought(value: object) -> tuple[str, str]:
    """A text, or a list of parts, some of which may be thoughts, as Mistral's servers tell them.
    Nothing is an empty text.
    """
    if value is None:
        return "", ""
    if isinstance(value, str):
        return value, ""
    texts: list[str] = []
    thoughts: list[str] = []
    for part in _list(value):
        kind = part.get("type") if isinstance(part, dict) else None
        if not isinstance(part, dict) or kind not in ("text", "refusal", "thinking"):
            raise TypeError
        (thoughts if kind == "thinking" else texts).append(_text(part.get(kind)))
    return "".join(texts), "".join(thoughts)


def _list(value: object) -> Sequence[object]:
    if isinstance(value, list):
        return value
    raise TypeError
