"""What one server takes of the protocol, learned from what it refuses.

Servers differ in which sampling fields they know. One that refuses `top_k` has no top-k to switch
off: leaving it out asks for the same thing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from assay.models.first_token import MOST
from assay.models.http.faults import Fault

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
    """How to speak to one server. `shortest` is the least it can be asked for where one token
    would do.
    """

    form: Literal["chat", "completions"] = "chat"
    left_out: frozenset[str] = frozenset()
    length_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    top_k_off: int = 0
    likeliest: int = MOST
    shortest: int = 1

    def without(self, *fields: str) -> Dialect:
        return replace(self, left_out=self.left_out | set(fields))

    def draws_as(self, other: Dialect) -> bool:
        """Whether every answer is drawn in the same way: all but how tokens are counted."""
        return self.without("stream_options") == other.without("stream_options")

    def after_refusal(self, fault: Fault, sent: Mapping[str, Any]) -> Dialect | None:
        """What to try next. Each step leaves less, so that trying ends."""
        if fault.cause != "refused" or fault.status not in (None, 400, 422):
            return None
        message = _word(str(sent["model"])).sub("", fault.message)  # it may be called anything
        named = [field for field in sent if _names(message, field)]
        if self.length_field in named:
            return self._of_another_length(message)
        if "top_k" in named and "-1" in message and self.top_k_off == 0:
            return replace(self, top_k_off=-1)
        if "logprobs" in named or "top_logprobs" in named:
            return self._telling_fewer(message)
        known = [field for field in OPTIONAL if field in named]
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


def _names(message: str, field: str) -> bool:
    return _word(field).search(message) is not None


def _word(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){re.escape(text)}(?![\w-])")
