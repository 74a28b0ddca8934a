"""The main job on what ships: a run that is stopped and continued; and three checkpoints."""

import shutil
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path

from assay.errors import Interrupted
from assay.files.writing import explain_write_errors
from assay.store import Store
from assay.types import Reply, Score
from assay.types.scores import SilentProgress
from assay.workflow.commands.evaluation import evaluate
from assay.workflow.running.job import Job

SHIPPED = Path(__file__).parents[2] / "builtin" / "checkpoints" / "tiny"  # three steps of one run
SCRIPTS = Path(__file__).parents[2] / "builtin" / "demo"
MODELS = ("good.json", "weak.json", "flaky.json")
STOPPED_AFTER = 25  # of the 41 requests to the first model
ASKED_OF_CHECKPOINTS = 48  # tests of each suite, spread over its categories


def demo_job(out: Path) -> Job:
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


def start_and_stop(out: Path) -> int:
    """Begin the run, and stop it. Returns how many answers it has stored."""
    with suppress(Interrupted):
        evaluate(replace(demo_job(out), fresh=True), _Stopper())
    with Store(out) as store:
        return store.count_replies(store.find_run("latest"))


class _Stopper(SilentProgress):
    def __init__(self) -> None:
        self._replies = count(1)

    def replied(self, spec: str, reply: Reply, score: Score | None) -> None:
        if next(self._replies) == STOPPED_AFTER:
            raise KeyboardInterrupt
