"""What a judge will be asked, said before it is begun."""

import sqlite3
from contextlib import closing

import pytest

from assay import api
from assay.judge.rubrics import load_rubric, questions_for
from assay.suites.load import find, load_suite
from assay.workflow.commands.discover.forecast import forecast
from assay.workflow.running.job import Job
from tests.judge.material import form

EXAMPLES = 10


@pytest.fixture
def judge(bench):
    return bench.script("judge", default=form())


def job(bench, model, judge, **more):
    return Job(models=(model,), suites=("coding",), out=bench.out, judges=(judge,), **more)


def asked_of_judges(bench):
    with closing(sqlite3.connect(bench.out / "assay.db")) as database:
        counted = "SELECT count(*) FROM replies JOIN requests ON requests.id = replies.request_id"
        return database.execute(f"{counted} WHERE requests.suite = 'judge'").fetchone()[0]


def test_a_judge_that_is_understood_at_once_is_asked_as_often_as_was_forecast(bench, judge):
    model = bench.script("tested", default="It is a function that halves the range each time.")
    ahead = forecast(job(bench, model, judge, judge_repeats=2))
    assert (ahead.requests, ahead.judge_requests) == (6, EXAMPLES + 2 * 6)
    api.run([model], suites=["coding"], judges=[judge], judge_repeats=2, out=bench.out)
    assert asked_of_judges(bench) == ahead.judge_requests
    again = forecast(job(bench, model, judge, judge_repeats=2))
    assert (again.requests, again.reused, again.judge_requests) == (0, 6, 0)


def test_answers_that_nobody_has_judged_are_still_to_be_judged(bench, judge):
    model = bench.script("tested", default="It is a function that halves the range each time.")
    api.run([model], suites=["coding"], out=bench.out)
    ahead = forecast(job(bench, model, judge))
    assert (ahead.requests, ahead.reused, ahead.judge_requests) == (0, 6, EXAMPLES + 6)


def test_every_question_counts_where_the_judge_tells_likelihoods(bench, start_ollama):
    server = start_ollama(version="0.34.0")
    rubric, suite = load_rubric("coding"), load_suite(find("coding"))
    questions = {case.id: len(questions_for(rubric, case)) for case in suite.cases}
    timed = []
    model = bench.script("tested", default="It is a function that halves the range each time.")
    ahead = forecast(job(bench, model, server.spec()), timed.append)
    explained = len(questions)
    of_examples = sum(questions[example.test_id] for example in rubric.examples)
    assert ahead.judge_requests == of_examples + sum(questions.values()) + explained
    assert timed == [server.spec()]
    assert 0 < ahead.seconds_low < ahead.seconds_high
    assert "judgements of 400 to" in ahead.basis


def test_open_answers_are_taken_to_be_longer(bench, ollama_server):
    ahead = forecast(Job(models=(ollama_server.spec(),), suites=("data",), out=bench.out))
    assert "answers of 300 to 1200 tokens" in ahead.basis
    assert ahead.judge_requests == 0
