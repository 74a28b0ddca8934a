"""What training does to a figure: points over the steps, changes between two, their shape."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from assay.types import Estimate
from assay.types.decisions import DecisionFact, Value, fact

# unproven: it looks flat, over too few steps or documents to say that it stays so
Shape = Literal["improving", "flat", "worsening", "overfitting", "unproven", "unclear", "too_few"]
Unit = Literal["nats", "points"]


class Point(NamedTuple):
    step: float
    value: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedSteps:
    """One figure at each step, and how two of these places differ, paired by what both have."""

    measure: str  # perplexity, suite:NAME
    unit: Unit
    points: tuple[Point, ...]
    compare: Callable[[int, int], Estimate | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """From one step to a later one, in the unit of its curve. `gain`: positive is better."""

    since: float
    until: float
    estimate: Estimate
    gain: float
    counts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCurve:
    """One figure over the steps. `best`: the earliest of the best; `change`: None of too few."""

    measure: str  # perplexity, suite:NAME
    points: tuple[Point, ...]
    best: Point
    shape: Shape
    change: Change | None = None

    @property
    def facts(self) -> tuple[DecisionFact, ...]:
        change = self.change
        if change is None:
            return ()
        ends = {"since": change.since, "until": change.until}
        return (fact("curve_change", measure=self.measure, change=change.estimate, **ends),)


@dataclass(frozen=True, slots=True, kw_only=True)
class DivergedStep:
    """A step that went wrong by itself. `change`: from the last good step `before` it; `guesses`:
    how often the first guess was right at both, where that showed it.
    """

    step: float
    before: float
    measure: str  # perplexity, suite:NAME
    change: Estimate | None
    guesses: tuple[float, float] | None = None

    @property
    def fact(self) -> DecisionFact:
        gaps: dict[str, Value] = {
            "step": self.step,
            "before": self.before,
            "measure": self.measure,
            "change": self.change,
        }
        if self.guesses is None:
            return fact("step_diverged", **gaps)
        was, now = self.guesses
        return fact("step_diverged_in_text", was=was, now=now, **gaps)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingChange:
    """Mean training loss before each of two steps, in nats; `falls`: by more than their noise."""

    since: float
    until: float
    before: float
    after: float
    falls: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """Every curve by its measure, without the steps that `diverged`. `training`: from the lowest
    held-out step to the last.
    """

    curves: Mapping[str, StepCurve]
    training: TrainingChange | None = None
    diverged: tuple[DivergedStep, ...] = ()

    @property
    def text(self) -> StepCurve | None:
        return self.curves.get("perplexity")
