"""The agent tools as the official client sees them: a call without work, a cancelled long one, and
how many characters an evaluation of the shipped checkpoint with every metric has; by hand.

    python benchmarks/agent_tools.py [--whole]

`--whole` evaluates the shipped checkpoint in all ways, which takes minutes.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import anyio
import psutil
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from measuring import Figure

import assay

TINY = Path(assay.__file__).parent / "builtin/checkpoints/tiny"
CALLS, CANCELLED = 30, 5


def client_in(folder: Path) -> Client:
    words = ["-m", "assay", "mcp", "--allow", str(folder), "--out", str(folder / "out")]
    server = StdioServerParameters(command=sys.executable, args=words, cwd=folder)
    return Client(stdio_client(server))


async def time_calls(folder: Path) -> list[float]:
    """Seconds of a call that only reads, the first one of a tool left out."""
    taken = []
    async with client_in(folder) as client:
        for _ in range(CALLS + 1):
            started = time.perf_counter()
            await client.call_tool("validate_tests", {"path": str(folder / "tests")})
            taken.append(time.perf_counter() - started)
    return taken[1:]


async def time_cancelling(folder: Path) -> list[float]:
    async with client_in(folder) as client:
        return [await _time_until_ended(client, folder) for _ in range(CANCELLED)]


async def _time_until_ended(client: Client, folder: Path) -> float:
    """Seconds from a cancel in the middle of the answers until no process is left."""
    given = {"checkpoint_path": str(folder / "step_008000"), "benchmark_suite": "os"}
    asked = 0.0
    with anyio.CancelScope() as scope:

        async def hear(done: float, total: float | None, message: str | None) -> None:
            nonlocal asked
            if done and total and done < total and not asked:
                asked = time.perf_counter()
                scope.cancel()

        await client.call_tool("run_benchmark", given, progress_callback=hear)
    while any("mcp.worker" in " ".join(each.cmdline()) for each in _processes()):
        await anyio.sleep(0.01)
    return time.perf_counter() - asked


def _processes() -> list[psutil.Process]:
    found = psutil.Process().children(recursive=True)
    return [each for each in found if each.is_running() and each.status() != "zombie"]


async def count_characters(folder: Path) -> int:
    async with client_in(folder) as client:
        given = {"checkpoint_path": str(folder / "step_008000")}
        result = await client.call_tool("evaluate_model", given, read_timeout_seconds=3600)
    return len(result.content[0].text)


def figures(folder: Path, *, whole: bool = False) -> Iterator[Figure]:
    copytree(TINY, folder, dirs_exist_ok=True)
    (folder / "tests").mkdir()
    test = {"id": "a_001", "prompt": "1 + 1?", "eval_method": "exact_match", "expected": "2"}
    (folder / "tests" / "a.json").write_text(json.dumps([test]))
    calls = anyio.run(time_calls, folder)
    told = f"median {1000 * statistics.median(calls):.0f} ms, slowest {1000 * max(calls):.0f} ms"
    yield Figure(f"agent tools: a call without work, {CALLS} calls", told, "-", "100 ms")
    ends = anyio.run(time_cancelling, folder)
    told = f"{min(ends):.2f} to {max(ends):.2f} s"
    yield Figure(f"agent tools: a cancelled call, {CANCELLED} times", told, "-", "2 s")
    if whole:
        size = anyio.run(count_characters, folder)
        yield Figure("agent tools: a whole evaluation", f"{size:,} characters", "-", "4,000")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        for figure in figures(Path(made).resolve(), whole="--whole" in sys.argv):
            print(figure)
