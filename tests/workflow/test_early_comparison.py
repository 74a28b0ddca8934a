"""`assay compare RUN MODEL --max-drop X --decide`: ask until the drop is decided."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay import api
from assay.errors import BudgetSpent, Interrupted, UsageError
from assay.reports.cards.comparison import comparison_card
from assay.reports.json_documents import comparison_json
from assay.store import Store
from tests.models.local.checkpoints import make_checkpoint
from tests.workflow.test_early_decision import CHOICES, Stopping, write_model, write_suite


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A base whose answers are stored, and models that fall by much, by little, or not at all."""
    ids = write_suite(tmp_path / "facts")
    base = json.loads(Path(write_model(tmp_path / "base.json", ids, 0.9)[9:]).read_text())
    for name, lost in (("same", 1), ("less", 6), ("worse", 90)):
        answers = dict(base["answers"])
        right = [test for test in ids if answers[test] != "no"]
        answers |= dict.fromkeys(right[:: max(1, len(right) // lost)][:lost] if lost else (), "no")
        (tmp_path / f"{name}.json").write_text(json.dumps({"answers": answers}))
    api.run(
        [f"scripted:{tmp_path}/base.json"], suites=[str(tmp_path / "facts")], out=tmp_path / "out"
    )
    return tmp_path


def spec(home: Path, name: str) -> str:
    return f"scripted:{home / name}.json"


def compared(home: Path, name: str, **more: object):
    settings = {"max_drop": 0.05, "decide": True, "out": home / "out"}
    return api.compare(spec(home, "base"), spec(home, name), **settings | more)


def suite_of(comparison):
    return comparison.pairs[0].suites[0]


def asked_of(home: Path, name: str) -> int:
    with Store(home / "out", read_only=True) as store:
        run = store.read_runs()[-1]
        (model,) = run.models
        assert model.spec == spec(home, name)
        return len(list(store.read_trials(run, model)))


def test_a_clear_fall_is_found_after_part_of_the_tests(home: Path) -> None:
    found = compared(home, "worse")
    early = suite_of(found).early
    assert found.exit_code == 1
    assert early.passed is False
    assert asked_of(home, "worse") == early.asked < 120
    assert f"{early.asked} of 300 tests were asked" in found.fell[0]
    assert "error at most 5 %" in found.fell[0]
    full = api.run([spec(home, "worse")], suites=[str(home / "facts")], out=home / "out")
    again = api.compare(spec(home, "base"), full.run, max_drop=0.05, out=home / "out")
    assert again.exit_code == 1
    assert suite_of(found).difference.low <= suite_of(again).difference.value
    assert suite_of(found).difference.high >= suite_of(again).difference.value


@pytest.mark.parametrize("name", ["same", "less"])
def test_equal_models_and_small_falls_are_allowed_and_the_card_says_so(
    home: Path, name: str
) -> None:
    found = compared(home, name)
    assert found.exit_code == 0
    assert suite_of(found).early.asked < 300
    card = comparison_card(found)
    assert "does not fall more than 5.00 points below" in card.decision
    assert "the full suite would say the same, error at most 5 %" in str(card.reasons[0])
    document = comparison_json(found)["pairs"][0]["suites"][0]
    assert document["early"]["passed"] is True
    assert document["difference"]["method"] == "anytime-valid"
    assert document["p_value"] is None


def test_no_p_value_is_told_of_a_side_that_was_asked_until_it_was_decided(home: Path) -> None:
    compared(home, "worse")
    again = api.compare(spec(home, "base"), "latest", out=home / "out")
    assert again.exit_code == 0  # no --max-drop, nothing to hold
    held = api.compare(spec(home, "base"), "latest", max_drop=0.05, out=home / "out")
    assert (held.exit_code, suite_of(held).early.passed) == (1, False)
    assert suite_of(held).p_value is None


def test_a_stored_part_is_held_to_another_limit_by_what_it_shows(home: Path) -> None:
    """The bets are valid whenever somebody stops, so any limit may be tried on what is stored."""
    compared(home, "worse")
    open_ = api.compare(spec(home, "base"), "latest", max_drop=0.3, out=home / "out")
    assert suite_of(open_).early.passed is None
    assert open_.exit_code == 1
    card = comparison_card(open_)
    assert "Undecided on facts: about" in card.decision
    assert "more tests" in card.decision


def test_a_stopped_comparison_goes_on_to_the_same_decision(home: Path) -> None:
    whole = compared(home, "less")
    other = home / "again"
    api.run([spec(home, "base")], suites=[str(home / "facts")], out=other)
    with pytest.raises(Interrupted) as stopped:
        compared(home, "less", out=other, observer=Stopping(after=21))
    assert "--decide" in stopped.value.hint
    assert "--max-drop 0.05" in stopped.value.hint
    resumed = compared(home, "less", out=other)
    assert suite_of(resumed).early == suite_of(whole).early
    with Store(other, read_only=True) as store:
        assert len(store.read_runs()) == 2  # continued, not begun again


def test_a_spent_budget_says_about_how_many_more_tests_decide_it(home: Path) -> None:
    with pytest.raises(BudgetSpent, match=r"facts is undecided after 0 of 300 tests"):
        compared(home, "less", budget=1e-6)
    assert compared(home, "less").exit_code == 0


def test_failed_requests_leave_it_open_and_too_many_never_pass(home: Path) -> None:
    ids = write_suite(home / "short", {"a": 40})
    answers = {test: f"word{at}" for at, test in enumerate(ids)}
    for name, failing in (("base", []), ("torn", ids[:3]), ("gone", ids)):
        of = {"answers": answers, "fail": dict.fromkeys(failing, "gone")}
        (home / f"{name}.json").write_text(json.dumps(of))
    out = home / "short-out"
    api.run([spec(home, "base")], suites=[str(home / "short")], out=out)
    for name in ("torn", "gone"):
        found = compared(home, name, out=out)
        assert found.exit_code == 3
        assert suite_of(found).early.passed is None
        assert found.fell
    full = api.run([spec(home, "gone")], suites=[str(home / "short")], out=out)
    held = api.compare(spec(home, "base"), full.run, max_drop=0.05, out=out)
    assert held.exit_code == 1  # nothing was measured, so nothing passes


def test_the_run_is_asked_again_as_it_was(home: Path) -> None:
    """Seed, repeats and limits of an answer are those of the run, not the usual ones."""
    out = home / "other"
    suites = [str(home / "facts")]
    api.run(
        [spec(home, "base")], suites=suites, out=out, repeats=2, seed=5, max_tokens=17, limit=60
    )
    compared(home, "less", out=out)
    with Store(out, read_only=True) as store:
        first, second = store.read_runs()
        assert (second.seed, second.repeats) == (5, 2)
        assert first.digests == second.digests
        asked = list(store.read_samplings(second, second.models[0]))
    assert {sampling.max_tokens for _, _, sampling in asked} == {17}


def test_categories_count_by_their_weights(home: Path) -> None:
    """A fall in a category that counts little is a small one, in part as in full."""
    ids = write_suite(home / "uneven", {"a": 150, "b": 30, "c": 20})
    (home / "uneven" / "suite.json").write_text(json.dumps({"weights": {"a": 8, "b": 1, "c": 0}}))
    right = {test: f"word{int(test[-3:])}" for test in ids}
    worse = right | {test: "no" for test in ids if test.startswith(("b", "c"))}
    for name, answers in (("base", right), ("worse", worse)):
        (home / f"{name}.json").write_text(json.dumps({"answers": answers}))
    out = home / "uneven-out"
    api.run([spec(home, "base")], suites=[str(home / "uneven")], out=out)
    found = compared(home, "worse", out=out, max_drop=0.3)
    assert found.exit_code == 0  # it fell by 11.1 points
    assert suite_of(found).early.tests == 180  # c counts nothing, and is not asked
    assert compared(home, "worse", out=out, max_drop=0.02).exit_code == 1


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"max_drop": None}, "--max-drop"),
        ({"loss": True}, "--loss"),
        ({"judge": "scripted:x.json"}, "--judge"),
    ],
)
def test_what_cannot_be_decided_is_refused(home: Path, more: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        compared(home, "less", **more)


def test_a_part_is_no_base(home: Path) -> None:
    compared(home, "worse")
    with pytest.raises(UsageError, match=r"was not asked \d+ of its 300 tests"):
        api.compare("latest", spec(home, "less"), max_drop=0.05, decide=True, out=home / "out")


def test_a_run_of_several_models_is_asked_which(home: Path) -> None:
    models = [spec(home, "base"), spec(home, "same")]
    both = api.run(models, suites=[str(home / "facts")], out=home / "out")
    with pytest.raises(UsageError, match="has 2 models"):
        api.compare(both.run, spec(home, "less"), max_drop=0.05, decide=True, out=home / "out")
    named = f"{both.run}/{spec(home, 'same')}"
    found = api.compare(named, spec(home, "less"), max_drop=0.05, decide=True, out=home / "out")
    assert found.exit_code == 0


def test_a_checkpoint_is_asked_no_more_than_decides(tmp_path: Path) -> None:
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / "c.json").write_text(json.dumps(CHOICES))
    for seed, name in enumerate(("base", "tuned")):
        make_checkpoint(tmp_path / name, seed=seed)
    out = tmp_path / "out"
    base = api.run([str(tmp_path / "base")], suites=[str(tmp_path / "cards")], out=out)
    found = api.compare(base.run, str(tmp_path / "base"), max_drop=0.3, decide=True, out=out)
    assert found.exit_code == 0  # the same checkpoint: its stored answers are read
    found = api.compare(base.run, str(tmp_path / "tuned"), max_drop=0.5, decide=True, out=out)
    assert found.exit_code == 0
    assert suite_of(found).early.asked < 80
