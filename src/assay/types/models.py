"""What can be asked (Model), what is known of it, and the machine that asks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from assay.types.requests import PredictionMethod, Reply, Request, Thinking
from assay.types.scores import Estimate

Capability = Literal[
    "generate",
    "score_text",  # the likelihood of any text
    "structured_output",
    "top_logprobs",  # the likeliest first tokens of an answer
    "tools",  # it may call functions, natively
    "told_model",  # as a judge it answers by the tested model's spec, which no prompt shows
]


NATIVE = "native"  # in `about`: the spec that reaches the same model by its server's own interface


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """What is known of a model before it is asked anything. `about` is for people to read:
    server, version, quantisation, size; each a short text under its name.
    """

    spec: str
    name: str
    fingerprint: str
    fingerprint_is_weak: bool = False  # the weights may change behind it unnoticed
    capabilities: frozenset[Capability] = frozenset({"generate"})
    is_chat: bool = True
    # Whether likelihoods of choices are read after a chat template unless a request is plain.
    has_template: bool = False
    parameters: int | None = None
    context_length: int | None = None
    vocabulary: int | None = None  # how many tokens its weights know; ids are below that
    predicts_by: PredictionMethod = "given"
    thinks: tuple[Thinking, ...] = ()  # the settings it takes; none: it does not think
    may_think: tuple[Thinking, ...] = ()  # what can be said to it, though nobody knows if it thinks
    end_ids: tuple[int, ...] = ()  # tokens that end a text, as far as its files name them
    tokenizer: str = ""  # the same for models that cut a text into the same tokens; "": not known
    slots: int | None = None  # requests that its server answers at once; None: not told
    # The SHA-256 of its weight file, "" where it is not known: one file is one model, whatever
    # serves it. No part of a request's id, for another engine gives other answers.
    weights: str = ""
    shape: str = ""  # the same for models that are equally fast and large; "": not known
    about: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenizerFigures:
    """How a tokenizer cuts the texts of a source (`perplexity`, or a suite) in one language, ""
    where it is not known. `changed_texts`: those that do not come back, `example` one of them.
    """

    source: str
    language: str
    tokens_per_word: Estimate
    byte_tokens: Estimate
    changed_texts: Estimate
    example: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """While it was asked. `gpu_bytes` below `memory_bytes`: a part was computed on the CPU.
    `weights_bytes` and `cache_bytes` (of all slots) are parts of what a served model takes;
    `resident_bytes`: what its server's process had in memory. `figures`: of plugins, for reports
    without them.
    """

    memory_bytes: int | None = None
    weights_bytes: int | None = None
    cache_bytes: int | None = None
    resident_bytes: int | None = None
    gpu_bytes: int | None = None
    context_length: int | None = None
    notes: tuple[str, ...] = ()
    tokenizer: tuple[TokenizerFigures, ...] = ()
    figures: Mapping[str, Estimate] = field(default_factory=dict)
    # Of tasks of lm-evaluation-harness, by suite and by TASK/METRIC.
    metrics: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)


class Model(Protocol):
    """Anything that can be asked. A list in, so that prefixes are shared; an iterator out, so that
    every reply is durable at once. One reply per request, in any order. Closing the iterator early
    gives up what is under way.
    """

    @property
    def facts(self) -> ModelFacts:
        """Known without asking anything; a probe may add to it."""

    def probe(self) -> None:
        """Find out what only a request shows. Called when nothing else is wrong, before the plan;
        asks nothing of a suite. Raises ModelUnavailable where the model cannot be asked at all.
        """

    def answer(self, requests: Sequence[Request]) -> Iterator[Reply]: ...

    def observed(self) -> Observed: ...

    def stop(self) -> None:
        """Give up what is under way, from another thread: `answer` ends with Failed replies."""

    def close(self) -> None:
        """Give back memory, connections, processes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """The computer Assay runs on, not a served model's; `versions`: package to version."""

    system: str
    processor: str
    cores: int
    memory_bytes: int
    gpus: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
