"""`assay doctor`: what this machine can do."""

from __future__ import annotations

from pathlib import Path

from assay.interfaces.cli.options import as_json, command
from assay.messages import tr


@command(
    "doctor",
    help=tr(
        "Checks Python, memory, disk, GPU, Ollama with its models and whether they fit, and API "
        "keys (never their values), and says what to do about what is missing. Asks no model "
        "anything; the exit code is always 0."
    ),
    examples=["assay doctor", "assay doctor --json", "OLLAMA_HOST=192.168.1.20 assay doctor"],
)
@as_json
def doctor(as_json: bool, out: Path) -> int:
    """Look, then show."""
    from assay import api
    from assay.interfaces.cli.output import show

    show(api.examine_machine(out=out), "json" if as_json else "text")
    return 0
