"""How fast a model answers, what that takes, and how answers end, in figures."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from assay.types import Cause, Estimate

Clock = Literal["server", "client"]


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

    `seconds_*` and `tokens_per_s` are by the client's clock, over the whole request. `prefill` and
    `decode` are the two parts a server works in; `decode_clock` says whose clock `decode` rests on,
    one for all its requests; `client_decode` is by the client's in any case. `prefill_at_most`:
    some prompt may have been kept from before without a word, so that `prefill` is an upper bound.
    `load_s` is over requests that loaded the model; `other_s` is what the server's total has beyond
    loading, reading and writing.
    `retries` counts attempts beyond the first. `finishes` has the server's own words, "" where it
    gave none.
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
    decode_clock: Clock | None = None
    prefill_at_most: bool = False
    retries: int = 0
    finishes: Mapping[str, int] = field(default_factory=dict)
    failures: Mapping[Cause, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TryFigures:
    """One try in figures; None is unknown. `cold`: the model was loaded for it. `finish` is the
    server's word, `failure` the cause of a request that failed for good. `prefill_at_most` and the
    clock of `decode_tokens_per_s` are as in Performance.
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
    """A model with `depth` tokens of its context in use: medians with the range of n tries.

    `prompt_tokens` is what was read, as the model counted. `prefill` and `decode` are by `clock`,
    `client_decode` is by the client's in any case. `cached_first_token_s`: of a prompt that was
    asked just before. `gpu_share`: of `memory` (MB). `why_not`: of a depth that could not be
    measured; `fits` is False where that is for want of memory or context.
    """

    depth: int
    prompt_tokens: Estimate
    prefill: Estimate
    decode: Estimate
    client_decode: Estimate
    first_token_s: Estimate
    cached_first_token_s: Estimate
    memory: Estimate
    gpu_share: float | None = None
    clock: Clock | None = None
    fits: bool = True
    why_not: str = ""
