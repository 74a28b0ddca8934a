"""What judging refuses: before anything is asked of anybody, and with every mistake at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import InvalidFiles, ModelUnavailable, Refusals, UsageError
from tests.workflow.judged_work import ANSWER, RUBRIC, Court, form, judged_test


@pytest.fixture
def court(tmp_path: Path) -> Court:
    return Court(tmp_path)


def test_a_model_does_not_judge_itself_unless_that_is_allowed(court):
    suite = court.tests()
    with pytest.raises(UsageError, match="its own answers") as refused:
        court.run(court.model, suite=suite)
    assert "--allow-self-judging" in refused.value.hint
    assert not court.out.exists()
    document = court.run(court.model, suite=suite, allow_self_judging=True)
    assert any("its own answers" in note for note in document["judged"]["notes"])


def test_a_judge_of_the_same_family_is_told(court):
    tested = court.script("llama3.2-3b", default=ANSWER)
    judge = court.judge(form(8, 8, 8), name="llama3.1-70b")
    (note,) = court.run(judge, models=[tested])["judged"]["notes"]
    assert "one family (llama)" in note


def test_a_judge_named_twice_is_refused(court):
    judge = court.judge(form(8, 8, 8))
    with pytest.raises(UsageError, match="the same judge"):
        court.run(judge, judge)


def test_a_judge_that_is_not_there_is_refused_before_the_tested_model_is_asked(court):
    with pytest.raises(ModelUnavailable):
        court.run(f"scripted:{court.folder}/nobody.json")
    assert not court.out.exists()


def test_a_judge_without_log_probabilities_is_not_asked_by_likelihood(court):
    with pytest.raises(UsageError, match="no log-probabilities"):
        court.run(court.judge(form(8, 8, 8)), judge_form="likelihood")
    assert not court.out.exists()


def test_a_suite_without_judged_tests_needs_no_judge(court):
    suite = court.suite({"sum": [{"id": "sum_001", "prompt": "1+1?", "eval_method": "exact_match",
                                  "expected": "2"}]})  # fmt: skip
    with pytest.raises(UsageError, match="needs a judge"):
        court.run(court.judge("x"), suite=suite)


def _everything(refused: Refusals) -> str:
    findings = [f for e in refused.errors if isinstance(e, InvalidFiles) for f in e.findings]
    return "\n".join([str(refused), *map(str, findings)])


def test_all_mistakes_in_rubrics_and_judges_are_told_at_once(court):
    suite = court.tests(judged_test("own_001"), judged_test("own_002", rubric="nowhere"))
    broken = RUBRIC.replace("weight = 4", "weight = 0").replace('"8-9" = "b", ', "", 1)
    court.rubric(broken)
    with pytest.raises(Refusals) as refused:
        court.run(f"scripted:{court.folder}/nobody.json", suite=suite)
    told = _everything(refused.value)
    assert "there is no rubric 'nowhere'" in told
    assert all(words in told for words in ("criterion[0].weight", "look at 8, 9", "nobody.json"))
    assert not court.out.exists()


def test_all_mistakes_in_shown_files_are_told_at_once(court):
    suite = court.tests(
        judged_test("own_001", prompt="{{a.csv}}", fixtures=["../a.csv"]),
        judged_test("own_002", prompt="{{b.csv}}", fixtures=["b.csv"]),
    )
    with pytest.raises(Refusals) as refused:
        court.run(f"scripted:{court.folder}/nobody.json", suite=suite)
    told = _everything(refused.value)
    for words in (
        "no file 'b.csv'",
        "nobody.json",
    ):
        assert words in told
