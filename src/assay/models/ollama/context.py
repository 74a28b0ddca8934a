"""Keeps prompts from being cut in silence.

In: conversations, how long their answers may be, what the server counted. Out: how large a context
to ask for, and whether a prompt was cut. Refuses to know: the protocol.

Ollama answers a prompt that does not fit with status 200 and the middle missing. Newer servers obey
`truncate: false`; older ones ignore it, and there only their count of prompt tokens gives it away:
exactly num_ctx for one long text, a little below where old messages were dropped (256 and 248 at
num_ctx 256 in the recordings). We have no tokenizer, so all we hold against that count are bounds:
a token is at least one byte, and as a rule 2 to 6 bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.types import Message

STEP = 1024
SMALLEST = 2048
TEMPLATE_TOKENS = 16  # a message's share of the chat template, generously
TEMPLATE_TOKENS_LEAST = 3
BYTES_PER_TOKEN_USUAL = 2.5  # for asking: Ewe and code take more tokens than English
BYTES_PER_TOKEN_MOST = 6.5  # for accusing: English prose has about 4.5
NEARLY_FULL = 0.93  # dropping whole old messages left 248 of 256
LONG_ENOUGH = 400  # bytes; in shorter prompts the template weighs too much to learn from
LEARNT_FROM = 5


def bytes_of(messages: Sequence[Message]) -> int:
    """Of all that is said, in UTF-8."""
    return sum(len(message.content.encode("utf-8", "replace")) for message in messages)


def context_for(messages: Sequence[Message], max_tokens: int, own_bytes: int = 0) -> int:
    """A context that holds this conversation and its answer, in whole steps."""
    prompt = (bytes_of(messages) + own_bytes) / BYTES_PER_TOKEN_USUAL
    needed = prompt + TEMPLATE_TOKENS * (len(messages) + 1) + max_tokens
    return max(SMALLEST, STEP * -(-int(needed + 1) // STEP))


@dataclass(slots=True)
class CutDetector:
    """Whether a prompt was cut. `own_bytes`: the model's own system prompt and template.
    `obeys`: the server refuses what does not fit when told to, so that only the plain case is left.
    """

    own_bytes: int = 0
    obeys: bool = False
    _seen: int = 0
    _least_tokens_per_byte: float = 1.0

    def was_cut(self, messages: Sequence[Message], counted: int | None, context: int) -> bool:
        """Whether the server must have left out a part of the prompt."""
        if not counted:
            return False
        size = bytes_of(messages)
        if size + self.own_bytes + TEMPLATE_TOKENS * (len(messages) + 1) <= context:
            self._learn(size, counted)
            return False
        if counted >= context:
            return True
        if self.obeys:
            return False
        return counted >= NEARLY_FULL * context or counted < self._at_least(size, len(messages))

    def _learn(self, size: int, counted: int) -> None:
        if size >= LONG_ENOUGH:
            self._seen += 1
            self._least_tokens_per_byte = min(self._least_tokens_per_byte, counted / size)

    def _at_least(self, size: int, messages: int) -> float:
        """So many tokens a prompt of so many bytes has, whatever it says."""
        bound = size / BYTES_PER_TOKEN_MOST
        if self._seen >= LEARNT_FROM:
            bound = max(bound, 0.75 * size * self._least_tokens_per_byte)
        return bound + TEMPLATE_TOKENS_LEAST * messages
