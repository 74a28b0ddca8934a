"""A metric of a task of lm-evaluation-harness against its limit, in the metric's own unit:
`[[suite]] name = "lm-eval:TASK"` with `metric`, and `min` or `max`.
"""

import math

from assay.files.fields import Mistake
from assay.files.wording import shown
from assay.measures.limits import is_beyond, limited, unknown, why_not, wider
from assay.messages import message, tr
from assay.types import Estimate
from assay.types.decisions import GateCriterion, Measurements, SuiteLimit, fact
from assay.types.score_parts import Better

PREFIX = "lm-eval:"
SENTENCES = {
    "metric_max_passes": message("{metric} of {suite} is {value:beside}, below {limit:beside}."),
    "metric_max_fails": message("{metric} of {suite} is {value:beside}, not below {limit:beside}."),
    "metric_min_passes": message("{metric} of {suite} is {value:beside}, above {limit:beside}."),
    "metric_min_fails": message("{metric} of {suite} is {value:beside}, not above {limit:beside}."),
    "metric_not_measured": message("{suite} has no metric {metric}; it has {known}."),
}


def refuse_senseless(
    name: str, metric: str | None, limit: float | None, most: float | None
) -> None:
    """A metric is of a task, and a task is limited by a metric, on one side."""
    is_task, gaps = name.startswith(PREFIX), {"name": shown(name)}
    if is_task and metric is None:
        raise Mistake(tr("'{name}' needs 'metric', such as metric = \"acc\"", **gaps), ("name",))
    if not is_task and (metric is not None or most is not None):
        raise Mistake(
            tr("'metric' and 'max' are for suites such as lm-eval:TASK, not for '{name}'", **gaps),
            ("name",),
        )
    if any(each is not None and not math.isfinite(each) for each in (limit, most)):
        raise Mistake(tr("a limit of '{name}' is not a number", **gaps), ("name",))
    if is_task and (limit is None) == (most is None):
        raise Mistake(tr("'{name}' needs one limit, 'min' or 'max'", **gaps), ("name",))


def metric_of(measured: Measurements, asked: SuiteLimit) -> Estimate | None:
    suite = measured.suites.get(asked.name)
    task = asked.name.removeprefix(PREFIX)
    return suite.metrics.get(f"{task}/{asked.metric}") if suite else None


def metric_criterion(measured: Measurements, asked: SuiteLimit) -> GateCriterion:
    suite, found = measured.suites.get(asked.name), metric_of(measured, asked)
    limit = asked.min if asked.max is None else asked.max
    if suite is None:
        why = why_not(measured, asked.name)
        return unknown(None, limit, fact("suite_not_measured", suite=asked.name), *why)
    if found is None:
        task = asked.name.removeprefix(PREFIX)
        known = tuple(
            name.rpartition("/")[2] for name in suite.metrics if name.rpartition("/")[0] == task
        )
        gap = fact("metric_not_measured", suite=asked.name, metric=asked.metric, known=known)
        return unknown(None, limit, gap)
    return limited(
        "metric_min" if asked.max is None else "metric_max",
        measured,
        found,
        limit,
        better=_better(asked),
        suite=asked.name,
        metric=asked.metric or "",
    )


def is_metric_clear(measured: Measurements, asked: SuiteLimit, tail: float) -> bool:
    found = metric_of(measured, asked)
    limit = asked.min if asked.max is None else asked.max
    return found is not None and is_beyond(wider(found, tail), limit, better=_better(asked))


def _better(asked: SuiteLimit) -> Better:
    return "higher" if asked.max is None else "lower"
