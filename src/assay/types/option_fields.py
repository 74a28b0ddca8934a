"""Fields of dataclasses that are options of the command line as well."""

import shlex
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field, fields
from functools import cache
from inspect import get_annotations
from pathlib import Path
from types import NoneType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from assay.messages import tr
from assay.types.model_spec import without_secrets
from assay.types.options_class import options_class

if TYPE_CHECKING:
    from assay.types.models import Model
    from assay.types.suites import Suite

PathKind = Literal["any", "folder", "existing", "existing folder"]

# The groups of `--help`, in order.
WHAT, HOW, JUDGE = tr("What to ask"), tr("How to ask"), tr("Judge")
CHECKPOINTS, OUTPUT = tr("Checkpoints"), tr("Output")
GROUPS = (WHAT, HOW, JUDGE, CHECKPOINTS, OUTPUT)

Value = TypeVar("Value")
_KEY = "option"

# A caller may give a path as text; `CommandOptions` makes a Path of it, and that is what is read.
if TYPE_CHECKING:

    class PathOption:
        def __get__(self, options: object, kind: Any = None) -> Path: ...
        def __set__(self, options: object, given: str | Path) -> None: ...

    class OptionalPathOption:
        def __get__(self, options: object, kind: Any = None) -> Path | None: ...
        def __set__(self, options: object, given: str | Path | None) -> None: ...

    class PathsOption:
        def __get__(self, options: object, kind: Any = None) -> tuple[Path, ...]: ...
        def __set__(self, options: object, given: str | Path | Sequence[str | Path]) -> None: ...

    class NamesOption:
        def __get__(self, options: object, kind: Any = None) -> tuple[Any, ...]: ...
        def __set__(self, options: object, given: str | Path | Suite | Sequence[Any]) -> None: ...

    GivenPath = str | Path
    GivenModels = str | Path | Model | Sequence[Any]
