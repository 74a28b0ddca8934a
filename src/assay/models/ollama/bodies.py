"""What is sent to Ollama for one answer: a path, and a body with every sampling field in it.

Options belong inside `options`, anywhere else they are ignored; `num_predict` 0 means no limit.

Ollama answers a prompt that does not fit with status 200 and the middle missing. Newer servers obey
`truncate: false`; older ones ignore it, and there only their count of prompt tokens gives it away:
exactly num_ctx for one long text, a little below where old messages were dropped (256 and 248 at
num_ctx 256 in the recordings).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from assay.models.plain_text import as_text
from assay.types import Message, ModelFacts, Sampling, ToAnswer

KEEP_ALIVE = "30m"  # longer than any pause of ours; the model is unloaded at the end
STEP = 1024
SMALLEST = 2048
TEMPLATE_TOKENS = 16  # a message's share of the chat template, generously
# Generously: code and digits have 2.5 bytes a token, letters beyond ASCII fewer.
BYTES_PER_TOKEN = 2.5
BYTES_PER_TOKEN_BEYOND_ASCII = 1.5
NEARLY_FULL = 0.93  # dropping whole old messages left 248 of 256


def body_for(
    work: ToAnswer, sampling: Sampling, facts: ModelFacts, *, context: int, own_stops: Sequence[str]
) -> tuple[str, dict[str, Any]]:
    body: dict[str, Any] = {
        "model": facts.name,
        "stream": True,
        "keep_alive": KEEP_ALIVE,
        "truncate": False,
        "shift": False,
        "options": _options(sampling, context, own_stops),
    }
    if facts.thinks:
        body["think"] = _think(sampling, facts)
    if work.schema is not None:
        body["format"] = json.loads(work.schema)
    if facts.is_chat:
        body["messages"] = [{"role": m.role, "content": m.content} for m in work.messages]
        return "/api/chat", body
    # A base model has no template: a system message would be lost in it without a word.
    body["prompt"] = as_text(work.messages)
    return "/api/generate", {**body, "raw": True}


def _options(sampling: Sampling, context: int, own_stops: Sequence[str]) -> dict[str, Any]:
    options: dict[str, Any] = {
        "num_ctx": context,
        "num_predict": sampling.max_tokens,
        "temperature": sampling.temperature,
        "seed": sampling.seed,
    }
    if sampling.stop:  # a request's stops replace the model's own, which end its turns
        options["stop"] = list(dict.fromkeys((*own_stops, *sampling.stop)))
    ours = {
        "top_p": sampling.top_p,
        "top_k": sampling.top_k,
        "min_p": sampling.min_p,
        "repeat_penalty": sampling.repeat_penalty,
        "presence_penalty": sampling.presence_penalty,
        "frequency_penalty": sampling.frequency_penalty,
    }
    return options | {name: value for name, value in ours.items() if value is not None}


def _think(sampling: Sampling, facts: ModelFacts) -> bool | str:
    """Sent whenever a model can think, so that thoughts come in a field of their own."""
    if sampling.think in ("low", "medium", "high"):
        return sampling.think
    if "on" not in facts.thinks:
        return "medium"  # what such a model does when nothing is said
    return sampling.think != "off"


def context_for(messages: Sequence[Message], max_tokens: int, own_bytes: int = 0) -> int:
    """A context that holds this conversation and its answer, in whole steps. A prompt of our own
    estimate must not fill it so far that it looks as if it had been cut. `own_bytes`: the model's
    own system prompt and template.
    """
    raw = _bytes_of(messages)
    beyond = sum(byte >= 0x80 for byte in raw)
    prompt = (len(raw) - beyond + own_bytes) / BYTES_PER_TOKEN
    prompt += beyond / BYTES_PER_TOKEN_BEYOND_ASCII + TEMPLATE_TOKENS * (len(messages) + 1)
    needed = max(prompt + max_tokens, prompt / NEARLY_FULL)
    return max(SMALLEST, STEP * -(-int(needed + 1) // STEP))


def was_cut(
    messages: Sequence[Message], counted: int | None, context: int, *, own_bytes: int, obeys: bool
) -> bool:
    """Whether the server left out a part of the prompt. `obeys`: it refuses what does not fit when
    told to. A token is at least one byte: what has no more bytes than the context fits.
    """
    most = len(_bytes_of(messages)) + own_bytes + TEMPLATE_TOKENS * (len(messages) + 1)
    if not counted or most <= context:
        return False
    return counted >= (context if obeys else NEARLY_FULL * context)


def _bytes_of(messages: Sequence[Message]) -> bytes:
    return "".join(message.content for message in messages).encode("utf-8", "replace")
