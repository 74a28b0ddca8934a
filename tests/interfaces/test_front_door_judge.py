"""Which judge the front door offers, and what it asks about code; without a terminal."""

import sys

import pytest

from assay import api
from assay.errors import UsageError
from assay.interfaces.cli.front_door.door import ask_for_judge, offered_models
from assay.reports.json_documents import run_json
from assay.sandbox import find_isolation
from assay.types.options import JudgeOptions
from assay.workflow.commands.discover.discovery import (
    ModelFound,
    facts_of,
    find_judges,
    refuse_as_judge,
    what_to_judge,
)
from assay.workflow.running.job import Job
from tests.conftest import numbered


class Keys:
    """A user who takes the first of a list, or types a name, and says yes or no."""

    def __init__(self, *, types="", allows=False):
        self.types, self.allows = types, allows
        self.asked = []

    def several(self, question, options, typed):
        raise AssertionError(question)

    def one(self, question, options, typed=None):
        self.asked.append(question)
        if not self.types:
            return options[0].value
        typed.check(self.types)
        return self.types

    def yes(self, question, *, usual=True):
        self.asked.append(question)
        assert not usual, "only enter pressed must run no code"
        return self.allows


@pytest.fixture
def model(bench):
    return bench.script("tested", default="x")


@pytest.fixture
def judge(bench):
    return bench.script("judge", default="y")


# ------------------------------------------------------------------------------------ what is asked


def test_nothing_is_asked_where_no_test_needs_a_judge(bench, model):
    keys = Keys()
    assert ask_for_judge(keys, [bench.suite({"sum": numbered(2)})], [model], []) == JudgeOptions()
    assert keys.asked == []


@pytest.fixture
def _kept_apart():
    if find_isolation().isolation is None:
        pytest.skip("nothing keeps code apart here")


@pytest.mark.usefixtures("_kept_apart")
def test_code_may_be_run_without_a_judge_too(model):
    keys = Keys(allows=True)
    options = ask_for_judge(keys, ["coding", "data"], [model], [])
    assert options == JudgeOptions(allow_code_execution=True)
    assert keys.asked == [
        "Which judge reads the answers to 12 tests?", "May the code of answers be run?"
    ]  # fmt: skip


@pytest.mark.usefixtures("_kept_apart")
@pytest.mark.parametrize("allows", [False, True])
def test_the_command_for_later_names_the_judge_and_that_code_may_be_run(
    bench, model, judge, allows
):
    keys = Keys(types=judge, allows=allows)
    options = ask_for_judge(keys, ["coding"], [model], [])
    assert options == JudgeOptions(judges=(judge,), allow_code_execution=allows)
    assert keys.asked[1:] == ["May the code of answers be run?"]
    command = Job(
        models=(model,),
        suites=("coding",),
        out=bench.out,
        judges=options.judges,
        allow_code_execution=options.allow_code_execution,
    ).command
    assert f"--judge {judge}" in command
    assert ("--allow-code-execution" in command) is allows


def test_answers_without_code_raise_no_question_about_it(model, judge):
    keys = Keys(types=judge)
    assert ask_for_judge(keys, ["data"], [model], []) == JudgeOptions(judges=(judge,))
    assert len(keys.asked) == 1


def test_where_code_cannot_be_kept_apart_it_is_not_run_and_the_reason_is_told(
    model, judge, monkeypatch, capsys
):
    monkeypatch.setattr(sys, "platform", "freebsd14")
    keys = Keys(types=judge, allows=True)
    assert not ask_for_judge(keys, ["coding"], [model], []).allow_code_execution
    assert len(keys.asked) == 1
    assert "only Linux can isolate a program" in " ".join(capsys.readouterr().out.split())


def test_how_much_of_a_suite_needs_a_judge_is_counted(bench):
    sums = bench.suite({"sum": numbered(2)})
    needed = [what_to_judge([suite]) for suite in (sums, "coding", "data")]
    assert list(needed) == [(0, False), (6, True), (6, False)]


# ----------------------------------------------------------------------------------- who is offered


def test_candidates_are_not_tested_themselves():
    models = [
        ModelFound(name=name, spec=f"ollama:{name}", parameters="8B", fits="yes")
        for name in ("a", "b", "c")
    ]
    assert [each.name for each in find_judges(models, ["ollama:a"])] == ["b", "c"]


def test_candidates_stand_in_their_order_with_size_and_fit(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    models = [
        ModelFound(name=name, spec=f"ollama:{name}", size_bytes=8 * 10**9, reason="loaded now",
                   loaded=True, fits="yes")
        for name in ("qwen2.5-coder:14b", "gemma3:4b")
    ]  # fmt: skip
    options = offered_models(models)
    assert [each.value for each in options] == ["ollama:qwen2.5-coder:14b", "ollama:gemma3:4b"]
    assert options[1].title.endswith("fits (loaded now)")
    assert offered_models([]) == []


def test_a_model_that_is_tested_cannot_be_typed_as_its_judge(model, judge):
    refuse_as_judge(judge, [facts_of(model)])
    with pytest.raises(UsageError, match="would judge its own answers"):
        refuse_as_judge(model, [facts_of(judge), facts_of(model)])


# ------------------------------------------------------------------------- without a suite in a run


def test_a_served_model_without_a_suite_is_asked_coding_and_data(bench, ollama_server):
    report = api.run([ollama_server.spec()], limit=1, max_tokens=8, out=bench.out)
    suites = run_json(report)["models"][0]["suites"]
    assert [suite["suite"] for suite in suites] == ["coding", "data"]
    assert {suite["score"]["n"] + suite["score"]["unscored"] for suite in suites} == {1}
    assert any("assay judge latest" in hint for hint in report.hints)
    assert report.exit_code == 0
    assert len(ollama_server.asked) == 2


def test_a_script_beside_a_served_model_wants_its_suite_named(bench, ollama_server, model):
    with pytest.raises(UsageError, match="no suite") as refused:
        api.run([ollama_server.spec(), model], out=bench.out)
    assert refused.value.exit_code == 2
    assert ollama_server.asked == []
