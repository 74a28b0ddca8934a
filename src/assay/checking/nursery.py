"""The process from which candidates are forked, one for each group of steps.

    checker's process ─ control ─> nursery ─ fork ─> candidate
         └──────────────── channel, a socket pair ──────┘

It is started before the checker, the truth and the answer are read, so that neither it nor its
children hold them. Another one, for code that is run elsewhere, is an interpreter of its own, with
other options and another order of sets.
"""

import gc
import json
import os
import signal
import socket
import sys
import sysconfig
import time
from collections.abc import Mapping
from pathlib import Path

from . import answering
from .wire import send
from .withheld import Witness

_KEEP_PROCESS_PRIVATE = 4  # PR_SET_DUMPABLE


def keep_private() -> None:
    """Nobody of the same user may look into this process through /proc, or trace it."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_KEEP_PROCESS_PRIVATE, 0, 0, 0, 0)


# What such a process needs, in the order in which it is loaded.
_MODULES = ("wire", "withheld", "elsewhere", "answering", "nursery")
_BEGIN = """\
import json, os, sys
from types import ModuleType
with os.fdopen(int(sys.argv[1]), encoding="utf-8") as file:
    sources, sys.path[:] = json.load(file)
for name in ("assay", "assay.checking", *(f"assay.checking.{one}" for one in sources)):
    module = sys.modules[name] = ModuleType(name)
    above, _, last = name.rpartition(".")
    module.__package__, module.__path__ = above or name, []
    if above:
        setattr(sys.modules[above], last, module)
for name, source in sources.items():
    module = sys.modules[f"assay.checking.{name}"]
    del module.__path__
    exec(compile(source, f"{name}.py", "exec"), vars(module))
sys.modules["assay.checking.nursery"].serve_at(int(sys.argv[2]))
"""


def read_sources(home: Path) -> dict[str, str]:
    """What `start_another` needs, while its files are there."""
    return {name: (home / f"{name}.py").read_text("utf-8") for name in _MODULES}


def start_another(sources: Mapping[str, str], hash_seed: int) -> socket.socket:
    """A nursery that is an interpreter of its own, with `-O` and this seed of hashes."""
    ours, theirs = socket.socketpair()
    file = open_scratch_file()
    text = json.dumps([dict(sources), sys.path]).encode()
    while text:
        text = text[os.write(file, text) :]
    os.lseek(file, 0, os.SEEK_SET)
    for handed_on in (file, theirs.fileno()):
        os.set_inheritable(handed_on, True)
    if os.fork() == 0:
        words = [sys.executable, "-O", "-s", "-S", "-P", "-c", _BEGIN, str(file)]
        around = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
        try:
            os.execve(sys.executable, [*words, str(theirs.fileno())], around)
        finally:
            os._exit(1)
    os.close(file)
    theirs.close()
    return ours


def serve_at(control: int) -> None:
    """What it does, once it is loaded."""
    keep_private()
    sysconfig.get_config_vars()  # is found by the name of the system, which is another one later
    os.set_inheritable(control, False)
    gc.freeze()
    _serve_orders(socket.socket(fileno=control), Witness())
    os._exit(0)


def start_nursery() -> socket.socket:
    """Fork it; the socket takes orders."""
    ours, theirs = socket.socketpair()
    # A candidate's search for garbage leaves out what it shares with all the others: else it would
    # look through, and so copy, every module that is loaded here.
    gc.freeze()
    if os.fork() == 0:
        ours.close()
        hide_standard_streams()
        _serve_orders(theirs, Witness())
        os._exit(0)
    theirs.close()
    return ours


def hide_standard_streams() -> None:
    """Let all three lead to a file that nobody reads: a sandbox may lack /dev/null."""
    nothing = open_scratch_file()
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.close(nothing)


def open_scratch_file() -> int:
    """A file without a name."""
    path = f"output-{time.monotonic_ns()}"
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.unlink(path)
    return file


def end_group(child: int) -> None:
    """End a child and all that stayed in its session."""
    for target in (-child, child):
        try:
            os.kill(target, signal.SIGKILL)
        except OSError:
            continue


def _serve_orders(control: socket.socket, witness: Witness) -> None:
    """For each order fork a child with the two files that came with it; say how it ended, and what
    it was refused: it notes that in `witness`.
    """
    while True:
        order, files, _, _ = socket.recv_fds(control, 16, 2)
        if not order:
            return
        witness.take()  # of a process that stayed
        child = os.fork()
        if child == 0:
            _become_candidate(control, files[0], files[1], witness, cpu_s=int(order))
        for file in files:
            os.close(file)
        send(control, child)
        _, status, used = os.wait4(child, 0)
        send(control, [status, used.ru_utime + used.ru_stime, witness.take()])


def _become_candidate(
    control: socket.socket, channel: int, output: int, witness: Witness, *, cpu_s: int
) -> None:
    import resource  # Windows has none, and must be able to import this module

    control.close()
    os.setsid()
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    try:
        answering.serve(socket.socket(fileno=channel), witness)
    finally:
        os._exit(0)
