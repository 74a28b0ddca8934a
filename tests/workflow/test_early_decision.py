"""`--decide`: ask until the gate is decided, and no further."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from assay import api
from assay.errors import BudgetSpent, Interrupted, UsageError
from assay.reports.json_documents import run_json
from assay.reports.progress import SilentProgress
from assay.store import Store
from assay.types import Reply
from tests.models.local.checkpoints import make_checkpoint

SIZES = {"a": 180, "b": 120}


def write_suite(folder: Path, sizes: Mapping[str, int] = SIZES) -> list[str]:
    folder.mkdir(parents=True, exist_ok=True)
    ids = []
    for category, size in sizes.items():
        tests = [
            {
                "id": f"{category}_{number:03d}",
                "prompt": f"Which word has number {number} in list {category}?",
                "eval_method": "exact_match",
                "expected": f"word{number}",
            }
            for number in range(size)
        ]
        (folder / f"{category}.json").write_text(json.dumps(tests))
        ids += [test["id"] for test in tests]
    return ids


def write_model(file: Path, ids: list[str], share: float, **special: object) -> str:
    drawn = random.Random(file.stem)
    answers: dict[str, object] = {
        test: f"word{int(test[-3:])}" if drawn.random() < share else "no" for test in ids
    }
    file.write_text(json.dumps({"answers": answers | special}))
    return f"scripted:{file}"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    ids = write_suite(tmp_path / "facts")
    for name, share in (("good", 0.85), ("bad", 0.3), ("near", 0.61), ("best", 0.97)):
        write_model(tmp_path / f"{name}.json", ids, share)
    (tmp_path / "gate.toml").write_text('[[suite]]\nname = "facts"\nmin = 0.6\n')
    return tmp_path


def run(home: Path, *models: str, **more: object):
    settings = {"suites": [str(home / "facts")], "gate": home / "gate.toml", "decide": True}
    specs = [f"scripted:{home / name}.json" for name in models]
    return api.run(specs, **settings | {"out": home / "out"} | more)


def criterion(report, model: int = 0):
    name = report.decision.measured[model].name
    return report.decision.acceptances[name].criteria["suite:facts"]


class Stopping(SilentProgress):
    """Interrupts after so many replies."""

    def __init__(self, after: int) -> None:
        self.left = after

    def replied(self, spec: str, reply: Reply, score: object) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def test_a_clear_model_is_asked_part_of_the_suite(home: Path) -> None:
    for name, accepted in (("good", True), ("bad", False)):
        report = run(home, name)
        suite = report.models[0].suites[0]
        assert report.models[0].accepted is accepted
        assert suite.score.n == len(suite.tests) < 150
        assert suite.score.method == "anytime-valid"
        assert suite.left == 300 - len(suite.tests)
        found = criterion(report)
        assert (found.passed, found.marginal) == (accepted, False)
        assert [each.kind for each in found.reasons][-1] == "decided_by_part"


def test_a_model_near_the_limit_is_asked_everything_and_its_full_score_decides(home: Path) -> None:
    early, full = run(home, "near"), run(home, "near", decide=False)
    assert len(early.models[0].suites[0].tests) == 300
    assert early.models[0].suites[0].score == full.models[0].suites[0].score
    assert early.models[0].accepted == full.models[0].accepted


def test_the_report_says_that_the_full_suite_would_say_the_same(home: Path) -> None:
    document = run_json(run(home, "good"))
    reason = document["models"][0]["decision"]["criteria"]["suite:facts"]["reason"]
    assert "the full suite would say the same, error at most 5 %" in reason


def test_a_killed_run_goes_on_to_the_same_decision(home: Path) -> None:
    whole = run(home, "good", out=home / "whole")
    with pytest.raises(Interrupted):
        run(home, "good", observer=Stopping(after=11))
    resumed = run(home, "good")
    tests = [[row.id for row in each.models[0].suites[0].tests] for each in (whole, resumed)]
    assert tests[0] == tests[1]
    assert criterion(whole) == criterion(resumed)


def test_a_full_run_before_makes_no_difference_to_what_is_read(home: Path) -> None:
    alone = run(home, "good", out=home / "alone")
    run(home, "good", decide=False)
    after = run(home, "good")
    assert criterion(after) == criterion(alone)


def test_another_seed_asks_other_tests(home: Path) -> None:
    found = [run(home, "good", seed=seed).models[0].suites[0].tests for seed in (0, 1)]
    assert {row.id for row in found[0]} != {row.id for row in found[1]}


def test_failed_requests_leave_open_what_they_could_change(home: Path) -> None:
    ids = write_suite(home / "facts", {"a": 20})
    (home / "facts" / "b.json").unlink()
    answers = {test: f"word{at}" if at < 12 else "no" for at, test in enumerate(ids)}
    del answers[ids[19]]
    (home / "torn.json").write_text(json.dumps({"answers": answers, "fail": {ids[19]: "gone"}}))
    report = run(home, "torn")
    found = criterion(report)
    assert found.passed is None
    assert found.reasons[0].kind == "unscored_leave_open"
    assert report.exit_code == 3


def test_a_spent_budget_says_what_is_open_and_about_how_much_more_it_takes(home: Path) -> None:
    with pytest.raises(BudgetSpent, match=r"facts is undecided after 0 of 300 tests.*about"):
        run(home, "good", budget=1e-6)


def test_with_a_limit_the_sample_is_the_suite(home: Path) -> None:
    report = run(home, "good", limit=40)
    early = report.models[0].suites[0].early
    assert early is not None
    assert early.tests == 40


def test_a_suite_that_no_criterion_needs_is_not_asked(home: Path) -> None:
    write_suite(home / "more", {"c": 50})
    suites = [str(home / "facts"), str(home / "more")]
    report = run(home, "good", suites=suites)
    assert [each.suite for each in report.models[0].suites] == ["facts"]
    assert run(home, "good", suites=suites, decide=False).models[0].suites[1].suite == "more"


def test_a_criterion_that_is_no_plain_mean_is_asked_in_full(home: Path) -> None:
    gate = '[[suite]]\nname = "facts"\nmin = 0.6\nabove_guessing = true\n'
    (home / "gate.toml").write_text(gate)
    assert len(run(home, "good").models[0].suites[0].tests) == 300


def test_repeats_of_a_test_are_asked_together(home: Path) -> None:
    report = run(home, "good", repeats=3)
    rows = report.models[0].suites[0].tests
    assert {len(row.repeats) for row in rows} == {3}
    assert len(rows) < 150


def test_without_a_gate_there_is_nothing_to_decide(home: Path) -> None:
    with pytest.raises(UsageError, match="no gate applies"):
        run(home, "good", gate=None)


def test_a_stored_decision_is_read_back_for_its_own_limit_alone(home: Path) -> None:
    run(home, "good")
    with Store(home / "out", read_only=True) as store:
        assert store.read_runs()[-1].deciding.early
    (home / "gate.toml").write_text('[[suite]]\nname = "facts"\nmin = 0.8\n')
    again = api.report("latest", out=home / "out")
    assert criterion(again).limit == 0.6


QUIZ = '''
import assay

@assay.model("quiz")
class Quiz:
    """Knows a share of the words, in hundredths: quiz:run/step_85."""

    def __init__(self, name: str) -> None:
        self.share = int(name.rpartition("_")[2])
        self.fingerprint = f"quiz {name}"

    def generate(self, messages, *, temperature, max_tokens, seed, stop):
        words = messages[-1].content.split()
        number, which = int(words[4]), words[7].rstrip("?")
        known = (number * 37 + ord(which) * 11) % 100 < self.share
        return f"word{number}" if known else "no"
'''


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("plugin") / "quiz.py"
    file.write_text(QUIZ)
    return file


def quizzed(home: Path, plugin: Path, *shares: int, **more: object):
    specs = [f"quiz:run/step_{share}" for share in shares]
    settings = {"suites": [str(home / "facts")], "gate": home / "gate.toml", "decide": True}
    settings |= {"plugins": [str(plugin)], "out": home / "out"}
    return api.run(specs, **settings | more)


def test_served_models_are_accepted_as_in_full_and_none_is_asked_the_rest(
    home: Path, plugin: Path
) -> None:
    shares = (20, 35, 80, 92)
    early = quizzed(home, plugin, *shares)
    full = quizzed(home, plugin, *shares, decide=False, out=home / "full")
    for a, b in zip(early.models, full.models, strict=True):
        assert a.accepted == b.accepted
        assert len(a.suites[0].tests) < 150 < len(b.suites[0].tests)


CHOICES = [
    {
        "id": f"c_{number:03d}",
        "prompt": f"The network card number {number} needs a",
        "eval_method": "multiple_choice",
        "choices": ["driver", "cable", "screen", "disk"],
        "expected": "ABCD"[number % 4],
        "score_by": "text",
    }
    for number in range(80)
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three steps of a small checkpoint, a text, and a suite that each passes by far."""
    for seed, step in enumerate(("step_100", "step_200", "step_300")):
        make_checkpoint(tmp_path / "run" / step, seed=seed)
    (tmp_path / "text.txt").write_text("The driver of the network card. " * 60)
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / "c.json").write_text(json.dumps(CHOICES))
    return tmp_path


