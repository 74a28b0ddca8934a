"""The command `mcp`: the agent tools, which need the extra `mcp`."""

from pathlib import Path

import click

from assay.errors import UsageError
from assay.interfaces.cli.options import NamedPath, command
from assay.interfaces.cli.output import say
from assay.messages import tr


@command(
    "mcp",
    help=tr(
        "Offers eight tools to agent programs: evaluate_model, run_benchmark, generate_samples, "
        "select_checkpoint, compare, explain_result, list_suites and validate_tests. They read "
        "nothing outside the allowed folders. Without --http it speaks over stdin and stdout, as "
        "an agent program starts it."
    ),
    examples=["assay mcp --allow runs/ --allow my-tests/", "assay mcp --http 8770"],
)
@click.option(
    "--http",
    "port",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help=tr("Serve HTTP on 127.0.0.1 at this port instead; 0: any free port."),
)
@click.option(
    "--token", metavar="T", help=tr("Token that clients must send. Default: a random one.")
)
@click.option(
    "--allow",
    multiple=True,
    type=NamedPath(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help=tr("Folder that may be read; repeatable. Default: the working folder."),
)
@click.option(
    "--allow-code-execution",
    is_flag=True,
    help=tr("Run the code in answers in a sandbox, as evidence."),
)
def mcp(
    port: int | None,
    token: str | None,
    allow: tuple[Path, ...],
    allow_code_execution: bool,
    out: Path,
) -> int:
    try:
        from assay.interfaces.mcp.folders import AllowedFolders
        from assay.interfaces.mcp.server import Settings
        from assay.interfaces.mcp.transports import serve_http, serve_stdio
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "anyio", "starlette", "uvicorn"):
            raise
        raise UsageError(
            tr("the agent tools need {package}, which is not installed", package=error.name),
            hint=tr("pip install 'slm-assay[mcp]'"),
        ) from error
    allowed = AllowedFolders(allow or (Path.cwd(),))
    settings = Settings(out.resolve(), allowed, allow_code_execution)
    if port is None:
        serve_stdio(settings)
    else:
        serve_http(settings, port=port, token=token, say=say)
    return 0
