"""Shows the main job on what ships: run, kill, continue, compare, rank; and decide.

The run is killed by SIGKILL while its first model is asked, and this process then continues it.
Then three shipped checkpoints are evaluated, and one is selected.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from assay.errors import AssayError
from assay.messages import tr
from assay.store import Store
from assay.types import Observer
from assay.types.results import Comparison, Leaderboard, Report
from assay.workflow.evaluate.evaluation import evaluate
from assay.workflow.evaluate.job import Job
from assay.workflow.evaluate.run_folder import explain_write_errors
from assay.workflow.history.comparison import compare
from assay.workflow.history.leaderboard import leaderboard

SHIPPED = Path(__file__).parents[2] / "builtin" / "checkpoints" / "tiny"  # three steps of one run
SCRIPTS = Path(__file__).parents[2] / "builtin" / "demo"
MODELS = ("good.json", "weak.json", "flaky.json")
KILLED_AFTER = 25  # of the 41 requests to the first model
PATIENCE_S = 600.0
ASKED_OF_CHECKPOINTS = 48  # tests of each suite, spread over its categories


@dataclass(frozen=True, slots=True, kw_only=True)
class Killed:
    run: str
    replies: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    report: Report
    comparison: Comparison
    leaderboard: Leaderboard


def demo_job(out: Path) -> Job:
    """Three scripted models on the example suite."""
    folder = out / "demo"
    with explain_write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name in MODELS:
            shutil.copyfile(SCRIPTS / name, folder / name)
    models = tuple(f"scripted:{folder / name}" for name in MODELS)
    return Job(models=models, suites=("example",), out=out)


def checkpoints_job(out: Path) -> Job:
    """The checkpoints that ship, copied to where reports may be written beside them."""
    folder = out / "demo" / SHIPPED.name
    with explain_write_errors(folder):
        shutil.copytree(SHIPPED, folder, dirs_exist_ok=True)
    return Job(models=(str(folder),), suites=(), out=out, limit=ASKED_OF_CHECKPOINTS)


def start_and_kill(out: Path) -> Killed:
    job = demo_job(out)
    words = [sys.executable, "-m", "assay", "run", *job.models, "-s", "example"]
    ends = ["--budget", f"{PATIENCE_S:g}"]  # should nobody be left to kill it
    before, _ = _newest(out)
    process = subprocess.Popen(
        [*words, "--fresh", "--out", str(out), *ends],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        _wait_for_replies(process, out, before)
    finally:
        process.kill()
        process.communicate()
    with Store(out) as store:
        run = store.find_run("latest")
        return Killed(run=run.id, replies=store.count_replies(run))


def _wait_for_replies(process: subprocess.Popen[bytes], out: Path, before: str) -> None:
    """Until enough of it is in the store, in a run newer than `before`."""
    started = time.monotonic()
    while process.poll() is None and time.monotonic() - started < PATIENCE_S:
        time.sleep(0.02)
        run, replies = _newest(out)
        if run != before and replies >= KILLED_AFTER:
            return
    if process.poll() is not None:
        why = (process.stderr.read() if process.stderr else b"").decode("utf-8", "replace")
        raise AssayError(
            tr("the demonstration ended before it could be killed: {why}", why=why.strip()),
            hint=tr("try another folder with --out"),
        )


def _newest(out: Path) -> tuple[str, int]:
    if not (out / "assay.db").is_file():
        return "", 0
    with Store(out) as store:
        runs = store.read_runs()
        return (runs[-1].id, store.count_replies(runs[-1])) if runs else ("", 0)


def continue_and_show(out: Path, observer: Observer) -> Shown:
    report = evaluate(demo_job(out), observer)
    with Store(out) as store:
        return Shown(
            report=report,
            comparison=compare(store, [report.run]),
            leaderboard=leaderboard(store, suite="example"),
        )
