"""A user's commands: their placeholders, and how they are run. No shell reads them.

A command is split into words as a shell would, and placeholders are filled in afterwards: a path
with spaces or quotes stays one word. Inside the script of a shell (`sh -c "…{out}…"`) that would
not hold, so that only plain values are allowed there.
"""

import json
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from os import devnull
from pathlib import Path
from string import Formatter
from typing import Literal, NamedTuple

from assay.errors import AssayError, UsageError, raise_all
from assay.files.wording import did_you_mean
from assay.messages import tr
from assay.workflow.commands.loop import guard

SHELLS = ("sh", "bash", "dash", "zsh", "ksh")
LOOK_S = 0.1
MOST_LINES, MOST_CHARACTERS = 3, 300  # of a log that a message quotes


@dataclass(frozen=True, slots=True)
class UserCommand:
    """`option`: where it was given, for messages."""

    option: str
    words: tuple[str, ...]

    @classmethod
    def read(cls, option: str, text: str, placeholders: Sequence[str]) -> "UserCommand":
        hint = tr("placeholders are {names}; {{{{ and }}}} are braces",
                  names=", ".join(f"{{{each}}}" for each in placeholders))  # fmt: skip
        try:
            command = cls(option, tuple(shlex.split(text)))
            named = [*command.named()]
        except ValueError as error:
            problem = tr("{path} cannot be read: {why}", path=option, why=error)
            raise UsageError(problem, hint=hint) from error
        errors: list[AssayError] = []
        for name in set(named).difference(placeholders):
            problem = tr("{option} has a placeholder that does not exist: {{{name}}}",
                         option=option, name=name)  # fmt: skip
            errors.append(UsageError(did_you_mean(problem, name, placeholders), hint=hint))
        program = command.words[0] if command.words else ""
        if shutil.which(program) is None:
            problem = tr("{option}: there is no program '{name}'", option=option, name=program)
            hint = tr("name a program of the PATH, or the path of a file that can be executed")
            errors.append(UsageError(problem, hint=hint))
        raise_all(errors)
        return command

    def named(self) -> Iterator[str]:
        for word in self.words:
            for _, name, form, conversion in Formatter().parse(word):
                if name is not None:
                    yield (
                        name + (f"!{conversion}" if conversion else "") + (f":{form}" * bool(form))
                    )

    def fill(self, values: Mapping[str, str]) -> list[str]:
        script = self._script()
        filled = []
        for place, word in enumerate(self.words):
            parts = []
            for literal, name, *_ in Formatter().parse(word):
                value = values[name] if name else ""
                if place == script and shlex.quote(value) != value and value:
                    raise UsageError(
                        tr("{option}: {value!r} would be read by the shell, not as one word",
                           option=self.option, value=value),
                        hint=tr("write \"$1\" in the script, and {{{name}}} behind it: "
                                "sh -c 'train \"$1\"' sh {{{name}}}", name=name),
                    )  # fmt: skip
                parts.append(literal + value)
            filled.append("".join(parts))
        return filled

    def _script(self) -> int | None:
        """Which word a shell reads as a program, if any."""
        if Path(self.words[0]).name not in SHELLS:
            return None
        options = (word for word in self.words if word.startswith("-") and "c" in word)
        found = next((word for word in options if not word.startswith("--")), None)
        return None if found is None else self.words.index(found) + 1


class CommandEnd(NamedTuple):
    """`code` is None where it was ended from here: it took too long, or wrote too much."""

    code: int | None
    seconds: float = 0.0
    cut: Literal["time", "size"] | None = None


def run_guarded(
    words: Sequence[str],
    *,
    status: Path,
    output: Path,
    errors: Path | None = None,
    given: Path | None = None,
    until: float = inf,
    most_bytes: float = inf,
    keep_open: Sequence[int] = (),
) -> CommandEnd:
    """To its end, which `status` records. It ends with this process, however that ends.
    `keep_open`: file descriptors that must not close before it has ended.
    """
    for file in (status, output, errors):
        if file is not None:
            file.unlink(missing_ok=True)
    order = {
        "words": list(words),
        "input": str(given or devnull),
        "output": str(output),
        "errors": str(errors) if errors else None,
        "status": str(status),
    }
    begun = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", guard.__file__, json.dumps(order)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        pass_fds=keep_open,
    )
    assert process.stdin is not None
    cut: Literal["time", "size"] | None = None
    try:
        while cut is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(LOOK_S)
                break
            if time.monotonic() > until:
                cut = "time"
            elif output.exists() and output.stat().st_size > most_bytes:
                cut = "size"
    finally:
        process.stdin.close()
        process.wait()
    ended = read_end(status)
    return ended or CommandEnd(None, time.monotonic() - begun, cut)


def read_end(status: Path) -> CommandEnd | None:
    """How a command ended, if it did by itself."""
    try:
        told = json.loads(status.read_bytes())
        return CommandEnd(int(told["code"]), float(told["seconds"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def last_lines(log: Path) -> str:
    with suppress(OSError), log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - 4096))
        lines = file.read().decode("utf-8", "replace").strip().splitlines()
        return " / ".join(line.strip() for line in lines[-MOST_LINES:])[-MOST_CHARACTERS:]
    return ""
