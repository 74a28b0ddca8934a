"""The store for the viewer, read-only, and summaries of its runs."""

import json
from collections.abc import Sequence
from pathlib import Path

from assay.errors import AssayError
from assay.messages import language
from assay.store.viewed import Change, ViewedStore
from assay.types.views import RunRow, RunSummary, TestCounts

LARGE = 20_000  # answers: to sum up more takes longer than a page may
FIRST_LINES = 200  # bytes of a page that say its language
HEAD = 20_000  # bytes at the beginning of report.json that surely hold the headline


class Viewing:
    """One folder's store. It is opened anew for each page: they are made in several threads."""

    def __init__(self, out: Path, *, large: int = LARGE) -> None:
        self.out = out
        self.large = large
        self._counts: dict[str, tuple[Change, TestCounts]] = {}
        self._summaries: dict[str, tuple[Change, RunSummary]] = {}
        self.open().close()  # a store that is not there, or of another program, is found now

    def open(self) -> ViewedStore:
        return ViewedStore(self.out)

    def list_runs(self) -> tuple[RunRow, ...]:
        """Every run, the newest first."""
        with self.open() as store:
            return store.list_runs()

    def find_run(self, run: str) -> RunRow:
        """By its id, the beginning of one, or `latest`."""
        with self.open() as store:
            return store.list_runs(store.find_run(run, with_tests=False).id)[0]

    def find_compared(self, sides: Sequence[str]) -> set[str]:
        """The runs that `assay compare` takes for these names."""
        from assay.workflow.reporting.comparison import find_sides

        with self.open() as store:
            return {run.id for run, _ in find_sides(store, sides)}

    def is_running(self, run: RunRow) -> bool:
        """Whether a process is at work on it."""
        from assay.workflow.running.run_folder import RunFolder

        return not run.finished and RunFolder(self.out, run.id).is_taken()

    def headlines(self, runs: Sequence[RunRow]) -> dict[str, str]:
        """Of finished runs, as their reports have them, where they were written in the language
        that is spoken now.
        """
        found = {run.id: self._headline(run.id) for run in runs if run.finished}
        return {run: headline for run, headline in found.items() if headline}

    def _headline(self, run_id: str) -> str:
        reports = self.out / "runs" / run_id / "reports"
        try:
            with (reports / "report.html").open("rb") as page:
                if f'<html lang="{language()}"'.encode() not in page.read(FIRST_LINES):
                    return ""
            with (reports / "report.json").open("rb") as file:
                head = file.read(HEAD).decode("utf-8", "replace")
            place = head.index('"headline":') + len('"headline":')
            return str(json.JSONDecoder().raw_decode(head[place:].lstrip())[0])
        except (OSError, ValueError):  # moved away, or changed by hand
            return ""

    def counts(self, run: RunRow) -> TestCounts:
        """How many tests there are of each kind; remembered until another score is stored."""
        with self.open() as store:
            change = store.read_change(run.id)
            known = self._counts.get(run.id)
            if known is None or known[0] != change:
                known = change, store.count_tests(run.id)
                self._counts[run.id] = known
        return known[1]

    def summary(self, run: RunRow) -> RunSummary:
        """The summary of the run as it is now, remembered until another score is stored. Of a large
        one only the headline: its scores take longer than a page may.
        """
        if run.answered > self.large:
            return RunSummary(headline=self._headline(run.id))
        with self.open() as store:
            change = store.read_change(run.id)
        known = self._summaries.get(run.id)
        if known is None or known[0] != change:
            known = self._summaries[run.id] = change, make_summary(run.id, self.out)
        return known[1]


def make_summary(run_id: str, out: Path) -> RunSummary:
    """From the whole report; a run that cannot be reported has a note instead."""
    from assay.reports import sentences
    from assay.reports.cards.run import headline
    from assay.workflow.reporting.stored_report import report as report_again

    try:
        report = report_again(run_id, out=out)
    except AssayError as error:
        return RunSummary(headline="", notes=(error.message,))
    names = sentences.short_names(report)
    suites = {each.suite: each for model in report.models for each in model.suites if not each.own}
    scores = [{each.suite: each.score for each in model.suites} for model in report.models]
    return RunSummary(
        headline=headline(report),
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
