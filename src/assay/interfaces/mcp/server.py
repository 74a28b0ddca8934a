"""The eight agent tools as an MCP server, over stdio or streamable HTTP on this machine."""

import hmac
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

import anyio
import anyio.to_thread
import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

import assay
from assay import api
from assay.errors import UsageError
from assay.interfaces.mcp import results
from assay.interfaces.mcp.folders import AllowedFolders, CheckedPath
from assay.interfaces.mcp.work import work_on
from assay.interfaces.mcp.worker import error_document
from assay.interfaces.web.server import listen_at
from assay.messages import tr

T = TypeVar("T")
ABOUT = (
    "Decides whether a small language model is good enough, and shows why. Start with "
    "list_suites, then evaluate_model or run_benchmark on a checkpoint folder. Every figure has a "
    "95 % interval and n; explain_result says why one test scored as it did."
)
Checkpoint = Annotated[
    str, Field(description="Folder of one checkpoint (config.json and weights), or gguf:FILE.")
]
RunId = Annotated[
    str, Field(description="Id of a run, the beginning of one, `latest`, or a model of the store.")
]


@dataclass(frozen=True)
class Settings:
    out: Path
    allowed: AllowedFolders
    allow_code_execution: bool = False


def make_server(settings: Settings) -> MCPServer:
    server = MCPServer("assay", instructions=ABOUT, version=assay.__version__, log_level="WARNING")
    _offer_work(server, settings)
    _offer_looks(server, settings)
    return server


def _offer_work(server: MCPServer, settings: Settings) -> None:
    """What asks a checkpoint: in a process, with progress, and ended when cancelled."""

    async def work(context: Context, tool: str, paths: list[CheckedPath], **arguments: Any) -> Any:
        call = {
            "tool": tool,
            "arguments": arguments,
            "out": str(settings.out),
            "allow_code_execution": settings.allow_code_execution,
        }
        done = await work_on(call, context.report_progress)
        if "error" in done:
            raise _tool_error(done["error"])
        for path in paths:
            await _look(settings.allowed.check_unchanged, path)
        return done["result"]

    @server.tool(structured_output=True)
    async def evaluate_model(
        context: Context,
        checkpoint_path: Checkpoint,
        test_dataset: Annotated[
            str | list[str] | None,
            Field(description="Text for perplexity: a file, or texts. Default: the shipped one."),
        ] = None,
        metrics: Annotated[
            list[str] | None,
            Field(
                description="Out of perplexity, accuracy, mmlu, hellaswag, os_benchmark, "
                "generation, speed, memory. Default: all, which takes minutes."
            ),
        ] = None,
    ) -> results.EvaluationAnswer:
        """Measure one checkpoint and say whether the shipped gate accepts it, with reasons."""
        paths = [await _look(settings.allowed.check, checkpoint_path)]
        text: str | list[str] | None = test_dataset
        if isinstance(text, str):
            paths.append(await _look(settings.allowed.check, text))
            text = paths[-1].text
        given = {"checkpoint_path": paths[0].text, "test_dataset": text, "metrics": metrics}
        found: results.EvaluationAnswer = await work(context, "evaluate_model", paths, **given)
        return found

    @server.tool(structured_output=True)
    async def run_benchmark(
        context: Context,
        checkpoint_path: Checkpoint,
        benchmark_suite: Annotated[
            str, Field(description="Name of a suite (see list_suites), or a folder of tests.")
        ],
    ) -> results.BenchmarkAnswer:
        """The score of one checkpoint on one suite, a share from 0 to 1."""
        paths = [await _look(settings.allowed.check, checkpoint_path)]
        suite = benchmark_suite
        if suite not in await _look(_suite_names):
            paths.append(await _look(settings.allowed.check, suite))
            suite = paths[-1].text
            await _look(_refuse_code, paths[-1].real, settings)
        given = {"checkpoint_path": paths[0].text, "benchmark_suite": suite}
        found: results.BenchmarkAnswer = await work(context, "run_benchmark", paths, **given)
        return found

    @server.tool(structured_output=True)
    async def generate_samples(
        context: Context, checkpoint_path: Checkpoint, prompts: list[str]
    ) -> results.SamplesAnswer:
        """What a checkpoint writes after each prompt, with what fails: loops, nonsense."""
        paths = [await _look(settings.allowed.check, checkpoint_path)]
        given = {"checkpoint_path": paths[0].text, "prompts": prompts}
        found: results.SamplesAnswer = await work(context, "generate_samples", paths, **given)
        return found


