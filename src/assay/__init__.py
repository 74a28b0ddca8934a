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

if TYPE_CHECKING:  # what plugins are written with, for whoever checks their types
    from assay.files.fields import Doc as Doc
    from assay.plugins import check as check
    from assay.plugins import file_digest as file_digest
    from assay.plugins import measure as measure
    from assay.plugins import model as model
    from assay.plugins import report_format as report_format
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
    "answer_to_review", "ask", "attack", "check_generation_quality", "check_judge", "compare",
    "compare_answers", "compute_perplexity", "compute_weighted_score", "describe_suite", "drift",
    "evaluate_model", "examine_machine", "explain_result", "export", "fetch", "generate_samples",
    "import_reviews", "judge_run", "leaderboard", "list_suites", "loop", "new_suite", "new_test",
    "render", "report", "rescore", "review_failures", "review_queue", "review_sheet",
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
