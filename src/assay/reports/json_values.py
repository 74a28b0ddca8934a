"""Figures as JSON has them, for every document that a program reads.

In: an Estimate. Out: a dictionary of plain values.
"""

from __future__ import annotations

from assay.types import Estimate

Document = dict[str, object]


def estimate(of: Estimate) -> Document:
    """An ESTIMATE of the contract."""
    return {
        "value": of.value,
        "low": of.low,
        "high": of.high,
        "n": of.n,
        "unscored": of.unscored,
        "unit": of.unit,
        "method": of.method,
    }
