"""Shows the main job on what ships: serve, run, kill, continue, compare, rank; and decide.

In: a folder. Out: what each step gave, for an interface to show. What is real here: one of the
three models is behind a server, a process of its own on 127.0.0.1 (`demo_server`); the run is
killed, by SIGKILL, while that model is asked, and this process then continues it; and three
checkpoints of a small model that ship are evaluated, and the one to ship is selected.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from assay.errors import AssayError, Interrupted
from assay.messages import tr
from assay.models.local.shipped import SHIPPED
from assay.store import Store
from assay.types import Observer
from assay.types.results import Comparison, Leaderboard, Report
from assay.workflow.evaluate.evaluation import evaluate
from assay.workflow.evaluate.job import Job
from assay.workflow.evaluate.run_folder import in_our_words
from assay.workflow.history.comparison import compare
from assay.workflow.history.leaderboard import leaderboard

SCRIPTS = Path(__file__).parents[2] / "builtin" / "demo"
SERVED = "good.json"
SCRIPTED = ("weak.json", "flaky.json")
# Asked for first, so that the commands shown are the same every time; any free one does.
PORT = 11433
KILLED_AFTER = 25  # of the 41 replies of the first model, which is the served one
PATIENCE_S = 60.0
ASKED_OF_CHECKPOINTS = 120  # tests of each suite: a minute for all three


@dataclass(frozen=True, slots=True, kw_only=True)
class Killed:
    """A run that was ended without warning."""

    run: str
    replies: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a finished demonstration gave. `server`: the command that starts the stand-in again."""

    report: Report
    comparison: Comparison
    leaderboard: Leaderboard
    server: str


@contextmanager
def stand_in_server(out: Path) -> Iterator[str]:
    """Its URL; it lives as long as the block, and never longer than this process."""
    log = _lay_out(out) / "server.log"
    with in_our_words(log):
        errors = log.open("wb")
    with (
        errors,
        subprocess.Popen(
            _server_command(out, PORT),
            stdin=subprocess.PIPE,  # its end is the server's end, whatever becomes of us
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,  # Ctrl-C is for us; the model is unloaded before it ends
        ) as server,
    ):
        try:
            yield _url_of(server, log)
        finally:
            server.terminate()


def _server_command(out: Path, port: int) -> list[str]:
    module = [sys.executable, "-m", "assay.workflow.demo.server"]
    return [*module, "--port", str(port), "--", str(out / "demo" / SERVED)]


def _url_of(server: subprocess.Popen[bytes], log: Path) -> str:
    url = server.stdout.readline().decode().strip() if server.stdout else ""
    if not url:
        raise AssayError(
            tr("the stand-in server of the demonstration did not start; see {log}", log=log),
            hint=tr("try another folder with --out"),
        )
    return url


def demo_job(out: Path, url: str) -> Job:
    """A served model and two scripted ones on the example suite."""
    folder = _lay_out(out)
    served = f"ollama:demo-{Path(SERVED).stem}@{url}"
    scripted = (f"scripted:{folder / name}" for name in SCRIPTED)
    return Job(models=(served, *scripted), suites=("example",), out=out)


def _lay_out(out: Path) -> Path:
    """The scripts where a user sees them."""
    folder = out / "demo"
    with in_our_words(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name in (SERVED, *SCRIPTED):
            shutil.copyfile(SCRIPTS / name, folder / name)
    return folder


def checkpoints_job(out: Path) -> Job:
    """The checkpoints that ship, copied to where reports may be written beside them."""
    folder = out / "demo" / SHIPPED.name
    with in_our_words(folder):
        shutil.copytree(SHIPPED, folder, dirs_exist_ok=True)
    return Job(models=(str(folder),), suites=(), out=out, limit=ASKED_OF_CHECKPOINTS)


def start_and_kill(out: Path, url: str) -> Killed:
    """Start the job in a process of its own and kill it in the middle."""
    job = demo_job(out, url)
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


def continue_and_show(out: Path, url: str, observer: Observer) -> Shown:
    """Continue the killed run, then compare and rank its models."""
    try:
        report = evaluate(demo_job(out, url), observer)
    except Interrupted as stop:  # the run's own command would look for a server that has ended
        stop.hint = tr("start the demonstration again with: assay demo")
        raise
    with Store(out) as store:
        return Shown(
            report=report,
            comparison=compare(store, [report.run]),
            leaderboard=leaderboard(store, suite="example"),
            server=shlex.join(_server_command(out, urlsplit(url).port or PORT)),
        )
