"""What is asked: Suite, Category, Case and Message, and FileFinding for a mistake in a file.

How an answer is scored is in `types/checks.py`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from assay.frozen import speed_up_init
from assay.types.checks import LETTERS, AnswerCheck

Role = Literal["system", "user", "assistant"]
Severity = Literal["error", "warning"]
ScoringMode = Literal["standard", "ewebench-1.0"]

DEFAULT_TEMPERATURE = 0.3
DEFAULT_MAX_TOKENS = 1024
BASE_MODEL_MAX_TOKENS = 128
DEFAULT_PASS_MARK = 0.7
# The names of suites whose tests are asked a second time, in another way, end so.
CONSTRAINED, THINKING = "-constrained", "-thinking"
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


@speed_up_init
@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation, as written in a test or as sent to a model."""

    role: Role
    content: str


def conversation_text(
    turns: Sequence[Message],
    said: Callable[[Message], str] = lambda turn: f"{turn.role}: {turn.content}",
) -> str:
    """A question alone as it is; else each turn behind its role."""
    if len(turns) == 1:
        return turns[0].content
    return "\n\n".join(map(said, turns))


@speed_up_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One test. `messages`: as in the file, before choices are appended; the system prompt is in
    `system` (the test's own, else the suite's, else None). `live`: user turns are asked one by one,
    with the model's replies between. `language` and `scoring` are the suite's.
    """

    id: str
    suite: str
    category: str
    messages: tuple[Message, ...]
    check: AnswerCheck
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
        return self.check.method

    @property
    def language_code(self) -> str | None:
        """The suite's language as the shipped language model names it: `ewe` for `ee`."""
        return LANGUAGES.get(self.language or "")

    @property
    def prompt(self) -> str:
        """The last user turn: what a reader calls the question."""
        for message in reversed(self.messages):
            if message.role == "user":
                return message.content
        return ""

    @property
    def question(self) -> str:
        """The last user turn with its options."""
        options = zip(LETTERS, self.check.requests().options, strict=False)
        return "\n".join((self.prompt, *(f"{letter}. {text}" for letter, text in options)))

    def turns(self, system: str | None) -> tuple[Message, ...]:
        """System prompt, every turn and the options; `system`: the suite's, for a test without."""
        first = self.system if self.system is not None else system
        opening = (Message("system", first),) if first else ()
        return (*opening, *self.messages[:-1], Message("user", self.question))


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    name: str
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Categories that make one score. `few_shot`: worked examples by category; `source`: a hash of
    its files, before anything was picked. `elsewhere`: by category the file that took its place.
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
        return (case for category in self.categories for case in category.cases)

    @property
    def reviewed(self) -> int:
        """How many of its tests somebody has reviewed."""
        return sum(bool(case.reviewed) for case in self.cases)

    def weight(self, category: str) -> float:
        """A category's weight: 1 unless suite.json says otherwise."""
        return self.weights.get(category, 1.0)

    def with_cases(self, cases: Iterable[Case]) -> "Suite":
        """With these tests in the place of those with the same ids, and without the others."""
        by_id = {case.id: case for case in cases}
        kept = {
            category.name: tuple(by_id[case.id] for case in category.cases if case.id in by_id)
            for category in self.categories
        }
        return replace(
            self,
            categories=tuple(Category(name=name, cases=of) for name, of in kept.items() if of),
            weights={name: weight for name, weight in self.weights.items() if kept.get(name)},
            few_shot={name: shown for name, shown in self.few_shot.items() if kept.get(name)},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFinding:
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