else:
    PathOption, OptionalPathOption, PathsOption = Path, Path | None, Sequence[Path]
    NamesOption, GivenPath, GivenModels = Sequence[Any], Path, Sequence[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What the command line says about an option. `flags`: empty for `--name-of-the-field`.
    `least`, `most`: limits of a number; `above`: a number must be greater than this. `repeats_run`:
    the command that repeats a run contains it. `is_model`: a model spec, whose URL may contain a
    password. `may_draw`: "random" draws the number. `identity`: another value is another run.
    """

    help: str
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    least: float | None = None
    most: float | None = None
    above: float | None = None
    path: PathKind = "any"
    repeats_run: bool = True
    is_model: bool = False
    may_draw: bool = False
    identity: bool = False


def option(default: Value, *flags: str, help: str, **about: Any) -> Value:
    """A field that is also an option of the command line. Typed as its default, for mypy."""
    known: Value = field(default=default, metadata={_KEY: About(help=help, flags=flags, **about)})
    return known


def path_option(default: Any, *flags: str, help: str, **about: Any) -> Any:
    """An option whose value is a path, or several: it has one type as given, another as read."""
    return option(default, *flags, help=help, **about)


def path_default(default: Any) -> Any:
    """The default of a path that is an argument of functions and no option."""
    return field(default=default)


@dataclass(frozen=True, slots=True)
class OptionField:
    """One option as interfaces read it. `type` is never optional; `many`: it may be repeated."""

    name: str
    type: Any
    many: bool
    default: Any
    group: str
    about: About

    @property
    def flags(self) -> tuple[str, ...]:
        """As they are typed, the one that `words` uses first."""
        return self.about.flags or (f"--{self.name.replace('_', '-')}",)

    @property
    def metavar(self) -> str | None:
        """What `--help` shows for the value; None for a flag or a choice, which shows itself."""
        if self.about.metavar or self.about.is_model:
            return self.about.metavar or "MODEL"
        path = "DIR" if "folder" in self.about.path else "FILE"
        return {int: "N", float: "S", Path: path, str: "NAME"}.get(self.type)


@options_class()
class CommandOptions:
    """The base of all option classes; each of them belongs to one group of `--help`."""

    group: ClassVar[str] = OUTPUT

    def __post_init__(self) -> None:
        """Where several are possible a list, one thing or None becomes a tuple; a text a path, or
        a path a text, as the field has it.
        """
        for name, (kind, many) in _types_of(type(self)).items():  # type: ignore[arg-type]
            value = getattr(self, name)
            if many and value is None and self.__dataclass_fields__[name].default == ():
                object.__setattr__(self, name, ())
            elif many and value is not None and not isinstance(value, tuple):
                given = tuple(_as_declared(each, kind) for each in several(value))
                object.__setattr__(self, name, given)
            elif kind is Path and isinstance(value, str):
                object.__setattr__(self, name, Path(value))

    def shared_with(self, kind: type) -> dict[str, Any]:
        """The values of the fields that `kind` has too, to make one of it."""
        names = {each.name for each in fields(kind)}
        return {
            each.name: getattr(self, each.name) for each in fields(type(self)) if each.name in names
        }

    def command_line(self, verb: str, *arguments: str) -> str:
        """The command with these options that repeats or continues what it did."""
        shown = (without_secrets(argument) for argument in arguments)
        return shlex.join(["assay", verb, *shown, *self.words()])

    def identity(self) -> dict[str, Any]:
        """What tells runs apart, as far as it is not the default: a new option changes no run."""
        found = {
            each.name: getattr(self, each.name)
            for each in options_of(type(self)).values()
            if each.about.identity and getattr(self, each.name) != each.default
        }
        return {
            name: sorted(value) if isinstance(value, tuple) else value
            for name, value in sorted(found.items())
        }

    def words(self) -> Iterator[str]:
        """The options that differ from their defaults, as a user types them."""
        for each in options_of(type(self)).values():
            value = getattr(self, each.name)
            if value == each.default or not each.about.repeats_run:
                continue
            if isinstance(value, bool):
                yield each.flags[0]
                continue
            for one in value if each.many else (value,):
                text = f"{one:g}" if isinstance(one, float) else str(one)
                yield from (each.flags[0], without_secrets(text) if each.about.is_model else text)


def several(given: object) -> tuple[Any, ...]:
    """A tuple of what a caller gave as one thing or as many."""
    many = isinstance(given, Sequence | Set | Iterator) and not isinstance(given, str)
    return tuple(given) if many else (given,)  # type: ignore[arg-type]


def _as_declared(value: Any, kind: Any) -> Any:
    if kind is Path:
        return Path(value) if isinstance(value, str) else value
    return str(value) if isinstance(value, Path) else value


def options_of(kind: type[CommandOptions]) -> dict[str, OptionField]:
    """The options of a class by the name of their field, group by group."""
    group = {
        name: base.group
        for base in reversed(kind.__mro__)
        if issubclass(base, CommandOptions)
        for name in get_annotations(base)
    }
    types = _types_of(kind)  # type: ignore[arg-type]
    found = [
        OptionField(
            each.name, *types[each.name], each.default, group[each.name], each.metadata[_KEY]
        )
        for each in fields(kind)
        if _KEY in each.metadata
    ]
    return {each.name: each for each in sorted(found, key=lambda one: GROUPS.index(one.group))}


@cache  # a run asks four times for its command
def _types_of(kind: type) -> dict[str, tuple[Any, bool]]:
    """Each field's type, None and Sequence taken away, and whether it was a sequence."""
    hints, found = get_type_hints(kind), {}
    for each in fields(kind):
        hint = hints[each.name]
        if NoneType in get_args(hint):
            hint = next(one for one in get_args(hint) if one is not NoneType)
        many = get_origin(hint) is Sequence
        found[each.name] = (get_args(hint)[0] if many else hint, many)
    return found
