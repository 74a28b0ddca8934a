"""What was decided of a suite after part of its tests."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlyDecision:
    """Of the mean of `categories` against `limit`. `passed`: what the full suite says or would say,
    None while that is open; `proved`: the same by part of its tests alone, after `at` of them.
    `asked` of `tests`, `unscored` of them failed or without a score. `low`, `high`: the interval
    that holds the mean of the full suite. `more`: about how many more tests decide it.
    """

    limit: float
    categories: tuple[str, ...]
    passed: bool | None
    proved: bool | None
    at: int
    asked: int
    tests: int
    unscored: int
    low: float
    high: float
    more: int
    alpha: float

    @property
    def is_partial(self) -> bool:
        return self.asked < self.tests

    @property
    def needed(self) -> int:
        """About how many more tests decide it: those left, or those that failed."""
        return self.more or self.unscored

    @property
    def is_by_part(self) -> bool:
        """Tests are left that were not asked, and it is decided."""
        return self.passed is not None and self.is_partial
