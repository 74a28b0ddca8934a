"""The store for the viewer: runs, samples and summaries, read-only."""

import json
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path

from assay.errors import AssayError, RunNotFound
from assay.messages import tr
from assay.store.viewed import ViewedStore
from assay.types.results import Report
from assay.types.views import (
    MatrixPage,
    RunRow,
    RunSummary,
    SampleFilter,
    SamplePlace,
    TestKey,
    ViewedSample,
)

WAIT_S = 0.4  # for a summary; a page with a hundred thousand answers is shown without
LIVE_UP_TO = 20_000  # answers of a run that goes on, to summarise it again and again
HEAD = 20_000  # bytes at the beginning of report.json that surely hold the headline


class Viewing:
    """One folder's store. Each call opens it anew: pages are made in several threads."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self._summaries: dict[str, tuple[tuple[int, int], Future[RunSummary]]] = {}
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

    def categories(self, run: RunRow) -> dict[str, dict[str, int]]:
        """By suite and category: how many tests."""
        with self._open() as store:
            return store.count_categories(run.id)

    def outcomes(self, run: RunRow) -> dict[str, int]:
        """How many tests have these letters, one for each model."""
        with self._open() as store:
            return store.count_outcomes(run.id)

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
        if not run.finished and run.answered > LIVE_UP_TO:
            return None
        with self._open() as store:
            change = store.read_change(run.id)
        with self._lock:
            known = self._summaries.get(run.id)
            if known is None or known[0] != change:
                known = change, self._compute(run.id)
                self._summaries[run.id] = known
        try:
            return known[1].result(WAIT_S)
        except TimeoutError:
            return None

    def _compute(self, run_id: str) -> Future[RunSummary]:
        """In a thread of its own, which does not keep the viewer from ending."""
        future: Future[RunSummary] = Future()

        def work() -> None:
            from assay.workflow.history.results import report

            try:
                future.set_result(_summary(report(run_id, out=self.out)))
            except AssayError as error:
                future.set_result(RunSummary(headline="", notes=(error.message,)))
            except BaseException as error:
                future.set_exception(error)
                raise

        threading.Thread(target=work, daemon=True).start()
        return future


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
