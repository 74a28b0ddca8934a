"""Functions that entries call with `call NAME ARGUMENTS`, in a fork, in the entry's folder."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import textwrap
from contextlib import closing
from pathlib import Path
from typing import Any

OUT = Path("assay-out")


def run_ids() -> list[str]:
    """Return the ids of the store's runs, newest first."""
    with closing(sqlite3.connect(OUT / "assay.db")) as store:
        rows = store.execute("SELECT id FROM runs ORDER BY rowid DESC").fetchall()
    return [row[0] for row in rows]


def report_against(later: str, earlier: str) -> str:
    """Do `assay report RUN --against RUN`, each the so-manieth newest."""
    ids = run_ids()
    words = ["report", ids[int(later)], "--against", ids[int(earlier)]]
    sys.argv = ["assay", *words]
    from assay.__main__ import main

    try:
        main()
    except SystemExit as ended:
        return f"exit {ended.code}"
    return "exit 0"


def tool(name: str, *arguments: str) -> object:
    """Call one of the agent tools, or another function of the package, with texts."""
    import assay

    return getattr(assay, name)(*arguments)


def tool_with(name: str, arguments: str) -> object:
    """Call one of the agent tools with arguments as a JSON object."""
    import assay

    return getattr(assay, name)(**json.loads(arguments))


def compared(first: str, second: str) -> dict[str, object]:
    """Compare two models of the store."""
    import assay

    result = assay.compare(first, second)
    keys = list(result.to_dict())
    return {"repr": repr(result), "exit_code": int(result.exit_code), "keys": keys}


def mistake_of(name: str, arguments: str) -> object:
    """Return how a function refuses its arguments."""
    import assay
    from assay.errors import AssayError

    try:
        return getattr(assay, name)(**json.loads(arguments))
    except AssayError as error:
        return {
            "error": type(error).__name__,
            "message": str(error),
            "hint": error.hint,
            "exit_code": int(error.exit_code),
        }


def options_of_commands() -> str:
    """Return each command with its arguments and options, one option a line, as click has them."""
    import click

    from assay.interfaces.cli import group

    lines: list[str] = []
    commands = group()
    context = click.Context(commands)
    for name in commands.list_commands(context):
        command = commands.get_command(context, name)
        assert command
        parts: list[str] = []
        for parameter in command.params:
            names = "/".join([*parameter.opts, *parameter.secondary_opts])
            several = " (repeatable)" if parameter.multiple or parameter.nargs == -1 else ""
            kind = parameter.type
            choices = ""
            if isinstance(kind, click.Choice):
                choices = " " + "|".join(str(choice) for choice in kind.choices)
            parts.append(f"{names}{choices}{several}")
        lines.extend(
            [
                name,
                *textwrap.wrap(
                    "; ".join(parts), 96, initial_indent="    ", subsequent_indent="    "
                ),
            ]
        )
    return "\n".join(lines)


def public_functions() -> str:
    """Return the names of the package, and what each function takes."""
    import inspect

    import assay

    lines: list[str] = []
    for name in sorted(assay.__all__):
        value = getattr(assay, name)
        if inspect.isfunction(value):
            names = [
                f"{parameter}" if about.default is about.empty else f"{parameter}="
                for parameter, about in inspect.signature(value).parameters.items()
            ]
            lines.append(f"{name}({', '.join(names)})")
        else:
            lines.append(name)
    return "\n".join(lines)


def scores_by_method() -> list[object]:
    """Score answers of every eval_method with assay.score: value, what was read, and why."""
    import assay
    from tests.oracle.scored_answers import SCORED

    shown: list[object] = []
    for test, answers in SCORED:
        rows: list[object] = []
        for answer in answers:
            scored = assay.score({"id": "q_001", "prompt": "Why?", **test}, answer)
            rows.append(
                [
                    answer,
                    scored.value,
                    scored.unscored_reason,
                    scored.extracted,
                    scored.explanation,
                ]
            )
        shown.append({"test": test, "answers": rows})
    return shown


def specified_functions() -> dict[str, object]:
    """The specification's functions over the last shipped checkpoint."""
    import assay

    model = "tiny/step_008000"
    text = Path("text.txt").read_text("utf-8")[:3000]
    Path("own_os").mkdir()
    for category in ("hardware_id", "driver_select", "command_complete", "installation"):
        test = {
            "id": f"{category}_001",
            "prompt": "The driver of the network card is",
            "eval_method": "keywords",
            "expected_keywords": ["the"],
            "max_tokens": 8,
        }
        file = Path("own_os") / f"{category}.json"
        file.write_text(json.dumps([test]), "utf-8")
    metrics = {
        "perplexity": 20.0,
        "os_avg": 0.8,
        "mmlu_cs": 0.4,
        "inference_speed": 25.0,
    }
    return {
        "compute_perplexity of a path": assay.compute_perplexity(model, "text.txt"),
        "compute_perplexity of texts": assay.compute_perplexity(model, [text[:1500], text[1500:]]),
        "compute_weighted_score": assay.compute_weighted_score(metrics),
        "compute_weighted_score without two parts": assay.compute_weighted_score(
            {"perplexity": 20.0, "os_avg": 0.8}
        ),
        "check_generation_quality, good": assay.check_generation_quality(
            "Explain what a driver is.",
            "A driver is a program that lets the kernel talk to a piece of hardware.",
        ),
        "check_generation_quality, loop": assay.check_generation_quality(
            "Explain what a driver is.", "the driver is the driver is " * 30
        ),
        "run_os_benchmark": assay.run_os_benchmark(model, "own_os"),
    }


