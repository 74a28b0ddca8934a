"""One part of the weighted score: what a figure counts, and how candidates are compared on it.

A part is either one of the specification's formula, or one of a gate's `[score]`, which is bounded:
it counts 0 to 1, so that no figure outvotes the rest by its scale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from assay.types.decisions import DecisionFact, Gate, Measurements, SizeClass, SuiteLimit

if TYPE_CHECKING:
    from assay.types.score_units import ScoreUnits
    from assay.types.scores import Estimate

Better = Literal["lower", "higher"]


class Unbounded(ValueError):
    """A figure that has neither a limit in the gate nor a scale cannot be put on 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorePiece:
    """One part of a difference. `n`: what was drawn; `value`: as observed; `spreads`: whether it is
    known how it varies; `drawn(seed, draws)`: the difference in every draw.
    """

    n: int
    value: float
    spreads: bool
    drawn: Callable[[int, int], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonScale:
    """How one part is put on a scale that all candidates share, `by` whatever it needs for that.
    `limit`: the strictest of theirs, by which it is bounded. `usable` False: they cannot be
    compared on it. `notes` say why, or what was done.
    """

    by: Any = None
    limit: float | None = None
    usable: bool = True
    notes: tuple[DecisionFact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """With the limit L a figure counts L/(L + value) where lower is better, else value/(value + L);
    with a scale (worst, best) its place between the two, cut to 0 to 1.
    """

    better: Better
    limits: Mapping[SizeClass, float] | None = None
    scale: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if self.scale is not None:
            if self.scale[0] == self.scale[1]:
                raise Unbounded
        elif not self.limits or min(self.limits.values()) <= 0:
            raise Unbounded

    def common_limit(self, candidates: Sequence[Measurements]) -> float | None:
        """The strictest: a larger model may be asked for more."""
        known = [limit for each in candidates if (limit := self._limit(each)) is not None]
        if not known or len(known) < len(candidates):
            return None
        return min(known) if self.better == "lower" else max(known)

    def function(self, measured: Measurements, common: CommonScale) -> Callable[[Any], Any] | None:
        """Of a figure, or of an array of them; None where its limit is not known."""
        if self.scale is not None:
            worst, best = self.scale
            return lambda value: min(1.0, max(0.0, (value - worst) / (best - worst)))
        limit = self._limit(measured) if common.limit is None else common.limit
        if limit is None:
            return None
        if self.better == "lower":
            return lambda value: limit / (limit + value)
        return lambda value: value / (value + limit)

    def _limit(self, measured: Measurements) -> float | None:
        """That of its size class; limits that are all alike need no class."""
        if not self.limits:
            return None
        if measured.size_class is not None:
            return self.limits[measured.size_class]
        return min(self.limits.values()) if len(set(self.limits.values())) == 1 else None


@dataclass(frozen=True, kw_only=True)
class WeighedPart:
    """`name` as reports and `[score]` have it."""

    name: str
    weight: float

    @property
    def covers(self) -> tuple[str, ...]:
        """The keys of `[score]` whose figures count in it."""
        return (self.name,)

    @property
    def tests(self) -> tuple[SuiteLimit, ...]:
        """The categories of suites whose tests count in it."""
        return ()

    def part_of(self, measured: Measurements, scale: CommonScale) -> Estimate | None:
        """Before its weight."""
        return None

    def common_scale(self, candidates: Sequence[Measurements], noise: Iterable[str]) -> CommonScale:
        """`noise`: suites that decide nothing."""
        return CommonScale()

    def difference(
        self, a: Measurements, b: Measurements, scale: CommonScale
    ) -> tuple[ScorePiece | None, tuple[DecisionFact, ...]]:
        """Weighted, drawn in pairs; None: two figures with their intervals. And what to note."""
        return None, ()

    def units(
        self, candidates: Sequence[Measurements], scale: CommonScale
    ) -> Sequence[ScoreUnits] | None:
        """Its part by unit, for all candidates, weights included; None: only figures are known."""
        return None

    def is_equal(self, a: Measurements, b: Measurements) -> bool:
        """By construction, so that it decides nothing between them."""
        return False

    def notes_on(self, candidates: Sequence[Measurements]) -> tuple[DecisionFact, ...]:
        """Of all that are ranked on it."""
        return ()


@dataclass(frozen=True, kw_only=True)
class FigurePart(WeighedPart):
    """A figure of which only its estimate is known. One below 0 needs a scale."""

    figure: Callable[[Measurements], Estimate | None]
    bound: Bound

    def part_of(self, measured: Measurements, scale: CommonScale) -> Estimate | None:
        found, count = self.figure(measured), self.bound.function(measured, scale)
        if found is None or found.value is None or count is None:
            return None
        if self.bound.scale is not None:
            worst, best = self.bound.scale
            return found.mapped(count, unit="share", falling=best < worst)
        if found.value < 0:
            return None
        falling = self.bound.better == "lower"
        return found.mapped(lambda value: count(max(0.0, value)), unit="share", falling=falling)

    def common_scale(self, candidates: Sequence[Measurements], noise: object) -> CommonScale:
        return CommonScale(limit=self.bound.common_limit(candidates))


def score_weights(gate: Gate) -> dict[str, float]:
    """Those of `[score]`, divided by their sum."""
    total = sum(gate.score.values())
    return {key: weight / total for key, weight in gate.score.items()}
