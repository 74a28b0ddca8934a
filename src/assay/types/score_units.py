"""The part of a score by unit, for all candidates at once: what `stats.ties` compares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Table = NDArray[np.floating]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitTable:
    """One part. `values`: a row for each unit, a column for each candidate, weights included.
    `freedom`: of its variance, where units count unequally; None: units less one.
    """

    values: Table
    freedom: float | None = None

    @property
    def effective_units(self) -> float:
        units = len(self.values)
        return units if self.freedom is None else min(units, self.freedom + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureRow:
    """One part of which only figures are known, one a candidate, with their standard errors, such
    as speeds. Candidates of one `group` share one measurement.
    """

    values: Sequence[float]
    errors: Sequence[float]
    freedom: float
    groups: Sequence[int]


ScoreUnits = UnitTable | FigureRow
