"""A check of a stored run whose plugin is not loaded: it keeps its fields and scores nothing.

In: the name of an eval_method. Out: a class for `Check`. Reports of the run work as before; the
scores in the store stay; only rescoring needs the plugin.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Self

from assay.types.checks import Check, Context


@cache
def unknown_check(name: str) -> type[Check]:
    """The class that stands in for the check of a name."""
    return type("UnknownCheck", (_UnknownCheck,), {"method": name})


class _UnknownCheck(Check):
    """Its plugin is not loaded."""

    def __init__(self, known: Mapping[str, Any]) -> None:
        self._known = dict(known)

    def score(self, answer: str, context: Context, /) -> bool:
        raise LookupError(f"no plugin has the eval_method {self.method!r}; name it with --plugin")

    def describe(self) -> Iterator[tuple[str, str]]:
        return ((name, str(value)) for name, value in self._known.items())

    def stored(self) -> Mapping[str, Any]:
        return self._known

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> Self:
        return cls(stored)
