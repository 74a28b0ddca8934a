"""One test and how its answer is scored: Case, and AnswerCheck, what every check can do.

The checks themselves are in `checks/`, one a file. A check is a class with typed fields, a
docstring and `score`. Everything else has a default, so plans, summaries, reports and loaders call
methods and never ask which check it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from assay.registry import Registry
from assay.types.conversations import Message, ToolCall, ToolStep
from assay.types.requests import Answered, AsWritten, ChoiceLikelihoods
from assay.types.scores import Score

if TYPE_CHECKING:
    from pydantic import TypeAdapter

ScoringMode = Literal["standard", "ewebench-1.0"]
EWEBENCH: ScoringMode = "ewebench-1.0"

DEFAULT_TEMPERATURE = 0.3
DEFAULT_MAX_TOKENS = 1024
BASE_MODEL_MAX_TOKENS = 128
DEFAULT_PASS_MARK = 0.7

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

SHIPPED_SUITES = Path(__file__).resolve().parents[1] / "builtin" / "suites"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class SuiteFacts:
    """The suite of a test, as far as scoring depends on it."""

    name: str
    language: str | None
    scoring: ScoringMode


@dataclass(frozen=True, slots=True)
class Context:
    """The test and the whole reply behind an answer."""

    test: Case
    reply: Answered | ChoiceLikelihoods

    @property
    def language(self) -> str | None:
        return self.test.language_code

    @property
    def suite(self) -> SuiteFacts:
        return SuiteFacts(self.test.suite, self.test.language, self.test.scoring)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """How a test is asked. With `options` the most likely one is the answer of a model that scores
    text: by its letter, or with `by_text` by its length-normalised text. `shown`: as lines "A. …"
    after the prompt. `letters`: those to answer, where the prompt has them. `predictions`: the k
    best. `tools`: functions that the model may call, a JSON list as text. `as_written`: what
    is put to the model instead, one after the other.
    """

    options: tuple[str, ...] = ()
    by_text: bool = False
    shown: bool = True
    letters: str = ""
    predictions: int = 1
    tools: str | None = None
    as_written: tuple[AsWritten, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """Something wrong with the fields of a test taken together; `path` leads to the field."""

    path: tuple[str | int, ...]
    message: str
    about_key: bool = False


class AnswerCheck:
    """How an answer is scored. The fields of a test are the fields of the class."""

    __slots__ = ()

    method: ClassVar[str] = ""
    version: ClassVar[int] = 1
    # Whether an empty answer is scored too; otherwise it is no answer, which scores 0.
    scores_empty: ClassVar[bool] = False
    # Whether several baselines in one answer score more than one of them.
    baselines_add_up: ClassVar[bool] = False
    # Whether every score is 0 or 1.
    all_or_nothing: ClassVar[bool] = False
    # Whether each part of its score is a figure of its own in reports.
    reports_parts: ClassVar[bool] = False
    # Whether an answer that only declines is scored like any other.
    may_decline: ClassVar[bool] = False
    # Whether a test file may name it.
    in_files: ClassVar[bool] = True
    # Whether anything says what a right answer would be.
    is_scored: ClassVar[bool] = True
    # Whether all answers of a suite are scored together, when they are there, and not here.
    scored_together: ClassVar[bool] = False
    # What it does, in a sentence or two: the first paragraph of the docstring.
    description: ClassVar[str] = ""

    def score(self, answer: str, context: Context, /) -> bool | float | Score:
        """The value of an answer, from 0 to 1. An exception leaves the test unscored."""
        raise NotImplementedError

    def gold(self) -> str | None:
        """The answer that a worked example shows; None where there is no single right one."""
        return None

    @property
    def reads_as_written(self) -> bool:
        """Whether every character counts, tokens and invisible ones too."""
        return False

    def requests(self) -> Requests:
        return ONE_ANSWER

    def results(
        self, calls: tuple[ToolCall, ...], earlier: tuple[ToolStep, ...], /
    ) -> tuple[str, ...]:
        """What the tools return that a model has called; nothing where the conversation ends."""
        return ()

    def baselines(self) -> Iterable[str]:
        """Constant answers that could score without knowing anything."""
        return ()

    def describe(self) -> Iterator[tuple[str, str]]:
        """What a test plan lists under "What is expected": field and text."""
        return _described(self)

    def problems(self, test: Case, /) -> Iterator[FieldProblem]:
        """Errors that show only when several fields are read together."""
        return iter(())

    def advice(self, test: Case, /) -> Iterator[FieldProblem]:
        """Warnings: what is allowed but likely a slip of the author."""
        return iter(())

    @property
    def judged(self) -> JudgeFields | None:
        """What a judge reads, where a judge scores the answer."""
        return None

    def stored(self) -> Mapping[str, Any]:
        """Return the fields as the store keeps them."""
        return {name: getattr(self, name) for name in _field_names(type(self))}  # type: ignore[arg-type]

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> Self:
        """The check again, without the defaults: one may break a rule that files must keep, such as
        no choices where a list of them has at least two.
        """
        defaults = {
            each.name: list(each.default) if isinstance(each.default, tuple) else each.default
            for each in fields(cls)  # type: ignore[arg-type]
        }
        return cls.from_fields(
            {name: value for name, value in stored.items() if value != defaults.get(name, ...)}
        )

    @classmethod
    def from_fields(cls, given: Mapping[str, Any]) -> Self:
        """The check with these fields, lists becoming tuples where it has tuples."""
        made: Self = _adapter(cls).validate_python(dict(given))  # type: ignore[arg-type]
        return made

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        if cls is not AnswerCheck:
            return handler(source)
        from pydantic_core import core_schema

        return core_schema.no_info_plain_validator_function(
            _read_stored,
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda check: {**check.stored(), "method": check.method}
            ),
        )


ONE_ANSWER = Requests()


class JudgeFields(AnswerCheck):
    """What a judge reads of a test. `fixtures`: files that the prompt already contains. `checker`:
    a test folder, relative to the shipped suites if it ships; `checker_digest`: of all its files,
    `files_digest`: of those that make.py made.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        rubric: str
        requirements: tuple[str, ...]
        evaluation_points: tuple[str, ...]
        checklist: tuple[str, ...]
        fixtures: tuple[str, ...]
        data_seed: int
        checker: str
        checker_digest: str
        runs_code: bool
        files_digest: str

    @property
    def checker_folder(self) -> Path | None:
        """The folder of check.py; None: the test has no checker."""
        return SHIPPED_SUITES / self.checker if self.checker else None

    @property
    def checker_ships(self) -> bool:
        return bool(self.checker) and not Path(self.checker).is_absolute()

    @property
    def needs_permission(self) -> bool:
        """Whether its checker runs only with --allow-code-execution."""
        return bool(self.checker) and (self.runs_code or not self.checker_ships)


