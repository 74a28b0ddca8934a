"""A class with fields and `score`, made a check."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, is_dataclass
from typing import Any, get_type_hints

from assay.types.tests import AnswerCheck


def make_check(name: str, cls: type) -> type[AnswerCheck]:
    """The class as a check; an annotation that cannot be read is found here for a plugin."""
    score = getattr(cls, "score", None)
    if not callable(score) or score is AnswerCheck.score:
        raise TypeError("it has no method score(self, answer)")
    if issubclass(cls, AnswerCheck):
        made: type[AnswerCheck] = dataclass(frozen=True, slots=True, kw_only=True)(cls)
    else:
        own = cls if is_dataclass(cls) else dataclass(frozen=True, kw_only=True)(cls)
        body = {"__doc__": cls.__doc__, "__module__": cls.__module__, "score": _with_context(score)}
        made = type(cls.__name__, (own, AnswerCheck), body)
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


def _read_annotations(cls: type[AnswerCheck]) -> None:
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUserError

    try:
        get_type_hints(cls)
        TypeAdapter(cls)
    except (PydanticUserError, NameError) as error:
        raise TypeError(str(error).splitlines()[0]) from error
