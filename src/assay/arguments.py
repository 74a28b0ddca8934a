"""Public functions take the fields of an options class; what is wrong is named as it was written.

The command line checks the same limits while it reads its options (interfaces/cli/options.py).
"""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypeVar, get_args, get_origin

from assay.errors import AssayError, UsageError, raise_all
from assay.files.wording import did_you_mean, nearest
from assay.messages import tr
from assay.plugins import load_plugins
from assay.types.option_fields import CommandOptions, OptionField, options_of

Given = TypeVar("Given")
Result = TypeVar("Result")
P = ParamSpec("P")
_FLAG = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")


def takes_options(
    kind: Callable[P, Given],
) -> Callable[[Callable[[Given], Result]], Callable[P, Result]]:
    """A public function takes the fields of `kind` as arguments: for mypy, `help()` and editors. It
    loads the plugins that they name. A wrong argument is named as the caller wrote it.
    """
    fields = inspect.signature(kind)

    def decorate(function: Callable[[Given], Result]) -> Callable[P, Result]:
        @wraps(function)
        def call(*given: P.args, **named: P.kwargs) -> Result:
            _refuse_unknown(function.__name__, fields, given, named)
            options = kind(*given, **named)
            with _hints_for_python(type(options)):
                _refuse_wrong_values(options)
                load_plugins(getattr(options, "plugins", ()))
                return function(options)

        shown: Any = call
        shown.__signature__ = fields.replace(
            return_annotation=function.__annotations__.get("return", inspect.Signature.empty)
        )
        return call

    return decorate


def _refuse_unknown(
    function: str, known: inspect.Signature, given: Sequence[Any], named: Mapping[str, Any]
) -> None:
    """A TypeError as Python raises it, with the function that was called and the nearest name."""
    try:
        known.bind(*given, **named)
    except TypeError as error:
        unknown = next((name for name in named if name not in known.parameters), None)
        said = f"{function}() {error}"
        raise TypeError(
            did_you_mean(said, unknown, known.parameters) if unknown else said
        ) from None


def _refuse_wrong_values(options: object) -> None:
    """All values of another type than their option has, or outside its limits, at once."""
    if isinstance(options, CommandOptions):
        known = options_of(type(options)).values()
        raise_all([UsageError(said) for each in known for said in _wrong(each, options)])


@contextmanager
def _hints_for_python(kind: type) -> Iterator[None]:
    """What to do next is a note of the error, with arguments in the place of flags."""
    try:
        yield
    except AssayError as error:
        if error.hint and not getattr(error, "__notes__", None):
            error.add_note(_in_python(error.hint, kind))
        raise


def _in_python(hint: str, kind: type) -> str:
    if not issubclass(kind, CommandOptions):
        return hint
    names = {flag: name for name, each in options_of(kind).items() for flag in each.flags}
    return _FLAG.sub(lambda flag: f"{names[flag[0]]}=" if flag[0] in names else flag[0], hint)


def _wrong(known: OptionField, options: CommandOptions) -> Iterator[str]:
    value = getattr(options, known.name)
    if value is None and known.default is None:
        return
    for one in value if known.many and isinstance(value, tuple) else (value,):
        said = _wrong_type(known, one) or _outside(known, one)
        if said:
            yield said


def _wrong_type(known: OptionField, value: Any) -> str:
    if get_origin(known.type) is Literal:
        choices = [str(each) for each in get_args(known.type)]
        if value in get_args(known.type):
            return ""
        said = tr(
            "{name} must be {kind}, not {value}",
            name=known.name,
            kind=tr("one of {choices}", choices=", ".join(choices)),
            value=repr(value),
        )
        near = nearest(value, choices) if isinstance(value, str) else None
        return did_you_mean(said, near, [near]) if near else said
    kinds: dict[Any, tuple[Any, str]] = {
        bool: (bool, tr("True or False")),
        int: (int, tr("a whole number")),
        float: (int | float, tr("a number")),
        str: (str, tr("a text")),
        Path: (Path, tr("a path")),
    }
    if known.type not in kinds:
        return ""
    accepted, kind = kinds[known.type]
    if isinstance(value, accepted) and (known.type is bool or not isinstance(value, bool)):
        return ""
    return tr("{name} must be {kind}, not {value}", name=known.name, kind=kind, value=repr(value))


def _outside(known: OptionField, value: Any) -> str:
    about = known.about
    if about.least is not None and value < about.least:
        kind = tr("at least {limit}", limit=repr(about.least))
    elif about.most is not None and value > about.most:
        kind = tr("at most {limit}", limit=repr(about.most))
    elif about.above is not None and value <= about.above:
        kind = tr("above {limit}", limit=repr(about.above))
    else:
        return ""
    return tr("{name} must be {kind}, not {value}", name=known.name, kind=kind, value=repr(value))
