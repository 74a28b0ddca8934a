"""What a Python program may rely on."""

import importlib.util
import inspect
import subprocess
import sys

import assay
from assay import api


def test_exactly_these_functions_are_public():
    assert sorted(api.__all__) == [
        "CompareOptions",
        "DEFAULT_OUT",
        "DriftOptions",
        "JudgeCheckOptions",
        "LoopOptions",
        "PromptOptions",
        "RunOptions",
        "SpeedOptions",
        "StoredAnswerOptions",
        "WatchOptions",
        "answer_to_review",
        "ask",
        "attack",
        "check_generation_quality",
        "check_judge",
        "compare",
        "compare_answers",
        "compute_perplexity",
        "compute_weighted_score",
        "describe_suite",
        "drift",
        "evaluate_model",
        "examine_machine",
        "explain_result",
        "export",
        "fetch",
        "generate_samples",
        "import_reviews",
        "judge",
        "judge_run",
        "leaderboard",
        "list_suites",
        "load_plugins",
        "loop",
        "new_suite",
        "new_test",
        "render",
        "report",
        "rescore",
        "review_failures",
        "review_queue",
        "review_sheet",
        "review_summary",
        "run",
        "run_benchmark",
        "run_hellaswag_benchmark",
        "run_mmlu_benchmark",
        "run_os_benchmark",
        "runs",
        "schema",
        "score",
        "select",
        "select_checkpoint",
        "speed",
        "store_review",
        "suite_statistics",
        "undo_review",
        "validate",
        "validate_tests",
        "watch",
    ]


def test_every_public_function_is_documented_and_typed():
    for name in api.__all__:
        function = getattr(api, name)
        if inspect.isclass(function):
            assert inspect.getdoc(function), name
        elif callable(function):
            assert inspect.getdoc(function), name
            assert inspect.signature(function).return_annotation is not inspect.Signature.empty


def test_the_version_is_a_version():
    assert [part.isdigit() for part in assay.__version__.split(".")] == [True, True, True]


def test_the_package_offers_its_joints_and_its_main_function():
    assert assay.run is api.run
    public = {
        "Message",
        "Model",
        "Report",
        "Score",
        "check",
        "file_digest",
        "model",
        "report_format",
        "run",
    }
    assert public <= set(dir(assay))
    assert set(assay.__all__) < set(dir(assay))
    assert all(getattr(assay, name) is not None for name in dir(assay))


def test_every_function_of_the_api_is_one_of_the_package_but_for_names_that_are_taken():
    functions = {name for name in api.__all__ if inspect.isfunction(getattr(api, name))}
    assert functions - set(assay.__all__) == {"judge", "load_plugins"}
    assert all(
        getattr(assay, name) is getattr(api, name) for name in functions & set(assay.__all__)
    )
    assert not [name for name in assay.__all__ if importlib.util.find_spec(f"assay.{name}")]


def test_importing_the_package_loads_its_version_alone():
    code = "import sys, assay; print(sorted(m for m in sys.modules if m.startswith('assay.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['assay.version']\n"
