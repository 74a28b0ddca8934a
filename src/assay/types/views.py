"""What the viewer shows: runs in a list, the tests of a run page by page, one sample whole."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

from assay.types import Estimate, Reply, Score, Work
from assay.types.judging.judgements import FinalJudgement


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """A run in the list. `answered` of `planned` trials have a score or failed. Times are ISO 8601
    texts in UTC.
    """

    id: str
    created: str
    finished: str | None
    models: tuple[str, ...]
    specs: tuple[str, ...]
    suites: tuple[str, ...]
    planned: int
    answered: int
    repeats: int
    command: str
    decided: bool  # it has checkpoints that a gate may decide on
    judged: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """What a run says at a glance: models and their scores by suite, above the best baseline of
    each. `baselines` and every row of `scores` have one entry per suite.
    """

    headline: str
    suites: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    scores: tuple[tuple[Estimate | None, ...], ...] = ()
    baselines: tuple[tuple[str, Estimate] | None, ...] = ()
    notes: tuple[str, ...] = ()


Show = Literal["all", "failed", "failed_all", "differ", "unscored", "waiting"]
SHOWS: tuple[Show, ...] = get_args(Show)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleFilter:
    """Which tests of a run are wanted: by what became of them (of any model, or of all), by suite
    and category, and by words of the question, the test's id or an answer.
    """

    show: Show = "all"
    suite: str = ""
    category: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestCounts:
    """How many tests of a run there are: by suite and category, by the letters of their outcomes,
    one for each model, and by what can be shown of them.
    """

    __test__: ClassVar[bool] = False  # pytest takes every class named Test… for its own

    categories: Mapping[str, Mapping[str, int]]
    outcomes: Mapping[str, int]
    shown: Mapping[Show, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleCell:
    """One model on one test. `outcome` is a letter of `results.outcomes` (schema.sql);
    `said`: what was read from the answer, or else its beginning, or why the request failed.
    """

    outcome: str
    score: float | None = None
    said: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRow:
    """One test of a run, with a cell per model."""

    suite: str
    test_id: str
    category: str
    question: str
    cells: tuple[SampleCell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixPage:
    """Some rows, and how many tests the filter finds."""

    rows: tuple[MatrixRow, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TestKey:
    """A test of a run."""

    __test__: ClassVar[bool] = False  # pytest takes every class named Test… for its own

    suite: str
    test_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplePlace:
    """Where a test is among those that a filter finds; `number` counts from 1."""

    number: int
    total: int
    before: TestKey | None
    after: TestKey | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewedSample:
    """What one model was asked in one test, what it answered, and what came of it.

    `outcomes`: a letter per model. `trials`: how often it was asked; this is trial `repeat`.
    `check`: the fields of the test's check; `test`: all of the test, as the suite has it. `reply`
    is None while it has not been asked.
    """

    key: TestKey
    category: str
    model: int
    repeat: int
    trials: int
    outcomes: str
    pass_mark: float
    test: Mapping[str, Any]
    work: Work | None = None
    reply: Reply | None = None
    score: Score | None = None
    judgement: FinalJudgement | None = None

    @property
    def check(self) -> Mapping[str, Any]:
        return dict(self.test["check"])


RunState = Literal["finished", "unfinished", "running"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRun:
    """A run as `assay runs` lists it; `size` is that of its folder, in bytes;
    `hidden`: in no leaderboard.
    """

    run: str
    when: str
    state: RunState
    models: tuple[str, ...]
    suites: tuple[str, ...]
    headline: str
    size: int
    hidden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Unused:
    """What nothing refers to: folders of runs that the store does not have, replies, suites."""

    folders: tuple[str, ...] = ()
    replies: int = 0
    suites: int = 0
    size: int = 0

    def __bool__(self) -> bool:
        return bool(self.folders or self.replies or self.suites or self.size)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunList:
    """Every run of a store, the newest first. `freed`: by this call; else it could be."""

    out: str
    runs: tuple[ListedRun, ...]
    unused: Unused
    freed: bool = False
