"""What a suite of lm-evaluation-harness says: its score and its tasks' are the harness's own."""

from collections.abc import Mapping
from dataclasses import replace

from assay.stats import estimates
from assay.types import Estimate
from assay.types.results import SuiteSummary

SHARE = "share"
POINTS = "points"


def with_metrics(summary: SuiteSummary, metrics: Mapping[str, Estimate]) -> SuiteSummary:
    """The first metric from 0 to 1 counts; a task that has none has no score."""
    task = summary.suite.partition(":")[2]
    first = _first(task, metrics)
    score = estimates.nothing(unit=POINTS)
    if first is not None:
        score = first.mapped(lambda share: share * 100, unit=POINTS)
    categories = {
        name: _first(name, metrics) or estimates.nothing(method=of.method)
        for name, of in summary.categories.items()
    }
    return replace(summary, score=score, categories=categories, metrics=metrics)


def _first(task: str, metrics: Mapping[str, Estimate]) -> Estimate | None:
    return next(
        (of for name, of in metrics.items() if name.rpartition("/")[0] == task
         and of.unit == SHARE),
        None,
    )  # fmt: skip
