"""What a Python program may rely on."""

import ast
import importlib.util
import inspect
import re
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

import assay
from assay import api
from assay.errors import AssayError


def test_exactly_these_functions_are_public():
    assert sorted(api.__all__) == [
        "CompareOptions",
        "DEFAULT_OUT",
        "DriftOptions",
        "JudgeCheckOptions",
        "LoopOptions",
        "PromptOptions",
        "QuantsOptions",
        "RunOptions",
        "SpeedOptions",
        "StoredAnswerOptions",
        "WatchOptions",
        "answer_to_review",
        "ask",
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
        "judge",
        "judge_run",
        "leaderboard",
        "list_suites",
        "load_plugins",
        "loop",
        "new_suite",
        "new_test",
        "quants",
        "render",
        "report",
        "rescore",
        "review_failures",
        "review_queue",
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


def test_editors_see_what_is_imported_when_first_used():
    tree = ast.parse(Path(assay.__file__).read_text("utf-8"))
    (typed,) = (each for each in tree.body if isinstance(each, ast.If))
    seen = {name.name for each in ast.walk(typed) for name in getattr(each, "names", ())}
    assert seen == {*assay.__all__, "api"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"limit": 0}, "limit must be at least 1, not 0"),
        ({"limit": "two"}, "limit must be a whole number, not 'two'"),
        ({"repeats": 1001}, "repeats must be at most 1000, not 1001"),
        ({"timeout": 0}, "timeout must be above 0, not 0"),
        ({"fresh": "no"}, "fresh must be True or False, not 'no'"),
        ({"out": 3}, "out must be a path, not 3"),
        ({"sampling": "fixd"}, "sampling must be one of fixed, server, not 'fixd'; did you mean"),
        ({"categories": [1]}, "categories must be a text, not 1"),
    ],
)
def test_a_wrong_value_is_named_as_the_caller_wrote_it(given, said):
    with pytest.raises(AssayError, match=f"^{re.escape(said)}"):
        assay.run("scripted:nothing.json", suites="example", **given)


def test_all_wrong_values_are_said_at_once():
    with pytest.raises(AssayError) as refused:
        assay.run("scripted:nothing.json", suites="example", limit=0, max_tokens=0)
    assert str(refused.value) == (
        "limit must be at least 1, not 0\nmax_tokens must be at least 1, not 0"
    )


def test_an_argument_that_does_not_exist_is_told_with_the_function_and_the_nearest_name():
    said = r"^run\(\) got an unexpected keyword argument 'suits'; did you mean 'suites'\?$"
    with pytest.raises(TypeError, match=said):
        assay.run("scripted:nothing.json", suits="example")
    with pytest.raises(TypeError, match=r"^speed\(\) missing a required argument: 'models'$"):
        assay.speed()


def test_what_to_do_next_is_a_note_with_arguments_in_the_place_of_flags(tmp_path):
    with pytest.raises(AssayError) as refused:
        assay.run(tmp_path / "nowhere", suites="example")
    shown = "".join(traceback.format_exception_only(refused.value))
    assert "a custom scheme needs plugins=" in shown
    assert "--plugin" in refused.value.hint  # as the command line says it


def test_one_path_or_several_are_taken_as_text_and_as_path():
    suite = Path(assay.__file__).parent / "builtin" / "suites" / "example"
    found = [assay.validate(given) for given in (suite, str(suite), [suite])]
    assert found[0] == found[1] == found[2]
    assert all(each.severity != "error" for each in found[0])
