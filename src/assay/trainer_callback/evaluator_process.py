"""The process that evaluates for `TrainerCallback(background=True)`; its argument is the number of
the training's process.

In: pickles from that process, the job with its gate, then each saved step. Out: one line of JSON
for each step. It gives way to the training where both want a core, and ends with it.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import threading
import time
from dataclasses import asdict

from assay.plugins import load_plugins
from assay.trainer_callback.step_evaluation import StepEvaluator

_LOOKS_APART_S = 0.5


def main() -> None:
    threading.Thread(target=_end_with, args=(int(sys.argv[1]),), daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(10)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print is no answer
    messages = sys.stdin.buffer
    try:
        job, gate = pickle.load(messages)
        load_plugins(job.plugins)
        evaluator = StepEvaluator(job, gate)
        while True:
            found = evaluator.evaluate(pickle.load(messages))
            answers.write(json.dumps(asdict(found)) + "\n")
            answers.flush()
    except EOFError:  # the training closed the pipe
        return


def _end_with(training: int) -> None:
    """A training that was killed cannot say so, and its pipe may live on in a worker of its."""
    while os.getppid() == training:
        time.sleep(_LOOKS_APART_S)
    os._exit(1)


if __name__ == "__main__":
    main()
