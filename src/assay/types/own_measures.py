"""What a user's measure asks with, and what its replies are."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Ask:
    """Write an answer: gives `reply.text`."""

    prompt: str
    max_tokens: int = 64
    temperature: float = 0.0
    seed: int = 0


@dataclass(frozen=True)
class Read:
    """Read a text: gives `reply.tokens` and `reply.logprobs`, one each, the first None."""

    text: str


@dataclass(frozen=True)
class Choose:
    """How likely each choice is after a prompt: gives `reply.logprobs` and `reply.best`."""

    prompt: str
    choices: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class MeasureReply:
    """The reply to the request number `index`. `tokens`: as texts; `logprobs`: natural, of each
    token or of each choice; `best`: which choice is the likeliest, from 0.
    """

    index: int
    text: str = ""
    tokens: tuple[str, ...] = ()
    logprobs: tuple[float | None, ...] = ()
    best: int = -1


Reply = MeasureReply  # as `assay.Reply`
OwnRequest = Ask | Read | Choose
