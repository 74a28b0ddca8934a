"""The command `serve`: a model of this machine for others to ask; it needs the extra `web`."""

from pathlib import Path
from typing import Any

import click

from assay.interfaces.cli.options import address_options, all_options, command, web_extra
from assay.interfaces.cli.output import say, write
from assay.messages import message, tr
from assay.types.options import LocalOptions

PORT = 8766


@command(
    "serve",
    help=tr(
        "MODEL is a checkpoint folder, an adapter, hf:ORG/NAME or gguf:FILE. The server answers "
        "/v1/completions (with echo, logprobs and prompt_logprobs), /v1/chat/completions, "
        "/v1/models and /tokenize, on this machine only, until Ctrl-C. Another host needs a token, "
        "which is the API key of every request."
    ),
    examples=[
        "assay serve runs/my-model/step_008000",
        "assay serve gguf:model-q4.gguf --port 8080",
        "assay serve runs/my-model/final --host 0.0.0.0 --token SECRET",
    ],
)
@click.argument("model", metavar="MODEL")
@address_options(PORT)
@all_options(LocalOptions)
def serve(model: str, port: int, host: str, token: str | None, out: Path, **local: Any) -> int:
    with web_extra(message("the server needs {package}, which is not installed")):
        from assay.interfaces.serve.server import serve as serve_model
    say(tr("{name}: loading", name=model))
    serve_model(model, LocalOptions(**local), host=host, port=port, token=token, say=write)
    return 0
