"""What changed in a run since another one: each model that both have, paired with itself."""

from dataclasses import replace
from pathlib import Path

from assay.errors import UsageError
from assay.messages import tr
from assay.reports.cards.run import headline
from assay.reports.formats.notebook import RunResult
from assay.store import Store
from assay.summary.comparisons import with_holm
from assay.types.results import Report, SinceRun
from assay.workflow.reporting.comparison import compare
from assay.workflow.reporting.results import report_of


def with_changes(report: Report, against: str, *, out: str | Path) -> RunResult:
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
