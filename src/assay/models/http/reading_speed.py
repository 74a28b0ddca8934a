"""How long a model may read before its first token: at the slowest speed seen so far."""

from collections.abc import Callable, Mapping
from typing import Any

UNKNOWN_TOKENS_PER_S = 20.0
SLOWEST_TOKENS_PER_S = 2.0  # below this it is not the reading that takes long
FEWEST_TOKENS = 50  # the time of a shorter prompt is not that of its reading
# Generously: code and digits have 2.5 bytes a token, letters beyond ASCII fewer.
BYTES_PER_TOKEN = 2.5
BYTES_PER_TOKEN_BEYOND_ASCII = 1.5


class ReadingSpeed:
    """Of one model. Threads may share it."""

    def __init__(self) -> None:
        self._tokens_per_s: float | None = None

    def allowance(self, body: Mapping[str, Any], timeout_s: float) -> Callable[[], float]:
        """The time until its first token may come, by what is known when that is asked."""
        tokens = estimate_tokens(prompt_of(body))
        return lambda: timeout_s + tokens / (self._tokens_per_s or UNKNOWN_TOKENS_PER_S)

    def learn(self, body: Mapping[str, Any], seconds: float | None, *, new: float = 1.0) -> None:
        """A prompt was read in `seconds`; `new`: the share that was not kept from before."""
        tokens = estimate_tokens(prompt_of(body)) * new
        if seconds and tokens >= FEWEST_TOKENS:
            self._slow_down_to(tokens / seconds)

    def may_need_more(self, prompt: str, had_s: float) -> bool:
        """Whether the slowest model needs longer for it."""
        return estimate_tokens(prompt) / SLOWEST_TOKENS_PER_S > had_s

    def learn_late(self, prompt: str, had_s: float) -> None:
        """A server that is alive did not read it in that time: twice as long is needed at least."""
        self._slow_down_to(estimate_tokens(prompt) / had_s / 2)

    def _slow_down_to(self, tokens_per_s: float) -> None:
        slowest = min(tokens_per_s, self._tokens_per_s or tokens_per_s)
        self._tokens_per_s = max(SLOWEST_TOKENS_PER_S, slowest)


def prompt_of(body: Mapping[str, Any]) -> str:
    messages = body.get("messages")
    if messages is None:
        return str(body.get("prompt", ""))
    return "".join(str(message["content"]) for message in messages)


def estimate_tokens(text: str, more_bytes: int = 0) -> float:
    plain = len(text.encode("ascii", "ignore"))
    beyond = len(text.encode("utf-8", "replace")) - plain
    return (plain + more_bytes) / BYTES_PER_TOKEN + beyond / BYTES_PER_TOKEN_BEYOND_ASCII
