"""What is sent to Ollama for one answer: a path, and a body with every sampling field in it.

Options belong inside `options`, anywhere else they are ignored; `num_predict` 0 means no limit.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from assay.models.plain_text import as_text
from assay.types import ModelFacts, Sampling, ToAnswer

KEEP_ALIVE = "30m"  # longer than any pause of ours; the model is unloaded at the end


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
