"""The process from which candidates are forked, one for each group of steps.

    checker's process ─ control ─> nursery ─ fork ─> candidate
         └──────────────── channel, a socket pair ──────┘

It is started before the checker, the truth and the answer are read, so that neither it nor its
children hold them.
"""

import gc
import os
import signal
import socket
import sys
import time

from . import answering
from .wire import send
from .withheld import Witness

_KEEP_PROCESS_PRIVATE = 4  # PR_SET_DUMPABLE


def keep_private() -> None:
    """Nobody of the same user may look into this process through /proc, or trace it."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_KEEP_PROCESS_PRIVATE, 0, 0, 0, 0)


def start_nursery(witness: Witness) -> socket.socket:
    """Fork it; the socket takes orders. Candidates note in `witness` what they are refused."""
    ours, theirs = socket.socketpair()
    # A candidate's search for garbage leaves out what it shares with all the others: else it would
    # look through, and so copy, every module that is loaded here.
    gc.freeze()
    if os.fork() == 0:
        ours.close()
        hide_standard_streams()
        _serve_orders(theirs, witness)
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
    """For each order fork a child with the two files that came with it; say how it ended."""
    while True:
        order, files, _, _ = socket.recv_fds(control, 16, 2)
        if not order:
            return
        child = os.fork()
        if child == 0:
            _become_candidate(control, files[0], files[1], witness, cpu_s=int(order))
        for file in files:
            os.close(file)
        send(control, child)
        _, status, used = os.wait4(child, 0)
        send(control, [status, used.ru_utime + used.ru_stime])


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
