"""Results on standard output. A reader that goes away, or a closed stream, is no error."""

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from assay.errors import AssayError, Interrupted
from assay.messages import LANGUAGES_OFFERED, tr
from assay.text.safe_text import visible

if TYPE_CHECKING:
    from assay.api.rendering import Result

Command = TypeVar("Command", bound=Callable[..., Any])


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """`assay report | head`: what the reader does not want is not written, and that is all."""
    try:
        yield
        if sys.stdout:
            sys.stdout.flush()
    except BrokenPipeError:
        settle_streams()


def settle_streams() -> None:
    """Write out what is buffered, and let go of a stream that cannot take it: else the interpreter
    tries again at exit, fails, and ends with 120 whatever the command said.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream:
                stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def say(text: str) -> None:
    """A line on stderr, if anybody can have it. Escape codes in it are shown, not obeyed."""
    with suppress(OSError):
        click.echo(visible(text), err=True)


def write_exactly(lines: Iterable[str]) -> None:
    """Records as they are, in UTF-8: no console rule drops an escape code from an answer."""
    if sys.stdout is None:
        return
    with reader_may_leave():
        for line in lines:
            sys.stdout.buffer.write(line.encode("utf-8", "surrogatepass"))


def stdout_takes_unicode() -> bool:
    """Whether every character can be written as it is."""
    return bool(sys.stdout) and (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


class Formatter(click.HelpFormatter):
    def write_heading(self, heading: str) -> None:
        """Click's own has the colon of English."""
        shown = tr("{heading}:", heading=heading)
        self.write(f"{'':{self.current_indent}}{shown}\n")


class TranslatedContext(click.Context):
    formatter_class = Formatter


class Explained(click.Command):
    """A command whose help ends with examples, one a line, never wrapped."""

    context_class = TranslatedContext

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section(tr("Examples")):
            for line in (self.epilog or "").splitlines():
                formatter.write(f"{'':{formatter.current_indent}}{line}\n")


def language_option(function: Command) -> Command:
    return click.option(
        "--lang",
        type=click.Choice(LANGUAGES_OFFERED),
        expose_value=False,
        help=tr("Language of messages and reports. Default: from LANG if supported, else en."),
    )(function)


def show(result: "Result", form: str, *, verbose: bool = False, failed: bool = False) -> None:
    from assay.api.rendering import render

    if failed:
        from assay.types.results import Report  # most commands show nothing of it

        if isinstance(result, Report):
            result = replace(result, every_failure=True)
    ascii_only = not stdout_takes_unicode()
    write(render(result, form, verbose=verbose, ascii_only=ascii_only))


def show_stopped(stopped: Interrupted, out: Path) -> None:
    """The document of a run that was stopped on the way; only a refusal has none."""
    from assay import api
    from assay.api.rendering import render_stopped

    try:
        report = api.report(stopped.run, out=out)
    except AssayError:  # a full disk, say: then why it stopped is all there is
        raise stopped from None
    write(render_stopped(stopped, report, ascii_only=not stdout_takes_unicode()))


def watched(function: str, /, **options: Any) -> Any:
    """What a public function returns; its progress is shown on stderr."""
    from assay import api
    from assay.api.rendering import progress_for

    with progress_for(sys.stderr) as observer:
        return getattr(api, function)(**options, observer=observer)


def perform(
    function: str, form: str, /, *, verbose: bool = False, failed: bool = False, **options: Any
) -> int:
    """Call a public function that is observed, show its result, and return its exit code."""
    result = watched(function, **options)
    show(result, form, verbose=verbose, failed=failed)
    return int(result.exit_code)


@reader_may_leave()
def write(text: str) -> None:
    """As it is: colours are in the text only where stdout is a terminal."""
    if sys.stdout:
        sys.stdout.write(text if text.endswith("\n") else f"{text}\n")


def where_assay_is() -> str:
    """What `assay` in a printed command means, where a shell would not find it."""
    if shutil.which("assay"):
        return ""
    beside = shutil.which("assay", path=str(Path(sys.executable).parent))
    if beside is None:
        command = shlex.join([sys.executable, "-m", "assay"])
    else:
        here, found = Path.cwd(), Path(beside)
        command = shlex.quote(str(found.relative_to(here) if found.is_relative_to(here) else found))
    return tr("assay here is {command}", command=command)
