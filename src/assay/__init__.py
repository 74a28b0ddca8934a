"""Assay decides whether a small language model is good enough, and shows why.

    import assay

    result = assay.run(["ollama:qwen3:4b", "ollama:gemma3:4b"], suites="example")
    result                                  # the headline; in a notebook a table and a figure too
    result.to_pandas()                      # one row per model and test
    assay.explain_result("latest", "arithmetic_001")

docs/api.md has an example of each function. `assay.api` has them all: `assay.api.judge`
too, whose name the package of judges has here.
"""

from typing import TYPE_CHECKING

from assay.version import __version__ as __version__

if TYPE_CHECKING:  # for editors and type checkers; a test keeps it equal to what is imported
    from assay import api as api
    from assay.api import (
        answer_to_review as answer_to_review,
    )
    from assay.api import (
        ask as ask,
    )
    from assay.api import (
        check_generation_quality as check_generation_quality,
    )
    from assay.api import (
        check_judge as check_judge,
    )
    from assay.api import (
        compare as compare,
    )
    from assay.api import (
        compare_answers as compare_answers,
    )
    from assay.api import (
        compute_perplexity as compute_perplexity,
    )
    from assay.api import (
        compute_weighted_score as compute_weighted_score,
    )
    from assay.api import (
        describe_suite as describe_suite,
    )
    from assay.api import (
        drift as drift,
    )
    from assay.api import (
        evaluate_model as evaluate_model,
    )
    from assay.api import (
        examine_machine as examine_machine,
    )
    from assay.api import (
        explain_result as explain_result,
    )
    from assay.api import (
        export as export,
    )
    from assay.api import (
        fetch as fetch,
    )
    from assay.api import (
        generate_samples as generate_samples,
    )
    from assay.api import (
        judge_run as judge_run,
    )
    from assay.api import (
        leaderboard as leaderboard,
    )
    from assay.api import (
        list_suites as list_suites,
    )
    from assay.api import (
        loop as loop,
    )
    from assay.api import (
        new_suite as new_suite,
    )
    from assay.api import (
        new_test as new_test,
    )
    from assay.api import (
        quants as quants,
    )
    from assay.api import (
        render as render,
    )
    from assay.api import (
        report as report,
    )
    from assay.api import (
        rescore as rescore,
    )
    from assay.api import (
        review_failures as review_failures,
    )
    from assay.api import (
        review_queue as review_queue,
    )
    from assay.api import (
        review_summary as review_summary,
    )
    from assay.api import (
        run as run,
    )
    from assay.api import (
        run_benchmark as run_benchmark,
    )
    from assay.api import (
        run_hellaswag_benchmark as run_hellaswag_benchmark,
    )
    from assay.api import (
        run_mmlu_benchmark as run_mmlu_benchmark,
    )
    from assay.api import (
        run_os_benchmark as run_os_benchmark,
    )
    from assay.api import (
        runs as runs,
    )
    from assay.api import (
        schema as schema,
    )
    from assay.api import (
        score as score,
    )
    from assay.api import (
        select as select,
    )
    from assay.api import (
        select_checkpoint as select_checkpoint,
    )
    from assay.api import (
        speed as speed,
    )
    from assay.api import (
        store_review as store_review,
    )
    from assay.api import (
        suite_statistics as suite_statistics,
    )
    from assay.api import (
        undo_review as undo_review,
    )
    from assay.api import (
        validate as validate,
    )
    from assay.api import (
        validate_tests as validate_tests,
    )
    from assay.api import (
        watch as watch,
    )
    from assay.errors import AssayError as AssayError
    from assay.files.fields import Doc as Doc
    from assay.plugins import check as check
    from assay.plugins import file_digest as file_digest
    from assay.plugins import measure as measure
    from assay.plugins import model as model
    from assay.plugins import report_format as report_format
    from assay.trainer_callback.callback import TrainerCallback as TrainerCallback
    from assay.types import Estimate as Estimate
    from assay.types import Message as Message
    from assay.types import Model as Model
    from assay.types import Requests as Requests
    from assay.types import Score as Score
    from assay.types.own_measures import Ask as Ask
    from assay.types.own_measures import Choose as Choose
    from assay.types.own_measures import Read as Read
    from assay.types.own_measures import Reply as Reply
    from assay.types.results import Report as Report

_API = (
    "answer_to_review", "ask", "check_generation_quality", "check_judge", "compare",
    "compare_answers", "compute_perplexity", "compute_weighted_score", "describe_suite", "drift",
    "evaluate_model", "examine_machine", "explain_result", "export", "fetch", "generate_samples",
    "judge_run", "leaderboard", "list_suites", "loop", "new_suite", "new_test",
    "quants", "render", "report", "rescore", "review_failures", "review_queue",
    "review_summary", "run", "run_benchmark", "run_hellaswag_benchmark", "run_mmlu_benchmark",
    "run_os_benchmark", "runs", "schema", "score", "select", "select_checkpoint", "speed",
    "store_review", "suite_statistics", "undo_review", "validate", "validate_tests", "watch",
)  # fmt: skip
_IMPORTED_FROM = {
    "Ask": "assay.types.own_measures",
    "AssayError": "assay.errors",
    "Choose": "assay.types.own_measures",
    "Doc": "assay.files.fields",
    "Estimate": "assay.types",
    "Message": "assay.types",
    "Model": "assay.types",
    "Read": "assay.types.own_measures",
    "Reply": "assay.types.own_measures",
    "Report": "assay.types.results",
    "Requests": "assay.types",
    "Score": "assay.types",
    "TrainerCallback": "assay.trainer_callback.callback",
    "check": "assay.plugins",
    "file_digest": "assay.plugins",
    "measure": "assay.plugins",
    "model": "assay.plugins",
    "report_format": "assay.plugins",
    **dict.fromkeys(_API, "assay.api"),
}
__all__ = [*_IMPORTED_FROM]


def __getattr__(name: str) -> object:
    """Imported when first used: the command line must start quickly, without transformers."""
    import importlib

    if name == "api":
        return importlib.import_module("assay.api")
    if name not in _IMPORTED_FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_IMPORTED_FROM[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__", "api"])
