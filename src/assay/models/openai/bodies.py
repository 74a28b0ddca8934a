"""What is sent to an OpenAI-compatible server for one answer: a path and a body."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from assay.messages import tr
from assay.models.http.faults import Fault
from assay.models.openai.dialect import Dialect
from assay.models.plain_text import as_text
from assay.types import Message, Sampling, ToAnswer

CHAT = "/chat/completions"
COMPLETIONS = "/completions"


class Post(NamedTuple):
    path: str
    body: dict[str, Any]


def to_write(name: str, work: ToAnswer, sampling: Sampling, dialect: Dialect) -> Post:
    """A streamed answer."""
    body: dict[str, Any] = {"stream": True}
    if "stream_options" not in dialect.left_out:
        body["stream_options"] = {"include_usage": True}
    extra = body | _schema(work, dialect) | _thinking(sampling)
    return _post(name, work.messages, sampling, dialect, extra)


def first_token(
    name: str, messages: Sequence[Message], sampling: Sampling, dialect: Dialect
) -> Post:
    """One token with the likeliest others, whole: the shape the probe has seen. A server that
    cannot write so little is given more room, and only here: a test's own limit is its own.
    """
    sampling = replace(sampling, max_tokens=max(sampling.max_tokens, dialect.shortest))
    told = {"logprobs": True, "top_logprobs": dialect.likeliest} if dialect.likeliest else {}
    return _post(name, messages, sampling, dialect, told)


def to_echo(name: str, text: str, *, likeliest: int, dialect: Dialect, echo: bool = True) -> Post:
    """A text's own log-probabilities. One more token is written and cut off: a `max_tokens` of 0
    means no limit to some servers.
    """
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
    drawn = _drawn(sampling, dialect)
    if dialect.form == "completions":
        return Post(COMPLETIONS, {"model": name, "prompt": as_text(messages), **drawn, **extra})
    said = [{"role": message.role, "content": message.content} for message in messages]
    return Post(CHAT, {"model": name, "messages": said, **drawn, **extra})


def _drawn(sampling: Sampling, dialect: Dialect) -> dict[str, Any]:
    top_k = dialect.top_k_off if sampling.top_k == 0 else sampling.top_k
    fields: dict[str, Any] = {
        dialect.length_field: sampling.max_tokens,
        "temperature": sampling.temperature,
        "seed": sampling.seed,
        "top_p": sampling.top_p,
        "top_k": top_k,
        "min_p": sampling.min_p,
        "repeat_penalty": sampling.repeat_penalty,  # llama.cpp's word
        "repetition_penalty": sampling.repeat_penalty,  # vLLM's and transformers' word
        "presence_penalty": sampling.presence_penalty,
        "frequency_penalty": sampling.frequency_penalty,
        "stop": list(sampling.stop) or None,
    }
    return {
        field: value
        for field, value in fields.items()
        if value is not None and field not in dialect.left_out
    }


def _schema(work: ToAnswer, dialect: Dialect) -> dict[str, Any]:
    if work.schema is None:
        return {}
    if dialect.form == "completions":
        raise Fault("refused", tr("a completions server takes no JSON Schema; a chat server may"))
    wanted = {"name": "answer", "strict": True, "schema": json.loads(work.schema)}
    return {"response_format": {"type": "json_schema", "json_schema": wanted}}


def _thinking(sampling: Sampling) -> dict[str, Any]:
    if sampling.think in ("on", "off"):
        raise Fault(
            "refused",
            tr("an OpenAI-compatible server takes low, medium or high for thinking, not on or off"),
        )
    return {"reasoning_effort": sampling.think} if sampling.think else {}
