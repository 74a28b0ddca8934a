"""The vocabulary: the only things that cross a module border.

In: nothing. Out: frozen dataclasses, a few constants, and the protocols Model and Observer.
Refuses to know: files, databases, models, screens. Standard library only.

    Suite -> Category -> Case -> Check        what is asked, and how its answer is marked
    Case x ModelFacts -> Request -> Reply     what was asked, and what came back
    Case x Reply -> Score                     what it is worth, or why that cannot be said
    Case + Reply + Score = Trial -> Estimate  what it says about the model, and how surely
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, Protocol

# ---------------------------------------------------------------------------------------- tests

Role = Literal["system", "user", "assistant"]
Severity = Literal["error", "warning"]
ScoringMode = Literal["standard", "ewebench-1.0"]

DEFAULT_TEMPERATURE = 0.3
DEFAULT_MAX_TOKENS = 1024
BASE_MODEL_MAX_TOKENS = 128
DEFAULT_PASS_MARK = 0.7
INCOMPLETE_ABOVE = 0.05  # share of unscored tests above which a value is shown as incomplete

LANGUAGES: Mapping[str, str] = {
    # code a suite may write -> code of the shipped language model
    "ee": "ewe", "ewe": "ewe",
    "fon": "fon",
    "tw": "twi", "twi": "twi", "ak": "twi",
    "gaa": "gaa",
    "dag": "dag",
    "yo": "yor", "yor": "yor",
    "ha": "hau", "hau": "hau",
    "ig": "ibo", "ibo": "ibo",
    "sw": "swh", "swh": "swh",
    "fr": "fra", "fra": "fra",
    "en": "eng", "eng": "eng",
    "kbp": "kbp",
    "ajg": "ajg",
}  # fmt: skip

MARKDOWN_ELEMENTS = (
    "header", "list", "bold", "italic", "code", "code_block", "table", "link", "quote",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation, as written in a test or as sent to a model."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactMatch:
    """The whole answer is one of the accepted texts."""

    expected: tuple[str, ...]
    normalize: Literal["strict", "trim", "text", "number"] = "text"
    method: Literal["exact_match"] = "exact_match"


@dataclass(frozen=True, slots=True, kw_only=True)
class Keywords:
    """Share of the expected found; each item is a tuple of alternatives."""

    expected: tuple[tuple[str, ...], ...]
    forbidden: tuple[tuple[str, ...], ...] = ()
    match: Literal["word", "prefix", "substring"] = "word"
    method: Literal["keywords"] = "keywords"


@dataclass(frozen=True, slots=True, kw_only=True)
class MultipleChoice:
    """One letter is right; `choices` are the texts behind A, B, C … where given."""

    expected: str
    choices: tuple[str, ...] = ()
    score_by: Literal["letter", "text"] = "letter"
    render: bool = True
    method: Literal["multiple_choice"] = "multiple_choice"


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """Rules on the shape of an answer. None means: not asked for."""

    contains_ewe: bool | None = None
    contains_function_call: bool | None = None
    json: bool | None = None
    min_length: int | None = None
    max_length: int | None = None
    min_words: int | None = None
    max_words: int | None = None
    max_sentences: int | None = None
    list_item_count: int | None = None
    starts_with: str | None = None
    ends_with: str | None = None
    language: str | None = None
    markdown_elements: tuple[str, ...] = ()
    method: Literal["format"] = "format"


@dataclass(frozen=True, slots=True, kw_only=True)
class EweQuality:
    """How well the answer reads as Ewe."""

    method: Literal["ewe_quality"] = "ewe_quality"


@dataclass(frozen=True, slots=True, kw_only=True)
class Composite:
    """Weighted mean of keywords, format and, where it applies, Ewe quality."""

    keywords: Keywords | None = None
    format: Format | None = None
    weights: Mapping[str, float] = field(default_factory=dict)  # keys: keywords format ewe_quality
    method: Literal["composite"] = "composite"


@dataclass(frozen=True, slots=True, kw_only=True)
class TopK:
    """An accepted answer is among the k best."""

    expected_any: tuple[str, ...]
    k: int = 3
    match: Literal["word", "command", "module"] = "word"
    method: Literal["top_k"] = "top_k"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSequence:
    """Share of the steps found in order; each step is a tuple of accepted commands."""

    expected_commands: tuple[tuple[str, ...], ...]
    method: Literal["command_sequence"] = "command_sequence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Marked by a judge, not by a rule."""

    rubric: str
    requirements: tuple[str, ...] = ()
    evaluation_points: tuple[str, ...] = ()
    checklist: tuple[str, ...] = ()
    evidence: str | None = None
    fixtures: tuple[str, ...] = ()
    method: Literal["judge"] = "judge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmarked:
    """Nothing says what is right: a prompt of `assay ask`, never one of a test file."""

    method: Literal["unmarked"] = "unmarked"


