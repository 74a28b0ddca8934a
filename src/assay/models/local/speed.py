"""The speed that is reported: a fresh process, all cores, one text at a time. `python -m` this
module is that process; it ends with its parent, which holds its standard input open.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from assay.errors import AssayError, ModelUnavailable
from assay.machine import this_machine
from assay.messages import tr
from assay.text.number_format import exact

DEADLINE_S = 900.0
GO = b"\n"
LOOK_EVERY_S = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedCheckpoint:
    """What the process is told. Where it is None, the usual is taken."""

    folder: str
    tokenizer: str | None = None
    trust_remote_code: bool = False
    device: str = "cpu"
    dtype: str | None = None
    prompt_tokens: int | None = None
    new_tokens: int | None = None
    repeats: int = 3


@dataclass(frozen=True, slots=True)
class TimingProcess:
    """The process that times a checkpoint, and what it says."""

    of: TimedCheckpoint
    _process: subprocess.Popen[bytes]
    _said: IO[bytes]
    _complained: IO[bytes]

    def measure(
        self, *, stopped: Callable[[], bool] = lambda: False, deadline_s: float = DEADLINE_S
    ) -> dict[str, Any]:
        """Raises ModelUnavailable, also at the deadline and when `stopped`."""
        with suppress(BrokenPipeError):  # it has ended, and said why
            assert self._process.stdin is not None
            self._process.stdin.write(GO)
        _wait(self._process, stopped, deadline_s)
        return _answer(_last_line(self._said), _last_line(self._complained))

    def end(self) -> None:
        _end(self._process)


@contextmanager
def begun_to_time(of: TimedCheckpoint) -> Iterator[TimingProcess]:
    """It loads the weights at once, and measures when it is told to."""
    command = [sys.executable, "-m", "assay.models.local.speed", json.dumps(asdict(of))]
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complained:
        process = subprocess.Popen(
            command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=said,
            stderr=complained,
            env={**os.environ, "PYTHONWARNINGS": "", "HF_HUB_OFFLINE": "1", "PYTHONUTF8": "1"},
            start_new_session=True,  # so that it can be ended with all it started
        )
        try:
            yield TimingProcess(of, process, said, complained)
        finally:
            _end(process)


def measure_speed(
    of: TimedCheckpoint,
    *,
    stopped: Callable[[], bool] = lambda: False,
    deadline_s: float = DEADLINE_S,
) -> dict[str, Any]:
    """In a process of its own. Raises ModelUnavailable, also at the deadline and when `stopped`."""
    with begun_to_time(of) as timing:
        return timing.measure(stopped=stopped, deadline_s=deadline_s)


def _wait(process: subprocess.Popen[bytes], stopped: Callable[[], bool], deadline_s: float) -> None:
    deadline = time.monotonic() + deadline_s
    while process.poll() is None:
        if stopped():
            raise ModelUnavailable(tr("timing the model was stopped"), hint="")
        if time.monotonic() > deadline:
            raise ModelUnavailable(
                tr("timing the model took longer than {seconds} s", seconds=exact(deadline_s)),
                hint=tr("other programs may be using this machine: end them and run again"),
            )
        time.sleep(LOOK_EVERY_S)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)  # it leads a group of its own
        else:
            process.kill()
        process.wait()
    if process.stdin is not None:
        process.stdin.close()


def _last_line(file: IO[bytes]) -> str:
    file.seek(0)
    lines = file.read().decode("utf-8", "replace").splitlines()
    return next((line for line in reversed(lines) if line.strip()), "")


def _answer(said: str, complained: str) -> dict[str, Any]:
    try:
        document: dict[str, Any] = json.loads(said)
    except ValueError as error:
        raise ModelUnavailable(
            tr("timing the model ended without a result: {words}", words=complained or "-"),
            hint=tr("most often there was too little memory for a second copy of the model"),
        ) from error
    if "error" in document:
        kind = ModelTooLarge if document["out_of_memory"] else ModelUnavailable
        raise kind(document["error"]["message"], hint=document["error"]["hint"])
    return document


class ModelTooLarge(ModelUnavailable):
    """The model, with its context, does not fit."""


def main(of: TimedCheckpoint) -> None:
    begin = threading.Event()
    threading.Thread(target=_end_with_parent, args=(begin,), daemon=True).start()
    try:
        document = measure_here(of, ready=begin.wait)
    except AssayError as error:
        told = {"message": error.message, "hint": error.hint}
        document = {"error": told, "out_of_memory": False}
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError) and "memory" not in str(error):
            raise  # torch raises a RuntimeError of its own, on the CPU and on a GPU
        why = tr("there is too little memory to time {folder}", folder=of.folder)
        told = {"message": why, "hint": tr("end other programs and run again")}
        document = {"error": told, "out_of_memory": True}
    sys.stdout.write(json.dumps(document) + "\n")


def _end_with_parent(begin: threading.Event) -> None:
    """The pipe ends with the parent. `os.read` takes no lock that keeps Python from ending."""
    while os.read(0, 1):
        begin.set()
    if hasattr(os, "killpg") and os.getpid() == os.getpgrp():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


def measure_here(
    of: TimedCheckpoint,
    *,
    threads: int | None = None,
    clock: Callable[[], float] = time.perf_counter,
    ready: Callable[[], object] = lambda: None,
) -> dict[str, Any]:
    """In this process, with a thread for each core unless told otherwise. `resident_mb`: beyond
    what the process was before loading; None where not told. `ready` is called with the weights
    loaded, before anything is measured.
    """
    from assay.models.local.finding import find_checkpoint
    from assay.models.local.loading.skeleton import require_extra

    require_extra()
    checkpoint = find_checkpoint(
        Path(of.folder),
        tokenizer=Path(of.tokenizer) if of.tokenizer else None,
        trust_remote_code=of.trust_remote_code,
    )
    import psutil
    import torch

    from assay.engine.timing import MB, measure_bandwidth, time_decoding
    from assay.models.local.loading.checkpoint import choose_dtype, examine, load

    machine = this_machine()
    torch.set_num_threads(threads or machine.cores)
    examined = examine(checkpoint)
    dtype = of.dtype or choose_dtype(None, of.device, examined.dtype_on_disk)
    idle = psutil.Process().memory_info().rss
    network = load(checkpoint, of.device, dtype, examined=examined)
    ready()
    when, before = datetime.now(UTC), _processor_seconds()
    figures = time_decoding(
        network,
        prompt_tokens=of.prompt_tokens,
        new_tokens=of.new_tokens,
        repeats=of.repeats,
        clock=clock,
    )
    on_gpu = int(torch.cuda.max_memory_allocated()) if network.device.type == "cuda" else 0
    peak = _peak_resident()  # before the buffers that bandwidth is measured with
    size = figures["bytes_per_token"]
    bandwidth = measure_bandwidth(network.device, network.dtype, size=size)
    return {
        **figures,
        "memory_bytes_per_s": bandwidth,
        "share_of_bandwidth": size * figures["tokens_per_s"] / bandwidth,
        "resident_mb": None if peak is None else max(0, peak - idle) / MB,
        "dtype": dtype,
        "gpu_mb": on_gpu / MB,
        "machine": asdict(machine),
        "measured_at": f"{when:%Y-%m-%dT%H:%M:%SZ}",
        "others_share": _share_of_others(before, _processor_seconds()),
    }


def _processor_seconds() -> tuple[float, float]:
    """Of all programs, and of this one."""
    import psutil

    everything, own = psutil.cpu_times(), psutil.Process().cpu_times()
    idle = everything.idle + getattr(everything, "iowait", 0.0)
    guests = getattr(everything, "guest", 0.0) + getattr(everything, "guest_nice", 0.0)
    return sum(everything) - guests - idle, own.user + own.system


def _share_of_others(before: tuple[float, float], after: tuple[float, float]) -> float:
    """Of the time that was computed, how much was for other programs: 0 to 1."""
    whole, own = after[0] - before[0], after[1] - before[1]
    return round(min(1.0, max(0.0, 1 - own / whole)), 3) if whole > 0 else 0.0


def _peak_resident() -> int | None:
    """Linux tells it in `status`; `getrusage` there counts the parent that started it."""
    if sys.platform.startswith("linux"):
        status = Path("/proc/self/status").read_text("utf-8")
        found = re.search(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)
        return int(found.group(1)) * 1024 if found else None
    if sys.platform == "win32":
        import psutil

        return int(psutil.Process().memory_info().peak_wset)
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    main(TimedCheckpoint(**json.loads(sys.argv[1])))