def of_folder(folder: Path, least: float, **more: object):
    gate = folder / "gate.toml"
    gate.write_text(f'[perplexity]\nmax = 1e8\n[[suite]]\nname = "cards"\nmin = {least}\n')
    settings = {"suites": [str(folder / "cards")], "text": folder / "text.txt", "gate": gate}
    settings |= {"out": folder / "out", "measures": ("perplexity",), "decide": True}
    return api.run([str(folder / "run")], **settings | more)


def test_those_that_pass_are_asked_the_rest_and_the_selection_is_that_of_a_full_run(
    folder: Path,
) -> None:
    early = of_folder(folder, 0.02)
    full = of_folder(folder, 0.02, decide=False, out=folder / "full")
    assert early.selected is not None
    assert early.selected == full.selected
    assert [len(each.suites[0].tests) for each in early.models] == [80, 80, 80]
    proved = [each.suites["cards"].early.at for each in early.decision.measured]
    assert all(0 < at < 40 for at in proved)
    a, b = (next(iter(each.decision.selections.values())) for each in (early, full))
    assert (a.ranking, a.difference) == (b.ranking, b.difference)


def test_of_those_that_fail_none_is_asked_the_rest(folder: Path) -> None:
    report = of_folder(folder, 0.9)
    assert report.selected is None
    assert all(len(each.suites[0].tests) < 40 for each in report.models)


