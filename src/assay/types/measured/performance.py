"""How fast a model answers, what that takes, and how answers end, in figures."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from assay.types import Cause, Estimate

NOT_MEASURED = Estimate(
    value=None, low=None, high=None, n=0, unscored=0, unit="s", method="bootstrap"
)
Clock = Literal["server", "client"]
MemoryPart = Literal["weights", "cache", "resident"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Speeds:
    """Tokens per second over all requests, over those the model was loaded for, and over those that
    found it loaded. A request whose server does not tell counts in `all` only.
    """

    all: Estimate
    cold: Estimate
    warm: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Performance:
    """The quantitative side of one model: every figure an Estimate, with n = 0 if not measured.
    `seconds_*` and `tokens_per_s` are by the client's clock, over the whole answer; `decode` is by
    the clock that `decode_clock` names, `client_decode` by the client's. `prefill_at_most`: some
    prompt may have been kept from before, so that `prefill` is an upper bound. `load_s` is over
    requests that loaded the model; `other_s`: the server's total beyond loading, reading and
    writing. `queue_s`: requests waited that long for their turn, which no other figure counts.
    `wall_s`: how long anything was asked of the model, all answers together. `retries`: attempts
    beyond the first. `finishes`: in the server's words, "" where it gave none.
    """

    answered: int
    failed: int
    seconds_mean: Estimate
    seconds_sd: Estimate
    seconds_p50: Estimate
    seconds_p95: Estimate
    first_token_s: Estimate
    first_answer_s: Estimate
    load_s: Estimate
    other_s: Estimate
    prompt_tokens: Estimate
    output_tokens: Estimate
    tokens_per_s: Estimate
    prefill: Speeds
    decode: Speeds
    client_decode: Estimate
    queue_s: Estimate = NOT_MEASURED
    wall_s: float | None = None
    decode_clock: Clock | None = None
    prefill_at_most: bool = False
    retries: int = 0
    finishes: Mapping[str, int] = field(default_factory=dict)
    failures: Mapping[Cause, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialFigures:
    """One trial; None is unknown. `cold`: the model was loaded for it. `finish`: the server's word,
    `failure`: the cause. `prefill_at_most` and the clock of decoding are as in Performance.
    """

    suite: str
    test: str
    repeat: int
    seconds: float | None = None
    first_token_s: float | None = None
    load_s: float | None = None
    other_s: float | None = None
    prefill_tokens_per_s: float | None = None
    prefill_at_most: bool = False
    decode_tokens_per_s: float | None = None
    prompt_tokens: int | None = None
    output_tokens: int | None = None
    cold: bool | None = None
    finish: str = ""
    attempts: int = 1
    failure: Cause | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DepthFigures:
    """A model with `depth` tokens of its context in use: medians with the range of n trials.
    `prompt_tokens`: as the model counted. `prefill` and `decode` are by `clock`.
    `cached_first_token_s`: of a prompt that was asked just before. `gpu_share`: of `memory` (MB),
    whose known parts and what its server's process has resident are in `memory_parts`.
    `why_not`: it was not measured; `fits` False: for want of memory or context.
    """

    depth: int
    prompt_tokens: Estimate
    prefill: Estimate
    decode: Estimate
    client_decode: Estimate
    first_token_s: Estimate
    cached_first_token_s: Estimate
    memory: Estimate
    memory_parts: Mapping[MemoryPart, float] = field(default_factory=dict)
    gpu_share: float | None = None
    clock: Clock | None = None
    fits: bool = True
    why_not: str = ""
