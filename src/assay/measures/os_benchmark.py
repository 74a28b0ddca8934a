"""The OS benchmark: the mean of three tasks of the suite `os`, with installation beside it."""

from collections.abc import Iterator, Mapping
from typing import Any

from assay.files.shapes import Shape, Share
from assay.measures.suites import (
    OS_AVERAGE,
    OS_BENCHMARK,
    TestsPart,
    is_suite_clear,
    mean_of_suite,
    suite_criterion,
    suites_asked,
)
from assay.plugins import measure
from assay.stats import estimates
from assay.types import Estimate
from assay.types.decisions import (
    OS_AVERAGED,
    OS_SUITE,
    OS_TASKS,
    Gate,
    GateCriterion,
    Measurements,
)
from assay.types.measures import FigureColumn, Measure, Places
from assay.types.score_parts import WeighedPart

NAME = "os_benchmark"


class OsShares(Shape):
    hardware_id: Share | None
    driver_select: Share | None
    command_complete: Share | None
    installation: Share | None
    avg: Share | None


@measure(NAME, unit="share", better="higher")
class OsBenchmark(Measure):
    """The mean of hardware_id, driver_select and command_complete."""

    places = Places(keys=50, gate=20, advice=21)
    suite, metric = OS_SUITE, NAME
    shapes = {NAME: (dict[str, Estimate | None] | None, None)}
    top_shapes = {NAME: (OsShares, ...)}
    weight = 0.3
    part_names = (NAME,)

    def figures(self, measured: Measurements) -> Mapping[str, Estimate | None]:
        return {NAME: mean_of_suite(measured, OS_BENCHMARK)}

    def headline(self, measured: Measurements) -> Mapping[str, object]:
        tasks = self._tasks(measured)
        return {NAME: {name: of.value if of else None for name, of in tasks.items()}}

    def details(self, measured: Measurements) -> Mapping[str, object]:
        return {NAME: self._tasks(measured)}

    def _tasks(self, measured: Measurements) -> dict[str, Estimate | None]:
        suite = measured.suites.get(OS_SUITE)
        tasks = {name: suite.categories.get(name) if suite else None for name in OS_TASKS}
        return {**tasks, "avg": mean_of_suite(measured, OS_BENCHMARK)}

    def read(self, measured: Measurements, details: Any) -> Measurements:
        return measured  # with the suites

    def shown(
        self, measured: Measurements, gate: Gate, criteria: Mapping[str, GateCriterion]
    ) -> Mapping[str, Estimate | None]:
        return {OS_AVERAGE: mean_of_suite(measured, OS_BENCHMARK)}

    def columns(self, gate: Gate, shown: object) -> Iterator[FigureColumn]:
        if all(each.limit.name != OS_SUITE for each in suites_asked(gate)):
            yield FigureColumn(NAME, OS_AVERAGE, 56, 31)

    def criteria(self, measured: Measurements, gate: Gate) -> Mapping[str, GateCriterion]:
        limit = gate.suite_criteria().get(NAME)
        return {} if limit is None else {NAME: suite_criterion(measured, limit)}

    def is_clear(
        self,
        name: str,
        criterion: GateCriterion,
        measured: Measurements,
        gate: Gate,
        tail: float,
    ) -> bool:
        return is_suite_clear(measured, gate.suite_criteria()[name], tail)

    def specified_part(self) -> WeighedPart:
        return self._part(NAME, self.weight)

    def score_part(self, key: str, weight: float, gate: Gate) -> WeighedPart:
        return self._part(key, weight)

    def _part(self, key: str, weight: float) -> TestsPart:
        return TestsPart(name=key, weight=weight, asked=(OS_BENCHMARK,))


def os_average(measured: Measurements) -> Estimate | None:
    """None unless all three tasks were run."""
    suite = measured.suites.get(OS_SUITE)
    if suite is None:
        return None
    return estimates.even_mean([suite.categories.get(task) for task in OS_AVERAGED])
