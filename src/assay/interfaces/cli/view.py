"""The command `view`: the web viewer, which needs the extra `web`."""

from pathlib import Path

import click

from assay.interfaces.cli.options import command, port_option, web_extra
from assay.interfaces.cli.output import write
from assay.messages import message, tr

PORT = 8765


@command(
    "view",
    help=tr(
        "Serves pages of what is in the store, on this machine only, until Ctrl-C. With RUN it "
        "opens that run: an id, the beginning of one, or latest. Another host needs a token, which "
        "is then asked for on every request."
    ),
    examples=[
        "assay view",
        "assay view latest --port 8080",
        "assay view --no-open --host 0.0.0.0 --token SECRET",
    ],
)
@click.argument("run", required=False)
@port_option(PORT)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="H",
    help=tr("Address to listen on; any other than this machine needs --token."),
)
@click.option("--token", metavar="T", help=tr("Token that every request must carry."))
@click.option("--no-open", is_flag=True, help=tr("Do not open the browser."))
def view(run: str | None, port: int, no_open: bool, host: str, token: str | None, out: Path) -> int:
    with web_extra(message("the viewer needs {package}, which is not installed")):
        from assay.interfaces.web.server import serve
    serve(out, run=run, host=host, port=port, token=token, open_browser=not no_open, say=write)
    return 0
