"""Tests asked in two ways: freely and under the server's constraint, without and with thinking."""

import pytest

from assay import api
from assay.errors import AssayError

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
}
SHAPED = [
    {
        "id": f"shape_00{number}",
        "prompt": f"Person {number} as JSON, please.",
        "eval_method": "format",
        "expected_format": {"json_schema": SCHEMA, "max_words": 9},
    }
    for number in range(1, 5)
]
PLAIN = {
    "id": "shape_005", "prompt": "Say yes.", "eval_method": "exact_match", "expected": "yes",
}  # fmt: skip
FREE = {"Person 1": '{"name": "Ama", "age": 3}', "Person": "Ama is three years old.", "Say": "yes"}


@pytest.mark.parametrize("scheme", ["ollama", "openai"])
def test_the_constraint_is_asked_for_beside_the_free_answer_and_paired(
    scheme, ollama_server, openai_server, bench
):
    server = {"ollama": ollama_server, "openai": openai_server}[scheme]
    server.answers(FREE)
    suite = bench.suite({"shape": [*SHAPED, PLAIN]})
    report = api.run([server.spec()], suites=[suite], out=bench.out, constrained=True)
    (model,) = report.models
    assert [(each.suite, len(each.tests)) for each in model.suites] == [
        ("tests", 5), ("tests-constrained", 4),
    ]  # fmt: skip
    (twin,) = model.twins
    # The plain text breaks the schema, and keeps to nine words; the constraint mends the first.
    assert (twin.a.value, twin.b.value, twin.difference.value) == (62.5, 100, 37.5)
    assert (twin.difference.n, twin.left_out) == (4, ())
    figures = model.measurements
    assert figures["tests-constrained/difference"].value == 37.5
    assert figures["tests-constrained/output_tokens_difference"].n == 4
    assert figures["tests-constrained/seconds_difference"].unit == "s"
    field = "format" if scheme == "ollama" else "response_format"
    schemas = [each.body[field] for each in server.asked if each.body.get(field)]
    sent = schemas[0] if scheme == "ollama" else schemas[0]["json_schema"]["schema"]
    assert (len(schemas), sent) == (4, SCHEMA)
    page = api.render(report, "text", verbose=True)
    assert "tests-constrained against tests" in page


def test_a_constraint_that_nobody_can_keep_to_is_refused_first(bench, ollama_server):
    model = bench.script("able", default="yes")
    shaped = bench.suite({"shape": SHAPED})
    with pytest.raises(AssayError, match="cannot be asked under a JSON constraint"):
        api.run([model], suites=[shaped], out=bench.out, constrained=True)
    plain = bench.suite({"shape": [PLAIN]}, name="plain")
    with pytest.raises(AssayError, match="--constrained is for tests with a json_schema"):
        api.run([ollama_server.spec()], suites=[plain], out=bench.out, constrained=True)


def test_thinking_is_compared_with_not_thinking_test_by_test(ollama_server, bench):
    ollama_server.answers({"Say": {"text": "yes", "thinking": "One word will do. " * 9}})
    tests = [PLAIN | {"id": f"say_00{n}", "prompt": f"Say yes. {n}"} for n in range(1, 4)]
    tests[2] |= {"max_tokens": 20}  # too few for its thoughts
    suite = bench.suite({"say": tests})
    spec = ollama_server.spec("smollm2-think:135m")
    report = api.run([spec], suites=[suite], out=bench.out, think="both")
    (model,) = report.models
    (twin,) = model.twins
    assert (twin.suite, twin.a.value, round(twin.b.value)) == ("tests-thinking", 100, 67)
    assert model.measurements["tests-thinking/output_tokens_difference"].value > 20
    assert [flip.id for flip in twin.flips] == ["say_003"]
    assert sorted(each.body["think"] for each in ollama_server.asked) == [False] * 3 + [True] * 3
    (cause,) = model.suites[1].causes
    assert (cause.kind, cause.count, cause.thinking, cause.n) == ("cut", 1, 1, 3)
    with pytest.raises(AssayError, match="cannot be asked to think 'both'"):
        api.run([ollama_server.spec()], suites=[suite], out=bench.out, think="both")
