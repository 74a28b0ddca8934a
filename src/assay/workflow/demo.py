"""Shows the main job on what ships: a run that is killed and continued; and checkpoints.

The process that begins the run kills itself while its first model is asked, and this one continues
it. Then three shipped checkpoints are evaluated, and one is selected.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from itertools import count
from pathlib import Path

from assay.errors import AssayError
from assay.messages import tr
from assay.store import Store
from assay.types import Reply, Score
from assay.types.scores import SilentProgress
from assay.workflow.evaluate.evaluation import evaluate
from assay.workflow.evaluate.job import Job
from assay.workflow.evaluate.run_folder import explain_write_errors

SHIPPED = Path(__file__).parents[1] / "builtin" / "checkpoints" / "tiny"  # three steps of one run
SCRIPTS = Path(__file__).parents[1] / "builtin" / "demo"
MODELS = ("good.json", "weak.json", "flaky.json")
KILLED_AFTER = 25  # of the 41 requests to the first model
SIGKILL = 9  # Windows has no name for it
ASKED_OF_CHECKPOINTS = 48  # tests of each suite, spread over its categories


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


def start_and_kill(out: Path) -> int:
    """Begin the run in a process that is killed. Returns how many answers it has stored."""
    code = f"from {__name__} import run_until_killed; run_until_killed({str(out)!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    if abs(done.returncode) != SIGKILL:
        why = done.stderr.decode("utf-8", "replace").strip()
        raise AssayError(
            tr("the demonstration ended before it could be killed: {why}", why=why),
            hint=tr("try another folder with --out"),
        )
    with Store(out) as store:
        return store.count_replies(store.find_run("latest"))


def run_until_killed(out: str) -> None:
    evaluate(replace(demo_job(Path(out)), fresh=True), _Killer())


class _Killer(SilentProgress):
    def __init__(self) -> None:
        self._replies = count(1)

    def replied(self, spec: str, reply: Reply, score: Score | None) -> None:
        if next(self._replies) == KILLED_AFTER:
            os.kill(os.getpid(), SIGKILL)
