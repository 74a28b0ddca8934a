"""Quantised files of one model, side by side: what `assay quants` found."""

from dataclasses import dataclass
from typing import Literal

from assay.types.results import SuiteComparison
from assay.types.scores import Estimate

# What speaks against keeping a file: limits it missed, and what the data cannot exclude.
Against = Literal["max_kl", "max_drop"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorKind:
    """How much of a file is stored as one type: Q4_K, F32."""

    kind: str
    tensors: int
    weights: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fallback:
    """Tensors whose rows no block of 256 weights fits, and the type that they have instead."""

    kind: str
    row: int
    tensors: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantFile:
    """`name` is the shortest that tells it from the others; `label`: what the file calls its type;
    `bits`: of tensors, per weight; `quantised`: whether any matrix has fewer than 16 bits;
    `served_as`: the spec by which Ollama serves it, of a tag.
    """

    name: str
    spec: str
    path: str
    label: str
    bytes: int
    weights: int
    bits: float
    kinds: tuple[TensorKind, ...]
    fallbacks: tuple[Fallback, ...]
    quantised: bool
    served_as: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantSpeed:
    """As a server answers with the file; `by` names it. `why_not`: it was not measured."""

    decode: Estimate
    prefill: Estimate
    memory: Estimate
    by: str = ""
    why_not: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantDrift:
    """From the base: divergence in nats per token, equal likeliest tokens, times perplexity."""

    kl: Estimate
    same_top: Estimate
    perplexity_ratio: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantSuite:
    """A suite read by likelihood: the file's score, and how it differs from the base's on the same
    tests (None: this is the base). `above_guessing`: of the base.
    """

    suite: str
    language: str
    score: Estimate
    above_guessing: bool
    against: SuiteComparison | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantRow:
    """One file. `missed`: limits that it is beyond; `open`: suites whose data can exclude neither a
    loss beyond the limit nor none.
    """

    file: QuantFile
    speed: QuantSpeed
    suites: tuple[QuantSuite, ...]
    drift: QuantDrift | None = None
    missed: tuple[Against, ...] = ()
    lost_in: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantLimits:
    """`max_drop` in points, `max_kl` in nats per token."""

    max_drop: float
    max_kl: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Quants:
    """`rows`: the base first, then by size, the largest first. `keep`: the name of the smallest
    file without a significant loss beyond the limits; the base's where every other has one.
    `told_apart`: whether any suite lies above guessing with the base, so that a loss could show.
    """

    base: str
    rows: tuple[QuantRow, ...]
    limits: QuantLimits
    keep: str
    told_apart: bool
    text: str
    tokens: int
    run: str
    notes: tuple[str, ...] = ()
    exit_code: int = 0

    @property
    def base_row(self) -> QuantRow:
        return self.rows[0]
