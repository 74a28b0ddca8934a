"""Options of the command line, made from the option classes of `assay.types.options`. Every command
takes --out and --lang; the language is set in `main`, before any sentence is made.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import click

from assay.errors import UsageError
from assay.interfaces.cli.commands import COMMANDS
from assay.interfaces.cli.output import Command, Explained, language_option, say
from assay.messages import Message, fill, tr
from assay.types.option_fields import GROUPS, OUTPUT, CommandOptions, OptionField, options_of
from assay.types.options import RANDOM, RunOptions, draw_seed


class NamedPath(click.Path):
    """A path that must be named: an empty one would mean the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse '', which an unset variable of a script becomes."""
        if value == "":
            self.fail(tr("an empty path; leave the option out, or name a path"), param, ctx)
        return super().convert(value, param, ctx)


class NumberRange(click.FloatRange):
    """A number in a range. No comparison with NaN is true, so a range alone would accept it."""

    name = tr("decimal number")

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse NaN: a limit that is none would never be exceeded."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            wrong = tr(
                "{value!r} is not a valid {number_type}.", value=value, number_type=self.name
            )
            self.fail(wrong, param, ctx)
        return number


class DrawnNumber(click.IntRange):
    """A whole number, or "random", which draws one and says which."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value != RANDOM:
            return super().convert(value, param, ctx)
        seed = draw_seed()
        say(tr("data seed: {seed}", seed=seed))
        return seed


class GroupedOption(click.Option):
    """An option that belongs to a group of `--help`."""

    def __init__(self, *given: Any, group: str = OUTPUT, **about: Any) -> None:
        super().__init__(*given, **about)
        self.group = group

    def get_help_extra(self, ctx: click.Context) -> Any:
        """The default, but not the range of numbers: an error states it."""
        extra = super().get_help_extra(ctx)
        extra.pop("range", None)
        if "default" in extra:
            extra["default"] = extra["default"].removesuffix(".0")
        return extra


class GroupedCommand(Explained):
    """Shows the options in groups, then the examples."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One section for each group; the options without one are output options."""
        rows: dict[str, list[tuple[str, str]]] = {group: [] for group in GROUPS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record:
                rows[getattr(parameter, "group", OUTPUT)].append(record)
        for group, records in rows.items():
            if records:
                with formatter.section(group):
                    formatter.write_dl(records)


def command(
    name: str, *, examples: Sequence[str], help: str = "", summary: str = ""
) -> Callable[[Command], click.Command]:
    """A command with --out and --lang. Its summary is its line in `assay --help`."""
    summary = summary or fill(COMMANDS[name][1], {})

    def decorate(function: Command) -> click.Command:
        make = click.command(
            name,
            cls=GroupedCommand,
            context_settings={"help_option_names": ["-h", "--help"]},
            short_help=summary,
            help=f"{summary}\n\n{help}".rstrip(),
            epilog="\n".join(examples),
        )
        return make(named_options("out")(language_option(function)))

    return decorate


def all_options(kind: type[CommandOptions]) -> Callable[[Command], Command]:
    """Every option of a class but --out, which every command has."""
    return _added(each for each in options_of(kind).values() if each.name != "out")


def port_option(port: int) -> Callable[[Command], Command]:
    return click.option(
        "--port",
        type=click.IntRange(0, 65535),
        default=port,
        show_default=True,
        metavar="N",
        help=tr("Port to listen on; 0: any free port."),
    )


@contextmanager
def web_extra(server: Message) -> Iterator[None]:
    """What serves is imported here: a package that is missing is told with the extra it is in.
    `server`: a sentence with a gap for the package.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in ("starlette", "uvicorn", "multipart"):
            raise
        raise UsageError(
            fill(server, {"package": error.name}), hint=tr("pip install 'slm-assay[web]'")
        ) from error


def named_options(*names: str) -> Callable[[Command], Command]:
    return _added(options_of(RunOptions)[name] for name in names)


def _added(options: Iterable[OptionField]) -> Callable[[Command], Command]:
    made = [click_option(each) for each in options]

    def decorate(function: Command) -> Command:
        for option in reversed(made):
            function = option(function)
        return function

    return decorate


def plugin_option(function: Command) -> Command:
    """--plugin, for a command that does nothing more with it than load them."""
    return click_option(options_of(RunOptions)["plugins"], expose_value=False)(function)


def _load_plugins(ctx: click.Context, parameter: click.Parameter, names: tuple[str, ...]) -> Any:
    """Before other options are read: a plugin may add to what they take."""
    from assay import api

    api.load_plugins(names)
    return names


def click_option(described: OptionField, **more: Any) -> Callable[[Command], Command]:
    if described.name == "plugins":
        more |= {"is_eager": True, "callback": _load_plugins}
    about, kind, default = described.about, described.type, described.default
    is_flag = kind is bool
    shows_default = not is_flag and default not in (None, "", ())

    return click.option(
        *described.flags,
        described.name,
        cls=GroupedOption,
        group=described.group,
        type=None if is_flag else _type_of(described),
        default=default,
        show_default=shows_default,
        multiple=described.many,
        metavar=described.metavar,
        help=about.help,
        **({"is_flag": True, "flag_value": not default} if is_flag else {}),
        **more,
    )


def _type_of(described: OptionField) -> Any:
    about, kind = described.about, described.type
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    if kind is int:
        numbers = DrawnNumber if about.may_draw else click.IntRange
        whole = numbers(_whole(about.least), _whole(about.most))
        whole.name = tr("whole number")
        return whole
    if kind is float:
        is_open = about.above is not None
        return NumberRange(about.above if is_open else about.least, about.most, is_open)
    if kind is Path:
        return NamedPath(
            path_type=Path,
            file_okay="folder" not in about.path,
            exists="existing" in about.path,
        )
    return str


def _whole(limit: float | None) -> int | None:
    return None if limit is None else int(limit)


models_argument = click.argument("models", metavar="MODEL...", nargs=-1, required=True)
as_json = click.option(
    "--json",
    "as_json",
    is_flag=True,
    help=tr("Print one JSON document on stdout and nothing else."),
)
failed = click.option("--failed", is_flag=True, help=tr("Show every failed test, not only five."))
verbose = click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help=tr("Show all details before the scores and the decision."),
)


def format_of(*names: str, or_plugin: bool = False) -> Callable[[Command], Command]:
    """--format; with `or_plugin` any registered report format."""
    others = tr("Format of the output: {names}, or that of a plugin.", names=", ".join(names))
    return click.option(
        "--format",
        "output_format",
        type=str if or_plugin else click.Choice(names),
        metavar="NAME" if or_plugin else None,
        default=names[0],
        show_default=True,
        help=others if or_plugin else tr("Format of the output."),
    )
