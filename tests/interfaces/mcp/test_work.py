"""Long calls: cancelled, waiting for one another, killed with their server; files that change."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
import time
from contextlib import suppress
from pathlib import Path

import anyio
import psutil
import pytest
from mcp.shared.exceptions import MCPError

from assay.errors import UsageError
from assay.interfaces.mcp.folders import AllowedFolders
from assay.interfaces.mcp.work import MOST_BYTES, _lines
from tests.interfaces.mcp.conftest import over_stdio, scripted

MANY = 400


@pytest.fixture
def long_call(made_folder: Path) -> dict[str, str]:
    """A benchmark with many tests that nobody has asked before, for a minute and more."""
    folder = made_folder / f"long_{time.time_ns()}"
    folder.mkdir()
    tests = [
        {
            "id": f"long_{n:03d}",
            "prompt": f"{folder.name} has {n}",
            "eval_method": "keywords",
            "expected_keywords": ["the"],
        }
        for n in range(MANY)
    ]
    (folder / "long.json").write_text(json.dumps(tests))
    slow = scripted(made_folder, "slowly", delay_s=0.2)
    return {"checkpoint_path": slow, "benchmark_suite": str(folder)}


def replies(folder: Path) -> int:
    if not (folder / "out" / "assay.db").exists():
        return 0
    with sqlite3.connect(folder / "out" / "assay.db") as store:
        return store.execute("SELECT count(*) FROM replies").fetchone()[0]


def workers() -> list[psutil.Process]:
    """Those that a server started: a child of one has its command line until it runs its own."""
    parents = {}
    for each in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):  # it ended meanwhile
            if "assay.interfaces.mcp.worker" in " ".join(each.cmdline()):
                parents[each] = each.ppid()
    ours = {each.pid for each in parents}
    return [each for each, parent in parents.items() if parent not in ours]


def test_a_second_run_on_a_store_waits_and_cancelled_calls_keep_what_was_counted(
    made_folder: Path, long_call: dict[str, str]
) -> None:
    heard: list[float] = []
    said: list[str] = []

    async def talk() -> None:
        async with over_stdio(made_folder) as first, over_stdio(made_folder) as second:
            before = replies(made_folder)
            begun, counted_one = anyio.Event(), anyio.Event()

            async def count(done: float, total: float | None, message: str | None) -> None:
                begun.set()
                heard.append(done)
                if done >= 1:
                    counted_one.set()

            async def hear(done: float, total: float | None, message: str | None) -> None:
                said.append(message or "")
                await counted_one.wait()
                group.cancel_scope.cancel()

            async with anyio.create_task_group() as group:
                group.start_soon(
                    lambda: first.call_tool("run_benchmark", long_call, progress_callback=count)
                )
                await begun.wait()
                await second.call_tool("run_benchmark", long_call, progress_callback=hear)
            assert group.cancel_scope.cancelled_caught
            while workers():
                await anyio.sleep(0.05)
            counted = replies(made_folder) - before
            suites = await first.call_tool("list_suites", {})
            assert not suites.is_error
            assert max(heard) <= counted < MANY

    anyio.run(talk)
    assert said == ["waiting: another run is using this store"]


def test_a_worker_ends_with_its_server(made_folder: Path, long_call: dict[str, str]) -> None:
    async def talk() -> None:
        async with over_stdio(made_folder) as client:
            started = anyio.Event()

            async def begun(done: float, total: float | None, message: str | None) -> None:
                started.set()

            async def call() -> None:
                with suppress(MCPError):  # the connection is closed
                    await client.call_tool("run_benchmark", long_call, progress_callback=begun)

            async with anyio.create_task_group() as group:
                group.start_soon(call)
                await started.wait()
                (worker,) = workers()
                os.kill(worker.ppid(), signal.SIGKILL)
                await anyio.to_thread.run_sync(lambda: psutil.wait_procs([worker], timeout=60))
                assert not worker.is_running()
                group.cancel_scope.cancel()

    anyio.run(talk)


def test_a_file_exchanged_while_it_is_read_withholds_the_result(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "step_1"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (tmp_path / "secret").write_text("{}")
    allowed = AllowedFolders([tmp_path / "runs"])
    checked = allowed.check(str(folder))
    allowed.check_unchanged(checked)
    (folder / "config.json").rename(folder / "kept")
    os.symlink(tmp_path / "secret", folder / "config.json")
    with pytest.raises(UsageError, match="not allowed"):
        allowed.check_unchanged(checked)
    (folder / "config.json").unlink()
    (folder / "kept").rename(folder / "config.json")  # as if nothing had happened
    with pytest.raises(UsageError, match="changed while it was read"):
        allowed.check_unchanged(checked)


def test_a_result_that_is_too_long_is_an_error_and_no_crash() -> None:
    async def read() -> list[dict]:
        program = f"print('x' * {MOST_BYTES + 1})"
        process = await anyio.open_process([sys.executable, "-S", "-c", program])
        async with process:
            return [each async for each in _lines(process)]

    (only,) = anyio.run(read)
    assert "longer than" in only["error"]["message"]
    assert only["error"]["retry"] is False
