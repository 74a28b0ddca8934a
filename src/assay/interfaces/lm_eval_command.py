"""`python -m assay.lm_eval`: the harness's own command line, in which `--model assay` is known. In:
its words. Out: what it prints and writes, and its exit code; 2 for what is refused here.
"""

import sys

from assay.errors import AssayError, UsageError
from assay.interfaces.cli import end_with, speak_as_asked
from assay.messages import tr


def main() -> None:
    """The harness's own errors stay as it shows them; only ours become words."""
    speak_as_asked(sys.argv[1:])
    try:
        _run()
    except AssayError as error:
        refusal = error

        def refuse(_: list[str]) -> int:
            raise refusal

        end_with("lm_eval", refuse)


def _run() -> None:
    try:
        from assay.interfaces import lm_eval as registered  # noqa: F401
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "assay":
            raise
        raise UsageError(
            tr("lm-evaluation-harness needs {package}, which is not installed", package=error.name),
            hint=tr("pip install 'slm-assay[lm-eval]'"),
        ) from error
    from lm_eval.__main__ import cli_evaluate

    cli_evaluate()
