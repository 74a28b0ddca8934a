"""Values as JSON has them, for every document that a program reads.

In: an Estimate, or any object. Out: dictionaries of plain values.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.types import Estimate

JsonObject = dict[str, object]


def estimate(of: Estimate) -> JsonObject:
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


def estimates(named: Mapping[str, Estimate]) -> JsonObject:
    return {name: estimate(of) for name, of in named.items()}


def pick(of: object, names: str) -> JsonObject:
    """The named attributes; a tuple is a list, and an Estimate an ESTIMATE."""
    return {name: _plain(getattr(of, name)) for name in names.split()}


def _plain(value: object) -> object:
    if isinstance(value, Estimate):
        return estimate(value)
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value
