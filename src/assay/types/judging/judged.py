"""What the judgements of a run say of its models: the shapes between arithmetic and rendering.

A domain is the name of a rubric. Means are Estimates in `POINTS_OF_10`; overall scores of single
tests are tenths of a point, as in `judgements`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from assay.types import Estimate
from assay.types.judging.judgements import Band, Confidence, Deviation, FinalJudgement, JudgedBy

POINTS_OF_10 = "points of 10"
LEAST_RELIABLE, LEAST_TENTATIVE = 0.8, 0.667  # alpha
LEAST_EVIDENCE = 0.5  # share of checks that a recommended model passes, where there are any

Ground = Literal[
    "alone",  # no other model was judged on these tests
    "better",  # ahead of every other, and the tests tell
    "quicker",  # as good as the best as far as the tests tell, and quicker
    "higher",  # the higher mean; the tests do not tell it apart
    "level",  # not even that: the same mean
    "none_good_enough",  # the best mean is below the band ACCEPTABLE
    "not_shown",  # no model passes half of the checks there are
    "incomplete",  # too many answers of every model are unscored
    "nothing",  # no answer was scored
]

CHOSEN: frozenset[Ground] = frozenset({"alone", "better", "quicker", "higher"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """Something said of one test: by a judge, by a check, or why it has no score."""

    test_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionMean:
    """One criterion over the tests of a domain. `judged`: had nothing been run or computed."""

    criterion: str
    label: str
    mean: Estimate
    judged: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class TestJudged:
    """`tenths`: the rounded mean over answers; `low`, `high`: by the least and the most given."""

    __test__: ClassVar[bool] = False  # pytest takes every class named Test… for its own

    suite: str
    test_id: str
    name: str
    domain: str
    category: str
    final_judgements: tuple[FinalJudgement, ...]
    tenths: int | None
    judge_only_tenths: int | None
    band: Band | None
    low: int | None
    high: int | None
    judgements: int
    evidence_passed: int
    evidence_total: int
    evidence_share: float | None = None
    unscored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainJudged:
    """`mean.n` counts tests. `evidence`: the share of checks that hold, drawn by test. `unshown`:
    categories where less than half hold. `weakest`: a label, None where none stands out.
    `reasons`: counted.
    """

    domain: str
    mean: Estimate
    judge_only: Estimate
    band: Band | None
    bands: Mapping[Band, int]
    criteria: tuple[CriterionMean, ...]
    weakest: str | None
    categories: Mapping[str, Estimate]
    category_bands: Mapping[str, Band]
    evidence: Estimate
    unshown: tuple[str, ...]
    evidence_passed: int
    evidence_total: int
    bounded: tuple[str, ...]
    confidence: Confidence | None
    confidences: Mapping[Confidence, int]
    reasons: Mapping[str, int]
    unscored: tuple[Remark, ...]
    strengths: tuple[Remark, ...]
    weaknesses: tuple[Remark, ...]
    failed_checks: tuple[Remark, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPoint:
    run: str
    when: str
    mean: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class OverRuns:
    """The oldest run first. `change`: to the one before, or to its judges without `same_judges`."""

    domain: str
    points: tuple[RunPoint, ...]
    change: Estimate
    p_value: float | None
    told_apart: bool
    same_judges: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpeed:
    """`tokens_per_s`: decoding by `clock`, or over the whole request ("request")."""

    tokens_per_s: Estimate
    whole_request: Estimate
    first_token_s: Estimate
    seconds: Estimate
    clock: Literal["server", "client", "request"]
    memory_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelJudged:
    """One model. `overall` gives every domain the same weight, whatever its number of tests."""

    model: str
    overall: Estimate
    domains: tuple[DomainJudged, ...]
    tests: tuple[TestJudged, ...]
    pace: ModelSpeed | None = None
    over_runs: tuple[OverRuns, ...] = ()

    def domain(self, name: str) -> DomainJudged | None:
        return next((each for each in self.domains if each.domain == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainDifference:
    """b - a on the tests both were scored on; the same by evidence and by the judge alone."""

    domain: str
    a: str
    b: str
    difference: Estimate
    evidence: Estimate
    judge_only: Estimate
    p_value: float | None
    higher: int
    lower: int
    told_apart: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """`lead`: how much higher the chosen one is. `as_good`: equal, so that speed decided."""

    model: str
    mean: Estimate
    lead: Estimate
    evidence_lead: Estimate
    judge_lead: Estimate
    told_apart: bool
    p_value: float | None = None
    as_good: bool = False
    pace: ModelSpeed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """Which model to use in a domain; where `ground` is not in CHOSEN, the one with the highest
    mean. `left_out`: with incomplete means, `compared`: the others with whole ones; `not_shown`:
    that pass less than half of the checks. `evidence`: the share of checks it passes.
    """

    domain: str
    ground: Ground
    model: str | None
    mean: Estimate
    band: Band | None
    pace: ModelSpeed | None = None
    rivals: tuple[Rival, ...] = ()
    left_out: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    not_shown: tuple[str, ...] = ()
    evidence: Estimate | None = None

    @property
    def chosen(self) -> str | None:
        return self.model if self.ground in CHOSEN else None

    @property
    def tied(self) -> tuple[Rival, ...]:
        """Those that the tests do not tell apart from it."""
        return tuple(rival for rival in self.rivals if not rival.told_apart)

    @property
    def equals(self) -> tuple[Rival, ...]:
        """Those among which something else than quality decided."""
        return tuple(rival for rival in self.rivals if rival.as_good)


AgreementKind = Literal["repeats", "judges", "imported", "people", "machine"]
AgreementName = Literal["alpha", "icc", "kappa", "spearman", "exact", "within_one"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterAgreement:
    """On the same criteria of the same answers. n counts scores; intervals are drawn by tests."""

    kind: AgreementKind
    raters: tuple[str, ...]
    answers: int
    figures: Mapping[AgreementName, Estimate]

    @property
    def reliable(self) -> bool | None:
        """By Krippendorff's limits for alpha, its whole interval: from 0.8 on; below 0.667 not;
        else None.
        """
        low, high = self._alpha
        if low is None or high is None:
            return None
        return True if low >= LEAST_RELIABLE else False if high < LEAST_TENTATIVE else None

    @property
    def tentative(self) -> bool:
        """Not shown to be reliable, and shown not to be unreliable."""
        low, _ = self._alpha
        return self.reliable is None and low is not None and low >= LEAST_TENTATIVE

    @property
    def _alpha(self) -> tuple[float | None, float | None]:
        """Its interval; the value alone where there is no spread to draw one from."""
        alpha = self.figures["alpha"]
        return (alpha.value if alpha.low is None else alpha.low,
                alpha.value if alpha.high is None else alpha.high)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCost:
    """Tokens and seconds as far as the judge told them; stored replies cost nothing."""

    judge: str
    requests: int
    failed: int
    prompt_tokens: int
    output_tokens: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredAnswer:
    """One answer and its overall in tenths. `repeat` counts from 0."""

    suite: str
    test_id: str
    model: str
    run: str
    repeat: int
    tenths: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Inconsistency:
    """Two answers to one test, `alike` as a share of their text, whose scores lie far apart."""

    first: ScoredAnswer
    second: ScoredAnswer
    alike: float

    @property
    def apart(self) -> int:
        return abs(self.first.tenths - self.second.tenths)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """`not_run`: evidence that there is not, by reason the tests. `rubrics`: their versions."""

    models: tuple[ModelJudged, ...]
    domains: tuple[str, ...]
    differences: tuple[DomainDifference, ...]
    choices: tuple[ModelChoice, ...]
    deviations: tuple[Deviation, ...] = ()
    judged_by: tuple[JudgedBy, ...] = ()
    judges: tuple[str, ...] = ()
    isolation: tuple[str, ...] = ()
    not_run: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    use_case: str = ""
    notes: tuple[str, ...] = ()
    costs: tuple[JudgeCost, ...] = ()
    agreements: tuple[RaterAgreement, ...] = ()
    inconsistencies: tuple[Inconsistency, ...] = ()
    rubrics: Mapping[str, int] = field(default_factory=dict)
