"""The store for the viewer: runs, samples and summaries, read-only."""

import json
import multiprocessing
import os
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from multiprocessing.connection import Connection
from pathlib import Path

from assay.errors import AssayError, RunNotFound
from assay.messages import tr
from assay.store.viewed import Change, ViewedStore
from assay.types.results import Report
from assay.types.views import (
    MatrixPage,
    RunRow,
    RunSummary,
    SampleFilter,
    SamplePlace,
    TestCounts,
    TestKey,
    ViewedSample,
)

WAIT_S = 0.4  # for a summary, before a page is shown without
LARGE = 20_000  # answers: it takes seconds to summarise them
HEAD = 20_000  # bytes at the beginning of report.json that surely hold the headline


class Viewing:
    """One folder's store. Each call opens it anew: pages are made in several threads."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self._counts: dict[str, tuple[Change, TestCounts]] = {}
        self._summaries: dict[str, tuple[Change, Future[RunSummary]]] = {}
        self._lock = threading.Lock()
        self._open().close()  # a store that is not there, or of another program, is found now

    def _open(self) -> ViewedStore:
        return ViewedStore(self.out)

    def list_runs(self) -> tuple[RunRow, ...]:
        """Every run, the newest first."""
        with self._open() as store:
            return store.list_runs()

    def find_run(self, run: str) -> RunRow:
        """By its id, the beginning of one, or `latest`."""
        with self._open() as store:
            return store.list_runs(store.find_run(run, with_tests=False).id)[0]

    def headlines(self, runs: Sequence[RunRow]) -> dict[str, str]:
        """Of finished runs, as their reports have them."""
        found = {run.id: self._headline(run.id) for run in runs if run.finished}
        return {run: headline for run, headline in found.items() if headline}

    def _headline(self, run_id: str) -> str:
        path = self.out / "runs" / run_id / "reports" / "report.json"
        try:
            with path.open("rb") as file:
                head = file.read(HEAD).decode("utf-8", "replace")
            place = head.index('"headline":') + len('"headline":')
            return str(json.JSONDecoder().raw_decode(head[place:].lstrip())[0])
        except (OSError, ValueError):  # moved away, or written by an older Assay
            return ""

    def counts(self, run: RunRow) -> TestCounts:
        """How many tests there are of each kind; remembered until another score is stored."""
        with self._open() as store:
            change = store.read_change(run.id)
            known = self._counts.get(run.id)
            if known is None or known[0] != change:
                known = change, store.count_tests(run.id)
                self._counts[run.id] = known
        return known[1]

    def matrix(self, run: RunRow, wanted: SampleFilter, *, skip: int, most: int) -> MatrixPage:
        """Some of the tests that a filter finds, in the order of the suites."""
        with self._open() as store:
            return store.read_matrix(run.id, wanted, skip=skip, most=most)

    def sample(self, run: RunRow, key: TestKey, model: int, repeat: int = 0) -> ViewedSample:
        with self._open() as store:
            found = store.read_sample(run.id, key, model, repeat)
        if found is None:
            raise RunNotFound(
                tr(
                    "run {run} has no test {test!r}, or no such model", run=run.id, test=key.test_id
                ),
                hint=tr("choose a test in the table of the run"),
            )
        return found

    def place(self, run: RunRow, key: TestKey, wanted: SampleFilter) -> SamplePlace:
        """A test among those that a filter finds."""
        with self._open() as store:
            return store.find_place(run.id, key, wanted)

    def summary(self, run: RunRow) -> RunSummary | None:
        """The summary of the run as it is now; None while it is being computed."""
        is_large = run.answered > LARGE
        if is_large and not run.finished:
            return None
        with self._open() as store:
            change = store.read_change(run.id)
        with self._lock:
            known = self._summaries.get(run.id)
            if known is None or known[0] != change:
                known = change, self._compute(run.id, apart=is_large)
                self._summaries[run.id] = known
        try:
            return known[1].result(0 if is_large else WAIT_S)
        except TimeoutError:
            return None

    def _compute(self, run_id: str, *, apart: bool) -> Future[RunSummary]:
        """Beside the pages, and not in the way of the viewer's end. `apart`: in a process, for it
        would take turns with the pages for half a minute.
        """
        future: Future[RunSummary] = Future()

        def work() -> None:
            try:
                done = _ask_process(run_id, self.out) if apart else make_summary(run_id, self.out)
                future.set_result(done)
            except BaseException as error:
                future.set_exception(error)
                raise

        threading.Thread(target=work, daemon=True).start()
        return future


def _ask_process(run_id: str, out: Path) -> RunSummary:
    context = multiprocessing.get_context("spawn")
    ours, its_own = context.Pipe(duplex=False)
    process = context.Process(target=_send_summary, args=(run_id, out, its_own), daemon=True)
    process.start()
    its_own.close()
    try:
        summary: RunSummary = ours.recv()
    except EOFError:
        return RunSummary(headline="", notes=(tr("the scores could not be computed"),))
    finally:
        process.join()
    return summary


def _send_summary(run_id: str, out: Path, to: Connection) -> None:
    if hasattr(os, "nice"):
        os.nice(10)
    to.send(make_summary(run_id, out))


def make_summary(run_id: str, out: Path) -> RunSummary:
    """From the whole report; a run that cannot be reported has a note instead."""
    from assay.workflow.history.results import report

    try:
        return _summary(report(run_id, out=out))
    except AssayError as error:
        return RunSummary(headline="", notes=(error.message,))


def _summary(report: Report) -> RunSummary:
    from assay.reports import sentences

    names = sentences.short_names(report)
    suites = {each.suite: each for model in report.models for each in model.suites if not each.own}
    scores = [{each.suite: each.score for each in model.suites} for model in report.models]
    return RunSummary(
        headline=sentences.headline(report),
        suites=tuple(suites),
        models=tuple(names[model.spec] for model in report.models),
        scores=tuple(tuple(of.get(suite) for suite in suites) for of in scores),
        baselines=tuple(
            max(sentences.baselines(each.baselines), key=lambda known: known[1].value or 0.0)
            if each.baselines
            else None
            for each in suites.values()
        ),
        notes=report.notes,
    )
