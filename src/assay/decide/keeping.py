"""Which quantised file to keep: the smallest without a significant loss beyond the limits."""

from collections.abc import Sequence
from dataclasses import replace

from assay.types.measured.quants import Against, QuantLimits, QuantRow, QuantSuite

SIGNIFICANT = 0.05


def held(row: QuantRow, limits: QuantLimits) -> QuantRow:
    """With the limits that it missed. A loss counts where it is significant, adjusted over all
    files and suites, and larger than the limit; suites at guessing tell nothing either way.
    """
    missed: list[Against] = []
    if row.drift is not None and (row.drift.kl.value or 0.0) > limits.max_kl:
        missed.append("max_kl")
    lost = tuple(suite.suite for suite in row.suites if _lost(suite, limits))
    if lost:
        missed.append("max_drop")
    left = tuple(
        suite.suite for suite in row.suites if suite.suite not in lost and _open(suite, limits)
    )
    return replace(row, missed=tuple(missed), lost_in=lost, open=left)


def _lost(suite: QuantSuite, limits: QuantLimits) -> bool:
    found = suite.against
    if found is None or found.difference.value is None or found.adjusted_p is None:
        return False
    return found.adjusted_p < SIGNIFICANT and found.difference.value < -limits.max_drop


def _open(suite: QuantSuite, limits: QuantLimits) -> bool:
    """A loss beyond the limit lies inside the interval, or there is none."""
    if suite.against is None:
        return False
    low = suite.against.difference.low
    return low is None or low < -limits.max_drop


def chosen(rows: Sequence[QuantRow]) -> QuantRow:
    """Of rows with the base first; the base itself is always one to keep."""
    kept = [row for row in rows if not row.missed]
    return min(kept, key=lambda row: row.file.bytes)
