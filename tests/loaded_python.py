"""Processes that begin where a Python has loaded what Assay imports.

In: what would follow `python` on a command line, a folder, an environment. Out: the finished
process, as `subprocess.run` gives it, or one that has begun, as `subprocess.Popen` gives it or on a
terminal.

Half of the time of a short `assay` is spent on importing numpy, scipy and pydantic (0.9 of 1.2 s
of one core), and the tests start it some three hundred times. Here one process imports them, once
for each worker, and forks: each run is a process of its own with its own streams, folder,
environment and end, and only the imports are shared. What the interpreter reads when it starts (an
encoding, a PYTHONPATH) cannot be changed afterwards, nor the language of the help that is loaded; a
run that changes one of them is an ordinary new process.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import select
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from assay import lean_imports
from assay.reports.formats import html
from assay.store.bodies import adapter
from assay.text.answer_words import declines
from assay.types import Machine, ModelFacts, Observed, Reply, Score, Suite, Work
from assay.types.measures import every_measure

# What `assay run` of a scripted model has loaded at its end, and the other commands' own parts.
# Neither torch, which takes seconds, nor what reads the environment when it is imported.
LOADED = (
    "assay.api",
    "assay.api.rendering",
    "assay.checkers",
    "assay.checking.begin",
    "assay.checks.exact_match",
    "assay.interfaces.cli.demo",
    "assay.interfaces.cli.front_door.door",
    "assay.interfaces.cli.run",
    "assay.interfaces.cli.output",
    "assay.interfaces.cli.stored",
    "assay.interfaces.cli.suites",
    "assay.interfaces.benchmark_script",
    "assay.measures.accept",
    "assay.measures.score",
    "assay.models.home_made.adapter",
    "assay.models.scripted",
    "assay.reports.measured.drift",
    "assay.reports.formats.terminal",
    "assay.reports.leaderboard",
    "assay.reports.judged.pages",
    "assay.reports.progress",
    "assay.reports.side_by_side",
    "assay.text.commitment",
    "assay.workflow.commands.evaluation",
    "assay.workflow.commands.selection",
    "assay.workflow.reporting.run_files",
    "assay.workflow.running.judging.stage",
    "click",
    "jinja2",
    "markdown_it",
    "numpy.random",
    "platformdirs",
    "psutil",
    "pydantic.dataclasses",
    "rapidfuzz.process",
    "rich.console",
    "rich.live",
    "rich.panel",
    "rich.progress_bar",
    "rich.table",
    "scipy.special",
    "tree_sitter_bash",
)
# What is loaded before a checkpoint is: six seconds of one core.
LOADED_FOR_WEIGHTS = (
    "assay.models.local.answering",
    "assay.models.local.model",
    "transformers.modeling_utils",
    "transformers.models.gpt2.modeling_gpt2",
    "transformers.models.llama.modeling_llama",
)
# The files whose tests ask for it; conftest.py keeps them with one worker.
WITH_LOADED_WEIGHTS = (
    "test_api_page.py",
    "test_checkpoint_crash.py",
    "test_checkpoints.py",
    "test_extend_page.py",
    "test_front_door.py",
    "test_loop.py",
    "test_measure_plugins.py",
    "test_own_samples.py",
    "test_profile.py",
    "test_reviewed_samples.py",
    "test_serve.py",
    "test_size_class.py",
    "test_tokenizer.py",
    "test_trainer_callback.py",
    "test_tutorials.py",
    "test_watch.py",
)
# Read while the interpreter starts or a module is loaded, and never again.
READ_AT_START = ("PYTHON", "LC_", "LANG", "OMP_NUM_THREADS", "OPENBLAS_", "MKL_")
READ_FOR_WEIGHTS = ("HF_", "TORCH_", "TRANSFORMERS_", "ACCELERATE_")
CAN_FORK = hasattr(os, "fork")
TIMEOUT_S = 600  # only a run that hangs takes so long
NUMBER = 8  # bytes of a number that is told


def _is_help(words: Sequence[str]) -> bool:
    """In another language: the help that is loaded is English."""
    return "--lang" in words and "--help" in words


def run_python(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], *, weights: bool = False
) -> subprocess.CompletedProcess[str]:
    """`python` with these words in that folder, to its end. `weights`: it will load a checkpoint,
    so let it begin with torch and transformers too.
    """
    loaded = _loaded_python(weights) if CAN_FORK and not _is_help(words) else None
    if loaded is not None and loaded.serves(environment) and loaded.free.acquire(blocking=False):
        try:
            return loaded.run(words, folder, environment)
        finally:
            loaded.free.release()
    return subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=dict(environment),
        timeout=TIMEOUT_S,
    )


def start_python(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], *, weights: bool = False
) -> subprocess.Popen[str] | Begun:
    """`python` with these words in that folder, which runs on beside the test."""
    loaded = _loaded_python(weights) if CAN_FORK and not _is_help(words) else None
    if loaded is not None and loaded.serves(environment) and loaded.free.acquire(blocking=False):
        try:
            return loaded.begin(words, folder, environment)
        finally:
            loaded.free.release()
    return subprocess.Popen(
        [sys.executable, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=dict(environment),
    )


def start_on_terminal(
    words: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    terminal: int,
    *,
    weights: bool = False,
) -> OnTerminal | None:
    """`python` with these words, begun as a shell in that terminal begins it. None where it would
    have to be an ordinary new process.
    """
    loaded = _loaded_python(weights) if CAN_FORK else None
    if loaded is None or not loaded.serves(environment) or not loaded.free.acquire(blocking=False):
        return None
    return OnTerminal(loaded, loaded.start(words, folder, environment, [terminal]))


class LoadedPython:
    """The process that forks, seen from the tests. One who holds `free` may have it fork."""

    def __init__(self, environment: Mapping[str, str], weights: bool) -> None:
        self.free = threading.Lock()
        self._prefixes = READ_AT_START + (READ_FOR_WEIGHTS if weights else ())
        self._read = self._read_of(environment)
        self._socket, its_own = socket.socketpair()
        self._answers = self._socket.makefile("rb")
        with its_own:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(its_own.fileno()), str(int(weights))],
                stdin=subprocess.DEVNULL,
                # As those of its forks, since a stream asks once whether it can be sought in.
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=dict(environment),
                pass_fds=[its_own.fileno()],
            )

    def serves(self, environment: Mapping[str, str]) -> bool:
        """Whether this differs in nothing that has been read already."""
        return self._read_of(environment) == self._read

    def _read_of(self, environment: Mapping[str, str]) -> dict[str, str]:
        return {k: text for k, text in environment.items() if k.startswith(self._prefixes)}

    def start(
        self,
        words: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        files: Sequence[int],
    ) -> int:
        """Its number. The files are its output and its errors, or one terminal, or for one that is
        not waited for its output, its errors and where its number and its end are told.
        """
        order = {"words": list(words), "folder": str(folder), "environment": dict(environment)}
        line = json.dumps(order).encode() + b"\n"
        socket.send_fds(self._socket, [line[:1]], files)
        self._socket.sendall(line[1:])
        return self.told()

    def run(
        self, words: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        out, its_out = os.pipe()
        err, its_err = os.pipe()
        try:
            pid = self.start(words, folder, environment, [its_out, its_err])
        finally:
            os.close(its_out)
            os.close(its_err)
        try:
            texts = _read_all([out, err], pid)
        finally:
            code = self.told()
        return subprocess.CompletedProcess([sys.executable, *words], code, *texts)

    def begin(self, words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Begun:
        pipes = [os.pipe() for _ in range(3)]
        try:
            self.start(words, folder, environment, [its_own for _, its_own in pipes])
        finally:
            for _, its_own in pipes:
                os.close(its_own)
        return Begun(*(ours for ours, _ in pipes))

    def told(self) -> int:
        """The number of what it started, and later how that ended."""
        line = self._answers.readline()
        if not line:
            raise RuntimeError(self._process.communicate()[1])
        return int(line)

    def end(self) -> None:
        self._answers.close()
        self._socket.close()
        self._process.communicate(timeout=TIMEOUT_S)


class Begun:
    """A process that runs beside the test: what the tests need of `subprocess.Popen`."""

    def __init__(self, out: int, err: int, told: int) -> None:
        self.stdout, self.stderr = (
            os.fdopen(out, encoding="utf-8"),
            os.fdopen(err, encoding="utf-8"),
        )
        self._told = told
        self.pid = self._read()
        self.returncode: int | None = None

    def _read(self) -> int:
        return int.from_bytes(os.read(self._told, NUMBER), "little", signed=True)

    def wait(self, timeout: float | None = TIMEOUT_S) -> int:
        if self.returncode is None:
            if not select.select([self._told], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("assay", timeout or 0)
            self.returncode = self._read()
            os.close(self._told)
        return self.returncode

    def poll(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def communicate(self, timeout: float = TIMEOUT_S) -> tuple[str, str]:
        """What has not been read of its output and its errors."""
        texts = {}

        def read_to_end(stream: TextIO) -> None:
            with stream:
                texts[stream] = stream.read()

        readers = [
            threading.Thread(target=read_to_end, args=[stream], daemon=True)
            for stream in (self.stdout, self.stderr)
        ]
        for reader in readers:
            reader.start()
        self.wait(timeout)
        for reader in readers:
            reader.join(TIMEOUT_S)
        return texts[self.stdout], texts[self.stderr]

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class OnTerminal:
    """A process that has begun on a terminal."""

    def __init__(self, loaded: LoadedPython, pid: int) -> None:
        self._loaded, self._pid = loaded, pid
        self._code: int | None = None

    def end(self) -> int:
        """Wait for it; its exit code."""
        if self._code is None:
            self._code = self._loaded.told()
            self._loaded.free.release()
        return self._code

    def kill(self) -> None:
        if self._code is None:
            os.kill(self._pid, signal.SIGKILL)
            self.end()


def _loaded_python(weights: bool) -> LoadedPython:
    """The one of this worker. Raises where a file asks for torch that is not known to: two workers
    would load it.
    """
    asking = os.environ.get("PYTEST_CURRENT_TEST", "").partition("::")[0]
    if weights and asking and Path(asking).name not in WITH_LOADED_WEIGHTS:
        raise RuntimeError(f"add {Path(asking).name} to WITH_LOADED_WEIGHTS")
    return _load_python(weights)


@cache
def _load_python(weights: bool) -> LoadedPython:
    """With warnings and streams as tests want them."""
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    environment.pop("PYTHONUNBUFFERED", None)
    loaded = LoadedPython(environment, weights)
    atexit.register(loaded.end)
    return loaded


def _read_all(pipes: Sequence[int], pid: int) -> list[str]:
    """All that comes out of each until nobody holds its other end, as text."""
    parts: dict[int, list[bytes]] = {pipe: [] for pipe in pipes}
    until = time.monotonic() + TIMEOUT_S
    with selectors.DefaultSelector() as selector:
        for pipe in pipes:
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            if time.monotonic() > until:
                os.kill(pid, signal.SIGKILL)
                raise subprocess.TimeoutExpired("assay", TIMEOUT_S)
            for key, _ in selector.select(1.0):
                if part := os.read(key.fd, 1 << 16):
                    parts[key.fd].append(part)
                else:
                    selector.unregister(key.fd)
                    os.close(key.fd)
    texts = (b"".join(parts[pipe]).decode() for pipe in pipes)
    return [text.replace("\r\n", "\n").replace("\r", "\n") for text in texts]


# ------------------------------------------------------------------------- the process that forks


def wait_for_orders(connection: socket.socket) -> dict[str, Any]:
    """Fork for each order, and tell how each fork ended. Comes back in the forks alone."""
    while True:
        line, files, _, _ = socket.recv_fds(connection, 1, 3)
        if not line:
            connection.close()
            sys.exit()
        while not line.endswith(b"\n"):
            line += connection.recv(1 << 16)
        order: dict[str, Any] = json.loads(line)
        pid = os.fork()
        if not pid:
            connection.close()
            if len(files) == 3:
                _keep(files)
            _take(files)
            return order
        for file in files:
            os.close(file)
        connection.sendall(b"%d\n" % pid)
        if len(files) == 3:
            continue
        _, status = os.waitpid(pid, 0)
        connection.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))


def _keep(files: list[int]) -> None:
    """Fork once more, and tell the number and the end of that fork. Comes back in it alone."""
    told = files.pop()
    pid = os.fork()
    if pid:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for file in files:
            os.close(file)
        os.write(told, pid.to_bytes(NUMBER, "little"))
        _, status = os.waitpid(pid, 0)
        with suppress(BrokenPipeError):
            code = os.waitstatus_to_exitcode(status)
            os.write(told, code.to_bytes(NUMBER, "little", signed=True))
        os._exit(0)
    os.close(told)


def _take(files: Sequence[int]) -> None:
    """Make them the streams of this process."""
    if len(files) == 1:
        os.login_tty(files[0])
        for number, name in enumerate(("stdin", "stdout", "stderr")):
            before = getattr(sys, name)
            stream = open(  # noqa: SIM115
                number,
                "r" if name == "stdin" else "w",
                buffering=1,
                encoding=before.encoding,
                errors=before.errors,
                closefd=False,
            )
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)
        return
    for number, file in enumerate(files, start=1):
        os.dup2(file, number)
        os.close(file)


def become(words: Sequence[str], folder: str, environment: Mapping[str, str]) -> None:
    """What `python` does with these words."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    if words[0] == "-m":
        sys.path[0] = folder
        sys.argv = list(words[1:])
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = str(Path(words[0]).parent)
        sys.argv = list(words)
        runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    lean_imports.begin()  # as `assay` does
    for name in LOADED + (LOADED_FOR_WEIGHTS if sys.argv[2] == "1" else ()):
        import_module(name)
    html._template()  # a tenth of a second, in each run that writes a report
    for kind in (Machine, ModelFacts, Observed, Reply, Score, Suite, Work):
        adapter(kind)  # another tenth
    # Tables and patterns that nearly every run makes: a third of the rest.
    every_measure()
    declines("I do not know.", only=True)
    gc.collect()
    gc.freeze()
    # A run leaves the modules to the last collections of its process: 0.15 s that show nothing.
    atexit.register(gc.freeze)
    become(**wait_for_orders(socket.socket(fileno=int(sys.argv[1]))))
