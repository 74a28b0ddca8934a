"""How much a job will ask, counted before it is begun."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from assay import api
from assay.errors import Refusals, SuiteNotFound
from assay.workflow.commands.discover.requests_ahead import count_requests
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
    ahead = count_requests(job(bench, suite, *models))
    assert (ahead.requests, ahead.reused) == (12, 0)
    assert count_requests(job(bench, suite, *models, repeats=3)).requests == 36
    assert count_requests(job(bench, suite, models[0], limit=2)).requests == 2


def test_what_the_store_holds_is_reused(bench, tests, suite):
    model = bench.script("able", answers=right(tests), fail={"sum_002": "no"})
    api.run([model], suites=[suite], out=bench.out)
    ahead = count_requests(job(bench, suite, model))
    assert (ahead.requests, ahead.reused) == (1, 5)  # what failed is asked again


def test_a_finished_job_takes_nothing(bench, tests, suite):
    model = bench.script("able", answers=right(tests))
    api.run([model], suites=[suite], out=bench.out)
    ahead = count_requests(job(bench, suite, model))
    assert (ahead.requests, ahead.reused) == (0, 6)
    assert ahead.seconds == 0


@pytest.mark.parametrize(("options", "before"), [([], 0), (["--fresh"], 6)])
def test_of_a_killed_run_what_is_left_is_counted(bench, suite, ollama_server, options, before):
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
    ahead = count_requests(job(bench, suite, model))
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
    assert count_requests(job(bench, suite, model)).requests == 3
    broken = bench.script("short", answers={"talk_001": ["a"]})
    api.run([broken], suites=[suite], out=bench.out)
    ahead = count_requests(job(bench, suite, broken))
    assert (ahead.requests, ahead.reused) == (2, 1)


def test_counting_leaves_nothing_behind(bench, tests, suite):
    count_requests(job(bench, suite, bench.script("able", answers=right(tests))))
    assert not Path(bench.out).exists()


def test_every_mistake_of_the_job_is_raised_as_in_a_run(bench, suite):
    with pytest.raises(Refusals):
        count_requests(job(bench, suite, "scripted:nowhere.json", "scripted:nor-here.json"))
    with pytest.raises(SuiteNotFound):
        count_requests(job(bench, "nowhere/", bench.script("a", default="x")))


def test_answers_for_the_judge_are_counted_apart(bench):
    model = bench.script("tested", default="It is a function that halves the range each time.")
    judge = bench.script("judge", default="y")
    ahead = count_requests(job(bench, "coding", model, judges=(judge,)))
    assert (ahead.requests, ahead.to_judge) == (6, 6)


# ------------------------------------------------------------------------------------ how long


def test_no_model_is_asked_and_no_time_is_given_before_the_store_knows_it(
    bench, suite, ollama_server
):
    spec = ollama_server.spec()
    ahead = count_requests(job(bench, suite, spec))
    assert (ahead.requests, ahead.seconds) == (6, None)
    assert ollama_server.asked == []
    api.run([spec], suites=[suite], out=bench.out)
    again = count_requests(job(bench, suite, spec, repeats=2))
    assert (again.requests, again.reused) == (6, 6)
    assert again.seconds > 0
    other = count_requests(job(bench, suite, spec, ollama_server.spec("stories:260k")))
    assert other.seconds is None, "of one model nothing is known"


def test_a_server_with_one_slot_takes_longer_than_one_with_eight(bench, suite, start_openai):
    seconds = []
    for slots in (1, 8):
        server = start_openai()
        server.answers({"*": "one two three four five six seven eight"})
        server.settings(token_ms=30.0, slots=slots, props={"total_slots": slots})
        api.run([server.spec()], suites=[suite], out=bench.out)
        seconds.append(count_requests(job(bench, suite, server.spec(), repeats=2)).seconds)
    assert seconds[0] > 2 * seconds[1], "six tests, one after the other or all at once"


def test_checkpoints_are_counted_too(bench, tests, suite):
    first = str(make_checkpoint(bench.folder / "step_1", seed=1))
    second = str(make_checkpoint(bench.folder / "step_2", seed=2))
    script = bench.script("able", answers=right(tests))
    ahead = count_requests(job(bench, suite, first, second, script))
    assert (ahead.requests, ahead.reused, ahead.seconds) == (18, 0, None)
