"""lm-evaluation-harness itself: imported late, and silent while it works."""

import contextlib
import importlib
import io
import logging
from collections.abc import Iterator
from importlib import metadata
from typing import Any

from assay.errors import UsageError
from assay.messages import tr

PREFIX = "lm-eval:"  # of a suite's name
LOGGER = "lm_eval"


@contextlib.contextmanager
def refused_where_missing() -> Iterator[None]:
    """Where the harness, or what it needs, is not there, the command that installs it is named."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "assay":
            raise
        raise UsageError(
            tr("lm-evaluation-harness needs {package}, which is not installed", package=error.name),
            hint=tr("pip install 'slm-assay[lm-eval]'"),
        ) from error


def needed(module: str) -> Any:
    """A module of the harness."""
    with refused_where_missing():
        return importlib.import_module(module)


def version() -> str:
    needed("lm_eval")
    return metadata.version("lm-eval")


class _Warnings(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: dict[str, None] = {}

    def emit(self, record: logging.LogRecord) -> None:
        self.texts[" ".join(record.getMessage().split())] = None


@contextlib.contextmanager
def quietly() -> Iterator[dict[str, None]]:
    """While the harness works: no bars, no log; what it warns of is handed over instead."""
    log, heard = logging.getLogger(LOGGER), _Warnings()
    before = log.propagate, log.handlers[:], log.level
    log.propagate, log.handlers = False, [heard]
    log.setLevel(logging.WARNING)
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            yield heard.texts
    finally:
        log.propagate, log.handlers = before[0], before[1]
        log.setLevel(before[2])
