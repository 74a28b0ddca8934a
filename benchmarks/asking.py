"""The run loop: what Assay adds to each request, beside the model asked alone."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

from measuring import Figure, write_suite

from assay.models.opening import open_model
from assay.plan import AskOptions, make_plan
from assay.suites.load import load_suite
from assay.types.scores import SilentProgress
from assay.workflow.commands.evaluation import evaluate
from assay.workflow.running.job import Job

COUNT = 5_000


class _Clock(SilentProgress):
    """Sees the first and the last reply of a run."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def replied(self, spec: str, reply: object, score: object) -> None:
        self.times.append(time.perf_counter())


def figures(folder: Path) -> Iterator[Figure]:
    suite = write_suite(folder / "asking", COUNT)
    script = folder / "asked.json"
    script.write_text(json.dumps({"default": "The answer is B: alpha, beta and 42."}), "utf-8")
    model = open_model(f"scripted:{script}")
    plan = make_plan([load_suite(suite)], model.facts, AskOptions())
    requests = [plan.request(trial, 0, ()) for trial in plan.trials]
    started = time.perf_counter()
    for _ in model.answer(requests):
        pass
    bare = (time.perf_counter() - started) / COUNT
    clock = _Clock()
    job = Job(models=(f"scripted:{script}",), suites=(str(suite),), out=folder / "asking-out")
    evaluate(job, clock)
    added = (clock.times[-1] - clock.times[0]) / (COUNT - 1) - bare
    yield Figure(
        f"the run loop, {COUNT:,} requests: store, scoring, progress",
        f"{added * 1000:.2f} ms a request",
        f"the model alone {bare * 1e6:.0f} µs",
        "at most 1 ms",
    )
