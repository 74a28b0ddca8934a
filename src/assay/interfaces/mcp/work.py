"""A long call's process as the server sees it: told what to do, heard, ended with the call."""

import json
import math
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from assay.interfaces.mcp.worker import TO_END_S
from assay.messages import tr

MOST_BYTES = 10_000_000  # of one line
OFFLINE = {"HF_HUB_OFFLINE": "1"}  # no download that nobody asked for
Report = Callable[[float, float | None, str | None], Awaitable[None]]


async def work_on(call: Mapping[str, object], report: Report) -> dict[str, Any]:
    """`{"result": …}` or `{"error": …}`. Ends the process, and all it started, when cancelled."""
    with tempfile.TemporaryFile() as printed:
        process = await anyio.open_process(
            [sys.executable, "-P", "-m", "assay.interfaces.mcp.worker"],
            stderr=printed,
            env={**os.environ, **OFFLINE},
            start_new_session=True,
        )
        try:
            assert process.stdin is not None
            await process.stdin.send(json.dumps(call).encode() + b"\n")
            async for document in _lines(process):
                if "progress" not in document:
                    return document
                told = document["progress"]
                await report(told["done"], told["total"] or None, told["message"] or None)
            code = await process.wait()
            printed.seek(0)
            why = printed.read()[-500:].decode("utf-8", "replace").strip().rpartition("\n")[2]
        finally:
            with anyio.CancelScope(shield=True):
                await _end(process)
    said = tr("the process that works ended with {code}: {why}", code=code, why=why)
    hint = tr("what was counted is kept; the same call continues")
    return {"error": {"message": said, "hint": hint, "retry": True}}


async def _lines(process: Process) -> AsyncIterator[dict[str, Any]]:
    assert process.stdout is not None
    stream = BufferedByteReceiveStream(process.stdout)
    while True:
        try:
            yield json.loads(await stream.receive_until(b"\n", MOST_BYTES))
        except (anyio.IncompleteRead, anyio.EndOfStream, anyio.ClosedResourceError):
            return
        except (anyio.DelimiterNotFound, ValueError):
            said = tr("the result is longer than {most} bytes", most=MOST_BYTES)
            hint = tr("ask about less at a time: fewer prompts, a smaller suite")
            yield {"error": {"message": said, "hint": hint, "retry": False}}
            return


async def _end(process: Process) -> None:
    """Asked first, so that a run is closed properly; killed where that takes too long."""
    for signal_number, seconds in ((signal.SIGTERM, TO_END_S), (signal.SIGKILL, math.inf)):
        if process.returncode is not None:
            break
        _signal_group(process, signal_number)
        with anyio.move_on_after(seconds):
            await process.wait()
    _signal_group(process, signal.SIGKILL)  # what it started and left behind
    await process.aclose()


def _signal_group(process: Process, signal_number: int) -> None:
    try:
        os.killpg(process.pid, signal_number)
    except (ProcessLookupError, PermissionError):
        return
