"""What is sent to an OpenAI-compatible server, in a Dialect learned from what it refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, NamedTuple

from assay.messages import tr
from assay.models.base import as_text
from assay.models.http.faults import Fault
from assay.models.reasoning import MOST
from assay.types import Message, Sampling, ToAnswer

CHAT = "/chat/completions"
COMPLETIONS = "/completions"


class Post(NamedTuple):
    path: str
    body: dict[str, Any]


def to_write(name: str, work: ToAnswer, sampling: Sampling, dialect: Dialect) -> Post:
    body: dict[str, Any] = {"stream": True}
    if "stream_options" not in dialect.left_out:
        body["stream_options"] = {"include_usage": True}
    extra = body | _schema(work, dialect) | _thinking(sampling, dialect)
    if work.tools:
        extra["tools"] = json.loads(work.tools)
    if work.letters:
        extra |= _told(dialect)
    path, sent = _post(name, work.messages, sampling, dialect, extra)
    if work.steps:
        steps = [Message("assistant", step.text, called=step) for step in work.steps]
        sent["messages"] = [*_turns([*work.messages, *steps])]
    return Post(path, sent)


def _turns(messages: Iterable[Message]) -> Iterator[dict[str, Any]]:
    """The ids are ours, so that equal conversations are equal requests; 9 letters for Mistral."""
    number = 0
    for message in messages:
        step = message.called
        if step is None:
            yield {"role": message.role, "content": message.content}
            continue
        ids = [f"call{number + at:05d}" for at in range(len(step.calls))]
        number += len(ids)
        calls = [
            {"id": one, "type": "function", "function": asdict(call)}
            for one, call in zip(ids, step.calls, strict=True)
        ]
        yield {"role": "assistant", "content": message.content or None, "tool_calls": calls}
        for one, result in zip(ids, step.results, strict=True):
            yield {"role": "tool", "tool_call_id": one, "content": result}


def first_token(
    name: str, messages: Sequence[Message], sampling: Sampling, dialect: Dialect
) -> Post:
    """Whole, as the probe has seen it. A server that cannot write so little gets more room here."""
    sampling = replace(sampling, max_tokens=max(sampling.max_tokens, dialect.shortest))
    return _post(name, messages, sampling, dialect, _told(dialect))


def _told(dialect: Dialect) -> dict[str, Any]:
    return {"logprobs": True, "top_logprobs": dialect.likeliest} if dialect.likeliest else {}


def to_echo(name: str, text: str, *, likeliest: int, dialect: Dialect, echo: bool = True) -> Post:
    """One more token is written and cut off: a `max_tokens` of 0 is no limit to some servers."""
    body: dict[str, Any] = {
        "model": name,
        "prompt": text,
        dialect.length_field: 1,
        "temperature": 0.0,
        "logprobs": likeliest,
    }
    if echo:
        body["echo"] = True
    return Post(COMPLETIONS, {k: v for k, v in body.items() if k not in dialect.left_out})


def _post(
    name: str,
    messages: Sequence[Message],
    sampling: Sampling,
    dialect: Dialect,
    extra: Mapping[str, Any],
) -> Post:
    fields: dict[str, Any] = {
        dialect.length_field: sampling.max_tokens,
        "temperature": sampling.temperature,
        "seed": sampling.seed,
        "top_p": sampling.top_p,
        "top_k": dialect.top_k_off if sampling.top_k == 0 else sampling.top_k,
        "min_p": sampling.min_p,
        "repeat_penalty": sampling.repeat_penalty,  # llama.cpp's word
        "repetition_penalty": sampling.repeat_penalty,  # vLLM's and transformers' word
        "presence_penalty": sampling.presence_penalty,
        "frequency_penalty": sampling.frequency_penalty,
        "stop": list(sampling.stop) or None,
    }
    drawn = {
        field: value
        for field, value in fields.items()
        if value is not None and field not in dialect.left_out
    }
    if dialect.form == "completions":
        return Post(COMPLETIONS, {"model": name, "prompt": as_text(messages), **drawn, **extra})
    return Post(CHAT, {"model": name, "messages": [*_turns(messages)], **drawn, **extra})


def _schema(work: ToAnswer, dialect: Dialect) -> dict[str, Any]:
    if work.schema is None:
        return {}
    if dialect.form == "completions":
        raise Fault("refused", tr("a completions server takes no JSON Schema; a chat server may"))
    wanted = {"name": "answer", "strict": True, "schema": json.loads(work.schema)}
    return {"response_format": {"type": "json_schema", "json_schema": wanted}}


def _thinking(sampling: Sampling, dialect: Dialect) -> dict[str, Any]:
    """On and off are said in every way that the server takes: to the template, and as effort."""
    if sampling.think is None:
        return {}
    if sampling.think not in ("on", "off"):
        return {EFFORT: sampling.think}
    said: dict[str, Any] = {TO_TEMPLATE: {"enable_thinking": sampling.think == "on"}}
    if sampling.think == "off":
        said[EFFORT] = NO_EFFORT
    taken = {field: value for field, value in said.items() if field not in dialect.left_out}
    if sampling.think == "on" and not taken:
        raise Fault("refused", tr("the server takes no request to think: try low, medium or high"))
    return taken


TO_TEMPLATE = "chat_template_kwargs"  # of llama.cpp, vLLM and SGLang
EFFORT, NO_EFFORT = "reasoning_effort", "none"  # OpenAI's


# Not OpenAI's own; llama.cpp, vLLM and others know them. The last two are names for one thing.
BEYOND_OPENAI = ("top_k", "min_p", "repeat_penalty", "repetition_penalty")
OPTIONAL = (
    *BEYOND_OPENAI, "stream_options", "top_p", "presence_penalty", "frequency_penalty", "seed",
    "temperature",
)  # fmt: skip
# Without these an answer is drawn in another way than was asked.
MATTERS = ("seed", "temperature")
FEWER = 5  # likeliest tokens, where 20 are too many
LONGER = 256  # tokens, where one is too few even for a probe

_TOO_SHORT = re.compile(
    r"output limit was reached|higher max_tokens|must be at least|minimum value"
)
# Of the field itself, not of the number in it.
_UNKNOWN_FIELD = re.compile(
    r"max_completion_tokens|unsupported|not supported|unknown|unrecogni[sz]ed|unexpected"
    r"|extra (?:inputs|fields)|not permitted",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How to speak to one server. `shortest`: the least to ask for instead of one token."""

    form: Literal["chat", "completions"] = "chat"
    left_out: frozenset[str] = frozenset()
    length_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    top_k_off: int = 0
    likeliest: int = MOST
    shortest: int = 1

    def without(self, *fields: str) -> Dialect:
        return replace(self, left_out=self.left_out | set(fields))

    def draws_as(self, other: Dialect) -> bool:
        of_no_account = ("stream_options", TO_TEMPLATE, EFFORT)
        ours, others = self.without(*of_no_account), other.without(*of_no_account)
        return replace(ours, likeliest=0) == replace(others, likeliest=0)

    def after_refusal(self, fault: Fault, sent: Mapping[str, Any]) -> Dialect | None:
        """What to try next. Each step leaves less, so that trying ends."""
        if fault.cause != "refused" or fault.status not in (None, 400, 422):
            return None
        message = _word(str(sent["model"])).sub("", fault.message)  # it may be called anything
        named = [field for field in sent if _word(field).search(message)]
        if self.length_field in named:
            return self._of_another_length(message)
        if "top_k" in named and "-1" in message and self.top_k_off == 0:
            return replace(self, top_k_off=-1)
        if "logprobs" in named or "top_logprobs" in named:
            return self._telling_fewer(message)
        known = [field for field in (*OPTIONAL, TO_TEMPLATE) if field in named]
        if EFFORT in named and sent[EFFORT] == NO_EFFORT:
            known.append(EFFORT)
        return self.without(*known) if known else None

    def _of_another_length(self, message: str) -> Dialect | None:
        if self.shortest < LONGER and _TOO_SHORT.search(message):
            return replace(self, shortest=LONGER)
        if self.length_field == "max_tokens" and _UNKNOWN_FIELD.search(message):
            return replace(self, length_field="max_completion_tokens")
        return None

    def _telling_fewer(self, message: str) -> Dialect | None:
        if self.likeliest > FEWER and re.search(r"\d", message):
            return replace(self, likeliest=FEWER)
        return replace(self, likeliest=0) if self.likeliest else None


def _word(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){re.escape(text)}(?![\w-])")
