"""The OS benchmark: the mean of three tasks of the suite `os`, with installation beside it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assay.files.shapes import Shape, Share
from assay.measures.suites import (
    OS_AVERAGE,
    OS_BENCHMARK,
    compare_tests,
    mean_of_suite,
    suite_criterion,
    suites_asked,
    tests_by_unit,
)
from assay.messages import message
from assay.plugins import measure
from assay.stats import estimates
from assay.types import Estimate
from assay.types.decisions import (
    OS_AVERAGED,
    OS_SUITE,
    OS_TASKS,
    DecisionFact,
    Gate,
    GateCriterion,
    Measurements,
    fact,
)
from assay.types.measures import CommonScale, FigureColumn, Measure, Places, ScorePiece
from assay.types.score_units import ScoreUnits

NAME = "os_benchmark"
SAMPLED = "sampled"  # the method of shares whose predictions were sampled, not searched for


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
    sentences = {
        "os_left_out": message(
            "The OS benchmark is left out: for some checkpoints the best predictions were searched "
            "for, for others they were sampled, and the two are never ranked side by side."
        ),
    }

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

    def part_of(self, measured: Measurements, scale: CommonScale) -> Estimate | None:
        return os_average(measured)

    def common_scale(self, candidates: Sequence[Measurements], noise: Iterable[str]) -> CommonScale:
        if _asked_in_two_ways(candidates):
            return CommonScale(usable=False, notes=(fact("os_left_out"),))
        if OS_SUITE in noise:
            note = fact("part_is_noise", part=NAME, suite=OS_SUITE)
            return CommonScale(usable=False, notes=(note,))
        return CommonScale()

    def difference(
        self, a: Measurements, b: Measurements, scale: CommonScale
    ) -> tuple[ScorePiece | None, tuple[DecisionFact, ...]]:
        return compare_tests(a, b, OS_SUITE, OS_AVERAGED, self.weight)

    def units(
        self, candidates: Sequence[Measurements], scale: CommonScale
    ) -> Sequence[ScoreUnits] | None:
        return tests_by_unit(candidates, OS_SUITE, OS_AVERAGED, self.weight)


def os_average(measured: Measurements) -> Estimate | None:
    """None unless all three tasks were run."""
    suite = measured.suites.get(OS_SUITE)
    if suite is None:
        return None
    return estimates.even_mean([suite.categories.get(task) for task in OS_AVERAGED])


def _asked_in_two_ways(candidates: Sequence[Measurements]) -> bool:
    ways = {
        tuple(candidate.suites[OS_SUITE].categories[task].method == SAMPLED for task in OS_AVERAGED)
        for candidate in candidates
        if OS_SUITE in candidate.suites
    }
    return len(ways) > 1
