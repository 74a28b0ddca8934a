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
from dataclasses import dataclass
from pathlib import Path

from assay.api.call_options import takes_options
from assay.types import Estimate
from assay.types.decisions import Sample
from assay.types.options import CheckpointCallOptions


@dataclass(frozen=True)
class ModelToEvaluate(CheckpointCallOptions):
    """The arguments of `evaluate_model`."""

    checkpoint_path: str | Path
    test_dataset: str | Path | None = None
    metrics: Sequence[str] | None = None


@takes_options(ModelToEvaluate)
def evaluate_model(options: ModelToEvaluate) -> dict[str, object]:
    """One checkpoint's evaluation report, as evaluation_report.json has it.

    `test_dataset`: the text for perplexity and accuracy; None: the shipped one. `metrics`: out
    of perplexity, accuracy, mmlu, hellaswag, os_benchmark, generation, speed, memory; None: all.
    Only those are measured, and the others are None; a benchmark that was not fetched is None as
    well, and `details.not_measured` says how to get it. The shipped gate decides. Nothing is
    written beside the weights.
    """
    from assay.workflow.checkpoints.single_checkpoint import report_on

    return report_on(options.checkpoint_path, options.test_dataset, options.metrics, options)


@dataclass(frozen=True)
class BenchmarkToRun(CheckpointCallOptions):
    """The arguments of `run_benchmark`."""

    checkpoint_path: str | Path
    benchmark_suite: str | Path


@takes_options(BenchmarkToRun)
def run_benchmark(options: BenchmarkToRun) -> Estimate:
    """The score of one benchmark, with its interval.

    `mmlu`, `hellaswag` and `custom_os_eval` are shares from 0 to 1, as in the report
    (`custom_os_eval`: the mean of hardware_id, driver_select and command_complete). Any other
    suite, by its name or path, is its score in points, 0 to 100, as `assay run` shows it.
    """
    from assay.workflow.checkpoints.single_checkpoint import benchmark_score

    return benchmark_score(options.checkpoint_path, options.benchmark_suite, options)


@dataclass(frozen=True)
class SamplesToGenerate(CheckpointCallOptions):
    """The arguments of `generate_samples`."""

    checkpoint_path: str | Path
    prompts: Sequence[str]


@takes_options(SamplesToGenerate)
def generate_samples(options: SamplesToGenerate) -> list[Sample]:
    """What a checkpoint writes after each prompt, for people to read, with its health.

    Written as at the gate: temperature 0.3, seed 0, at most 160 tokens. A prompt that is one of the
    shipped samples is checked like that sample.
    """
    from assay.workflow.checkpoints.single_checkpoint import samples_after

    return samples_after(options.checkpoint_path, options.prompts, options)
