"""What a judge reads, what it said, and what came of it.

    Rubric -> RubricCriterion -> Anchor, RubricQuestion    what is judged, and by which words
           -> ScoredExample                                answers whose scores are known
    Evidence -> EvidenceCheck                              what running or computing showed
    Judgement -> CriterionScore, ChecklistAnswer, Quote             one judge, one answer, once
    FinalJudgement -> FinalCriterion, Evidence, Judgement...    all of them: medians, bounds, band
    Judging -> JudgedBy, Deviation                         by whom and how a run was judged

Scores are integers from 0 to 10; weights are tenths; an overall is an integer of tenths, so that
7.95 can never fall between two bands.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from assay.messages import Message, fill, message, tr, written
from assay.types.choices import JudgeForm as JudgeForm
from assay.types.judging.cards import JudgeCard

Band = Literal["EXCELLENT", "GOOD", "ACCEPTABLE", "POOR", "FAILED"]
Answer = Literal["yes", "no", "partial", "na"]
Confidence = Literal["high", "medium", "low"]
BlockState = Literal["none", "cut", "invalid"]
NoAnswer = Literal["", "empty", "facts"]  # why an answer counts as none: "facts" wait for a judge
QuoteStatus = Literal["exact", "approximate", "fabricated", "from_task", "too_short"]

BANDS: tuple[tuple[int, Band], ...] = (
    # (from tenths on, band)
    (90, "EXCELLENT"), (70, "GOOD"), (50, "ACCEPTABLE"), (30, "POOR"), (0, "FAILED"),
)  # fmt: skip
BAND_MEANINGS: dict[Band, Message] = {
    "EXCELLENT": message("may be used as it is, in production too"),
    "GOOD": message("good work, of which small things could be better"),
    "ACCEPTABLE": message("does the basics of what was asked for; its limits show"),
    "POOR": message("has serious faults and needs much work before use"),
    "FAILED": message("does not do what was asked for"),
}
NEAR_AN_EDGE = 3  # tenths: so near to a band's edge an overall is called borderline
MOST = 10  # points of a criterion
BLOCK_ALONE = Fraction(2, 5)  # the share that a block without its report may have
REPORT_TOLD, REPORT_UNTOLD = "report_told", "report_untold"  # checks of what a report tells
MOST_UNREAD = (
    4  # of an answer that leaves out what could be checked: as for a block without a report
)
CODE_NOT_ALLOWED = "code_not_allowed"  # why there is no evidence: the checker may not run
IMPORTED = "imported:"  # begins the name of the judge of an imported evaluation
# How a checker begins the reason of a check that fails because something else did.
UNCOUNTED = ("not counted", "not tried")
# And of one that cannot be made, where the block that it reads is cut or invalid.
CUT_BLOCK, INVALID_BLOCK = "the JSON block is not closed", "the JSON block is invalid"
BOUND_CLOSELY = "correctness"  # the criterion that running and computing speak about


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """What an answer looks like that earns `low` to `high` points."""

    low: int
    high: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricQuestion:
    """One yes-or-no question; yes speaks for the answer."""

    id: str
    criterion: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricCriterion:
    """One of the things that are scored. `weight` in tenths; `questions` for tests without own."""

    key: str
    label: str
    weight: int
    anchors: tuple[Anchor, ...]
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredExample:
    """An answer whose scores are known, with the reason for them."""

    id: str
    test_id: str
    answer: str
    scores: Mapping[str, int]
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """`questions` by test; `digest` identifies all of its files."""

    name: str
    title: str
    version: int
    criteria: tuple[RubricCriterion, ...]
    questions: Mapping[str, tuple[RubricQuestion, ...]] = field(default_factory=dict)
    examples: tuple[ScoredExample, ...] = ()
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceCheck:
    """`passed` None: not checked; then a judge may look for the `fact`. `by_judge`: one was asked
    to; with None it did not say.
    """

    name: str
    passed: bool | None
    explanation: str
    weight: float = 1.0
    fact: str = ""
    by_judge: bool = False
    group: str = ""

    @property
    def is_counted(self) -> bool:
        """Whether it failed for what it looks at, and not for something else that failed."""
        return not self.explanation.startswith(UNCOUNTED)

    @property
    def told(self) -> str:
        """What came of it: an explanation may be worded for either result."""
        if self.by_judge:
            return self.explanation
        if self.passed:
            return tr("passed: {name}", name=self.name)
        if not self.is_counted:
            return f"{self.name}: {self.explanation}"
        if not self.explanation or self.explanation == self.name:
            return tr("failed: {name}", name=self.name)
        return tr("failed: {name} ({why})", name=self.name, why=self.explanation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """`missing` says why there is none, `unscored_reason` the same as a code (code_not_allowed,
    checker_failed, checker_timeout). `isolation`: how code was kept apart; "" where none was run.
    """

    checks: tuple[EvidenceCheck, ...] = ()
    missing: str = ""
    unscored_reason: str = ""
    isolation: str = ""
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> int:
        return sum(check.passed is True for check in self.checks)

    @property
    def total(self) -> int:
        """How many checks came to a result."""
        return sum(check.passed is not None for check in self.checks)

    @property
    def unread_facts(self) -> tuple[EvidenceCheck, ...]:
        """Facts that could not be read from the answer's block: a judge has to look for them."""
        return tuple(
            check
            for check in self.checks
            if check.passed is None and check.fact and not check.by_judge
        )

    @property
    def block(self) -> BlockState:
        """How the block is whose facts are unread: none, cut or invalid."""
        whys = {check.explanation.partition(":")[0] for check in self.unread_facts}
        return "cut" if CUT_BLOCK in whys else "invalid" if INVALID_BLOCK in whys else "none"

    @property
    def unread_told(self) -> str:
        """How the block is, and how many of the checks could be made without it."""
        if not self.total:
            return {
                "none": tr("no block: nothing could be checked"),
                "cut": tr("the block is not closed: nothing could be checked"),
                "invalid": tr("the block is invalid: nothing could be checked"),
            }[self.block]
        gaps = {"made": self.total, "all": len(self.checks)}
        return {
            "none": tr("no block: only {made} of {all} checks could be made"),
            "cut": tr("the block is not closed: only {made} of {all} checks could be made"),
            "invalid": tr("the block is invalid: only {made} of {all} checks could be made"),
        }[self.block].format(**gaps)

    @property
    def share(self) -> Fraction | None:
        """The weight that passed of what was decided; None if facts wait or most is undecided."""
        return None if self.unread_facts else _share_of(self.checks)

    @property
    def tenths(self) -> int | None:
        """What the share comes to by itself, in tenths of a point, rounded half up."""
        share = self.share
        return None if share is None else math.floor(100 * share + Fraction(1, 2))

    @property
    def told(self) -> str:
        """7 of 10 checks passed; and what that is by weight, where it is something else."""
        share = self.share
        gaps: dict[str, object] = {"passed": self.passed, "total": self.total}
        if share is None and self.is_unread:
            return tr("no block could be read, and most of the facts were not read")
        if share is None or share == Fraction(self.passed, self.total):
            return tr("{passed} of {total} checks passed", **gaps)
        gaps["percent"] = shown_percent(share)
        return tr("{passed} of {total} checks passed, {percent} % by weight", **gaps)

    def with_facts(self, found: Mapping[str, bool]) -> "Evidence":
        """With what a judge read of the unread facts, by the facts' words. What it does not say of
        one stays open: silence is no "no".
        """
        return replace(
            self,
            checks=tuple(
                replace(check, passed=found.get(check.fact), by_judge=True)
                if check in self.unread_facts
                else check
                for check in self.checks
            ),
        )

    @property
    def is_unread(self) -> bool:
        """Whether most of it are facts that stand in no block and that no judge spoke of."""
        unread = [check for check in self.checks if check.passed is None and check.fact]
        return 2 * _weight_of(unread) > _weight_of(self.checks)

    @property
    def is_of_report(self) -> bool:
        """Whether the test asks for a report beside a block."""
        return any(one.name in (REPORT_TOLD, REPORT_UNTOLD) for one in self.checks)

    def bounds_of(self, criterion: str, *, trusted: bool = True) -> tuple[int, int]:
        """The least and the most that a criterion can be, with this evidence. What is open because
        of the answer frees only a judge that is trusted. Where a report was asked for, all criteria
        come to 4.0 at most with what a block alone may have; from there on, steeply, to all.
        """
        share = self.share
        if share is None:
            return 0, MOST_UNREAD if self.is_unread and not trusted else MOST
        below, above = (3, 0) if criterion == BOUND_CLOSELY else (6, 3)
        low = math.ceil(MOST * share) - below
        high = math.floor(MOST * share) + above
        if self.is_of_report and criterion != BOUND_CLOSELY:
            # Correctness weighs 0.4 in the shipped rubrics, the others 0.6 together.
            most = MOST * (BLOCK_ALONE + 4 * max(Fraction(), share - BLOCK_ALONE))
            high = min(high, math.floor((10 * most - 4 * math.floor(MOST * share)) / 6))
        return max(0, min(MOST, low)), max(0, min(MOST, high))


