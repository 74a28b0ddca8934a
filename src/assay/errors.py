"""The error tree. Each error says what is wrong, what to do next, and how the program ends.

    AssayError
    ├── UsageError ............. 2   the command cannot mean anything
    ├── InvalidFiles ........... 2   test or suite files with mistakes; carries every FileFinding
    ├── SuiteNotFound .......... 2   no such suite, category or folder
    ├── ModelUnavailable ....... 2   a model or server is missing at the start
    ├── SandboxUnavailable ..... 2   code was to be run, and nothing here can confine it
    ├── RunNotFound ............ 2   no run of that id in the store
    ├── StoreError ............. 2   the store cannot be opened
    │   ├── StoreNotWritable ... 2   read-only folder, no permission
    │   ├── StoreVersionError .. 2   written by another Assay
    │   └── StoreCorrupt ....... 2   not a database, or a damaged one
    ├── Refusals ............... 2   several of the above, shown together
    └── Interrupted ............ 130 stopped on the way; the same command continues
        ├── StoreFull .......... 130 no room on the disk; all that was counted is safe
        ├── BudgetSpent ........ 130 the time a user allowed is over
        ├── ServerGone ......... 3   a server went away and did not come back in time
        └── TrainingFailed ..... 3   a command of a loop failed; the same command tries it again

Failed requests and failed gates are results, not exceptions: see `ExitCode`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from assay.messages import joined, labelled

if TYPE_CHECKING:  # `assay --help` raises no error about files, and need not load the vocabulary
    from assay.types import FileFinding

T = TypeVar("T")
P = ParamSpec("P")


class ExitCode(IntEnum):
    """How a command ends. Precedence where several apply: 130, 2, 3, 1, 0."""

    DONE = 0
    NOT_ACCEPTED = 1
    REFUSED = 2
    REQUESTS_FAILED = 3
    INTERRUPTED = 130


class AssayError(Exception):
    """Anything Assay refuses or cannot do. `message` and `hint` are whole, translated sentences."""

    exit_code: ExitCode = ExitCode.REFUSED
    findings: tuple[FileFinding, ...] = ()

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(AssayError):
    """The command line asks for something that makes no sense."""


class InvalidFiles(AssayError):
    def __init__(self, message: str, findings: Sequence[FileFinding], *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.findings = tuple(findings)

    def __str__(self) -> str:
        """With every finding, for a program sees nothing else."""
        return "\n".join((self.message, *map(str, self.findings)))


class SuiteNotFound(AssayError):
    """No such suite, category or folder."""


class ModelUnavailable(AssayError):
    """A model, its file or its server is not there."""


class SandboxUnavailable(AssayError):
    """Nothing on this machine can confine code that a model wrote."""


class RunNotFound(AssayError):
    """No run of that id."""


class StoreError(AssayError):
    """The store cannot be used."""


class StoreNotWritable(StoreError):
    """The folder or the file cannot be written."""


class StoreVersionError(StoreError):
    """The store was written by another version of Assay."""


class StoreCorrupt(StoreError):
    """The file is no database, or a damaged one."""


class Interrupted(AssayError):
    """Stopped on the way; what was counted is in the store, and the same command continues.

    `run`: the id of the unfinished run, once there is one.
    """

    exit_code = ExitCode.INTERRUPTED
    run: str = ""


class StoreFull(Interrupted):
    """No room left; what was counted is safe."""


class BudgetSpent(Interrupted):
    """The time that was allowed is over; the same command continues."""


class ServerGone(Interrupted):
    """Nothing more is sent to it; what was not sent has not failed, and is sent next time."""

    exit_code = ExitCode.REQUESTS_FAILED


class TrainingFailed(Interrupted):
    """A user's command in a loop failed, or left no checkpoint; finished rounds stay."""

    exit_code = ExitCode.REQUESTS_FAILED


class Refusals(AssayError):
    """Several refusals at once: everything that is wrong is shown before anything is asked."""

    def __init__(self, errors: Sequence[AssayError]) -> None:
        # A wrong option is one mistake, however many models it is for.
        told = {(each.message, each.hint, each.findings): each for each in errors}
        errors = list(told.values())
        super().__init__(
            "\n".join(error.message for error in errors),
            hint="\n".join(dict.fromkeys(error.hint for error in errors if error.hint)),
        )
        self.errors = tuple(errors)
        self.findings = tuple(finding for error in errors for finding in error.findings)

    def __str__(self) -> str:
        return "\n".join(map(str, self.errors))


def tried(
    errors: list[AssayError], attempt: Callable[P, T], *given: P.args, **named: P.kwargs
) -> list[T]:
    try:
        return [attempt(*given, **named)]
    except AssayError as error:
        errors.append(error)
        return []


def in_one_line(error: AssayError) -> str:
    """What is wrong and what to do, each of several in turn, for a line of a list or of a log."""
    each = error.errors if isinstance(error, Refusals) else (error,)
    told = (labelled(one, one.hint) if one.hint else str(one) for one in each)
    return joined(" ".join(sentences.split()) for sentences in told)


def raise_all(errors: Sequence[AssayError]) -> None:
    if not errors:
        return
    refusals = Refusals(errors)
    raise refusals.errors[0] if len(refusals.errors) == 1 else refusals
