"""MMLU, computer science: accuracy, 5-shot, letter form. A part of the weighted score."""

import shlex
from collections.abc import Iterable, Sequence

from assay.measures.benchmark import FetchedBenchmark
from assay.measures.suites import compare_tests, tests_by_unit
from assay.messages import message
from assay.plugins import measure
from assay.types import Estimate
from assay.types.decisions import DecisionFact, Measurements, Recommendation, fact
from assay.types.measures import CommonScale, JsonKey, Places, ScorePiece
from assay.types.score_units import ScoreUnits


@measure("mmlu_cs", unit="share", better="higher")
class MmluComputerScience(FetchedBenchmark):
    """Accuracy on the computer science part of MMLU."""

    places = Places(keys=30)
    suite = metric = "mmlu"
    category = "computer_science"
    rank, column_place = 70, 40
    keys = (JsonKey("mmlu_cs", "share", "Accuracy on the computer science part of MMLU.", True),)
    weight = 0.2
    sentences = {
        "fetch_mmlu": message(
            "The weighted score lacks mmlu_cs: `assay fetch mmlu`, then `{command}`."
        ),
        "mmlu_missing": message("mmlu_cs not measured: a part with a weight of 0.2 adds 0"),
    }

    def part_of(self, measured: Measurements, scale: CommonScale) -> Estimate | None:
        return measured.mmlu_cs

    def common_scale(self, candidates: Sequence[Measurements], noise: Iterable[str]) -> CommonScale:
        if self.suite not in noise:
            return CommonScale()
        note = fact("part_is_noise", part=self.name, suite=self.suite)
        return CommonScale(usable=False, notes=(note,))

    def difference(
        self, a: Measurements, b: Measurements, scale: CommonScale
    ) -> tuple[ScorePiece | None, tuple[DecisionFact, ...]]:
        return compare_tests(a, b, self.suite, (self.category,), self.weight)

    def units(
        self, candidates: Sequence[Measurements], scale: CommonScale
    ) -> Sequence[ScoreUnits] | None:
        return tests_by_unit(candidates, self.suite, (self.category,), self.weight)

    def on_lacking(self, measured: Measurements) -> Sequence[Recommendation]:
        if measured.mmlu_cs is not None:
            return ()
        why = measured.not_measured.get("mmlu_cs") or measured.not_measured.get("mmlu")
        figures = (fact("mmlu_missing"), *((fact("text", text=why),) if why else ()))
        where = shlex.quote(measured.path or measured.name.replace("/", ":", 1))
        advice = fact("fetch_mmlu", command=f"assay run {where} -s mmlu")
        return (Recommendation("missing", advice, figures),)
