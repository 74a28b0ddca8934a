"""Checkpoints evaluated in a process of their own, one after another, while training goes on.

It is told of them through a pipe and writes its answers into a file, so that no step waits. It
gives way to the training where both want a core, and ends with it, however that ended.
"""

import json
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

from assay.machine import this_machine
from assay.messages import tr
from assay.plugins import load_plugins
from assay.trainer_callback.step_evaluation import SavedStep, StepFigures, evaluate_step
from assay.types.decisions import Gate
from assay.types.scores import SilentProgress
from assay.workflow.commands.watch import CheckpointSequence
from assay.workflow.running.job import Job

_LOOKS_APART_S = 0.1


class BackgroundEvaluation:
    """`waiting`: those whose figures have not been taken; the process works on the first."""

    def __init__(self, job: Job, gate: Gate) -> None:
        # What watches an evaluation lives in this process; it need not be of a kind that travels.
        self._setup = pickle.dumps((replace(job, observer=SilentProgress()), gate))
        self.waiting: list[SavedStep] = []
        self._start(())

    def add(self, step: SavedStep) -> None:
        self.waiting.append(step)
        self._tell(pickle.dumps(step))

    def take(self, *, wait: bool = False) -> list[tuple[SavedStep, StepFigures]]:
        """What has been found since it was asked last; with `wait`, of all that are waiting."""
        found = []
        while self.waiting:
            if figures := self._take_first():
                found.append((self.waiting.pop(0), figures))
            elif wait:
                time.sleep(_LOOKS_APART_S)
            else:
                break
        return found

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        with self._process:  # closes its pipe
            pass
        self._folder.cleanup()

    def _start(self, steps: Sequence[SavedStep]) -> None:
        # The other half, and the higher priority, are the training's.
        threads = max(1, this_machine().cores // 2)
        self._folder = tempfile.TemporaryDirectory()
        self._answers = Path(self._folder.name) / "answers"
        self._answers.touch()
        self._taken = 0
        self._printed = Path(self._folder.name) / "printed"
        with self._printed.open("wb") as printed:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__, str(os.getpid()), str(self._answers)],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=printed,
                stderr=printed,
                env={"OMP_NUM_THREADS": str(threads), **os.environ},
                # A Ctrl-C in the terminal is for the training. Not a session of its own: where
                # Linux shares the cores between sessions, giving way counts within one only.
                process_group=0,
            )
        self._tell(self._setup, *map(pickle.dumps, steps))

    def _tell(self, *messages: bytes) -> None:
        """One that is gone is noticed where its answer is missing."""
        assert self._process.stdin is not None
        with suppress(OSError):
            for message in messages:
                self._process.stdin.write(message)

    def answers(self) -> list[bytes]:
        """Whole ones that have not been taken."""
        return self._answers.read_bytes().split(b"\n")[self._taken : -1]

    def _take_first(self) -> StepFigures | None:
        """None: not yet. A process that has died is replaced for the others."""
        code = self._process.poll()  # before its answers are read, for the last one counts
        if answers := self.answers():
            self._taken += 1
            return StepFigures(**json.loads(answers[0]))
        if code is None:
            return None
        printed = self._printed.read_text("utf-8", "replace").strip()
        self.stop()
        self._start(self.waiting[1:])
        why = printed.rpartition("\n")[2]
        return StepFigures(
            note=tr("the process that evaluates ended with {code}: {why}", code=code, why=why)
        )


def main(training: int, answers: str) -> None:
    """The process. In: pickles, the job, then each saved step. Out: a line of JSON a step."""
    threading.Thread(target=_end_with, args=(training,), daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(19)
    messages = sys.stdin.buffer
    with suppress(EOFError), open(answers, "a", encoding="utf-8") as file:  # the pipe was closed
        job, gate = pickle.load(messages)
        load_plugins(job.plugins)
        steps = CheckpointSequence(job, gate)
        while True:
            found = evaluate_step(pickle.load(messages), steps)
            print(json.dumps(asdict(found)), file=file, flush=True)


def _end_with(training: int) -> None:
    """A training that was killed cannot say so, and its pipe may live on in a worker of its."""
    while os.getppid() == training:
        time.sleep(_LOOKS_APART_S)
    os._exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
