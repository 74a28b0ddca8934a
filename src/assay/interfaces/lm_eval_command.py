"""`python -m assay.lm_eval`: the harness's own command line, in which `--model assay` is known. In:
its words. Out: what it prints and writes, and its exit code; 2 for what is refused here.
"""

import sys

from assay.api.harness import refused_where_missing
from assay.errors import AssayError
from assay.interfaces.cli import end_with, speak_as_asked


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
    with refused_where_missing():
        from assay.interfaces import lm_eval as registered  # noqa: F401
    from lm_eval.__main__ import cli_evaluate

    cli_evaluate()
