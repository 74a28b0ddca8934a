"""Checkpoints evaluated in a process of their own, one at a time, while training goes on.

A thread hands them over and waits for the answers; the training only looks whether there are any.
The process ends with `stop`, and by itself when the training's process is gone, however that ended.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from dataclasses import replace
from queue import Empty, Queue, SimpleQueue
from typing import IO, Any

from assay.machine import this_machine
from assay.messages import tr
from assay.trainer_callback.step_evaluation import SavedStep, StepFigures
from assay.types.decisions import Gate
from assay.types.scores import SilentProgress
from assay.workflow.evaluate.job import Job

PROCESS = "assay.trainer_callback.evaluator_process"


class BackgroundEvaluation:
    """`outstanding`: how many are waiting or being evaluated."""

    def __init__(self, job: Job, gate: Gate) -> None:
        # What watches an evaluation lives in this process; it need not be of a kind that travels.
        self._setup = pickle.dumps((replace(job, observer=SilentProgress()), gate))
        self._waiting: Queue[SavedStep | None] = Queue()
        self._found: SimpleQueue[tuple[SavedStep, StepFigures]] = SimpleQueue()
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # closed at the end
        self._stopped = False
        self.outstanding = 0
        self._start()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def add(self, step: SavedStep) -> None:
        self.outstanding += 1
        self._waiting.put(step)

    def take(self) -> list[tuple[SavedStep, StepFigures]]:
        """What has been found since it was asked last."""
        found = []
        with suppress(Empty):
            while True:
                found.append(self._found.get_nowait())
        self.outstanding -= len(found)
        return found

    def wait(self) -> None:
        """Until nothing is outstanding."""
        self._waiting.join()

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self._stopped = True
        if (process := self._process) is not None:
            process.kill()
        self._waiting.put(None)
        self._thread.join()

    def _start(self) -> subprocess.Popen[bytes]:
        threads = max(1, this_machine().cores // 2)
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", PROCESS, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={"OMP_NUM_THREADS": str(threads), **os.environ},
            start_new_session=True,  # a Ctrl-C in the terminal is for the training
        )
        self._process = process
        _tell(process, self._setup)
        return process

    def _work(self) -> None:
        while (step := self._waiting.get()) is not None:
            self._found.put((step, self._ask(step)))
            self._waiting.task_done()
        self._lose_process()
        self._errors.close()

    def _ask(self, step: SavedStep) -> StepFigures:
        """A process that has died is replaced for the next one."""
        if self._stopped:
            return StepFigures(note=tr("training has ended"))
        process = self._process or self._start()
        assert process.stdout is not None
        _tell(process, pickle.dumps(step))
        if line := process.stdout.readline():
            told: dict[str, Any] = json.loads(line)
            return StepFigures(**told)
        return StepFigures(
            note=tr("the process that evaluates ended with {code}: {why}",
                    code=self._lose_process(), why=self._last_words())
        )  # fmt: skip

    def _lose_process(self) -> int | None:
        """How it ended."""
        process, self._process = self._process, None
        if process is None:
            return None
        with process:  # closes its pipes
            process.kill()
        return process.returncode

    def _last_words(self) -> str:
        with suppress(ValueError, OSError):
            self._errors.seek(0)
            lines = self._errors.read().decode("utf-8", "replace").split("\n")
            return next((line.strip() for line in reversed(lines) if line.strip()), "")
        return ""


def _tell(process: subprocess.Popen[bytes], message: bytes) -> None:
    """One that is gone is noticed where its answer is missing."""
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.write(message)
        process.stdin.flush()
