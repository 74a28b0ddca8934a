"""A stored run of a served model, read back: its figures, its surroundings, its records."""

import csv
import io
import json

import pytest

from assay.checks.exact_match import ExactMatch
from assay.checks.multiple_choice import MultipleChoice
from assay.store import Run, RunModel, Store, new_run_id
from assay.types import (
    Answered,
    Case,
    Category,
    ChoiceLikelihoods,
    Failed,
    Machine,
    Message,
    ModelFacts,
    Observed,
    Request,
    Sampling,
    Score,
    Suite,
    Timing,
    ToAnswer,
)
from assay.workflow.reporting.records import export
from assay.workflow.reporting.results import report_of

MACHINE = Machine(system="Linux", processor="CPU", cores=4, memory_bytes=2**34)
FACTS = ModelFacts(
    spec="ollama:m", name="m", fingerprint="sha256:1", about={"server": "Ollama 0.17.4"}
)
CHECKS = (
    ExactMatch(expected=("4",)),
    MultipleChoice(expected="A", choices=("x", "y")),
    ExactMatch(expected=("6",)),
)


def case(number, check):
    messages = (Message("user", f"Question {number}?"),)
    return Case(id=f"a_{number:03d}", suite="s", category="a", messages=messages, check=check)


SUITE = Suite(
    name="s", path="s", categories=(Category(name="a", cases=tuple(map(case, range(3), CHECKS))),)
)
REPLIES = (
    Answered(
        request_id="",
        text="4",
        prompt_tokens=30,
        output_tokens=8,
        first_token_s=1.2,
        first_answer_s=1.3,
        total_s=2.0,
        finish="stop",
        attempts=2,
        dropped=("min_p",),
        timing=Timing(load_s=1.0, other_s=0.1, prefill_s=0.1, decode_s=0.2, cold=True),
    ),
    ChoiceLikelihoods(
        request_id="",
        log_likelihoods=(-0.1, -9.0),
        method="first_token",
        bounded=(False, True),
        prompt_tokens=40,
        total_s=0.5,
        timing=Timing(prefill_s=0.2, cached_tokens=20, cold=False),
    ),
    Failed(request_id="", reason="no reply in 120 s", cause="timeout", total_s=120.0),
)


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path) as store:
        yield store


def kept(store, **options):
    model = RunModel(position=0, spec=FACTS.spec, slug="m-1", facts=FACTS)
    facts = {"models": (model,), "command": "assay run ollama:m", "version": "0", **options}
    run = store.begin_run(Run(id=new_run_id(), key="k", **facts), [SUITE])
    work = ToAnswer(messages=(), sampling=Sampling(temperature=0.3, seed=0, max_tokens=9))
    for test, reply in zip(SUITE.cases, REPLIES, strict=True):
        request = Request(id=test.id, suite="s", test_id=test.id, turn=0, repeat=0, work=work)
        mark = None if reply.kind == "failed" else Score(scorer="x", version=1, value=1.0)
        store.store_trial(run, model, request, reply, mark)
    store.store_observed(
        run, model, Observed(memory_bytes=2**31, gpu_bytes=0, notes=("It is slow.",))
    )
    return run  # as it was begun: an evaluation holds no other


def test_a_report_holds_machine_server_memory_and_every_try(store):
    report = report_of(store, kept(store, machine=MACHINE))
    (model,) = report.models
    assert report.machine == MACHINE
    assert model.about == {"server": "Ollama 0.17.4"}
    assert model.observed.notes == ("It is slow.",)
    assert model.performance.decode.cold.n == 0, "8 tokens tell no speed"
    assert model.performance.prefill.warm.value == pytest.approx(100)
    assert model.performance.retries == 1
    assert model.performance.failures == {"timeout": 1}
    rows = {row.test: row for row in model.trials}
    assert rows["a_000"].output_tokens == 8
    assert rows["a_001"].cold is False
    assert rows["a_002"].failure == "timeout"
    assert model.suites[0].categories["a"].method == "first_token"


@pytest.mark.parametrize(("sampling", "said"), [("server", 1), ("fixed", 0)])
def test_a_run_sampled_the_servers_way_says_so(store, sampling, said):
    report = report_of(store, kept(store, sampling=sampling))
    assert sum("--sampling server" in note for note in report.notes) == said


def test_the_records_say_where_the_seconds_went_and_why_requests_failed(store):
    run = kept(store)
    answered, chosen, failed = (json.loads(line) for line in export(run.id, out=store.path.parent))
    told = {
        "finish": "stop", "attempts": 2, "dropped": ["min_p"], "load_s": 1.0, "other_s": 0.1,
        "prefill_s": 0.1, "decode_s": 0.2, "cached_tokens": None, "cold": True,
        "first_answer_s": 1.3, "failure_cause": None,
    }  # fmt: skip
    assert {name: answered[name] for name in told} == told
    assert (chosen["prompt_tokens"], chosen["cached_tokens"], chosen["cold"]) == (40, 20, False)
    assert (failed["failure_cause"], failed["attempts"]) == ("timeout", 1)
    assert failed["failure"] == "no reply in 120 s"


def test_in_a_table_cold_is_true_false_or_empty(store):
    text = "".join(export(kept(store).id, form="csv", out=store.path.parent))
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["cold"] for row in rows] == ["true", "false", ""]