Check = (
    ExactMatch | Keywords | MultipleChoice | Format | EweQuality
    | Composite | TopK | CommandSequence | Judge | Unmarked
)  # fmt: skip

METHOD_OF: Mapping[type, str] = {
    ExactMatch: "exact_match",
    Keywords: "keywords",
    MultipleChoice: "multiple_choice",
    Format: "format",
    EweQuality: "ewe_quality",
    Composite: "composite",
    TopK: "top_k",
    CommandSequence: "command_sequence",
    Judge: "judge",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One test, with all that is needed to ask it and to mark its answer.

    `messages` holds what the file says, before choices are appended and without the system prompt,
    which stands in `system` (the test's own, else the suite's, else None).
    `live`: each user turn is asked in turn with the model's own replies between.
    `language` and `scoring` are the suite's, carried along because marking depends on them.
    """

    id: str
    suite: str
    category: str
    messages: tuple[Message, ...]
    check: Check
    system: str | None = None
    live: bool = False
    temperature: float = DEFAULT_TEMPERATURE
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    description: str = ""
    reviewed: str | bool | None = None
    tags: tuple[str, ...] = ()
    language: str | None = None
    scoring: ScoringMode = "standard"

    @property
    def method(self) -> str:
        """The `eval_method` as test files spell it."""
        return self.check.method

    @property
    def prompt(self) -> str:
        """The last user turn: what a reader calls the question."""
        return next((m.content for m in reversed(self.messages) if m.role == "user"), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """One test file."""

    name: str
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Categories that make one score. `few_shot` maps a category to its worked examples; `source`
    is a hash of the files it was read from, before any category or sample was picked.
    """

    name: str
    path: str
    categories: tuple[Category, ...]
    title: str = ""
    version: str = ""
    language: str | None = None
    system: str | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    pass_mark: float = DEFAULT_PASS_MARK
    scoring: ScoringMode = "standard"
    few_shot: Mapping[str, tuple[Case, ...]] = field(default_factory=dict)
    shots: int = 0
    source: str = ""

    @property
    def cases(self) -> Iterator[Case]:
        """Every test, in file order."""
        return (case for category in self.categories for case in category.cases)

    def weight(self, category: str) -> float:
        """A category's weight: 1 unless suite.json says otherwise."""
        return self.weights.get(category, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A mistake in a file, with its place. Rendered `file:line:col: test-id: error: message`."""

    file: str
    line: int
    column: int
    message: str
    test_id: str | None = None
    severity: Severity = "error"

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}"
        return f"{where}: {self.test_id or '-'}: {self.severity}: {self.message}"


# --------------------------------------------------------------------------- requests and replies


SamplingMode = Literal["fixed", "server"]
Thinking = Literal["off", "on", "low", "medium", "high"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How an answer is drawn. All of it is part of a request's identity.

    The last seven are for served models, whose defaults differ by server and version. None means:
    not sent, the server decides. `think` None: the model's own way, natively told apart.
    """

    temperature: float
    seed: int
    max_tokens: int
    stop: tuple[str, ...] = ()
    predictions: int = 1  # how many best answers are wanted (top_k)
    top_p: float | None = 1.0
    top_k: int | None = 0  # 0 is off
    min_p: float | None = 0.0
    repeat_penalty: float | None = 1.0
    presence_penalty: float | None = 0.0
    frequency_penalty: float | None = 0.0
    think: Thinking | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToAnswer:
    """Write an answer to this conversation. `schema`: a JSON Schema, as text, that it must meet;
    text, because the order of its properties is the order in which they are written.
    """

    messages: tuple[Message, ...]
    sampling: Sampling
    schema: str | None = None
    kind: Literal["answer"] = "answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToChoose:
    """Say how likely each of these continuations is after this conversation.

    `otherwise`: how to write an answer instead, where a server's few likelihoods do not decide.
    """

    messages: tuple[Message, ...]
    continuations: tuple[str, ...]
    otherwise: Sampling | None = None
    kind: Literal["choose"] = "choose"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToRead:
    """Say how likely this text is, token by token."""

    text: str
    kind: Literal["read"] = "read"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToTime:
    """Decode this many tokens and say how fast."""

    prompt_tokens: int
    new_tokens: int
    kind: Literal["time"] = "time"


Work = ToAnswer | ToChoose | ToRead | ToTime


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One thing asked of one model. `id` is a content hash: identity, cache key and resume key."""

    id: str
    suite: str
    test_id: str
    turn: int
    repeat: int
    work: Work


PredictionMethod = Literal["given", "beam", "sampled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Where the seconds of a served answer went, as its server told; None: it did not say.

    `queue_s` is what its total leaves beside the parts. `cached_tokens` of the prompt were not
    computed again, so that they count in no speed. `cold`: the model was loaded for this request.
    """

    load_s: float | None = None
    queue_s: float | None = None
    prefill_s: float | None = None
    decode_s: float | None = None
    cached_tokens: int | None = None
    cold: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A model's text. Reasoning is split off already; only `text` is ever marked.

    `reasoning_unclosed`: the model was cut off while thinking, so there is no answer.
    `predictions` holds the k best, best first, where several were asked for, and
    `prediction_method` how they were found: beam and sampled ones are never ranked together.
    `output_tokens` include those of the thinking. `finish` is why it ended, in the server's word.
    `dropped` names what was asked of the server and silently ignored by it.
    """

    request_id: str
    text: str
    reasoning: str = ""
    reasoning_unclosed: bool = False
    truncated: bool = False
    predictions: tuple[str, ...] = ()
    prediction_method: PredictionMethod | None = None
    prompt_tokens: int | None = None
    output_tokens: int | None = None
    first_token_s: float | None = None  # of the answer or of the thinking, whichever came first
    first_answer_s: float | None = None  # of the answer itself
    total_s: float | None = None
    timing: Timing | None = None
    finish: str = ""
    attempts: int = 1
    dropped: tuple[str, ...] = ()
    kind: Literal["answered"] = "answered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Log-likelihood of each continuation, in the order asked.

    `method` is `first_token` where a server told the likeliest first tokens only. A continuation
    that was not among them is `bounded`: its value is an upper bound.
    """

    request_id: str
    log_likelihoods: tuple[float, ...]
    method: Literal["likelihood", "first_token"] = "likelihood"
    bounded: tuple[bool, ...] = ()
    prompt_tokens: int | None = None
    total_s: float | None = None
    timing: Timing | None = None
    attempts: int = 1
    kind: Literal["chosen"] = "chosen"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadText:
    """How a model read a text: natural-log likelihood and what it was measured over."""

    request_id: str
    log_likelihood: float
    tokens: int
    words: int
    bytes: int
    top1: int
    top5: int
    total_s: float | None = None
    kind: Literal["read"] = "read"


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """Seconds per run of a timing request."""

    request_id: str
    prefill_s: tuple[float, ...]
    decode_s: tuple[float, ...]
    new_tokens: int
    kind: Literal["timed"] = "timed"


Cause = Literal[
    "timeout",  # the deadline passed
    "unreachable",  # no connection, or it broke before an answer began
    "rate_limited",  # 429, for longer than we wait
    "server_error",  # the server said that it failed
    "refused",  # the server said that the request is wrong, or that we may not ask it
    "broken_stream",  # it ended before it was done
    "unreadable",  # not what the protocol says: garbage, wrong encoding, too long
    "prompt_too_long",  # it does not fit, or was cut in silence
    "other",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The request failed for good. Never an answer, never a score. `partial` is what had come."""

    request_id: str
    reason: str
    cause: Cause = "other"
    partial: str = ""
    total_s: float | None = None
    attempts: int = 1
    kind: Literal["failed"] = "failed"


Reply = Answered | Chosen | ReadText | Timed | Failed


# ----------------------------------------------------------------------------------------- models

Capability = Literal[
    "generate",
    "score_text",  # the likelihood of any text
    "structured_output",
    "top_logprobs",  # the likeliest first tokens of an answer
]


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
    parameters: int | None = None
    context_length: int | None = None
    predicts_by: PredictionMethod = "given"
    thinks: tuple[Thinking, ...] = ()  # the settings it takes; none: it does not think
    about: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What was seen of a model while it was asked. `gpu_bytes` below `memory_bytes` means that a
    part of it was computed on the CPU. `notes` are whole sentences.
    """

    memory_bytes: int | None = None
    gpu_bytes: int | None = None
    context_length: int | None = None
    notes: tuple[str, ...] = ()


class Model(Protocol):
    """Anything that can be asked. A list in, so that prefixes are shared; an iterator out, so that
    every reply is durable at once. One reply per request, in any order. Closing the iterator early
    gives up what is under way.
    """

    @property
    def facts(self) -> ModelFacts:
        """Known without asking anything; a probe may add to it."""
        ...

    def probe(self) -> None:
        """Find out what only asking tells. Called when nothing else is wrong, before the plan;
        asks nothing of a suite. Raises ModelUnavailable where the model cannot be asked at all.
        """
        ...

    def answer(self, requests: Sequence[Request]) -> Iterator[Reply]:
        """Ask them all."""
        ...

    def observed(self) -> Observed:
        """What was seen so far."""
        ...

    def close(self) -> None:
        """Give back memory, connections, processes."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """The computer Assay runs on: what a speed means nothing without. `versions`: package to
    version. A served model may run on another one.
    """

    system: str
    processor: str
    cores: int
    memory_bytes: int
    gpus: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)


# ---------------------------------------------------------------------------------------- results


class Outcome(StrEnum):
    """What became of a test. The last two are null, not zero."""

    PASS = "pass"
    FAIL = "fail"
    NO_ANSWER = "no_answer"
    UNSCORED = "unscored"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorePart:
    """One rule, keyword or step inside a score."""

    name: str
    value: float
    explanation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A value from 0 to 1, or the reason why there is none. Never both, never neither.

    `no_answer`: nothing could be read, which is 0 and counted.
    `unscored_reason` is a short code such as `no_judge` or `scorer_error`.
    """

    scorer: str
    version: int
    value: float | None = None
    unscored_reason: str | None = None
    no_answer: bool = False
    extracted: str | None = None
    explanation: str = ""
    parts: tuple[ScorePart, ...] = ()

    def __post_init__(self) -> None:
        if (self.value is None) == (self.unscored_reason is None):
            raise ValueError("a score has a value or a reason for having none")
        if self.value is not None and not 0.0 <= self.value <= 1.0:
            raise ValueError(f"a score lies between 0 and 1, not at {self.value!r}")
        if self.no_answer and self.value != 0.0:
            raise ValueError("no answer scores 0")

    def outcome(self, pass_mark: float) -> Outcome:
        """Pass, fail, no answer or unscored."""
        if self.value is None:
            return Outcome.UNSCORED
        if self.no_answer:
            return Outcome.NO_ANSWER
        # 0.7 from three tenths and four tenths is 0.7 to a reader, so it is one here.
        return Outcome.PASS if self.value >= pass_mark - 1e-9 else Outcome.FAIL


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One test asked once: the case, the last request, its reply, and the mark (None if failed)."""

    case: Case
    repeat: int
    request_id: str
    reply: Reply
    score: Score | None

    def outcome(self, pass_mark: float) -> Outcome:
        """The outcome of this one try."""
        if self.score is None:
            return Outcome.FAILED
        return self.score.outcome(pass_mark)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A figure with what it rests on. `value` is None where n is 0."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int
    unit: str
    method: str

    def __post_init__(self) -> None:
        if (self.n == 0) != (self.value is None):
            raise ValueError("an estimate of nothing has no value, and one of something has one")
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError(f"an estimate is a finite number, not {self.value!r}")

    @property
    def incomplete(self) -> bool:
        """More than 5 % of the tests could not be marked: shown so, and no gate passes on it."""
        total = self.n + self.unscored
        return total > 0 and self.unscored / total > INCOMPLETE_ABOVE


class Observer(Protocol):
    """Who watches a run: a progress bar, plain lines, or nobody."""

    def model_started(self, spec: str, *, total: int, reused: int) -> None:
        """A model is about to be asked; `reused` replies were in the store already."""
        ...

    def replied(self, spec: str, reply: Reply, score: Score | None) -> None:
        """A reply is durable, and marked where it ends a test."""
        ...

    def model_finished(self, spec: str) -> None:
        """All of a model's requests are done."""
        ...

    def note(self, sentence: str) -> None:
        """Something the user should know; the run goes on."""
        ...
