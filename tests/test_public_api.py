"""What a Python program may rely on."""

import inspect

import assay
from assay import api


def test_exactly_these_functions_are_public():
    assert sorted(api.__all__) == [
        "DEFAULT_OUT",
        "PromptOptions",
        "RunOptions",
        "StoredAnswerOptions",
        "WatchOptions",
        "ask",
        "compare",
        "describe_suite",
        "evaluate_model",
        "export",
        "fetch",
        "generate_samples",
        "judge",
        "leaderboard",
        "list_suites",
        "report",
        "rescore",
        "run",
        "run_benchmark",
        "schema",
        "select",
        "validate",
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
