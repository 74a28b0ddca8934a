"""Which figures are drawn over the steps, with their limits: one panel each.

In: an `EvaluatedFolder`. Out: panels from top to bottom.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assay.messages import tr
from assay.reports.checkpoints import figures as known
from assay.reports.checkpoints.figures import EvaluatedFolder, MeasuredFigure
from assay.text.number_format import exact
from assay.types.decisions import SuiteLimit

Limit = tuple[float, str]


class Panel(NamedTuple):
    """One figure of every checkpoint; a hollow dot is marginal. `log` None: if the range is wide.

    A limit is its value and what it asks for, such as "< 50"; the lowest comes first.
    """

    name: str
    title: str
    limits: tuple[Limit, ...]
    figures: tuple[MeasuredFigure | None, ...]
    hollow: tuple[bool, ...]
    log: bool | None


def panels_of(of: EvaluatedFolder) -> Iterator[Panel]:
    figures = [known.figures(of, checkpoint) for checkpoint in of.checkpoints]

    def panel(
        name: str, criterion: str | None, title: str, limits: Sequence[Limit], log: bool | None
    ) -> Panel:
        return Panel(
            name=name,
            title=title,
            limits=tuple(limits),
            figures=tuple(each[name] for each in figures),
            hollow=tuple(known.marginal(of, each, criterion) for each in of.checkpoints),
            log=log,
        )

    limits = [(limit, f"< {exact(limit)}") for limit in known.perplexity_limits(of)]
    yield panel("perplexity", "perplexity", tr("perplexity, lower is better"), limits, None)
    for asked in known.suites_asked(of):
        limit = asked.limit
        least = [(limit.min, f"> {exact(limit.min)}")] if of.gate.suites else []
        yield panel(asked.figure, asked.criterion, suite_title(limit), least, log=False)
    yield panel("weighted_score", None, tr("weighted score"), [], log=False)


def suite_title(limit: SuiteLimit) -> str:
    if not limit.categories:
        return tr("{suite}: mean of its categories", suite=limit.name)
    categories = ", ".join(limit.categories)
    return tr("{suite}: mean of {categories}", suite=limit.name, categories=categories)