def run_from_python() -> dict[str, object]:
    """assay.run with names, and what its result offers."""
    import assay

    result = assay.run(["scripted:good.json"], suites=["little"], categories=["sums"])
    table = result.to_pandas()
    return {
        "repr": repr(result),
        "columns": list(table.columns),
        "rows": len(table),
        "keys": list(result.to_dict()),
        "notebook": "<table" in result._repr_html_(),
    }


def output_of(*words: str) -> str:
    """Return what `assay WORDS` writes to stdout, as a process."""
    import subprocess

    done = subprocess.run(
        [sys.executable, "-m", "assay", *words], capture_output=True, text=True, check=False
    )
    return done.stdout


def escapes_in(*words: str) -> dict[str, int]:
    """Count what a terminal would obey in the output of a command."""
    text = output_of(*words)
    obeyed = {"ESC": "\x1b", "BEL": "\x07", "CSI": "\x9b", "RLO": "\u202e", "NUL": "\x00"}
    return {"texts": int(bool(text)), **{n: text.count(c) for n, c in obeyed.items()}}


def markup_in(*words: str) -> dict[str, int]:
    """Count the attacks that stand in the output of a command as they were said."""
    from tests.oracle.hostile_inputs import ATTACKS

    text = output_of(*words)
    counts = {attack[:40]: text.count(attack) for attack in ATTACKS if "<" in attack}
    return {"texts": int(bool(text)), **counts}


def record_calls(server: str) -> str:
    """Pass three calls of an application through `assay record`, and end it with Ctrl-C."""
    import http.client
    import re
    import signal
    import subprocess

    command = [sys.executable, "-m", "assay", "record", "--to", server, "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as it:
        assert it.stdout
        said: list[str] = []
        port = 0
        for line in it.stdout:
            said.append(line)
            found = re.search(r"127\.0\.0\.1:(\d+)", line.replace(server, ""))
            if found:
                port = int(found[1])
                break
        for question in ("What is 1 plus 1?", "My key is sk-abcdefghijklmnopqrstuvwx1234567890"):
            body: dict[str, Any] = {
                "model": "smollm2:135m-instruct-q4_1",
                "messages": [{"role": "user", "content": question}],
                "stream": False,
            }
            with closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
                connection.request("POST", "/api/chat", json.dumps(body))
                connection.getresponse().read()
        it.send_signal(signal.SIGINT)
        said.append(it.stdout.read())
        code = it.wait()
    return "".join(said) + f"exit {code}\n"


def kinds_of(schema: dict[str, Any]) -> dict[str, object]:
    """Return the names of a tool's arguments with what each may be."""
    required = schema.get("required", [])
    shown: dict[str, object] = {}
    for name, about in schema["properties"].items():
        kinds = [each.get("type") for each in about.get("anyOf", [about])]
        shown[name] = " or ".join(kinds) + (", required" if name in required else "")
    return shown


def tools_over_mcp() -> list[object]:
    """List the tools and prompts that `assay mcp` offers, and call three."""
    import anyio
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    shown: list[object] = []
    folder = os.getcwd()

    async def talk() -> None:
        parameters = StdioServerParameters(
            command=sys.executable,
            args=["-m", "assay", "mcp", "--allow", folder],
            cwd=folder,
            env=dict(os.environ),
        )
        async with Client(stdio_client(parameters)) as client:
            for offered in (await client.list_tools()).tools:
                shown.append({"tool": offered.name, "takes": kinds_of(offered.input_schema)})
            for prompt in (await client.list_prompts()).prompts:
                shown.append({"prompt": prompt.name})
            for name, arguments in (
                ("explain_result", {"run": "latest", "test_id": "words_001"}),
                ("validate_tests", {"path": "/etc"}),
                ("compare", {"run_a": "nothing", "run_b": "latest"}),
            ):
                result = await client.call_tool(name, arguments)
                text = result.content[0].text
                shown.append({"call": name, "error": result.is_error, "text": text[:1500]})

    anyio.run(talk)
    return shown
