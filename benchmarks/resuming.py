"""Continuing a run of 100,000 finished requests: how long until the first new one is asked."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
from measuring import ASSAY, Figure, write_suite

from assay.models.opening import open_model
from assay.plan import make_plan
from assay.store import Store
from assay.suites.load import load_suite
from assay.types import Answered, Score
from assay.workflow.running.beginning import begin_run
from assay.workflow.running.job import Job
from assay.workflow.running.preparation import Prepared

FINISHED = 100_000
LEFT = 50


def figures(folder: Path) -> Iterator[Figure]:
    for tests, repeats in ((FINISHED + LEFT, 1), (1_001, 100)):
        yield _figure(folder / f"resuming-{tests}", tests, repeats)


def _figure(folder: Path, tests: int, repeats: int) -> Figure:
    suite = write_suite(folder / "suite", tests)
    script = folder / "resumed.json"
    script.write_text(json.dumps({"default": "B", "delay_s": 0.2}), "utf-8")
    out = folder / "out"
    job = Job(models=(f"scripted:{script}",), suites=(str(suite),), out=out, repeats=repeats)
    before = _finish_all_but_the_last(job)
    command = [*ASSAY, *job.command.split()[1:]]
    seconds, peak = _until_first_reply(command, out, before)
    empty, _ = _until_first_reply([*command[:-1], str(folder / "empty")], folder / "empty", 0)
    return Figure(
        f"continue a run: {before:,} finished, {tests:,} tests x {repeats}",
        f"first new reply after {seconds:.2f} s, {peak:.0f} MB",
        f"on an empty store {empty:.2f} s (each reply takes 0.2 s)",
        "3 s, 500 MB",
    )


def _finish_all_but_the_last(job: Job) -> int:
    """Fill the store as a run would have, in large transactions."""
    suite = load_suite(Path(job.suites[0]))
    model = open_model(job.models[0])
    plan = make_plan([suite], model.facts, job.options)
    prepared = Prepared(suites=(suite,), specs=job.models, models=(model,), plans=(plan,))
    score = Score(scorer="exact_match", version=1, value=0.0, explanation="made up")
    with Store(job.out) as store:
        run, folder = begin_run(job, store, prepared)
        finished = plan.trials[:-LEFT]
        with folder, store._file.writing():
            for trial in finished:
                request = plan.request(trial, 0, ())
                reply = Answered(request_id=request.id, text="B", total_s=0.2)
                number = store._store_reply(run, run.models[0].facts.fingerprint, request, reply)
                store._store_score(run, run.models[0], trial.key, number, score)
    return len(finished)


def _until_first_reply(command: list[str], out: Path, before: int) -> tuple[float, float]:
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    watched = psutil.Process(process.pid)
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, watched.memory_info().rss / 1e6)
        if _replies(out) > before:
            break
        time.sleep(0.01)
    seconds = time.perf_counter() - started
    process.kill()
    process.wait()
    return seconds, peak


def _replies(out: Path) -> int:
    if not (out / "assay.db").is_file():
        return 0
    database = sqlite3.connect(out / "assay.db", timeout=30)
    try:
        row = database.execute("SELECT max(id) FROM replies").fetchone()
    except sqlite3.OperationalError:
        return 0
    finally:
        database.close()
    return int(row[0] or 0)
