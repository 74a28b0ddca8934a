"""Keeps prompts from being cut in silence.

In: conversations, how long their answers may be, what the server counted. Out: how large a context
to ask for, and whether a prompt was cut.

Ollama answers a prompt that does not fit with status 200 and the middle missing. Newer servers obey
`truncate: false`; older ones ignore it, and there only their count of prompt tokens gives it away:
exactly num_ctx for one long text, a little below where old messages were dropped (256 and 248 at
num_ctx 256 in the recordings). We have no tokenizer, so all we hold against that count are bounds:
a token is at least one byte, as a rule 2 to 6, and letters beyond ASCII make more of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.types import Message

STEP = 1024
SMALLEST = 2048
TEMPLATE_TOKENS = 16  # a message's share of the chat template, generously
TEMPLATE_TOKENS_LEAST = 3
# For asking, generously: code and digits have 2.5 bytes a token, letters beyond ASCII fewer.
BYTES_PER_TOKEN_USUAL = 2.5
BYTES_PER_TOKEN_BEYOND_ASCII = 1.5
# For accusing: English prose has about 4.5 bytes a token, Ewe about 2.
BYTES_PER_TOKEN_MOST = 6.5
BYTES_PER_TOKEN_MOST_BEYOND_ASCII = 4.0
MOSTLY_BEYOND = 0.05  # share of such bytes from which a text is counted among those
NEARLY_FULL = 0.93  # dropping whole old messages left 248 of 256


@dataclass(frozen=True, slots=True)
class Size:
    """Bytes of all that is said, in UTF-8, and how many of them are beyond ASCII."""

    total: int
    beyond_ascii: int

    @classmethod
    def of(cls, messages: Sequence[Message]) -> Size:
        total = beyond = 0
        for message in messages:
            raw = message.content.encode("utf-8", "replace")
            total += len(raw)
            if not raw.isascii():
                beyond += sum(byte >= 0x80 for byte in raw)
        return cls(total, beyond)

    @property
    def tokens(self) -> float:
        """Rather too many than too few."""
        plain = self.total - self.beyond_ascii
        return plain / BYTES_PER_TOKEN_USUAL + self.beyond_ascii / BYTES_PER_TOKEN_BEYOND_ASCII

    @property
    def tokens_at_least(self) -> float:
        """So many it has, whatever it says."""
        beyond = self.beyond_ascii > MOSTLY_BEYOND * self.total
        most = BYTES_PER_TOKEN_MOST_BEYOND_ASCII if beyond else BYTES_PER_TOKEN_MOST
        return self.total / most


def context_for(messages: Sequence[Message], max_tokens: int, own_bytes: int = 0) -> int:
    """A context that holds this conversation and its answer, in whole steps. A prompt of our own
    estimate must not fill it so far that it looks as if it had been cut.
    """
    prompt = Size.of(messages).tokens + own_bytes / BYTES_PER_TOKEN_USUAL
    prompt += TEMPLATE_TOKENS * (len(messages) + 1)
    needed = max(prompt + max_tokens, prompt / NEARLY_FULL)
    return max(SMALLEST, STEP * -(-int(needed + 1) // STEP))


@dataclass(frozen=True, slots=True)
class CutDetector:
    """Whether a prompt was cut. `own_bytes`: the model's own system prompt and template.
    `obeys`: the server refuses what does not fit when told to, so that only the plain case is left.
    """

    own_bytes: int = 0
    obeys: bool = False

    def was_cut(self, messages: Sequence[Message], counted: int | None, context: int) -> bool:
        """Whether the server must have left out a part of the prompt."""
        if not counted:
            return False
        size = Size.of(messages)
        if size.total + self.own_bytes + TEMPLATE_TOKENS * (len(messages) + 1) <= context:
            return False
        if counted >= context:
            return True
        if self.obeys:
            return False
        least = size.tokens_at_least + TEMPLATE_TOKENS_LEAST * len(messages)
        return counted >= NEARLY_FULL * context or counted < least