def test_a_comparison_is_over_the_tests_that_both_sides_were_asked(home: Path) -> None:
    full = run(home, "good", decide=False)
    part = run(home, "bad")
    asked = part.models[0].suites[0].score.n
    compared = api.compare(full.run, part.run, max_drop=0.05, out=home / "out")
    (suite,) = compared.pairs[0].suites
    assert suite.difference.n == asked < 300
    assert len(suite.left_out) == 300 - asked
    assert compared.exit_code == 1
    assert "fell by" in compared.fell[0]
    assert api.compare(full.run, full.run, max_drop=0.05, out=home / "out").exit_code == 0


COUNTING = '''
from pathlib import Path

import assay


@assay.check("said_once")
class SaidOnce:
    """Writes down what it is asked to score."""

    word: str

    def score(self, answer, context):
        with Path(__file__).with_suffix(".log").open("a") as log:
            log.write(f"{context.test.id}\\t{answer}\\n")
        return answer == self.word
'''


def test_no_answer_nor_guess_is_scored_twice_although_the_run_decides_on_the_way(
    tmp_path: Path,
) -> None:
    """An intermediate decision takes the baselines that the thread beside the asking computed."""
    ids = [f"once_{number:03d}" for number in range(60)]
    tests = [{"id": each, "prompt": f"Which word is {each}?", "eval_method": "said_once",
              "word": f"word{each}"} for each in ids]  # fmt: skip
    (tmp_path / "once").mkdir()
    (tmp_path / "once" / "a.json").write_text(json.dumps(tests))
    (tmp_path / "counting.py").write_text(COUNTING)
    (tmp_path / "gate.toml").write_text('[[suite]]\nname = "once"\nmin = 0.6\n')
    answers = {each: f"word{each}" for each in ids}
    for name in ("one", "two"):
        told = {"answers": answers | {ids[0]: name}}
        (tmp_path / f"{name}.json").write_text(json.dumps(told))
    specs = [f"scripted:{tmp_path / name}.json" for name in ("one", "two")]
    settings = {"suites": [str(tmp_path / "once")], "plugins": [str(tmp_path / "counting.py")]}
    settings |= {"gate": tmp_path / "gate.toml", "decide": True, "out": tmp_path / "out"}
    api.run(specs, **settings)
    scored = (tmp_path / "counting.log").read_text().splitlines()
    own = [f"{each}\tword{each}" for each in ids]
    guesses = {line for line in scored if line not in own}
    # Two models give each right answer; every other line is a guess, or one model's first answer.
    assert max(scored.count(line) for line in own) <= 2
    assert len(guesses) == sum(line in guesses for line in scored)
