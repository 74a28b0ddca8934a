"""An answer of an OpenAI-compatible server, whole or in pieces.

TypeError, AttributeError: the shape is not the protocol's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.models.first_token import OPENS_A_THOUGHT
from assay.models.http.figures import reported_count, reported_seconds
from assay.models.http.served import CUT, ServedAnswer
from assay.models.reasoning import split_reasoning
from assay.types import Timing

_THOUGHTS = ("reasoning_content", "reasoning", "thinking")


@dataclass(slots=True)
class OpenAIAnswer(ServedAnswer):
    """Takes documents until it is whole. `ended`: by the server's word. `called_tool`: it wants a
    function called. `silent`: not even an empty text. `logprobs`: as they came last.
    """

    begun: bool = False
    ended: bool = False
    called_tool: bool = False
    silent: bool = True
    thought_tokens: int | None = None
    fingerprint: str = ""
    logprobs: object = None

    @property
    def finished(self) -> bool:
        return self.begun and (self.ended or bool(self.finish))

    @property
    def thinks(self) -> bool:
        """It begins with a thought, or was cut at a token that is shown as nothing: so a server
        shows the tag that opens one. Some servers only count thoughts.
        """
        text = self.text
        if self.thought_tokens or self.thinking or text.lstrip().startswith(OPENS_A_THOUGHT):
            return True
        return bool(split_reasoning(text).reasoning) or (not text and self.finish == CUT)

    @property
    def timing(self) -> Timing | None:
        """The server's own clock, where it tells (llama.cpp does)."""
        timing = Timing(
            prefill_s=self.prefill_s, decode_s=self.decode_s, cached_tokens=self.cached_tokens
        )
        return timing if timing != Timing() else None

    def take(self, document: Any, *, whole: bool = False) -> None:
        """The next event, or the `whole` answer. An event without choices counts tokens, or shows
        that the server is alive. Raises TypeError or AttributeError for anything else.
        """
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
        self.called_tool |= bool(source.get("tool_calls") or source.get("function_call"))
        text, thought = _text_and_thought(source.get("content"))
        text = text or _text(source.get("refusal"))
        if source.get("content") is not None or text:
            self.silent = False
        told = next((t for name in _THOUGHTS if (t := _text(source.get(name)))), "")
        self.add(text, told or thought)
        if finish := choice.get("finish_reason"):
            self.finish = finish if isinstance(finish, str) else "other"
        if logprobs := choice.get("logprobs"):
            self._take_logprobs(logprobs)

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
    """A text, or a list of parts, some of which may be thoughts, as Mistral's servers tell them.
    Nothing is an empty text.
    """
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
