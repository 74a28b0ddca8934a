"""A class with typed fields and `score` -> a Check.

In: the class of a shipped check or of a plugin, and its eval_method. Out: a frozen dataclass that
is a Check. Raises TypeError or ValueError for a class that cannot be one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, is_dataclass
from typing import Any, get_type_hints

from assay.types.checks import Check


def make_check(name: str, cls: type) -> type[Check]:
    """The class as a check; an annotation that cannot be read is found here for a plugin."""
    score = getattr(cls, "score", None)
    if not callable(score) or score is Check.score:
        raise TypeError("it has no method score(self, answer)")
    if issubclass(cls, Check):
        made: type[Check] = dataclass(frozen=True, slots=True, kw_only=True)(cls)
    else:
        own = cls if is_dataclass(cls) else dataclass(frozen=True, kw_only=True)(cls)
        body = {"__doc__": cls.__doc__, "__module__": cls.__module__, "score": _with_context(score)}
        made = type(cls.__name__, (own, Check), body)
        _read_annotations(made)
    made.method = name
    made.description = " ".join((cls.__doc__ or "").split("\n\n")[0].split())
    return made


def _with_context(score: Callable[..., Any]) -> Callable[..., Any]:
    """`score(self, answer)` as `score(self, answer, context)`."""
    taken = len(inspect.signature(score).parameters)
    if taken not in (2, 3):
        raise TypeError("score takes (self, answer) or (self, answer, context)")
    return score if taken == 3 else lambda self, answer, context: score(self, answer)


def _read_annotations(cls: type[Check]) -> None:
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUserError

    try:
        get_type_hints(cls)
        TypeAdapter(cls)
    except (PydanticUserError, NameError) as error:
        raise TypeError(str(error).splitlines()[0]) from error
