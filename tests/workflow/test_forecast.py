"""What a job will take, said before it is begun."""

import math
import random
import sqlite3
import statistics
from contextlib import closing
from pathlib import Path

import pytest

from assay import api
from assay.errors import Refusals, SuiteNotFound
from assay.workflow.commands.discover.forecast import forecast, spread_of
from assay.workflow.running.job import Job
from tests.conftest import numbered, right
from tests.models.local.checkpoints import make_checkpoint


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


@pytest.mark.parametrize(("options", "before"), [([], 0), (["--fresh"], 6)])
def test_a_killed_run_is_forecast_by_what_is_left_of_it(
    bench, suite, ollama_server, options, before
):
    model = ollama_server.spec()
    if before:
        api.run([model], suites=[suite], out=bench.out)
    ollama_server.fault("slow_prefill", when="What is 4 plus", times=1, seconds=10)
    process = bench.start("run", model, "-s", suite, *options)
    try:
        ollama_server.wait_until(lambda _: replies(bench) == before + 3)
    finally:
        process.kill()
        process.communicate()
    ahead = forecast(job(bench, suite, model))
    assert (ahead.requests, ahead.reused) == (3, 3)


def replies(bench):
    """What another process sees; in the first moment there are no tables."""
    if not (bench.out / "assay.db").is_file():
        return 0
    with closing(sqlite3.connect(bench.out / "assay.db", timeout=30)) as database:
        try:
            return database.execute("SELECT count(*) FROM replies").fetchone()[0]
        except sqlite3.OperationalError:
            return 0


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


def several_best(k):
    return {
        "id": "word_001", "prompt": "Name a word.", "eval_method": "top_k",
        "expected_any": ["sea"], "k": k,
    }  # fmt: skip


def letters(count):
    return [
        {
            "id": f"letter_{n:03d}", "prompt": f"Which is number {n}?", "expected": "A",
            "eval_method": "multiple_choice", "choices": ["this", "that"],
        }
        for n in range(1, count + 1)
    ]  # fmt: skip


def test_answers_that_are_drawn_k_times_are_k_requests(bench, tests, ollama_server):
    suite = bench.suite({"sum": tests, "word": [several_best(5)]})
    ahead = forecast(job(bench, suite, ollama_server.spec()))
    assert (ahead.requests, ahead.at_least) == (11, False)
    timed = len(ollama_server.asked)
    api.run([ollama_server.spec()], suites=[suite], out=bench.out)
    assert len(ollama_server.asked) - timed == 11


def test_letters_are_a_request_each_also_where_the_server_tells_likelihoods(bench, start_ollama):
    server = start_ollama(version="0.34.0")
    suite = bench.suite({"letter": letters(4)})
    ahead = forecast(job(bench, suite, server.spec()))
    assert (ahead.requests, ahead.at_least) == (4, False)


def test_answers_that_may_call_tools_are_announced_as_the_least(bench, openai_server):
    ahead = forecast(job(bench, "tools", openai_server.spec(), limit=2))
    assert (ahead.requests, ahead.at_least) == (2, True)


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
    assert ahead.seconds_high is not None
    assert ahead.seconds_high >= 6 * 0.05


def test_a_served_model_is_asked_one_short_question(bench, suite, ollama_server):
    timed = []
    ahead = forecast(job(bench, suite, ollama_server.spec()), timed.append)
    (asked,) = ollama_server.asked
    assert asked.body["options"]["num_predict"] == 16
    assert timed == [ollama_server.spec()]
    assert ahead.requests == 6
    assert 0 < ahead.seconds_low < ahead.seconds_high
    assert "50 to 200 tokens" in ahead.basis


@pytest.mark.parametrize(
    ("page", "tokens"), [("word " * 39, 41), ({"text": "word " * 39, "tokens": 24}, 25)]
)
def test_answers_are_as_long_as_this_model_wrote_before(bench, suite, ollama_server, page, tokens):
    ollama_server.answers({"*": page})
    api.run([ollama_server.spec()], suites=[suite], out=bench.out)
    other = forecast(job(bench, suite, ollama_server.spec(), max_tokens=500))
    assert other.requests == 6
    assert f"{tokens} to {tokens} tokens" in other.basis


