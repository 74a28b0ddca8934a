"""A stored run's report, and what changed since another one: each model that both have, paired
with itself.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assay.errors import UsageError
from assay.messages import tr
from assay.plugins import load_plugins
from assay.reports.cards.run import headline
from assay.reports.formats.notebook import RunResult
from assay.store import Store
from assay.summary.comparisons import with_holm
from assay.types.options import DEFAULT_OUT
from assay.types.results import Report, SinceRun
from assay.workflow.reporting.comparison import compare
from assay.workflow.reporting.results import report_of


def report(
    run: str = "latest",
    *,
    against: str | None = None,
    plugins: Sequence[str] = (),
    out: str | Path = DEFAULT_OUT,
) -> RunResult:
    """A run's report again, from the store.

    `run`: an id, the beginning of one, or latest. `against`: an earlier run; what changed since
    then is in the report. Example: `assay.report().to_pandas()`.
    """
    load_plugins(plugins)
    with Store(Path(out), read_only=True) as store:
        found = RunResult.of(report_of(store, store.find_run(run, with_tests=False)))
    if against is None:
        return found
    return _with_changes(found, against, out=out)


def _with_changes(report: Report, against: str, *, out: str | Path) -> RunResult:
    """The report with what changed since the run `against`."""
    with Store(Path(out), read_only=True) as store:
        before = report_of(store, store.find_run(against, with_tests=False))
        if before.run == report.run:
            raise UsageError(
                tr("{run} cannot be compared with itself", run=report.run),
                hint=tr("name an earlier run; `assay runs` lists them"),
            )
        sides = _sides(before, report)
        pairs = [pair for names in sides for pair in compare(store, names).pairs]
    new = [model.spec for model in report.models if model.spec not in _specs(before)]
    notes = [tr("{model} was not in that run", model=spec) for spec in new if len(sides) or pairs]
    since = SinceRun(
        run=before.run, decision=headline(before), pairs=with_holm(pairs), notes=tuple(notes)
    )
    return RunResult.of(replace(report, since=since))


def _specs(report: Report) -> list[str]:
    return [model.spec for model in report.models if model.suites]


def _sides(before: Report, report: Report) -> list[tuple[str, str]]:
    """By name; of two runs with one model each, those two."""
    both = [spec for spec in _specs(report) if spec in _specs(before)]
    if not both and len(_specs(report)) == len(_specs(before)) == 1:
        return [(f"{before.run}/{_specs(before)[0]}", f"{report.run}/{_specs(report)[0]}")]
    return [(f"{before.run}/{spec}", f"{report.run}/{spec}") for spec in both]
