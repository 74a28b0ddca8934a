"""Public functions that take the fields of an options class as arguments: for mypy, for `help()`
and for editors. They load the plugins that the options name.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from assay.plugins import load_plugins

P = ParamSpec("P")
Given = TypeVar("Given")
Result = TypeVar("Result")


def takes_options(
    kind: Callable[P, Given],
) -> Callable[[Callable[[Given], Result]], Callable[P, Result]]:
    fields = inspect.signature(kind)

    def decorate(function: Callable[[Given], Result]) -> Callable[P, Result]:
        @functools.wraps(function)
        def call(*given: P.args, **named: P.kwargs) -> Result:
            options = kind(*given, **named)
            load_plugins(getattr(options, "plugins", ()))
            return function(options)

        shown: Any = call
        shown.__signature__ = fields.replace(
            return_annotation=function.__annotations__.get("return", inspect.Signature.empty)
        )
        return call

    return decorate