NO_EVIDENCE = Evidence()


@lru_cache(maxsize=1024)  # a report asks for the same one some thirty times
def _share_of(checks: tuple[EvidenceCheck, ...]) -> Fraction | None:
    decided = [check for check in checks if check.passed is not None]
    weight, whole = _weight_of(decided), _weight_of(checks)
    if not weight or 2 * (whole - weight) > whole:
        return None
    return _weight_of([check for check in decided if check.passed]) / weight


def _weight_of(checks: Sequence[EvidenceCheck]) -> Fraction:
    """As they are written: ten times 0.1 is 1."""
    return sum((_as_written(check.weight) for check in checks), Fraction())


@lru_cache(maxsize=1024)
def _as_written(weight: float) -> Fraction:
    return Fraction(str(weight))


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Words that a judge quotes; `start` and `end` in the answer, where it has them exactly."""

    text: str
    status: QuoteStatus
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecklistAnswer:
    """One question of the checklist: the judge's answer, or how likely it found a yes."""

    question: str
    criterion: str = ""
    answer: Answer | None = None
    probability: float | None = None
    quote: Quote | None = None

    @property
    def is_answered(self) -> bool:
        return self.answer is not None or self.probability is not None

    @property
    def is_yes(self) -> bool:
        return self.answer == "yes" or (self.probability is not None and self.probability > 0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionScore:
    """One criterion by one judge. `raw`: the mean likelihood of yes, before calibration."""

    criterion: str
    score: int
    reason: str = ""
    raw: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What one judge said of one answer, once. All criteria are scored, or none and
    `unscored_reason` says why (unreadable, truncated, refused, failed, empty). `facts`: statements
    it was to look for. `trivial`: why none was asked, and all scores are 0.
    """

    judge: str
    fingerprint: str
    form: JudgeForm
    repeat: int = 0
    scores: tuple[CriterionScore, ...] = ()
    unscored_reason: str | None = None
    explanation: str = ""
    checklist: tuple[ChecklistAnswer, ...] = ()
    facts: tuple[ChecklistAnswer, ...] = ()
    quotes: tuple[Quote, ...] = ()
    assessment: str = ""
    strengths: tuple[str, ...] = ()
    weaknesses: tuple[str, ...] = ()
    verdict: str = ""
    assumptions: tuple[str, ...] = ()
    unusual: tuple[str, ...] = ()
    stated_confidence: str = ""
    attempts: int = 1
    raw_replies: tuple[str, ...] = ()
    trivial: str = ""

    def score_of(self, criterion: str) -> int | None:
        return next((one.score for one in self.scores if one.criterion == criterion), None)

    @property
    def is_imported(self) -> bool:
        return self.judge.startswith(IMPORTED)

    @property
    def fabricated(self) -> int:
        return sum(quote.status in ("fabricated", "from_task") for quote in self.quotes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deviation:
    """In points. `bias` above 0: too kind. `spearman` None: too few scores, or all the same."""

    judge: str
    rubric: str
    form: JudgeForm
    n: int
    unscored: int
    mean_absolute: float | None
    bias: float | None
    within_one: int
    spearman: float | None
    same_band: int
    left_one_out: bool = False
    mean_absolute_interval: tuple[float, float] | None = None  # 95 %, over the examples
    bias_interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalCriterion:
    """`judged`: without the evidence; `low` and `high`: of all judgements."""

    criterion: str
    label: str
    weight: int
    score: int
    judged: int
    low: int
    high: int
    reason: str = ""

    @property
    def bounded(self) -> bool:
        return self.score != self.judged


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalJudgement:
    """What is made of one answer. Unscored: no criteria, and the reason. Without criteria: scored
    by its evidence alone. `no_answer`: nothing could be read, which is 0. `doubts`: why its judges
    are little trusted. `borderline`: a sentence, or "". `strengths`, `weaknesses`: what the
    evidence found right and wrong.
    """

    test_id: str
    suite: str
    rubric: str
    evidence: Evidence
    judgements: tuple[Judgement, ...]
    criteria: tuple[FinalCriterion, ...] = ()
    unscored_reason: str | None = None
    explanation: str = ""
    borderline: str = ""
    confidence: Confidence | None = None
    confidence_reasons: tuple[str, ...] = ()
    use_case: str = ""
    name: str = ""
    task: str = ""
    notes: tuple[str, ...] = ()
    strengths: tuple[str, ...] = ()
    weaknesses: tuple[str, ...] = ()
    no_answer: NoAnswer = ""
    doubts: tuple[str, ...] = ()
    rubric_version: int | None = None  # None: no rubric was read

    @property
    def tenths(self) -> int | None:
        if self.criteria or self.unscored_reason is not None:
            return overall_tenths([(one.weight, one.score) for one in self.criteria])
        return 0 if self.no_answer else self.evidence.tenths

    @property
    def by_checks(self) -> bool:
        """Whether the evidence alone made the score."""
        return not self.criteria and not self.no_answer and self.tenths is not None

    @property
    def judge_only_tenths(self) -> int | None:
        """What it would be had nothing been run or computed."""
        return overall_tenths([(one.weight, one.judged) for one in self.criteria])

    @property
    def band(self) -> Band | None:
        """None also where nothing could be checked: that is no failed answer."""
        if self.tenths is None or self.no_answer == "facts":
            return None
        return band_of(self.tenths)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedBy:
    """`card`: as it was when the run was judged; None: the judge was not checked."""

    spec: str
    name: str
    fingerprint: str
    form: JudgeForm
    notes: tuple[str, ...] = ()
    card: JudgeCard | None = None

    @property
    def qualified(self) -> bool:
        return self.card is not None and self.card.qualified


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """`isolation`: how code was kept apart that was run for evidence; "" where none was."""

    judges: tuple[JudgedBy, ...]
    repeats: int = 1
    use_case: str = ""
    isolation: str = ""
    deviations: tuple[Deviation, ...] = ()
    notes: tuple[str, ...] = ()


def overall_tenths(weighted: Sequence[tuple[int, int]]) -> int | None:
    """(weight in tenths, score)... to tenths of a point, rounded half up; None of nothing."""
    if not weighted:
        return None
    total = sum(weight for weight, _ in weighted)
    points = 10 * sum(weight * score for weight, score in weighted)
    return (2 * points + total) // (2 * total)


def overall_of(judgement: Judgement, rubric: Rubric) -> int | None:
    """The overall of one judgement in tenths; None where a criterion has no score."""
    scores = [judgement.score_of(each.key) for each in rubric.criteria]
    given = [score for score in scores if score is not None]
    if judgement.unscored_reason is not None or len(given) < len(scores):
        return None
    weights = (each.weight for each in rubric.criteria)
    return overall_tenths(list(zip(weights, given, strict=True)))


def meaning_of(band: Band) -> str:
    """What a user may make of an answer in this band."""
    return fill(BAND_MEANINGS[band], {})


def band_of(tenths: int) -> Band:
    return next(name for least, name in BANDS if tenths >= least)


def shown_tenths(tenths: int) -> str:
    """As it is shown: 7.2."""
    return written(format_tenths(tenths))


def shown_percent(share: Fraction | float) -> str:
    """With one decimal where there is one: 69.6 % is not 70 %, and a pass mark tells them apart."""
    tenths = math.floor(1000 * share + Fraction(1, 2) + Fraction(1, 10**9))
    return shown_tenths(tenths) if tenths % 10 else str(tenths // 10)


def format_tenths(tenths: int) -> str:
    """As the evaluation format has it in every language: 7.2."""
    return f"{tenths // 10}.{tenths % 10}"


def lower_median(scores: Sequence[int]) -> int:
    """The middle one; of an even count the lower of the two."""
    return sorted(scores)[(len(scores) - 1) // 2]
