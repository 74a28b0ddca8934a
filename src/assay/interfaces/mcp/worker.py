"""One long call, in a process of its own: a cancelled call ends whatever it is doing, and what was
counted until then is in the store.

In: one line of JSON, the call. Out: lines of JSON, `progress`, then `result` or `error`.
"""

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from assay.api.digests import Document
from assay.errors import AssayError, Interrupted, StoreFull, in_one_line
from assay.interfaces.mcp.results import benchmark_of, clipped, samples_of
from assay.messages import tr
from assay.types.requests import Reply
from assay.types.scores import Score, SilentProgress

try:
    import fcntl
except ImportError:  # Windows: two runs may then share a store, which costs time, not answers
    fcntl = None  # type: ignore[assignment]

LOCK = "agent-tools.lock"
LEAST_APART_S = 0.2
# First SIGTERM, so that the run is closed, and after this SIGKILL for the whole group: a
# cancelled call left no process after 1.02 s.
TO_END_S = 1.0


class ToldProgress(SilentProgress):
    """Tells the server what has been counted, a few times a second."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._done = self._total = 0
        self._told_at = 0.0

    def model_started(self, spec: str, *, total: int, reused: int) -> None:
        self._total += total
        self._done += reused
        self._tell(tr("asking {model}", model=Path(spec).name))

    def replied(self, spec: str, reply: Reply, score: Score | None) -> None:
        self._done += 1
        if time.monotonic() - self._told_at > LEAST_APART_S or self._done == self._total:
            self._tell("")

    def note(self, sentence: str) -> None:
        self._tell(sentence)

    def _tell(self, message: str) -> None:
        self._told_at = time.monotonic()
        told = {"done": self._done, "total": self._total, "message": message}
        write_line(self._out, {"progress": told})


def write_line(out: BinaryIO, document: Mapping[str, object]) -> None:
    out.write(json.dumps(document).encode() + b"\n")
    out.flush()


def error_document(error: Exception) -> dict[str, object]:
    """`retry`: whether the same call may succeed later, with nothing changed."""
    if not isinstance(error, AssayError):
        said = tr("a mistake in Assay: {kind}: {error}", kind=type(error).__name__, error=error)
        return {"message": said, "hint": tr("please report it"), "retry": False}
    retry = isinstance(error, Interrupted) and not isinstance(error, StoreFull)
    message = in_one_line(error) if error.findings else str(error)
    return {"message": message, "hint": error.hint, "retry": retry}


def do_call(call: Mapping[str, Any], out: BinaryIO) -> Document:
    from assay import api  # after the first line: torch takes its time

    arguments = call["arguments"]
    common: dict[str, Any] = {"out": Path(call["out"]), "observer": ToldProgress(out)}
    match call["tool"]:
        case "evaluate_model":
            return api.evaluate_model(**arguments, **common)
        case "run_benchmark":
            score = api.run_benchmark(
                **arguments, allow_code_execution=call["allow_code_execution"], **common
            )
            return benchmark_of(Path(arguments["benchmark_suite"]).name, score.to_dict())
        case "generate_samples":
            samples = api.generate_samples(**arguments, **common)
            return samples_of([each.to_dict() for each in samples])
        case "judge_run":
            allowed = call["allow_code_execution"]
            judged = api.judge_run(**arguments, allow_code_execution=allowed, **common)
            found: Document = clipped(judged)
            return found
    raise ValueError(call["tool"])


@contextmanager
def one_at_a_time(folder: Path, out: BinaryIO) -> Iterator[None]:
    """Runs of one store come one after another; who waits says so."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("w") as lock:
        if fcntl is not None:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                waits = tr("waiting: another run is using this store")
                write_line(out, {"progress": {"done": 0, "total": 0, "message": waits}})
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main() -> None:
    # What a library prints must not come between the lines of the answer.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    call = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_server, daemon=True).start()
    try:
        with one_at_a_time(Path(call["out"]), out):
            write_line(out, {"result": do_call(call, out)})
    except Exception as error:  # noqa: BLE001  # whatever it is, the agent is told
        write_line(out, {"error": error_document(error)})


def _end_with_server() -> None:
    """The server holds the other end of the pipe; a killed one cannot say that it is gone."""
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(TO_END_S)
    os._exit(1)


if __name__ == "__main__":
    main()
