"""`assay compare --judge`: both orders are asked, a disagreement is a tie, nothing twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay import api
from assay.errors import UsageError
from assay.summary.judge_agreement import pair_judging, score_of_pair
from assay.types.results import Comparison, JudgedPair, PairJudging
from tests.workflow.judged_work import ANSWER, Court, judged_test

IDS = ("own_001", "own_002", "own_003")
OTHER = "Use bisect: it searches a sorted list in O(log n).\n\n```python\nimport bisect\n```\n"


def says(*better: str) -> list[str]:
    """What a judge writes of a pair: in the order first, second, and in the other one."""
    return [json.dumps({"reason": "It is shorter.", "better": each}) for each in better]


@pytest.fixture
def court(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Court:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return Court(tmp_path)


def compare(court: Court, judge: str, *, first: str = ANSWER, second: str = OTHER) -> Comparison:
    suite = court.tests(*map(judged_test, IDS))
    models = [court.script("one", default=first), court.script("two", default=second)]
    court.run(models=models, suite=suite)
    return api.compare(["latest"], judge=judge, out=court.out)


def judged(comparison: Comparison) -> PairJudging:
    (pair,) = comparison.pairs
    assert pair.judged
    return pair.judged


def test_both_orders_are_asked_and_where_they_disagree_it_is_a_tie(court) -> None:
    answers = {"judge:own_001": says("B", "A"), "judge:own_002": says("A", "B"),
               "judge:own_003": says("A", "A")}  # fmt: skip
    comparison = compare(court, court.script("judge", answers=answers))
    found = judged(comparison)
    assert comparison.exit_code == 0
    assert [(each.id, each.score, each.outcomes) for each in found.pairs] == [
        ("own_001", 1.0, (1.0, 1.0)), ("own_002", 0.0, (0.0, 0.0)), ("own_003", 0.5, (0.0, 1.0)),
    ]  # fmt: skip
    assert (found.win_rate.value, found.win_rate.n) == (0.5, 3)
    assert found.win_rate.low is not None
    assert found.win_rate.low < 0.5
    assert (found.wins, found.ties, found.losses) == (1, 1, 1)
    assert found.inconsistent.value == pytest.approx(1 / 3)
    assert (found.first_preferred.value, found.first_preferred.n) == (pytest.approx(4 / 6), 6)
    assert found.length.value == len(OTHER) - len(ANSWER)
    assert (found.longer_preferred.value, found.longer_preferred.n) == (0.5, 2)
    text = api.render(comparison, verbose=True)
    assert "In pairs, judged by" in text
    assert "1 won, 1 tied, 1 lost" in text
    assert "not qualified" in text
    (document,) = json.loads(api.render(comparison, "json"))["pairs"]
    assert document["judged"]["win_rate"]["value"] == 0.5
    assert document["judged"]["pairs"][2]["outcomes"] == [0.0, 1.0]


def test_nothing_is_asked_twice_and_no_name_is_shown(court) -> None:
    judge = court.script("judge", default=says("tie")[0])
    assert judged(compare(court, judge)).ties == 3
    assert len(court.asked()) == 6
    api.compare(["latest"], judge=judge, out=court.out)
    assert len(court.asked()) == 6
    bodies = court.all("SELECT body FROM requests WHERE suite = 'judge/pairs'")
    prompts = ["\n".join(m["content"] for m in json.loads(body)["messages"]) for (body,) in bodies]
    assert all("=== ANSWER" in prompt and "import bisect" in prompt for prompt in prompts)
    assert not any(name in prompt for prompt in prompts for name in ("scripted", "one.json"))


def test_what_is_empty_or_the_same_needs_no_judge(court) -> None:
    judge = court.script("judge", default=says("A")[0])
    found = judged(compare(court, judge, second=""))
    assert [each.score for each in found.pairs] == [0.0, 0.0, 0.0]
    assert judged(compare(court, judge, second=f"{ANSWER}\n")).ties == 3
    assert court.asked() == []


def test_unreadable_outcomes_are_unscored_and_failed_ones_asked_again(court) -> None:
    found = compare(court, court.script("judge", default="I like both."))
    assert (judged(found).win_rate.n, judged(found).win_rate.unscored) == (0, 3)
    assert found.exit_code == 0
    failing = court.script("down", default=says("A")[0], fail={"judge:own_002": "no route"})
    found = compare(court, failing)
    assert (judged(found).win_rate.n, judged(found).win_rate.unscored) == (2, 1)
    assert found.exit_code == 3
    before = len(court.asked())
    api.compare(["latest"], judge=failing, out=court.out)
    assert len(court.asked()) == before + 2


def test_a_judge_of_its_own_answers_or_of_none_is_refused(court) -> None:
    judge = court.script("judge", default=says("A")[0])
    compare(court, judge)
    own = court.script("one", default=ANSWER)
    with pytest.raises(UsageError, match="judge its own answers"):
        api.compare(["latest"], judge=own, out=court.out)
    test = {"id": "w_1", "prompt": "Say yes.", "eval_method": "exact_match", "expected": "yes"}
    plain = court.suite({"words": [test]}, name="plain")
    api.run([own, judge], suites=[plain], out=court.out)
    with pytest.raises(UsageError, match="same judged test"):
        api.compare(["latest"], judge=judge, out=court.out)


def test_a_test_asked_several_times_counts_once() -> None:
    def pair(test: str, *outcomes: float | None) -> JudgedPair:
        score = score_of_pair(outcomes)
        return JudgedPair(suite="s", id=test, score=score, outcomes=outcomes, lengths=(10, 20))

    found = pair_judging(
        "j", [pair("a", 1, 1), pair("a", 1, 0.5), pair("b", 0, 0), pair("c", None, 1)]
    )
    assert found.win_rate.value == pytest.approx((0.75 + 0) / 2)
    assert (found.win_rate.n, found.win_rate.unscored) == (2, 1)
    assert (found.wins, found.losses) == (1, 1)
    assert found.inconsistent.value == pytest.approx(1 / 3)
    assert found.first_preferred.n == 5


# Accuracy over both orders, orders agree, verdicts for the output shown first: percent, as counted
# from the recorded verdicts by their collectors.
RECORDED = {
    ("gpt-4", "verdict_only"): (95.5, 95, 50.5),
    ("gpt-3.5-turbo-0613", "reason_then_verdict"): (74.0, 64, 66.8),
    ("llama-2-70b-chat", "metrics_and_reference"): (76.0, 66, 36.0),
    ("falcon-180b-chat", "reason_then_verdict"): (57.0, 14, 93.0),
}


@pytest.mark.parametrize(("judge", "form"), RECORDED)
def test_the_leanings_of_recorded_judges_come_out(shared: Path, judge: str, form: str) -> None:
    pairs, right = [], []
    for line in (shared / "data/judge/llmbar_natural.jsonl").read_text("utf-8").splitlines():
        item = json.loads(line)
        said = item["verdicts"][judge][form]
        outcomes = [None if said[order] is None else said[order] - 1.0
                    for order in ("order_12", "order_21")]  # fmt: skip
        right += [outcome == item["label"] - 1 for outcome in outcomes]
        pairs.append(
            JudgedPair(
                suite="natural",
                id=item["item_id"],
                score=score_of_pair(outcomes),
                outcomes=tuple(outcomes),
                lengths=(len(item["output_1"]), len(item["output_2"])),
            )
        )
    found = pair_judging(judge, pairs)
    accuracy, agree, first = RECORDED[judge, form]
    assert 100 * sum(right) / len(right) == pytest.approx(accuracy, abs=0.5)
    assert found.inconsistent.value == pytest.approx(1 - agree / 100, abs=0.011)
    assert found.first_preferred.value == pytest.approx(first / 100, abs=0.006)
    assert found.win_rate.n + found.win_rate.unscored == len(pairs) == 100