def _offer_looks(server: MCPServer, settings: Settings) -> None:
    """What only reads files and the store."""

    @server.tool(structured_output=True)
    async def select_checkpoint(
        folder: Annotated[str, Field(description="Folder of evaluated checkpoints.")],
        gate: Annotated[str | None, Field(description="A gate file; default: shipped.")] = None,
    ) -> results.SelectionAnswer:
        """Which checkpoint of a folder to ship, how sure that is, and what the others lack."""
        place = await _look(settings.allowed.check, folder)
        gate_file = await _look(settings.allowed.check, gate) if gate else None

        def look() -> results.SelectionAnswer:
            named = gate_file.text if gate_file else None
            found = api.select_checkpoint(place.text, named, out=settings.out)
            if gate_file:
                settings.allowed.check_unchanged(gate_file)
            settings.allowed.check(place.text)  # its `out` may lie below, and has changed
            return results.selection_of(found)

        return await _look(look)

    @server.tool(structured_output=True)
    async def compare(run_a: RunId, run_b: RunId) -> results.ComparisonAnswer:
        """Two runs or models of the store, paired by test: what differs, what flipped."""
        return await _look(
            lambda: results.comparison_of(api.compare(run_a, run_b, out=settings.out).to_dict())
        )

    @server.tool(structured_output=True)
    async def explain_result(run: RunId, test_id: str) -> results.ExplanationAnswer:
        """Why each model of a run has its score on one test: question, answer, checks, judge."""
        return await _look(
            lambda: results.explanation_of(api.explain_result(run, test_id, out=settings.out))
        )

    @server.tool(structured_output=True)
    async def list_suites() -> results.SuitesAnswer:
        """The suites that ship or were fetched, with their categories and numbers of tests."""
        return await _look(lambda: results.suites_of(api.list_suites()))

    @server.tool(structured_output=True)
    async def validate_tests(
        path: Annotated[str, Field(description="A test file, a suite folder or a gate file.")],
    ) -> results.ValidationAnswer:
        """Every mistake and warning in test files, with line and column. Runs no code."""
        place = await _look(settings.allowed.check, path)

        def look() -> results.ValidationAnswer:
            found = api.validate_tests(place.text)
            settings.allowed.check_unchanged(place)
            return results.validation_of(found)

        return await _look(look)


def _suite_names() -> set[str]:
    """What is none of these is a path."""
    suites: Any = api.list_suites()["suites"]
    return {"custom_os_eval", *(each["suite"] for each in suites)}


def _refuse_code(suite: Path, settings: Settings) -> None:
    """A suite's own programs make its files and check its answers."""
    programs = [] if settings.allow_code_execution else sorted(suite.glob("*/*.py"))
    if programs:
        raise UsageError(
            tr("{name} is a program of the suite, and code must not run here", name=programs[0]),
            hint=tr("start the server with --allow-code-execution; it then runs in the sandbox"),
        )


async def _look(function: Callable[..., T], *given: object) -> T:
    """Beside the server's own loop; an error becomes a document that says whether to try again."""
    try:
        return await anyio.to_thread.run_sync(lambda: function(*given))
    except Exception as error:  # whatever it is, the agent is told
        raise _tool_error(error_document(error)) from error


def _tool_error(document: object) -> ToolError:
    return ToolError(json.dumps({"error": document}, ensure_ascii=False))


class BearerToken:
    """Lets in who sends the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(given, self._expected):
                refusal = PlainTextResponse(tr("the token is missing or wrong"), 401)
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)


def serve_stdio(settings: Settings) -> None:
    anyio.run(make_server(settings).run_stdio_async)


def serve_http(
    settings: Settings, *, port: int, token: str | None, say: Callable[[str], None]
) -> None:
    """On 127.0.0.1 only. Without a token one is made up, and said."""
    token = token or secrets.token_urlsafe(24)
    app = BearerToken(make_server(settings).streamable_http_app(host="127.0.0.1"), token)
    with listen_at("127.0.0.1", port) as listening:
        bound = listening.getsockname()[1]
        say(tr("The agent tools are at http://127.0.0.1:{port}/mcp", port=bound))
        say(tr("Send the header  Authorization: Bearer {token}  (Ctrl-C ends it)", token=token))
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, ws="none",
            timeout_graceful_shutdown=1,
        )  # fmt: skip
        uvicorn.Server(config).run(sockets=[listening])
