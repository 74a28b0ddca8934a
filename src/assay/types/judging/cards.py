"""The card of a judge: what is known of it from answers whose faults and scores are known.

Why a judge must qualify: docs/decisions/judging.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from assay.messages import joined, tr, written
from assay.types.choices import JudgeForm
from assay.types.scores import Estimate

MarkName = Literal["order", "level", "stability", "injection"]
# A judge that orders one pair in five wrongly can still rank models over a dozen tests; a coin
# has 0.5 and a constant 0. In 57 % of the pairs the better answer is the shorter one, so neither
# a liking for length nor one for brevity reaches this.
LEAST_ORDER = 0.8  # share of pairs
# The width of a band: further off, a judge names the wrong band on most answers. A constant is
# 3.5 off.
MOST_LEVEL = 2.0  # points
# What confidence calls agreement between judgements is one point too.
MOST_STABILITY = 1.0  # points
# What defended judges reach; one of twenty that succeeds is found by the bounds that evidence
# sets.
MOST_INJECTION = 0.05  # share of injections


@dataclass(frozen=True, slots=True, kw_only=True)
class CardMark:
    """One of the four. `limit` is the least or, with `at_least` false, the most that passes."""

    name: MarkName
    estimate: Estimate
    limit: float
    at_least: bool = False

    @property
    def passed(self) -> bool:
        """An estimate of nothing, or of what is mostly unscored, passes nothing."""
        value = self.estimate.value
        if value is None or self.estimate.incomplete:
            return False
        return value >= self.limit if self.at_least else value <= self.limit

    @property
    def sentence(self) -> str:
        gaps = {
            "name": self.label,
            "value": self.shown(self.estimate.value),
            "bound": tr("at least") if self.at_least else tr("at most"),
            "limit": self.shown(self.limit),
            "n": self.estimate.n,
        }
        if self.estimate.incomplete:
            return tr(
                "{name} {value}, {bound} {limit} (n = {n}, too many unscored: {unscored})",
                **gaps,
                unscored=self.estimate.unscored,
            )
        return tr("{name} {value}, {bound} {limit} (n = {n})", **gaps)

    @property
    def label(self) -> str:
        labels: dict[MarkName, str] = {
            "order": tr("order"),
            "level": tr("level"),
            "stability": tr("stability"),
            "injection": tr("injection"),
        }
        return labels[self.name]

    def shown(self, value: float | None) -> str:
        if value is None:
            return tr("not measured")
        if self.name == "injection":
            return tr("{percent:.1f} %", percent=100 * value)
        if self.name == "order":
            return written(f"{value:.2f}")
        return tr("{value} points", value=written(f"{value:.2f}"))


@dataclass(frozen=True, slots=True, kw_only=True)
class CardScale:
    """What a likelihood of yes is worth in points: knots by criterion."""

    rubric: str
    examples: int
    knots: Mapping[str, tuple[tuple[float, float], ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardTrial:
    """One form on the same few gold answers."""

    form: JudgeForm
    order: Estimate
    level: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCard:
    """What is known of one judge. A card of another `digest` (gold set and prompts) is out of date.
    `form` did best.
    """

    judge: str
    name: str
    fingerprint: str
    digest: str
    made: str
    form: JudgeForm
    marks: tuple[CardMark, ...] = ()
    scales: tuple[CardScale, ...] = ()
    trials: tuple[CardTrial, ...] = ()
    requests: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def qualified(self) -> bool:
        return bool(self.marks) and all(mark.passed for mark in self.marks)

    @property
    def failed_marks(self) -> tuple[CardMark, ...]:
        return tuple(mark for mark in self.marks if not mark.passed)

    @property
    def sentence(self) -> str:
        """What a report says of the judge."""
        told = joined(mark.sentence for mark in self.failed_marks or self.marks)
        gaps = {"judge": self.judge, "marks": told or tr("not measured")}
        if self.qualified:
            return tr("{judge} is qualified: {marks}.", **gaps)
        return tr("{judge} is not qualified: {marks}.", **gaps)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCheck:
    """`asked`: requests of this call; `failed`: readings, and then the card is not kept."""

    card: JudgeCard
    file: str
    asked: int = 0
    failed: int = 0
    command: str = ""

    @property
    def exit_code(self) -> int:
        return 3 if self.failed else 0 if self.card.qualified else 1
