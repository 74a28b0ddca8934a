"""MMLU, computer science: accuracy, 5-shot, letter form. A part of the weighted score."""

import shlex
from collections.abc import Sequence

from assay.measures.benchmark import FetchedBenchmark
from assay.messages import message
from assay.plugins import measure
from assay.types.decisions import Gate, Measurements, Recommendation, fact
from assay.types.measures import JsonKey, Places
from assay.types.score_parts import WeighedPart


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
        "mmlu_missing": message("mmlu_cs not measured: missing part (weight 0.2) counts as 0"),
    }

    def specified_part(self) -> WeighedPart:
        return self.score_part(self.name, self.weight, Gate(source=""))

    def on_lacking(self, measured: Measurements) -> Sequence[Recommendation]:
        if measured.mmlu_cs is not None:
            return ()
        why = measured.not_measured.get("mmlu_cs") or measured.not_measured.get("mmlu")
        figures = (fact("mmlu_missing"), *((fact("text", text=why),) if why else ()))
        where = shlex.quote(measured.path or measured.name.replace("/", ":", 1))
        advice = fact("fetch_mmlu", command=f"assay run {where} -s mmlu")
        return (Recommendation("missing", advice, figures),)
