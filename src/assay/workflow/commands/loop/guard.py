"""Runs one command, and ends it with all it started when the process that asked for it is gone.

In: an order as JSON in the first argument; stdin, which the one who asked holds open as long as it
lives. Out: how the command ended, in the file `status`, unless it was ended from here. A process of
its own, because one that is killed can end nothing any more. Only the standard library: it starts
in a few hundredths of a second.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

TO_END_S = 5.0
PR_SET_CHILD_SUBREAPER = 36
NOT_FOUND = 127  # as a shell says it


def main() -> None:
    order: dict[str, Any] = json.loads(sys.argv[1])
    if sys.platform == "linux":  # what leaves the group becomes a child of ours
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    started = time.monotonic()
    with open(order["input"], "rb") as given, open(order["output"], "ab") as written:
        errors = open(order["errors"], "ab") if order["errors"] else subprocess.STDOUT  # noqa: SIM115
        try:
            child = subprocess.Popen(
                order["words"], stdin=given, stdout=written, stderr=errors, start_new_session=True
            )
        except OSError as error:
            written.write(str(error).encode())
            _write(order["status"], NOT_FOUND, 0.0)
            return
    is_over = threading.Event()
    threading.Thread(target=_end_with_owner, args=(child, is_over), daemon=True).start()
    code = child.wait()
    was_ended = is_over.is_set()
    _kill_all(child)
    if not was_ended:
        _write(order["status"], code, time.monotonic() - started)


def _end_with_owner(child: "subprocess.Popen[bytes]", is_over: threading.Event) -> None:
    while os.read(0, 1):
        pass
    is_over.set()
    _signal(child, signal.SIGTERM)
    time.sleep(TO_END_S)
    _kill_all(child)


def _kill_all(child: "subprocess.Popen[bytes]") -> None:
    """Its group, and on Linux what has left that group."""
    _signal(child, getattr(signal, "SIGKILL", signal.SIGTERM))
    me = os.getpid()
    with suppress(OSError):
        for pid in Path(f"/proc/{me}/task/{me}/children").read_text().split():
            if int(pid) != child.pid or child.returncode is None:
                os.kill(int(pid), signal.SIGKILL)


def _signal(child: "subprocess.Popen[bytes]", number: int) -> None:
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(child.pid, number)
        else:
            child.kill()


def _write(status: str, code: int, seconds: float) -> None:
    partial = f"{status}.partial"
    with open(partial, "w", encoding="utf-8") as file:
        json.dump({"code": code, "seconds": round(seconds, 3)}, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, status)


if __name__ == "__main__":
    main()