@cache
def _field_names(cls: type[AnswerCheck]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(cls))  # type: ignore[arg-type]


@cache
def _adapter(cls: type[AnswerCheck]) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(cls)


def _read_stored(stored: Any) -> AnswerCheck:
    if isinstance(stored, AnswerCheck):
        return stored
    known = dict(stored)
    return find_check(known.pop("method")).from_stored(known)


def find_check(name: str) -> type[AnswerCheck]:
    """The check of an eval_method; one that keeps its fields where its plugin is not loaded."""
    return checks[name] if name in checks else unknown_check(name)


def _described(of: Any) -> Iterator[tuple[str, str]]:
    for field in fields(of):
        value = getattr(of, field.name)
        if is_dataclass(value):
            yield from ((f"{field.name}.{name}", text) for name, text in _described(value))
        elif isinstance(value, list | tuple):
            parts = (one if isinstance(one, tuple) else (one,) for one in value)
            items = (" / ".join(map(str, one)) for one in parts)
            yield from ((field.name, item) for item in items)
        elif value not in (None, {}, ""):
            yield field.name, str(value)


checks: Registry[type[AnswerCheck]] = Registry("check", "assay.checks")


@cache
def unknown_check(name: str) -> type[AnswerCheck]:
    """A check of a stored run: it keeps its fields, so that reports work, and scores nothing."""
    return type("UnknownCheck", (_UnknownCheck,), {"method": name})


class _UnknownCheck(AnswerCheck):
    def __init__(self, known: Mapping[str, Any]) -> None:
        self._known = dict(known)

    def score(self, answer: str, context: Context, /) -> bool:
        raise LookupError(f"no plugin has the eval_method {self.method!r}; name it with --plugin")

    def describe(self) -> Iterator[tuple[str, str]]:
        return ((name, str(value)) for name, value in self._known.items())

    def stored(self) -> Mapping[str, Any]:
        return self._known

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> Self:
        return cls(stored)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteWords:
    """Words of a suite's language by which its answers are read, beside those that are listed."""

    announces: tuple[str, ...] = ()
    denies: tuple[str, ...] = ()
    declines: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()


NO_WORDS = SuiteWords()


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One test. `messages`: as in the file, before choices are appended; the system prompt is in
    `system` (the test's own, else the suite's, else None). `live`: user turns are asked one by one,
    with the model's replies between. `language`, `scoring` and `words` are the suite's.
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
    reviewed: str | None = None
    tags: tuple[str, ...] = ()
    language: str | None = None
    scoring: ScoringMode = "standard"
    words: SuiteWords | None = None

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
