"""The public functions. Every interface calls these, and so may any Python program.

    from assay import api

    report = api.run(["scripted:good.json"], suites=["example"])
    print(report.models[0].suites[0].score)

Those of `_DEFINED_IN` are imported when they are first used: a command starts with what it needs.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.arguments import takes_options
from assay.plugins import load_plugins
from assay.types import Observer
from assay.types.measures import kinds_by_default
from assay.types.option_fields import several
from assay.types.options import (
    DEFAULT_OUT,
    CompareOptions,
    DriftOptions,
    JudgeCheckOptions,
    LocalOptions,
    LoopOptions,
    PromptOptions,
    QuantsOptions,
    RunOptions,
    SchemaKind,
    SpeedOptions,
    StoredAnswerOptions,
    WatchOptions,
)

if TYPE_CHECKING:
    from assay.api.rendering import render as render
    from assay.api.tools import explain_result as explain_result
    from assay.api.tools import judge_run as judge_run
    from assay.api.tools import list_suites as list_suites
    from assay.api.tools import review_failures as review_failures
    from assay.api.tools import select_checkpoint as select_checkpoint
    from assay.api.tools import validate_tests as validate_tests
    from assay.reports.formats.notebook import (
        ComparisonResult,
        DriftResult,
        JudgeCheckResult,
        LoopResult,
        LossResult,
        QuantsResult,
        RunResult,
    )
    from assay.suites.review_sheet import import_reviews as import_reviews
    from assay.suites.review_sheet import review_sheet as review_sheet
    from assay.workflow.commands.attacking import attack as attack
    from assay.workflow.commands.authoring import validate as validate
    from assay.workflow.commands.benchmarks import fetch as fetch
    from assay.workflow.commands.discover.discovery import describe_suite as describe_suite
    from assay.workflow.commands.discover.doctor import examine_machine as examine_machine
    from assay.workflow.commands.new_tests import new_suite as new_suite
    from assay.workflow.commands.new_tests import new_test as new_test
    from assay.workflow.commands.rescoring import rescore as rescore
    from assay.workflow.commands.reviewing.queue import answer_to_review as answer_to_review
    from assay.workflow.commands.reviewing.queue import review_queue as review_queue
    from assay.workflow.commands.reviewing.reviews import store_review as store_review
    from assay.workflow.commands.reviewing.reviews import undo_review as undo_review
    from assay.workflow.commands.runs import runs as runs
    from assay.workflow.commands.selection import select as select
    from assay.workflow.commands.single_checkpoint import evaluate_model as evaluate_model
    from assay.workflow.commands.single_checkpoint import generate_samples as generate_samples
    from assay.workflow.commands.single_checkpoint import run_benchmark as run_benchmark
    from assay.workflow.commands.specified_functions import (
        check_generation_quality as check_generation_quality,
    )
    from assay.workflow.commands.specified_functions import compute_perplexity as compute_perplexity
    from assay.workflow.commands.specified_functions import (
        compute_weighted_score as compute_weighted_score,
    )
    from assay.workflow.commands.specified_functions import (
        run_hellaswag_benchmark as run_hellaswag_benchmark,
    )
    from assay.workflow.commands.specified_functions import run_mmlu_benchmark as run_mmlu_benchmark
    from assay.workflow.commands.specified_functions import run_os_benchmark as run_os_benchmark
    from assay.workflow.commands.specified_functions import score as score
    from assay.workflow.commands.watch import Watching
    from assay.workflow.reporting.comparison import compare_answers as compare_answers
    from assay.workflow.reporting.leaderboard import leaderboard as leaderboard
    from assay.workflow.reporting.records import export as export
    from assay.workflow.reporting.reviewed import review_summary as review_summary
    from assay.workflow.reporting.stored_report import report as report
    from assay.workflow.reporting.suite_statistics import suite_statistics as suite_statistics

_IN_MODULES = {
    "api.rendering": ("render",),
    "api.tools": (
        "explain_result", "judge_run", "list_suites", "review_failures", "select_checkpoint",
        "validate_tests",
    ),
    "suites.review_sheet": ("import_reviews", "review_sheet"),
    "workflow.commands.attacking": ("attack",),
    "workflow.commands.authoring": ("validate",),
    "workflow.commands.benchmarks": ("fetch",),
    "workflow.commands.selection": ("select",),
    "workflow.commands.single_checkpoint": (
        "evaluate_model", "generate_samples", "run_benchmark",
    ),
    "workflow.commands.specified_functions": (
        "check_generation_quality", "compute_perplexity", "compute_weighted_score",
        "run_hellaswag_benchmark", "run_mmlu_benchmark", "run_os_benchmark", "score",
    ),
    "workflow.commands.discover.discovery": ("describe_suite",),
    "workflow.commands.discover.doctor": ("examine_machine",),
    "workflow.reporting.comparison": ("compare_answers",),
    "workflow.reporting.leaderboard": ("leaderboard",),
    "workflow.reporting.records": ("export",),
    "workflow.commands.rescoring": ("rescore",),
    "workflow.reporting.stored_report": ("report",),
    "workflow.commands.runs": ("runs",),
    "workflow.reporting.suite_statistics": ("suite_statistics",),
    "workflow.commands.new_tests": ("new_suite", "new_test"),
    "workflow.commands.reviewing.queue": ("answer_to_review", "review_queue"),
    "workflow.reporting.reviewed": ("review_summary",),
    "workflow.commands.reviewing.reviews": ("store_review", "undo_review"),
}  # fmt: skip
_DEFINED_IN = {name: module for module, names in _IN_MODULES.items() for name in names}

__all__ = [
    *_DEFINED_IN,
    "DEFAULT_OUT",
    "CompareOptions",
    "DriftOptions",
    "JudgeCheckOptions",
    "LoopOptions",
    "PromptOptions",
    "QuantsOptions",
    "RunOptions",
    "SpeedOptions",
    "StoredAnswerOptions",
    "WatchOptions",
    "ask",
    "check_judge",
    "compare",
    "drift",
    "judge",
    "load_plugins",
    "loop",
    "quants",
    "run",
    "schema",
    "speed",
    "watch",
]


def __getattr__(name: str) -> object:
    if name not in _DEFINED_IN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"assay.{_DEFINED_IN[name]}"), name)


def _observer(options: LocalOptions) -> Observer:
    from assay.reports.progress import observer_for

    return observer_for(options.observer)


@takes_options(RunOptions)
def run(options: RunOptions) -> RunResult:
    """Ask the models every test of the suites, score the answers, and report.

    `models`: one or several, specs, Models or objects of a plugin's class. `suites`: names, paths
    or Suites.

    Continues an unfinished run of the same arguments; reuses stored answers unless `fresh`. For
    checkpoints alone no suite need be named: then everything is asked and measured that the gate
    needs. The arguments are the fields of `RunOptions`, which are the options of `assay run`.
    Example: `assay.run(["ollama:qwen3:4b", "ollama:gemma3:4b"], suites="example")`.
    """
    from assay.reports.formats.notebook import RunResult
    from assay.workflow.commands.evaluation import evaluate
    from assay.workflow.running.job import job_of

    return RunResult.of(evaluate(job_of(options), _observer(options)))


@takes_options(WatchOptions)
def watch(options: WatchOptions) -> Watching:
    """Evaluate each checkpoint of a folder as it appears: iterate over what is seen.

    It looks every `interval` seconds, and ends after what is there (`once`), with the first that is
    accepted (`until_accepted`), or never. Without a gate everything is
    measured; with one, only what the gate needs.
    Example: `for seen in assay.watch("runs/my-model", once=True): print(seen)`.
    """
    from assay.workflow.commands.watch import Watching
    from assay.workflow.running.job import Job

    measures = options.measures
    if measures is None and options.gate is None:
        measures = kinds_by_default()
    folder = str(options.folder)
    called = options.command_line("watch", folder)
    job = Job.of(options, models=(folder,), measures=measures, called=called)
    return Watching(job, options, _observer(options))


@takes_options(LoopOptions)
def loop(options: LoopOptions) -> LoopResult:
    """Train, evaluate, review, adjust, again, until accepted or out of budget.

    `train` is a command with placeholders: {out}, the folder to write checkpoints into; {changes},
    the file of the round before; {steps}; {resume}, the best checkpoint so far, empty at first. No
    shell reads it. The same call continues after a kill. Without a gate everything is measured.
    Example: `assay.loop("python train.py --out {out} --steps {steps}", steps=100).exit_code`.
    """
    from assay.reports.formats.notebook import LoopResult
    from assay.workflow.commands.loop.rounds import run_loop

    return LoopResult.of(run_loop(options, _observer(options)))


@takes_options(StoredAnswerOptions)
def judge(options: StoredAnswerOptions) -> RunResult:
    """Judge the answers of a run, or of a folder with outputs/MODEL/TEST-ID.txt made elsewhere.

    `imports`: evaluations in the standard format, which count like a judge. `suites`: the tests of
    a folder that has no test-plans/. Example: `assay.judge("latest", judges="ollama:qwen3:14b")`.
    """
    from assay.reports.formats.notebook import RunResult
    from assay.workflow.commands.existing_answers import judge_existing

    return RunResult.of(judge_existing(options, _observer(options)))


@takes_options(JudgeCheckOptions)
def check_judge(options: JudgeCheckOptions) -> JudgeCheckResult:
    """Qualify a judge on gold answers and injections. Its card is kept in the user's data folder,
    where every project finds it; a judge that has a valid one is not asked again unless `fresh`.
    Example: `assay.check_judge("ollama:qwen3:14b").card.qualified`.
    """
    from assay.reports.formats.notebook import JudgeCheckResult
    from assay.workflow.commands.judge_qualification import check_judge as check

    return JudgeCheckResult.of(check(options, _observer(options)))


@takes_options(SpeedOptions)
def speed(options: SpeedOptions) -> RunResult:
    """Time models at several depths of context, and measure the memory that each takes.

    `context`: tokens in use, such as "0,4k,16k". Continues an unfinished measurement of the same
    arguments; reuses what this machine measured unless `fresh`.
    Example: `assay.speed("ollama:qwen3:4b", context="0,4k").to_pandas("speed")`.
    """
    from assay.reports.formats.notebook import RunResult
    from assay.workflow.commands.speed import measure_depths

    return RunResult.of(measure_depths(replace(options, observer=_observer(options))))


@takes_options(PromptOptions)
def ask(options: PromptOptions) -> RunResult:
    """Ask models the prompts of a text file; the answers are stored and never scored.

    Example: `assay.ask("prompts.txt", ["ollama:qwen3:4b"]).to_pandas()[["id", "answer"]]`.
    """
    from assay.reports.formats.notebook import RunResult
    from assay.workflow.commands.evaluation import evaluate
    from assay.workflow.running.job import Job
    from assay.workflow.running.own_prompts import own_prompts

    prompts = own_prompts(Path(options.file), system=options.system)
    called = options.command_line("ask", str(options.file), *several(options.models))
    job = Job.of(options, own=(prompts,), called=called)
    return RunResult.of(evaluate(job, _observer(options)))


def schema(kind: SchemaKind = "tests") -> dict[str, Any]:
    """The JSON Schema of test files, suite.json, gates, reports, selections, reviews or quants.

    Example: `json.dumps(assay.schema("gate"))`.
    """
    from assay.reports.checkpoints.report_shapes import report_schema, selection_schema
    from assay.reports.measured.quants import quants_schema
    from assay.suites.gate_file import gate_schema
    from assay.suites.sample_prompts import samples_schema
    from assay.suites.suite_file import suite_schema
    from assay.suites.test_format.fields import tests_schema
    from assay.types.rounds import REVIEW_SCHEMA

    schemas: dict[SchemaKind, Callable[[], dict[str, Any]]] = {
        "tests": tests_schema,
        "suite": suite_schema,
        "gate": gate_schema,
        "samples": samples_schema,
        "report": report_schema,
        "selection": selection_schema,
        "review": lambda: REVIEW_SCHEMA,
        "quants": quants_schema,
    }
    return schemas[kind]()


@takes_options(CompareOptions)
def compare(options: CompareOptions) -> ComparisonResult | LossResult:
    """The first run or model against the second, or against each of the others of a list, paired by
    test. With `loss`, where the loss on the text that both read moved. With `max_drop` and
    `decide`, the last is a model, which is asked the tests of the first until the drop is decided.
    Example: `assay.compare("ollama:qwen3:4b", "ollama:gemma3:4b", max_drop=0.02).exit_code`.
    """
    from assay.reports.formats.notebook import ComparisonResult, LossResult
    from assay.store import Store
    from assay.workflow.reporting.comparison import compare as compare_in
    from assay.workflow.reporting.losses import compare_losses

    if options.decide:
        from assay.workflow.commands.early_comparison import compare_early

        return ComparisonResult.of(compare_early(options, _observer(options)))
    if options.loss:
        with Store(options.out, read_only=True) as store:
            return LossResult.of(compare_losses(store, options.runs, text=options.text))
    with Store(options.out, read_only=True) as store:
        compared = compare_in(store, options.runs, max_drop=options.max_drop)
    return ComparisonResult.of(compared)


@takes_options(QuantsOptions)
def quants(options: QuantsOptions) -> QuantsResult:
    """Which of several quantised files of one model to keep: what is in each, size, speed as
    served, drift from the base, and paired scores by likelihood.
    Example: `assay.quants(["model-F16.gguf", "model-Q4_K_M.gguf"]).keep`.
    """
    from assay.reports.formats.notebook import QuantsResult
    from assay.workflow.commands.quants import choose_quantisation

    return QuantsResult.of(choose_quantisation(options, _observer(options)))


@takes_options(DriftOptions)
def drift(options: DriftOptions) -> DriftResult:
    """How far models' predictions moved from those of the first of them, which all read the same
    text in lockstep: quantised, pruned, fine-tuned, with an adapter.
    Example: `assay.drift(["model/", "gguf:model-q4.gguf"], max_kl=0.1).headline`.
    """
    from assay.reports.formats.notebook import DriftResult
    from assay.workflow.commands.drift import measure_drift

    return DriftResult.of(measure_drift(options, _observer(options)))
