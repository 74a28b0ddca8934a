"""How large a model is, in one word: limits of a gate depend on it.

In: a number of parameters, tied ones counted once. Out: tiny, small, medium or large. Refuses to
know: how they were counted.
"""

from __future__ import annotations

from typing import Literal

SizeClass = Literal["tiny", "small", "medium", "large"]

SMALL = 50_000_000
MEDIUM = 150_000_000
LARGE = 500_000_000


def size_class(parameters: int) -> SizeClass:
    """From the least: tiny < 50 M ≤ small < 150 M ≤ medium < 500 M ≤ large."""
    if parameters < SMALL:
        return "tiny"
    if parameters < MEDIUM:
        return "small"
    return "medium" if parameters < LARGE else "large"
