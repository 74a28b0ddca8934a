"""What a job will take, said before it is begun."""

from pathlib import Path

import pytest

from assay import api
from assay.errors import Refusals, SuiteNotFound
from assay.models.settings import ServerSettings
from assay.workflow.forecast import forecast
from assay.workflow.job import Job
from tests.conftest import numbered, right


@pytest.fixture
def tests():
    return numbered(6)


@pytest.fixture
def suite(bench, tests):
    return bench.suite({"sum": tests})


def job(bench, suite, *models, **more):
    return Job(models=models, suites=(suite,), out=bench.out, **more)


# ------------------------------------------------------------------------------------ how many


def test_every_test_of_every_model_is_a_request(bench, tests, suite):
    models = [bench.script(name, answers=right(tests), default=name) for name in ("a", "b")]
    ahead = forecast(job(bench, suite, *models))
    assert (ahead.requests, ahead.reused) == (12, 0)
    assert forecast(job(bench, suite, *models, repeats=3)).requests == 36
    assert forecast(job(bench, suite, models[0], limit=2)).requests == 2


def test_what_the_store_holds_is_reused_unless_all_is_asked_afresh(bench, tests, suite):
    model = bench.script("able", answers=right(tests), fail={"sum_002": "no"})
    api.run([model], suites=[suite], out=bench.out)
    ahead = forecast(job(bench, suite, model))
    assert (ahead.requests, ahead.reused) == (1, 5)  # what failed is asked again
    assert forecast(job(bench, suite, model, fresh=True)).requests == 6


def test_a_finished_job_takes_nothing(bench, tests, suite):
    model = bench.script("able", answers=right(tests))
    api.run([model], suites=[suite], out=bench.out)
    ahead = forecast(job(bench, suite, model))
    assert (ahead.requests, ahead.reused) == (0, 6)
    assert (ahead.seconds_low, ahead.seconds_high) == (0.0, 0.0)


def test_every_turn_of_a_live_conversation_counts(bench):
    turns = [{"role": "user", "content": f"question {n}"} for n in (1, 2, 3)]
    test = {
        "id": "talk_001", "messages": turns, "live": True,
        "eval_method": "exact_match", "expected": "c",
    }  # fmt: skip
    suite = bench.suite({"talk": [test]})
    model = bench.script("able", answers={"talk_001": ["a", "b", "c"]})
    assert forecast(job(bench, suite, model)).requests == 3
    broken = bench.script("short", answers={"talk_001": ["a"]})
    api.run([broken], suites=[suite], out=bench.out)
    ahead = forecast(job(bench, suite, broken))
    assert (ahead.requests, ahead.reused) == (2, 1)


def test_forecasting_leaves_nothing_behind(bench, tests, suite):
    forecast(job(bench, suite, bench.script("able", answers=right(tests))))
    assert not Path(bench.out).exists()


def test_every_mistake_of_the_job_is_raised_as_in_a_run(bench, suite):
    with pytest.raises(Refusals):
        forecast(job(bench, suite, "scripted:nowhere.json", "scripted:nor-here.json"))
    with pytest.raises(SuiteNotFound):
        forecast(job(bench, "nowhere/", bench.script("a", default="x")))


# ------------------------------------------------------------------------------------ how long


def test_a_script_takes_as_long_as_it_says(bench, tests, suite):
    model = bench.script("slow", answers=right(tests), delay_s=0.05)
    ahead = forecast(job(bench, suite, model))
    assert ahead.seconds_low is not None
    assert ahead.seconds_low >= 6 * 0.05


def test_a_served_model_is_asked_one_short_question(bench, suite, ollama_server):
    timed = []
    ahead = forecast(job(bench, suite, ollama_server.spec()), timed.append)
    (asked,) = ollama_server.asked
    assert asked.body["options"]["num_predict"] == 16
    assert timed == [ollama_server.spec()]
    assert ahead.requests == 6
    assert 0 < ahead.seconds_low < ahead.seconds_high
    assert "50 to 200 tokens" in ahead.basis


def test_slow_tokens_make_a_long_forecast(bench, suite, ollama_server):
    ollama_server.settings(token_ms=30)
    ahead = forecast(job(bench, suite, ollama_server.spec()))
    assert ahead.seconds_low > 6 * 40 * 0.03
    assert ahead.seconds_high > 6 * 160 * 0.03


def test_a_model_that_thinks_is_given_more_time(bench, suite, ollama_server):
    ahead = forecast(job(bench, suite, ollama_server.spec("smollm2-think:135m")))
    assert "50 to 1000 tokens" in ahead.basis


def test_connections_divide_the_time(bench, suite, ollama_server):
    model = ollama_server.spec()
    api.run([model], suites=[suite], out=bench.out)
    one = forecast(job(bench, suite, model, repeats=2))
    three = forecast(
        job(bench, suite, model, repeats=2, server=ServerSettings(connections=3)),
    )
    assert three.seconds_high == pytest.approx(one.seconds_high / 3)


def test_earlier_answers_of_the_same_model_say_it_better(bench, suite, ollama_server):
    api.run([ollama_server.spec()], suites=[suite], out=bench.out)
    before = len(ollama_server.asked)
    timed = []
    ahead = forecast(job(bench, suite, ollama_server.spec(), repeats=2), timed.append)
    assert len(ollama_server.asked) == before
    assert timed == []
    assert (ahead.requests, ahead.reused) == (6, 6)
    assert "6 earlier answers" in ahead.basis
    assert 0 <= ahead.seconds_low < ahead.seconds_high


def test_a_model_that_cannot_be_timed_leaves_the_time_unknown(bench, suite, ollama_server):
    ollama_server.fault("http_400", times=None)
    ahead = forecast(job(bench, suite, ollama_server.spec()))
    assert (ahead.requests, ahead.seconds_low, ahead.seconds_high) == (6, None, None)
    assert "could not be timed" in ahead.basis
