"""Medians, bounds, bands and confidence, on integers."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from assay.judge.final_judgement import borderline, make_final_judgement, score_of
from assay.types.judging.judgements import (
    ChecklistAnswer,
    Evidence,
    EvidenceCheck,
    Judgement,
    band_of,
    lower_median,
    overall_tenths,
)
from tests.judge.material import CASE, CODING, NOTHING_RUN, evidence, judgement


def verdict(*judgements, shown=NOTHING_RUN):
    return make_final_judgement(CASE, CODING, shown, judgements)


def unscored(reason, why="no"):
    return Judgement(judge="j", fingerprint="f", form="reasoned", unscored_reason=reason,
                     explanation=why)  # fmt: skip


def exact_band(overall: Fraction) -> str:
    for least, name in ((9, "EXCELLENT"), (7, "GOOD"), (5, "ACCEPTABLE"), (3, "POOR")):
        if overall >= least:
            return name
    return "FAILED"


def test_all_triples_agree_with_exact_arithmetic():
    for c, k, q in product(range(11), repeat=3):
        exact = (4 * c + 3 * k + 3 * q) * Fraction(1, 10)
        tenths = overall_tenths([(4, c), (3, k), (3, q)])
        assert Fraction(tenths, 10) == exact
        assert band_of(tenths) == exact_band(exact)


@pytest.mark.parametrize(
    ("scores", "band"),
    [
        ((0, 1, 9), "POOR"),
        ((0, 9, 1), "POOR"),
        ((5, 9, 1), "ACCEPTABLE"),
        ((10, 9, 1), "GOOD"),
    ],
)
def test_triples_that_floats_put_into_the_wrong_band(scores, band):
    floated = scores[0] * 0.4 + scores[1] * 0.3 + scores[2] * 0.3
    assert exact_band(Fraction(floated)) != band
    made = verdict(judgement(*scores))
    assert made.band == band
    assert band in score_of(made).explanation


def test_weights_that_do_not_sum_to_ten_are_divided_by_their_sum_and_rounded_half_up():
    assert overall_tenths([(1, 10), (1, 9), (1, 9)]) == 93
    assert overall_tenths([(1, 8), (1, 9)]) == 85
    assert overall_tenths([(1, 0), (1, 0), (1, 0), (5, 1)]) == 6
    assert overall_tenths([]) is None


def test_correctness_is_bounded_and_what_the_judge_gave_is_kept():
    made = verdict(judgement(10, 8, 8), shown=evidence(5, 8))
    assert (made.criteria[0].score, made.criteria[0].judged) == (6, 10)
    assert made.criteria[0].bounded
    assert not made.criteria[1].bounded
    assert (made.tenths, made.judge_only_tenths) == (72, 88)
    assert any("6 instead of 10: 5 of 8" in note for note in made.notes)


@pytest.mark.parametrize(
    ("passed", "total", "kind", "strict"),
    [
        (0, 8, [0, 3, 3], [0, 0, 0]),
        (1, 12, [0, 3, 3], [0, 0, 0]),  # floor of 0.83; ceil of it less 3 and 6
        (1, 2, [5, 8, 8], [2, 0, 0]),
        (2, 3, [6, 9, 9], [4, 1, 1]),
        (11, 12, [9, 10, 10], [7, 4, 4]),
        (8, 8, [10, 10, 10], [7, 4, 4]),
    ],
)
def test_evidence_bounds_every_criterion_in_both_directions(passed, total, kind, strict):
    shown = evidence(passed, total)
    for given, bounded in ((10, kind), (0, strict)):
        made = verdict(judgement(given, given, given), shown=shown)
        assert [each.score for each in made.criteria] == bounded
        assert [each.judged for each in made.criteria] == [given] * 3


def test_nothing_checked_bounds_nothing():
    assert verdict(judgement(10, 8, 8)).criteria[0].score == 10
    assert verdict(judgement(0, 0, 0)).tenths == 0


def test_weights_count_in_the_share():
    checks = (
        EvidenceCheck(name="a", passed=True, explanation="", weight=0.3),
        EvidenceCheck(name="b", passed=False, explanation="", weight=0.1),
        EvidenceCheck(name="c", passed=None, explanation="needs numpy", weight=0.4),
    )
    assert Evidence(checks=checks).share == Fraction(3, 4)
    half = Evidence(checks=(*checks[:2], replace(checks[2], weight=0.5)))
    assert (half.share, half.bounds_of("correctness")) == (None, (0, 10))


@pytest.mark.parametrize(
    ("share", "with_report", "most"),
    [(0.29, True, 38), (0.31, True, 40), (0.36, True, 40), (0.4, True, 40), (0.42, True, 48),
     (0.45, True, 58), (0.36, False, 48), (0.65, True, 78), (1, True, 100)],
)  # fmt: skip
def test_a_judge_lifts_no_block_without_the_report_that_was_asked_for(share, with_report, most):
    """A judge that says 10 of everything, whatever stands around the block."""
    name = "report_told" if with_report else "told"
    checks = (
        EvidenceCheck(name="right", passed=True, explanation="", weight=share),
        EvidenceCheck(name=name, passed=share == 1, explanation="", weight=round(1 - share, 2)),
    )
    made = verdict(judgement(10, 10, 10), shown=Evidence(checks=checks))
    assert made.tenths is not None
    assert most - 5 <= made.tenths <= most


# -------------------------------------------------------------------------- without a judge


def test_without_a_judge_the_evidence_scores_the_answer():
    made = verdict(shown=evidence(2, 3))
    score = score_of(made)
    assert (made.tenths, made.band, made.criteria) == (67, "ACCEPTABLE", ())
    assert (score.scorer, score.value, score.parts) == ("checks", pytest.approx(2 / 3), ())


def test_where_the_judge_fails_the_evidence_scores_the_answer_and_the_failure_is_told():
    made = verdict(unscored("failed", "it broke"), shown=evidence(1, 2))
    assert (made.tenths, made.unscored_reason, made.explanation) == (50, None, "it broke")
    assert score_of(made).scorer == "checks"


def test_facts_that_nobody_can_read_are_no_answer_without_a_judge():
    fact = EvidenceCheck(name="total", passed=None, explanation="", fact="the total is 5")
    unread = Evidence(checks=(*evidence(3, 3).checks, fact))
    score = score_of(verdict(shown=unread))
    assert (score.value, score.no_answer, score.unscored_reason) == (0.0, True, None)
    assert score.explanation.startswith("no block: only 3 of 4 checks could be made")
    assert verdict(shown=unread).strengths == ()
    for why, told in (
        ("the answer has no JSON block", "no block: nothing could be checked; a judge can read it"),
        ("the JSON block is not closed", "the block is not closed: nothing could be checked"),
        ("the JSON block is invalid: it is no object", "the block is invalid: nothing could be"),
    ):
        alone = Evidence(checks=(replace(fact, explanation=why),))
        assert score_of(verdict(shown=alone)).explanation.startswith(told)
    assert "assay judge latest" in score.explanation
    assert verdict(shown=unread).band is None
    failed = score_of(verdict(unscored("failed", "it broke"), shown=unread))
    assert (failed.value, failed.unscored_reason) == (None, "failed")


@pytest.mark.parametrize("trivial", ["empty", "refusal"])
def test_an_answer_that_only_declines_is_no_answer(trivial):
    made = make_final_judgement(CASE, CODING, evidence(3, 8), [], trivial=trivial)
    assert (made.tenths, score_of(made).value, score_of(made).no_answer) == (0, 0.0, True)


def test_missing_evidence_is_unscored_with_its_own_reason():
    missing = Evidence(missing="code may not be run", unscored_reason="code_not_allowed")
    score = score_of(verdict(shown=missing))
    assert score.unscored_reason == "code_not_allowed"
    assert "code may not be run" in score.explanation


@pytest.mark.parametrize(
    ("scores", "median"),
    [([7], 7), ([3, 9], 3), ([9, 3], 3), ([1, 5, 9], 5), ([8, 2, 4, 6], 4), ([0, 10, 10], 10)],
)
def test_of_an_even_count_the_lower_middle_counts(scores, median):
    assert lower_median(scores) == median
    made = verdict(*(judgement(score, score, score) for score in scores))
    assert [each.score for each in made.criteria] == [median] * 3
    assert (made.criteria[0].low, made.criteria[0].high) == (min(scores), max(scores))


def test_the_median_comes_before_the_bounds():
    made = verdict(judgement(2, 5, 5), judgement(9, 5, 5), judgement(10, 5, 5),
                   shown=evidence(6, 10))  # fmt: skip
    assert (made.criteria[0].score, made.criteria[0].judged) == (6, 9)


def test_the_median_is_taken_criterion_by_criterion():
    made = verdict(judgement(1, 5, 9), judgement(5, 9, 1), judgement(9, 1, 5))
    assert [each.score for each in made.criteria] == [5, 5, 5]


def test_the_reason_is_that_of_a_judgement_with_the_median():
    made = verdict(judgement(4, 4, 4), judgement(8, 8, 8), judgement(9, 9, 9))
    assert [each.reason for each in made.criteria] == ["why 8"] * 3


def test_unscored_judgements_are_left_out_of_the_median_and_told():
    made = verdict(judgement(8, 8, 8), unscored("truncated"))
    assert made.tenths == 80
    assert "Judgements that cannot be used are left out: 1." in made.notes


def test_without_a_scored_judgement_the_verdict_is_unscored_with_the_reasons():
    made = verdict(unscored("unreadable", "no object"), unscored("failed", "it broke"),
                   unscored("failed", "it broke"))  # fmt: skip
    assert (made.tenths, made.band, made.criteria, made.confidence) == (None, None, (), None)
    assert made.unscored_reason == "failed"
    assert made.explanation == "no object; it broke"
    score = score_of(made)
    assert (score.value, score.unscored_reason) == (None, "failed")


def test_without_any_judgement_there_was_no_judge():
    assert score_of(verdict()).unscored_reason == "no_judge"


def test_the_score_is_the_overall_over_ten_with_its_parts():
    score = score_of(verdict(judgement(8, 7, 6)))
    assert (score.scorer, score.value) == ("judge", 0.71)
    assert [(part.name, part.value) for part in score.parts] == [
        ("correctness", 0.8), ("completeness", 0.7), ("code_quality", 0.6),
    ]  # fmt: skip
    assert score.explanation == "7.1 of 10, GOOD"


def test_failed_checks_become_weaknesses():
    made = verdict(judgement(8, 8, 8), shown=evidence(2, 3))
    assert made.weaknesses == ("failed: case 2 (case 2 was run)",)
    assert made.strengths == ("passed: case 0", "passed: case 1")


def test_weights_are_said_where_the_count_of_checks_gives_another_share():
    checks = tuple(
        EvidenceCheck(name=name, passed=name != "c", explanation="", weight=2 if name == "c" else 1)
        for name in "abc"
    )
    told = score_of(verdict(shown=Evidence(checks=checks))).explanation
    assert told == "5.0 of 10, ACCEPTABLE: 2 of 3 checks passed, 50 % by weight"


def test_a_right_report_whose_facts_the_judge_does_not_mention_keeps_the_judges_score():
    facts = tuple(
        EvidenceCheck(name=f"f{n}", passed=None, explanation="", fact=f"the figure is {n}")
        for n in range(28)
    )
    silent = tuple(ChecklistAnswer(question=each.fact) for each in facts)
    made = verdict(replace(judgement(9, 9, 8), facts=silent), shown=Evidence(checks=facts))
    assert (made.tenths, made.band, made.weaknesses) == (87, "GOOD", ())
    assert {each.passed for each in made.evidence.checks} == {None}


def test_what_is_open_because_of_the_answer_does_not_free_a_judge_that_is_little_trusted():
    facts = tuple(
        EvidenceCheck(name=f"f{n}", passed=None, explanation="", fact=f"the figure is {n}")
        for n in range(28)
    )
    made = make_final_judgement(
        CASE, CODING, Evidence(checks=facts), [judgement(10, 10, 10)], doubts=["not qualified"]
    )
    assert (made.tenths, made.band) == (40, "POOR")
    assert "instead of 10: no block could be read, and most of the facts" in made.notes[0]


def test_name_and_task_are_the_tests():
    made = verdict(judgement(8, 8, 8))
    assert (made.name, made.suite, made.rubric) == ("Binary search", "coding", "coding")
    assert made.task == (
        "Write a binary search in Python and say how it scales. Required: a function; its "
        "complexity."
    )


# --------------------------------------------------------------------------------- borderline


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ((7, 7, 7), ["7.0", "GOOD", "one point less in Correctness or Completeness or Code Quality",
                     "ACCEPTABLE"]),
        ((10, 8, 8), ["8.8", "9.0", "one point more in Completeness or Code Quality", "EXCELLENT"]),
        ((10, 10, 7), ["9.1", "one point less", "GOOD"]),
        ((7, 8, 7), ["7.3", "one point less in Correctness would make it ACCEPTABLE"]),
        ((3, 2, 3), ["2.7", "one point more", "POOR"]),
    ],
)  # fmt: skip
def test_near_an_edge_a_sentence_says_what_decides(scores, words):
    sentence = verdict(judgement(*scores)).borderline
    assert all(word in sentence for word in words)


@pytest.mark.parametrize("scores", [(8, 8, 8), (10, 10, 10), (0, 0, 0), (6, 6, 6), (7, 7, 9)])
def test_far_from_an_edge_nothing_is_said(scores):
    assert verdict(judgement(*scores)).borderline == ""


def test_every_overall_within_three_tenths_is_called_borderline_and_no_other():
    for scores in product(range(11), repeat=3):
        made = make_final_judgement(CASE, CODING, NOTHING_RUN, [judgement(*scores)])
        near = min(abs(made.tenths - edge) for edge in (30, 50, 70, 90)) <= 3
        assert bool(made.borderline) == near


def test_where_no_single_point_decides_that_is_said():
    (one, *_) = verdict(judgement(7, 7, 7)).criteria
    ten = [replace(one, criterion=f"c{n}", weight=1) for n in range(10)]
    raised = [replace(each, score=8) for each in ten[:3]] + ten[3:]
    assert "7.3 is close to 7.0" in borderline(raised)
    assert "more than one point" in borderline(raised)
    assert "one point less" in borderline(ten)


# --------------------------------------------------------------------------------- confidence


def test_agreeing_judgements_quotes_and_evidence_give_high_confidence():
    made = verdict(judgement(9, 8, 8), judgement(8, 8, 9), shown=evidence(9, 10))
    assert (made.confidence, made.confidence_reasons) == ("high", ())


@pytest.mark.parametrize(
    ("judgements", "shown", "confidence", "reason"),
    [
        ([judgement(9, 8, 8)], evidence(9, 10), "medium", "judged once"),
        ([judgement(9, 8, 8)] * 2, NOTHING_RUN, "medium", "nothing was run"),
        ([judgement(9, 8, 8), judgement(9, 8, 5)], evidence(9, 10), "medium", "3 points apart"),
        ([judgement(9, 8, 8), judgement(9, 8, 4)], evidence(9, 10), "low", "4 points apart"),
        ([judgement(9, 8, 8)] * 2, evidence(7, 10), "medium", "gives correctness 9"),
        ([judgement(9, 8, 8)] * 2, evidence(2, 10), "low", "the checks allow 0 to 2"),
        ([judgement(4, 8, 8)] * 2, evidence(9, 10), "medium", "the checks allow 6 to 9"),
        ([judgement(2, 8, 8)] * 2, evidence(9, 10), "low", "gives correctness 2"),
        ([judgement(9, 8, 8), judgement(9, 8, 8), unscored("failed")], evidence(9, 10), "medium",
         "1 judgement is unscored"),
        ([judgement(9, 8, 8, statuses=())] * 2, evidence(9, 10), "medium", "quoted nothing"),
        ([judgement(9, 8, 8, statuses=("exact",) * 4 + ("fabricated",))] * 2, evidence(9, 10),
         "medium", "8 of 10 quotes"),
    ],
)  # fmt: skip
def test_each_doubt_lowers_confidence_and_is_named(judgements, shown, confidence, reason):
    made = verdict(*judgements, shown=shown)
    assert made.confidence == confidence
    assert any(reason in each for each in made.confidence_reasons)


def test_a_judge_that_invents_its_quotes_is_not_trusted():
    liar = judgement(10, 10, 10, statuses=("fabricated", "fabricated", "from_task", "exact"),
                     stated_confidence="high")  # fmt: skip
    made = verdict(liar, liar, shown=evidence(4, 10))
    assert made.confidence == "low"
    assert made.criteria[0].score == 4
    assert "2 of 8 quotes are in the answer" in made.confidence_reasons
