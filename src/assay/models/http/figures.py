"""Numbers that a server tells, or None where they make no sense.

Nothing raises: a number of 400 digits is valid JSON, and must not end a run.
"""

from __future__ import annotations

LARGEST = 10**15  # bytes, tokens or nanoseconds beyond this are no measurement


def reported_count(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST:
        return value
    return None


def reported_number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if -LARGEST <= value <= LARGEST else None  # NaN is neither


def reported_seconds(value: object, *, unit: float = 1.0) -> float | None:
    """Seconds from 0 on; `unit` is what the server counts in, such as 1e-9."""
    number = reported_number(value)
    return number * unit if number is not None and number >= 0 else None
