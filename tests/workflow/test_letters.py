"""A served model's letters, as written and as most likely, from one request."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assay
from assay.api.rendering import render
from assay.store import Store
from assay.types import Answered

CHOICES = ("Venus", "Mars", "Saturn", "Earth")
KNOWS = {"The": -0.6, " B": -2.0, "B": -2.3, "(B": -4.0, "A": -2.1, "C": -6.0}


def questions(count: int) -> list[dict[str, object]]:
    return [
        {
            "id": f"planet_{number:03d}",
            "prompt": f"{number}. Which planet is red?",
            "eval_method": "multiple_choice",
            "expected": "B",
            "choices": CHOICES,
        }
        for number in range(1, count + 1)
    ]


@pytest.fixture
def planets(bench) -> str:
    return bench.suite({"planet": questions(12)})


def answers(server, text: str, logprobs=KNOWS) -> None:
    server.answers({"*": {"text": text, "logprobs": logprobs}})


@pytest.fixture(params=["ollama", "openai"])
def server(request):
    return request.getfixturevalue(f"{request.param}_server")


def test_one_request_gives_the_written_letter_and_the_most_likely_one(bench, planets, server):
    answers(server, "It could be Venus, or Mars, or the Earth")
    report = assay.run(server.spec(), suites=planets, out=bench.out)
    (model,) = report.models
    suite = model.suites[0].suite
    written = model.measurements[f"{suite}/letter_written"]
    likely = model.measurements[f"{suite}/letter_likely"]
    assert (written.value, written.n, likely.value, likely.n) == (0.0, 12, 1.0, 12)
    assert model.suites[0].score.value == 0.0, "the score is that of the letters written"
    asked = [each for each in server.asked if "planet" in json.dumps(each.body)]
    assert len(asked) == 12, "a request for each test"
    page = render(report, "md")
    assert "follows the form" in page
    assert "knows the answer" in page
    assert f"{suite}/letter_likely" in json.dumps(report.to_dict())


def test_spellings_are_summed_and_a_letter_not_told_is_never_the_likeliest(bench, planets, server):
    answers(server, "A", {"A": -1.0, "B": -1.5, " B": -1.6, "The": -3.0, "Mars": -9.0})
    report = assay.run(server.spec(), suites=planets, out=bench.out)
    suite = report.models[0].suites[0].suite
    assert report.models[0].measurements[f"{suite}/letter_likely"].value == 1.0
    with Store(Path(bench.out), read_only=True) as store:
        run = store.find_run("latest")
        reply = next(iter(store.read_trials(run, run.models[0]))).reply
    assert isinstance(reply, Answered)
    assert reply.letters_bounded == (False, False, True, True)
    assert reply.letters[2] == -9.0


def test_where_no_letter_is_told_the_test_is_unscored_in_likely_alone(bench, planets, server):
    answers(server, "B", {"The": -0.1, "It": -3.0})
    report = assay.run(server.spec(), suites=planets, out=bench.out)
    assert report.models[0].suites[0].score.value == 100.0
    assert not report.models[0].suites[0].letters, "no test told any"


def test_questions_with_their_options_in_the_prompt_tell_both_too(bench, server):
    prompt = "Which planet is red?\nA. Venus\nB. Mars\nC. Saturn\nAnswer with one letter."
    test = {"id": "a_1", "prompt": prompt, "eval_method": "multiple_choice", "expected": "B"}
    answers(server, "Well", {"A": -2.0, "B": -1.0})
    report = assay.run(server.spec(), suites=bench.suite({"a": [test]}), out=bench.out)
    suite = report.models[0].suites[0]
    assert suite.letters[f"{suite.suite}/letter_likely"].value == 1.0
    assert suite.letters[f"{suite.suite}/letter_written"].value == 0.0


def test_a_server_that_tells_no_likelihoods_has_neither_figure(bench, planets, start_ollama):
    server = start_ollama(version="0.11.10")
    server.answers({"*": "B"})
    report = assay.run(server.spec(), suites=planets, out=bench.out)
    assert report.models[0].suites[0].score.value == 100.0
    assert not report.models[0].suites[0].letters
