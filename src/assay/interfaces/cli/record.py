"""The command `record`: an application's calls become a suite; it needs the extra `web`."""

from pathlib import Path

import click

from assay.interfaces.cli.options import NamedPath, command, port_option, web_extra
from assay.interfaces.cli.output import write
from assay.messages import message, tr

PORT = 8767
FOLDER = "recorded"


@command(
    "record",
    help=tr(
        "Passes an application's requests on to a server, and its answers back, byte for byte, "
        "until Ctrl-C. Each call becomes a test, with the recorded answer as reference. The proxy "
        "listens on this machine only. Headers are never stored; keys and passwords are removed "
        "from texts by their form."
    ),
    examples=[
        "assay record --to http://127.0.0.1:11434",
        "assay record --to http://127.0.0.1:8080/v1 --port 9000 --out-suite my-app",
        "assay run scripted:recorded/answers/qwen3-4b.json ollama:gemma3:1b -s recorded/",
    ],
)
@click.option(
    "--to",
    required=True,
    metavar="URL",
    help=tr("Server to pass requests on to: Ollama, or any with an OpenAI-compatible API."),
)
@port_option(PORT)
@click.option(
    "--out-suite",
    type=NamedPath(path_type=Path, file_okay=False),
    default=FOLDER,
    show_default=True,
    metavar="DIR",
    help=tr("Folder of the suite; calls of an earlier recording there are kept."),
)
def record(to: str, port: int, out_suite: Path, out: Path) -> int:
    with web_extra(message("the server needs {package}, which is not installed")):
        from assay.interfaces.record.server import record as record_calls
    record_calls(to, out_suite, port=port, say=write)
    return 0
