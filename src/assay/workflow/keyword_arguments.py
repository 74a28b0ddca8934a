"""Keyword arguments that a public function does not have.

In: what was given, and the TypedDict of what there is. Out: nothing, or a TypeError. Refuses to
know: what the arguments mean.

`**how` with a TypedDict is checked by type checkers alone; at run time it takes anything.
"""

from __future__ import annotations

from collections.abc import Iterable

from assay.files.wording import did_you_mean


def refuse_unknown(function: str, given: Iterable[str], known: type) -> None:
    """Raise what Python raises where a function has no such keyword."""
    names = list(known.__annotations__)
    for name in given:
        if name not in names:
            problem = f"{function}() got an unexpected keyword argument {name!r}"
            raise TypeError(did_you_mean(problem, name, names))
