"""What is asked, and how its answer is to be marked.

In: nothing. Out: Suite, Category, Case, the kinds of Check, Message, and Finding for a mistake in a
file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

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
    """Marked by a judge, not by a rule. `fixtures` are GENERATOR:FILE, or files beside the tests;
    their content stands in the prompt already. `data_seed` is what generated ones were made from.
    """

    rubric: str
    requirements: tuple[str, ...] = ()
    evaluation_points: tuple[str, ...] = ()
    checklist: tuple[str, ...] = ()
    evidence: str | None = None
    fixtures: tuple[str, ...] = ()
    data_seed: int = 0
    method: Literal["judge"] = "judge"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoCheck:
    """Nothing says what is right: a prompt of `assay ask`, never one of a test file."""

    method: Literal["unmarked"] = "unmarked"


Check = (
    ExactMatch | Keywords | MultipleChoice | Format | EweQuality
    | Composite | TopK | CommandSequence | Judge | NoCheck
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
    is a hash of the files it was read from, before any category or sample was picked. `elsewhere`
    maps a category to its file where that lies outside the suite's folder and took the place of the
    one there.
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
    elsewhere: Mapping[str, str] = field(default_factory=dict)

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
