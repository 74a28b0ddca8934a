"""Keeps prompts from being cut in silence.

Ollama answers a prompt that does not fit with status 200 and the middle missing. Newer servers obey
`truncate: false`; older ones ignore it, and there only their count of prompt tokens gives it away:
exactly num_ctx for one long text, a little below where old messages were dropped (256 and 248 at
num_ctx 256 in the recordings).
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.types import Message

STEP = 1024
SMALLEST = 2048
TEMPLATE_TOKENS = 16  # a message's share of the chat template, generously
# Generously: code and digits have 2.5 bytes a token, letters beyond ASCII fewer.
BYTES_PER_TOKEN = 2.5
BYTES_PER_TOKEN_BEYOND_ASCII = 1.5
NEARLY_FULL = 0.93  # dropping whole old messages left 248 of 256


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
