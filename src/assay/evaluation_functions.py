"""Three functions for programs and agents that look at one checkpoint at a time.

In: a checkpoint's path and what is wanted of it. Out: its evaluation report, the score of a
benchmark, or what it writes; or an AssayError with a hint.

    import assay

    report = assay.evaluate_model("runs/step_100000", metrics=["perplexity", "os_benchmark"])
    score = assay.run_benchmark("runs/step_100000", "custom_os_eval")
    samples = assay.generate_samples("runs/step_100000", ["PCI device 8086:10d3 is"])
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

from assay.types import Estimate, Observer
from assay.types.decisions import Sample
from assay.types.options import LocalOptions

if TYPE_CHECKING:
    from assay.workflow.checkpoints.single_checkpoint import Way

DEFAULT_OUT = Path("assay-out")


class OneCheckpoint(TypedDict, total=False):
    """How one checkpoint is asked.

    `out`: where replies are kept, so that a second call computes nothing again; ./assay-out unless
    said. `device`, `dtype`, `tokenizer`, `trust_remote_code`: as for any checkpoint. `benchmarks`:
    the folder of fetched ones. `limit`: at most so many tests of each suite. `observer` hears of
    progress.
    """

    out: str | Path
    device: str | None
    dtype: str | None
    tokenizer: str | Path | None
    trust_remote_code: bool
    benchmarks: str | Path | None
    limit: int | None
    observer: Observer | None


def evaluate_model(
    checkpoint_path: str | Path,
    test_dataset: str | Path | None = None,
    metrics: Sequence[str] | None = None,
    **how: Unpack[OneCheckpoint],
) -> dict[str, object]:
    """One checkpoint's evaluation report, as evaluation_report.json has it.

    `test_dataset`: the text for perplexity and accuracy; None: the one that ships. `metrics`: out
    of perplexity, accuracy, mmlu, hellaswag, os_benchmark, generation, speed, memory; None: all.
    Only those are measured, and the others are None; a benchmark that was not fetched is None as
    well, and `details.not_measured` says how to get it. The report is held against the gate that
    ships. Nothing is written beside the weights.
    """
    from assay.workflow.checkpoints.single_checkpoint import report_on

    return report_on(checkpoint_path, test_dataset, metrics, _way("evaluate_model", how))


def run_benchmark(
    checkpoint_path: str | Path, benchmark_suite: str | Path, **how: Unpack[OneCheckpoint]
) -> Estimate:
    """The score of one benchmark, with its interval.

    `mmlu`, `hellaswag` and `custom_os_eval` are shares from 0 to 1, as in the report
    (`custom_os_eval`: the mean of hardware_id, driver_select and command_complete). Any other
    suite, by its name or path, is its score in points, 0 to 100, as `assay run` shows it.
    """
    from assay.workflow.checkpoints.single_checkpoint import benchmark_score

    return benchmark_score(checkpoint_path, benchmark_suite, _way("run_benchmark", how))


def generate_samples(
    checkpoint_path: str | Path, prompts: Sequence[str], **how: Unpack[OneCheckpoint]
) -> list[Sample]:
    """What a checkpoint writes after each prompt, for people to read, with its health.

    Written as at the gate: temperature 0.3, seed 0, at most 160 tokens. A prompt that is one of the
    shipped samples is held against that sample's tick list as well.
    """
    from assay.workflow.checkpoints.single_checkpoint import samples_after

    return samples_after(checkpoint_path, prompts, _way("generate_samples", how))


def _way(function: str, how: OneCheckpoint) -> Way:
    from assay.reports.progress import SilentProgress
    from assay.workflow.checkpoints.single_checkpoint import Way
    from assay.workflow.keyword_arguments import refuse_unknown

    refuse_unknown(function, how, OneCheckpoint)
    tokenizer, benchmarks = how.get("tokenizer"), how.get("benchmarks")
    return Way(
        out=Path(how.get("out", DEFAULT_OUT)),
        observer=how.get("observer") or SilentProgress(),
        local=LocalOptions(
            device=how.get("device"),
            dtype=how.get("dtype"),
            tokenizer=None if tokenizer is None else Path(tokenizer),
            trust_remote_code=how.get("trust_remote_code", False),
        ),
        benchmarks=None if benchmarks is None else Path(benchmarks),
        limit=how.get("limit"),
    )
