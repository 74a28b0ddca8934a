"""A share of right answers to one category of a fetched benchmark, in a field of Measurements."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from assay.types import Estimate
from assay.types.decisions import Gate, Measurements
from assay.types.measures import FigureColumn, Measure, TakenReplies
from assay.types.results import SuiteSummary


class FetchedBenchmark(Measure):
    """Its name is its key, its column and its field."""

    category: ClassVar[str]
    rank: ClassVar[int]
    column_place: ClassVar[float]

    def take(self, measured: Measurements, taken: TakenReplies) -> Measurements:
        share = share_of(taken.summaries, self.suite, self.category)
        return replace(measured, **{self.name: share})  # type: ignore[arg-type]

    def figures(self, measured: Measurements) -> Mapping[str, Estimate | None]:
        return {self.name: getattr(measured, self.name)}

    def read(self, measured: Measurements, details: Any) -> Measurements:
        return replace(measured, **{self.name: getattr(details, self.name)})

    def columns(self, gate: Gate, shown: object) -> Iterator[FigureColumn]:
        yield FigureColumn(self.name, self.name, self.rank, self.column_place)


def share_of(summaries: Sequence[SuiteSummary], suite: str, category: str) -> Estimate | None:
    for summary in summaries:
        if summary.suite == suite and category in summary.categories:
            found = summary.categories[category]
            return found if found.n else None
    return None