def test_the_spread_of_lengths_is_that_of_students_t():
    """1.5332 is its 90th percentile with four degrees of freedom."""
    assert spread_of([]) == 1.0
    assert spread_of([([80, 80, 80], 5)]) == 1.0
    two = [([100, 200, 100, 200, 100], 10)]
    variance = statistics.variance([0.0, math.log(2), 0.0, math.log(2), 0.0])
    expected = math.exp(1.53321 * math.sqrt(variance * (1 / 5 + 1 / 10)))
    assert spread_of(two) == pytest.approx(expected, rel=1e-4)
    many = [([100, 200] * 50, 100)]
    assert 1 < spread_of(many) < spread_of(two)
    assert spread_of(two) > spread_of([*two, ([300, 310, 290], 10)]) > 1


def test_forecasts_by_own_lengths_hold_as_often_as_they_say():
    """On drawn lengths, three answers of each of two suites stored and three left: 80 in 100."""
    draw = random.Random(0)
    held = 0
    for _ in range(2000):
        stored, left = ([[draw.lognormvariate(6.5, 0.6) for _ in range(3)] for _ in range(2)]
                        for _ in range(2))  # fmt: skip
        spread = spread_of([(each, 3) for each in stored])
        foretold = sum(3 * statistics.fmean(each) for each in stored)
        held += foretold / spread <= sum(map(sum, left)) <= foretold * spread
    assert 0.75 < held / 2000 < 0.85


def test_slow_tokens_make_a_long_forecast(bench, suite, ollama_server):
    ollama_server.settings(token_ms=30)
    ahead = forecast(job(bench, suite, ollama_server.spec()))
    assert ahead.seconds_low > 6 * 40 * 0.03
    assert ahead.seconds_high > 6 * 160 * 0.03


def test_long_prompts_make_a_long_forecast(bench, tests, ollama_server):
    ollama_server.settings(delay_ms=300)  # for a question of some 150 tokens, read and written
    padding = "Consider this well before you answer. " * 200
    long = [{**test, "prompt": padding + test["prompt"]} for test in tests]
    ahead = forecast(job(bench, bench.suite({"sum": long}), ollama_server.spec()))
    assert ahead.seconds_low > 6 * len(padding) / 4 * 0.150 / 300


def test_a_server_with_one_slot_takes_longer_than_one_with_eight(bench, suite, openai_server):
    openai_server.answers({"*": "one two three four five six seven eight"})
    openai_server.settings(token_ms=30.0)
    took = []
    for slots in (1, 8):
        openai_server.settings(slots=slots, props={"total_slots": slots})
        took.append(forecast(job(bench, suite, openai_server.spec())).seconds_high)
    assert took[0] > 2 * took[1], "six tests, one after the other or all at once"


def test_the_time_is_a_range_even_where_every_answer_takes_as_long(bench, tests, suite):
    model = bench.script("slow", answers=right(tests), default="one", delay_s=0.5)
    ahead = forecast(job(bench, suite, model))
    assert ahead.seconds_high >= 6 * 0.5
    assert ahead.seconds_high >= 1.4 * ahead.seconds_low


def test_a_model_that_thinks_is_given_more_time(bench, suite, ollama_server):
    ahead = forecast(job(bench, suite, ollama_server.spec("smollm2-think:135m")))
    assert "50 to 1000 tokens" in ahead.basis


def test_the_time_of_a_checkpoint_is_left_unknown_and_nobody_is_asked(bench, tests, suite):
    first = str(make_checkpoint(bench.folder / "step_1", seed=1))
    second = str(make_checkpoint(bench.folder / "step_2", seed=2))
    timed = []
    served = bench.script("able", answers=right(tests))
    ahead = forecast(job(bench, suite, first, second, served), timed.append)
    assert timed == []
    assert (ahead.requests, ahead.reused, ahead.at_least) == (18, 0, False)
    assert (ahead.seconds_low, ahead.seconds_high) == (None, None)
    assert ahead.basis.count("is not estimated") == 1
    api.run([first], suites=[suite], out=bench.out)
    again = forecast(job(bench, suite, first))
    assert (again.requests, again.reused, again.seconds_high) == (0, 6, 0.0)
    more = forecast(job(bench, suite, first, repeats=2))
    assert (more.requests, more.reused, more.seconds_high) == (6, 6, None)


def test_a_model_that_cannot_be_timed_leaves_the_time_unknown(bench, suite, ollama_server):
    ollama_server.fault("http_400", times=None)
    ahead = forecast(job(bench, suite, ollama_server.spec()))
    assert (ahead.requests, ahead.seconds_low, ahead.seconds_high) == (6, None, None)
    assert "could not be timed" in ahead.basis
