"""Writes results on stdout, in the format that the user chose."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.interfaces.cli.output import reader_may_leave, stdout_takes_unicode
from assay.messages import tr

if TYPE_CHECKING:
    from assay.api.rendering import Result


def show(result: Result, form: str, *, verbose: bool = False) -> None:
    from assay.api.rendering import render

    ascii_only = not stdout_takes_unicode()
    write(render(result, form, verbose=verbose, ascii_only=ascii_only))


def perform(
    call: Callable[..., Any], form: str, /, *, verbose: bool = False, **options: Any
) -> int:
    """Call a public function that is observed, show its result, and return its exit code."""
    from assay.api.rendering import progress_for

    with progress_for(sys.stderr) as observer:
        result = call(**options, observer=observer)
    show(result, form, verbose=verbose)
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
