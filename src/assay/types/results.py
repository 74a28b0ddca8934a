"""What a run, a comparison and a leaderboard say: the shapes between arithmetic and rendering.

Times are ISO 8601 texts in UTC, as the store keeps them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from assay.types import Estimate, Machine, Message, Observed, OutcomeKind, SamplingMode, Suite
from assay.types.decisions import Decision
from assay.types.early import EarlyDecision
from assay.types.judging.judged import Judged
from assay.types.judging.reviews import Reviewed
from assay.types.measured.performance import DepthFigures, Performance, TrialFigures


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRow:
    """One trial of a test that was asked several times. `repeat` is the trial's own number;
    `unread`: it was answered, without a block that can be read.
    """

    repeat: int = 0
    outcome: OutcomeKind
    score: float | None
    answer: str | None
    extracted: str | None
    explanation: str
    sent: tuple[Message, ...] = ()
    unread: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRow(TrialRow):
    """What became of one test. With repeats: the mean score, the first trial's answer, every trial.

    `explanation` of a failed request is the reason it failed. `repeats` is empty unless the test
    was asked more than once. `turns`: what was asked, with all that was said before it, as the
    test has it; `sent`: as it went, where the model's own turns are in it.
    """

    __test__: ClassVar[bool] = False  # pytest takes every class named Test… for its own

    id: str
    category: str
    question: str = ""
    turns: tuple[Message, ...] = ()
    repeats: tuple[TrialRow, ...] = ()
    temperature: float | None = None  # of a prompt of `assay ask`


@dataclass(frozen=True, slots=True, kw_only=True)
class Baselines:
    """What three answers that know nothing would score, in points. `shares`: of each answer that
    was tried, every category's, so that the best for some of the categories can be found.
    """

    empty: Estimate
    echoed: Estimate
    constant: Estimate
    constant_answer: str
    shares: tuple[Mapping[str, float], ...] = ()
    oracle: Estimate | None = None  # every expected keyword strung together: made from the key

    @property
    def best(self) -> float | None:
        """The highest of what guesses, in points: not the oracle, which knows the answers."""
        scores = (self.empty.value, self.echoed.value, self.constant.value)
        return max((each for each in scores if each is not None), default=None)


CauseKind = Literal["loops", "calls_as_text", "cut", "empty", "declined", "echoed", "one_letter"]
MAIN_CAUSE_FROM = 1 / 3  # of the failures: fewer are no reason for a score


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """What `count` of `n` answers to a suite show, of which some failed for it."""

    kind: CauseKind
    count: int
    n: int
    explains: int
    """How many of the failures show it."""
    failures: int
    """All failures on the suite."""
    letter: str = ""
    """Of `one_letter`: the letter."""
    right: int = 0
    """Of `calls_as_text`: how many calls would have been right."""
    thinking: int = 0
    """Of `cut`: how many were cut before they began, while the model was thinking."""

    @property
    def is_main(self) -> bool:
        """Whether it explains a third of the failures, and not by a single answer."""
        return self.explains > 1 and self.explains >= MAIN_CAUSE_FROM * self.failures


@dataclass(frozen=True, slots=True, kw_only=True)
class RightAnswerCost:
    """What a served model spent on a suite, and that over its right answers: n counts answers, and
    there is no value where none was right. Tokens are those written, thoughts included; seconds are
    wall time of the model, of which each answer has its share.
    """

    right: int
    answers: int
    total_tokens: int
    total_s: float
    tokens: Estimate
    seconds: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteSummary:
    """One model on one suite. `score` is in points, `categories` are shares, both with intervals.

    `measurements`: pass@1, pass@N, pass^N and spread with repeats; answer_s where timed; the share
    of each cause; tokens and seconds per right answer.
    """

    suite: str
    score: Estimate
    categories: Mapping[str, Estimate]
    tests: tuple[TestRow, ...]
    outcomes: Mapping[OutcomeKind, int]
    title: str = ""
    weights: Mapping[str, float] = field(default_factory=dict)
    pass_mark: float = 0.7
    measurements: Mapping[str, Estimate] = field(default_factory=dict)
    baselines: Baselines | None = None
    own: bool = False  # a user's prompts, which are not scored
    causes: tuple[Cause, ...] = ()
    cost: RightAnswerCost | None = None
    # Of lm-evaluation-harness, by TASK/METRIC.
    metrics: Mapping[str, Estimate] = field(default_factory=dict)
    # Of a server that tells likelihoods: SUITE/letter_written and SUITE/letter_likely.
    letters: Mapping[str, Estimate] = field(default_factory=dict)
    # How the letters behind the score were read, and the score by each method there is.
    method: str = ""
    by_method: Mapping[str, Estimate] = field(default_factory=dict)
    # With --decide: what the gate's criterion is, and how many tests were not asked for it.
    early: EarlyDecision | None = None
    left: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReport:
    """One model of a run. `report` is the path of its evaluation report, where there is one.
    `about` is what is known of it, name by name; `observed` what was seen while it was asked;
    `depths` its speed as `assay speed` measured it on the same machine, the shortest context first.
    """

    spec: str
    name: str
    slug: str
    fingerprint: str
    suites: tuple[SuiteSummary, ...]
    performance: Performance
    fingerprint_is_weak: bool = False
    weights: str = ""  # as ModelFacts has it
    measurements: Mapping[str, Estimate] = field(default_factory=dict)
    report: str | None = None
    accepted: bool | None = None
    notes: tuple[str, ...] = ()
    about: Mapping[str, str] = field(default_factory=dict)
    observed: Observed | None = None
    trials: tuple[TrialFigures, ...] = ()
    depths: tuple[DepthFigures, ...] = ()

    @property
    def model(self) -> str:
        return self.spec


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedModel:
    """A checkpoint of a folder that could not be evaluated. `position`: its place among all."""

    spec: str
    name: str
    why: str
    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One run, whole. `finished` is None while requests are left to ask.

    `command` repeats or continues the run; `notes` are things to know, `hints` things to do next,
    both whole, translated sentences. `machine` is the one that asked. `models` are those that were
    asked, `failed` those that could not be. `leads`: of each suite that no gate decides on, the
    best model against the next one.
    """

    run: str
    out: str
    created: str
    models: tuple[ModelReport, ...]
    exit_code: int
    finished: str | None = None
    command: str = ""
    version: str = ""
    selected: str | None = None
    notes: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    sampling: SamplingMode = "fixed"
    machine: Machine | None = None
    decision: Decision | None = None
    judged: Judged | None = None
    reviews: Reviewed | None = None
    failed: tuple[FailedModel, ...] = ()
    leads: tuple[PairComparison, ...] = ()
    every_failure: bool = False  # shown, not only those that matter most
    since: SinceRun | None = None  # what changed since another run, where one was named


