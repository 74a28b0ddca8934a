"""What the store gives back: runs, their models, and tries.

In: nothing. Out: frozen dataclasses. Refuses to know: tables and SQL.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.types import Machine, ModelFacts, Observed, Reply, SamplingMode, Score
from assay.verdicts import Deciding

TryKey = tuple[str, str, int]  # suite, test id, repeat


@dataclass(frozen=True, slots=True, kw_only=True)
class RunModel:
    """A model as a run knows it. `slug` names its folder."""

    position: int
    spec: str
    slug: str
    facts: ModelFacts
    observed: Observed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run: what was asked of whom, and whether it is done."""

    id: str
    key: str
    created: str
    finished: str | None
    first_reply: int
    seed: int
    repeats: int
    command: str
    version: str
    models: tuple[RunModel, ...]
    digests: tuple[str, ...]
    sampling: SamplingMode = "fixed"
    machine: Machine | None = None
    deciding: Deciding | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptTry:
    """One try of one test as the store holds it: the reply that ended it, and its newest mark."""

    suite: str
    test_id: str
    repeat: int
    reply_id: int
    request_id: str
    reply: Reply
    score: Score | None
