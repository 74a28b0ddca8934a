"""Nearly equal answers with distant scores are listed, within a run and over runs."""

from __future__ import annotations

from assay.summary.consistency import AnswerText, inconsistencies
from assay.types.judging.judged import ScoredAnswer

LONG = "The search halves what is left with every step, so it takes O(log n) steps. " * 5


def answer(tenths: int, text: str = LONG, *, model: str = "a", run: str = "r2", test: str = "t"):
    of = ScoredAnswer(suite="s", test_id=test, model=model, run=run, repeat=0, tenths=tenths)
    return AnswerText(of=of, text=text)


def test_alike_and_more_than_three_points_apart_is_listed_with_both():
    (found,) = inconsistencies([answer(80), answer(49, LONG + " Done.", model="b")], [])
    assert (found.first.model, found.second.model, found.apart) == ("a", "b", 31)
    assert 0.9 < found.alike < 1


def test_three_points_other_texts_and_other_tests_are_not():
    others = [
        answer(50, model="b"),
        answer(10, "A wholly different text about something else. " * 8, model="c"),
        answer(10, test="other"),
    ]
    assert inconsistencies([answer(80), *others], []) == []


def test_earlier_runs_are_compared_with_this_one_and_not_with_each_other():
    before = [answer(20, run="r0"), answer(90, run="r1")]
    (found,) = inconsistencies([answer(80)], before)
    assert (found.first.run, found.second.run) == ("r2", "r0")


def test_white_space_makes_no_difference():
    (found,) = inconsistencies([answer(80), answer(10, LONG.replace(" ", "\n\n"))], [])
    assert found.alike == 1
