"""The same model with and without thinking: two runs, compared test by test."""

import pytest

from assay import api
from assay.errors import AssayError


def test_a_run_with_thinking_is_compared_with_one_without(ollama_server, bench):
    ollama_server.answers({"Say": {"text": "yes", "thinking": "One word will do. " * 9}})
    tests = [
        {
            "id": f"say_00{number}",
            "prompt": f"Say yes. {number}",
            "eval_method": "exact_match",
            "expected": "yes",
        }
        for number in range(1, 4)
    ]
    tests[2]["max_tokens"] = 20  # too few for its thoughts
    suite = bench.suite({"say": tests})
    spec = ollama_server.spec("smollm2-think:135m")
    off, on = (api.run([spec], suites=[suite], out=bench.out, think=mode) for mode in ("off", "on"))
    assert [each.body["think"] for each in ollama_server.asked] == [False] * 3 + [True] * 3
    (cause,) = on.models[0].suites[0].causes
    assert (cause.kind, cause.count, cause.n) == ("cut", 1, 3)
    (pair,) = api.compare([off.run, on.run], out=bench.out).pairs
    (suite_difference,) = pair.suites
    assert [flip.id for flip in suite_difference.flips] == ["say_003"]


def test_a_model_without_thinking_is_not_asked_to_think(ollama_server, bench):
    suite = bench.suite({"sum": [{"id": "sum_001", "prompt": "2+2?", "eval_method": "exact_match",
                                  "expected": "4"}]})  # fmt: skip
    with pytest.raises(AssayError, match="cannot be asked to think 'on'"):
        api.run([ollama_server.spec()], suites=[suite], out=bench.out, think="on")
    assert ollama_server.asked == []
