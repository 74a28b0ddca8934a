"""The public functions. Every interface calls these, and so may any Python program.

In: plain arguments. Out: the shapes of `assay.results`, or an AssayError with a hint. Refuses to
know: command lines, screens.

    from assay import api

    report = api.run(["scripted:good.json"], suites=["example"])
    print(report.models[0].suites[0].score)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.results import Comparison, Leaderboard, Report
from assay.types import Finding, Observer
from assay.workflow.evaluate import Job, evaluate
from assay.workflow.exporting import ExportFormat
from assay.workflow.rescoring import Rescored

__all__ = [
    "DEFAULT_OUT",
    "compare",
    "export",
    "leaderboard",
    "report",
    "rescore",
    "run",
    "validate",
]

DEFAULT_OUT = Path("assay-out")


def run(
    models: Sequence[str],
    *,
    suites: Sequence[str],
    categories: Sequence[str] = (),
    limit: int | None = None,
    repeats: int = 1,
    seed: int = 0,
    fresh: bool = False,
    out: Path = DEFAULT_OUT,
    observer: Observer | None = None,
) -> Report:
    """Ask the models every question of the suites, mark the answers, and report.

    Continues an unfinished run of the same arguments; reuses stored replies unless `fresh`.
    """
    from assay.reports.progress import SilentProgress

    job = Job(
        models=tuple(models),
        suites=tuple(suites),
        categories=tuple(categories),
        limit=limit,
        repeats=repeats,
        seed=seed,
        fresh=fresh,
        out=out,
    )
    return evaluate(job, observer or SilentProgress())


def validate(paths: Sequence[Path]) -> tuple[Finding, ...]:
    """Every mistake and every warning in these test files and suites."""
    from assay.suites.load import examine

    return examine(paths)


def report(run: str = "latest", *, out: Path = DEFAULT_OUT) -> Report:
    """A run's report again, from the store."""
    from assay.store import Store
    from assay.workflow.results import report_of

    with Store(out, read_only=True) as store:
        return report_of(store, store.find(run))


def compare(runs: Sequence[str], *, out: Path = DEFAULT_OUT) -> Comparison:
    """The first run or model against each of the others, paired by test."""
    from assay.store import Store
    from assay.workflow.comparing import compare as compare_in

    with Store(out, read_only=True) as store:
        return compare_in(store, runs)


def leaderboard(*, suite: str | None = None, out: Path = DEFAULT_OUT) -> Leaderboard:
    """Every model in the store, best first."""
    from assay.store import Store
    from assay.workflow.ranking import leaderboard as leaderboard_of

    with Store(out, read_only=True) as store:
        return leaderboard_of(store, suite=suite)


def rescore(run: str = "latest", *, out: Path = DEFAULT_OUT) -> Rescored:
    """Mark a run's stored answers again, by today's tests and scorers."""
    from assay.store import Store
    from assay.workflow.rescoring import rescore as rescore_in

    with Store(out, must_exist=True) as store:
        return rescore_in(store, store.find(run))


def export(
    run: str = "latest", *, form: ExportFormat = "jsonl", out: Path = DEFAULT_OUT
) -> Iterator[str]:
    """A run's records, line by line."""
    from assay.store import Store
    from assay.workflow.exporting import export as export_from

    with Store(out, read_only=True) as store:
        yield from export_from(store, store.find(run), form)
