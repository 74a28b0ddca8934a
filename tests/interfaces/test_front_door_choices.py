"""What the front door offers and asks, without a terminal."""

import subprocess
import sys

import pytest

from assay import api
from assay.api import discovery
from assay.errors import UsageError
from assay.interfaces.cli.front_door import door
from assay.interfaces.cli.front_door.door import ask_for_judge, build_suite_menu, offer_models
from assay.reports.json_documents import run_json
from assay.types.inventory import FileFound, ModelFound
from assay.workflow.commands.discover.catalogue import SuiteFound
from assay.workflow.commands.discover.inventory import find_judges
from tests.conftest import numbered, right
from tests.waiting import PATIENCE_S


@pytest.fixture
def model(bench):
    return bench.script("tested", default="x")


@pytest.fixture
def judge(bench):
    return bench.script("judge", default="y")


@pytest.fixture
def keys(monkeypatch):
    """A line that the user types; the questions are still shown."""

    def types(line):
        monkeypatch.setattr("click.prompt", lambda text, default=None: line or default)

    return types


def marked(menu):
    return [menu.numbered[int(n) - 1].value for n in menu.usual.split(",") if n]


# ------------------------------------------------------------------------------------ what is asked


@pytest.mark.parametrize(
    ("models", "usual"),
    [
        (["runs/step_100", "hf:runs/final"], ["os", "technical"]),
        (["runs/step_100", "ollama:llama3.2:3b"], ["coding", "data"]),
        (["ollama:llama3.2:3b"], ["coding", "data"]),
    ],
)
def test_what_is_marked_among_the_suites_that_ship_suits_the_models(models, usual):
    names = ("coding", "data", "example", "os", "technical")
    found = [SuiteFound(argument=name, tests=1, ships=True) for name in names]
    assert marked(build_suite_menu(found, models)) == usual


def test_tests_that_lie_here_are_marked_before_those_that_ship():
    found = [
        SuiteFound(argument="bad/", why_not="has mistakes"),
        SuiteFound(argument="mine/", tests=2),
        SuiteFound(argument="coding", tests=6, ships=True),
    ]
    assert marked(build_suite_menu(found, ["ollama:m"])) == ["mine/"]


def of(name, **facts):
    return ModelFound(name=name, spec=f"ollama:{name}", **facts)


@pytest.mark.parametrize(
    ("models", "usual"),
    [
        ([of("big", fits="no"), of("small", fits="yes")], ["ollama:small"]),
        ([of("served"), of("fits", fits="yes")], ["ollama:fits"]),
        ([FileFound(name="f", spec="gguf:f", path="f", store="folder"), of("s")], ["ollama:s"]),
        ([of("away", elsewhere=True)], []),
        ([of("embeds", why_not="writes no answers"), of("b", fits="yes")], ["ollama:b"]),
        ([of("big", fits="no")], []),
    ],
)
def test_enter_takes_a_model_that_fits_and_none_that_is_computed_elsewhere(models, usual):
    assert marked(door.build_model_menu(models, [])) == usual


def test_nothing_is_asked_where_no_test_needs_a_judge(bench, model):
    assert ask_for_judge([bench.suite({"sum": numbered(2)})], [model], []) == ()


def test_a_judge_is_typed_and_code_is_named(model, judge, keys, capsys):
    keys(judge)
    assert ask_for_judge(["coding"], [model], []) == (judge,)
    said = " ".join(capsys.readouterr().out.split())
    assert "Which judge reads the answers to 6 tests?" in said
    assert "The evidence of 5 tests runs code from answers" in said
    assert ask_for_judge(["data"], [model], []) == (judge,)
    assert "runs code" not in capsys.readouterr().out


def test_enter_takes_the_largest_judge_or_none(model, keys):
    keys("")
    assert ask_for_judge(["data"], [model], []) == ()


def test_how_much_of_a_suite_needs_a_judge_is_counted(bench):
    sums = bench.suite({"sum": numbered(2)})
    counts = [discovery.count_judged_tests([suite]) for suite in (sums, "coding", "data")]
    assert counts == [(0, 0), (6, 5), (6, 0)]


# --------------------------------------------------------------------------------- from end to end


@pytest.fixture
def at_the_door(bench, monkeypatch):
    """A user in the folder of their tests, who types these lines and starts or does not."""
    tests = numbered(3)
    bench.suite({"sum": tests}, name="my-tests")
    bench.script("able", answers=right(tests))
    monkeypatch.chdir(bench.folder)
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:1")
    monkeypatch.setenv("ASSAY_PORTS", "")

    def open_it(*lines, starts):
        typed = iter(lines)
        monkeypatch.setattr("click.prompt", lambda text, default=None: next(typed) or default)
        monkeypatch.setattr("click.confirm", lambda text, default: starts)
        return door.open_front_door(bench.out)

    return open_it


def test_the_command_and_the_requests_are_shown_and_no_asks_nothing(bench, at_the_door, capsys):
    assert at_the_door("nowhere", "scripted:able.json", "", starts=False) == 0
    said = capsys.readouterr().out
    assert "'nowhere' names no kind of model and no file" in said
    assert "assay run scripted:able.json -s my-tests/" in said
    assert "3 requests to 1 model" in said
    assert "Nothing was asked" in said
    assert not bench.out.exists()


def test_yes_runs_the_command_that_was_shown(bench, at_the_door, capsys):
    assert at_the_door("scripted:able.json", "", starts=True) == 0
    (page,) = bench.out.glob("runs/*/reports/report.html")
    assert str(page.relative_to(bench.folder)) in capsys.readouterr().out
    at_the_door("scripted:able.json", "", starts=False)
    assert "0 requests to 1 model, 3 answers are in the store" in capsys.readouterr().out


def test_without_a_terminal_there_is_help_and_no_question(bench):
    done = subprocess.run(
        [sys.executable, "-m", "assay"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env=bench.environment,
        cwd=bench.folder,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0
    assert "Usage: assay" in done.stdout


# ----------------------------------------------------------------------------------- who is offered


def test_candidates_are_not_tested_themselves():
    models = [of(name, parameters="8B", fits="yes") for name in ("a", "b", "c")]
    assert [each.name for each in find_judges(models, ["ollama:a"])] == ["b", "c"]


def test_candidates_stand_in_their_order_with_size_and_fit():
    models = [
        of(name, size_bytes=8 * 10**9, reason="loaded now", loaded=True, fits="yes")
        for name in ("qwen2.5-coder:14b", "gemma3:4b")
    ]
    choices = offer_models(models)
    assert [each.value for each in choices] == ["ollama:qwen2.5-coder:14b", "ollama:gemma3:4b"]
    assert choices[1].title.endswith("fits (loaded now)")
    assert offer_models([]) == []


def test_a_model_that_is_tested_cannot_be_typed_as_its_judge(model, judge):
    discovery.refuse_as_judge(judge, [model])
    with pytest.raises(UsageError, match="would judge its own answers"):
        discovery.refuse_as_judge(model, [judge, model])


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
