"""A share of right answers to one category of a fetched benchmark, in a field of Measurements."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from assay.measures.suites import TestsPart
from assay.types import Estimate
from assay.types.decisions import Gate, Measurements, SuiteLimit
from assay.types.measures import FigureColumn, Measure, TakenReplies
from assay.types.results import SuiteSummary
from assay.types.score_parts import WeighedPart


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

    def score_part(self, key: str, weight: float, gate: Gate) -> WeighedPart:
        asked = (SuiteLimit(name=self.suite, categories=(self.category,)),)
        return TestsPart(name=key, weight=weight, asked=asked, figure=self._figure)

    def has_part(self, key: str) -> bool:
        return key == self.name

    def measured_parts(self, measured: Measurements) -> Iterator[str]:
        yield from (self.name,) if self._figure(measured) else ()

    def _figure(self, measured: Measurements) -> Estimate | None:
        found: Estimate | None = getattr(measured, self.name)
        return found

    def columns(self, gate: Gate, shown: object) -> Iterator[FigureColumn]:
        yield FigureColumn(self.name, self.name, self.rank, self.column_place)


def share_of(summaries: Sequence[SuiteSummary], suite: str, category: str) -> Estimate | None:
    for summary in summaries:
        if summary.suite == suite and category in summary.categories:
            found = summary.categories[category]
            return found if found.n else None
    return None