Direction = Literal["better", "worse", "undecided", "nothing_in_common"]
WhyLeftOut = Literal["only_in_first", "only_in_second", "changed", "unscored"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """A test that passes on one side only."""

    id: str
    category: str
    outcome_a: OutcomeKind
    outcome_b: OutcomeKind
    score_a: float | None
    score_b: float | None
    unread_a: bool = False
    unread_b: bool = False

    @property
    def gained(self) -> bool:
        return self.outcome_b is OutcomeKind.PASS


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A test that cannot be paired, and why."""

    id: str
    category: str
    reason: WhyLeftOut


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryComparison:
    """One category on both sides, over the tests they share. Shares, not points."""

    name: str
    a: Estimate
    b: Estimate
    difference: Estimate
    p_value: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteComparison:
    """One suite on both sides, paired by test. `a`, `b` and `difference` (b - a) are in points.

    `difference.n` counts pairs, `difference.unscored` the tests that one side could not score.
    `adjusted_p` is Holm's over all comparisons shown together. `verdict` is about the second side.
    `detectable`: the smallest difference, in points, that this many pairs find four times in five.
    """

    suite: str
    a: Estimate
    b: Estimate
    difference: Estimate
    p_value: float | None
    adjusted_p: float | None
    method: str
    verdict: Direction
    categories: tuple[CategoryComparison, ...]
    gained: int
    lost: int
    flips: tuple[Flip, ...]
    left_out: tuple[LeftOut, ...]
    detectable: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """`name`: of the model, for sentences."""

    run: str
    model: str
    when: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairComparison:
    """Two sides over every suite they share. `notes` name the suites only one of them has."""

    a: Side
    b: Side
    suites: tuple[SuiteComparison, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """`fell`: those of the notes that name a suite beyond --max-drop."""

    pairs: tuple[PairComparison, ...]
    notes: tuple[str, ...] = ()
    exit_code: int = 0
    fell: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SinceRun:
    """An earlier `run`, its `decision`, and each model that both have, paired with itself."""

    run: str
    decision: str
    pairs: tuple[PairComparison, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Footprint:
    """Memory (MB) and decoding speed as measured with `context` tokens in use; None: with what the
    tests of its run needed.
    """

    memory: Estimate
    speed: Estimate
    context: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelLeftOut:
    """A model that is beyond a limit, or that `command` has to measure first."""

    model: str
    why: str
    command: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One model on one suite. `rank` is None for an incomplete score, and for one that is not above
    what guessing scores: `within_guessing`.

    `tie`: no significant difference from the row above it. `footprint`: where limits were given.
    `command` made its run, with this `version` of Assay. `also`: other specs of the same weights,
    which have no row of their own; `scored_as`: the one of them whose score this is.
    """

    model: str
    score: Estimate
    run: str
    when: str
    rank: int | None = None
    tie: bool = False
    within_guessing: bool = False
    categories: Mapping[str, Estimate] = field(default_factory=dict)
    footprint: Footprint | None = None
    name: str = ""
    command: str = ""
    version: str = ""
    also: tuple[str, ...] = ()
    scored_as: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRanking:
    """Models that answered the same tests, best first. `content` separates two suites of one name
    (another version, a sample, some categories only); `tests` is how many there are. `asked`
    is a phrase where they were asked in another way than usual, which is never ranked beside it.
    `of` and `baselines`: the suite itself, and what answers that know nothing would score on it.
    """

    suite: str
    rows: tuple[Standing, ...]
    content: str = ""
    tests: int = 0
    asked: str = ""
    of: Suite | None = None
    baselines: Baselines | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderboard:
    """Every model in a store, suite by suite; `left_out`: by the limits that were given."""

    out: str
    suites: tuple[SuiteRanking, ...]
    left_out: tuple[ModelLeftOut, ...] = ()
    notes: tuple[str, ...] = ()
    exit_code: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryCard:
    """What one category is made of. Each mapping counts tests, the most frequent first.

    `words`: fewest, median and most words of a prompt. `letters`: the right options of
    multiple-choice tests. `examples`: worked ones kept apart from the tests.
    """

    name: str
    tests: int
    examples: int
    weight: float
    methods: Mapping[str, int]
    words: tuple[int, int, int]
    letters: Mapping[str, int]
    tags: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteCard:
    """What a suite is made of, and what knowing nothing would score on it.

    `sources`: how many facts each source gave, from a sources.tsv beside the tests. `repeated`:
    tests whose prompt another has. `licence`: "" where it is not known.
    """

    suite: Suite
    categories: tuple[CategoryCard, ...]
    baselines: Baselines
    sources: Mapping[str, int]
    repeated: tuple[str, ...]
    licence: str = ""


@dataclass(frozen=True, slots=True)
class MachineFinding:
    """One thing that was looked at; a name that begins with blanks is part of the one above.
    `todo` is what to do about it; empty: nothing.
    """

    name: str
    says: str
    todo: str = ""
    state: Literal["good", "note", "missing"] = "good"
