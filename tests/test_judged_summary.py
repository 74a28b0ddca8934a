"""What the verdicts of a run say of its models, and which one to use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from assay.reports.judged.sentences import closing_sentence, over_runs
from assay.summary.judged import EarlierRun, judged
from assay.types import Estimate
from assay.types.judging.judged import (
    POINTS_OF_10,
    Judged,
    ModelChoice,
    ModelJudged,
    RaterAgreement,
)
from assay.types.judging.judgements import Evidence, FinalJudgement
from tests.reports.judged_answers import CODING, DATA, evidence, flat, judgement, model, verdict


def choice(of: Judged, domain: str = "coding") -> ModelChoice:
    return next(each for each in of.choices if each.domain == domain)


def only(of: Judged) -> ModelJudged:
    (found,) = of.models
    return found


# ------------------------------------------------------------------------------------------ figures


def test_a_mean_has_its_tests_its_unscored_and_an_interval_in_points_of_10():
    verdicts = [*flat(CODING[:5], 6, 7, 8, 9, 10), verdict("CT-06", unscored="unreadable")]
    (domain,) = only(judged([model("a", verdicts)])).domains
    mean = domain.mean
    assert (mean.value, mean.n, mean.unscored, mean.unit) == (8.0, 5, 1, POINTS_OF_10)
    assert mean.low is not None
    assert mean.high is not None
    assert 6.0 <= mean.low < 8.0 < mean.high <= 10.0
    assert mean.incomplete
    assert domain.band == "GOOD"
    assert domain.bands == {
        "EXCELLENT": 2, "GOOD": 2, "ACCEPTABLE": 1, "POOR": 0, "FAILED": 0,
    }  # fmt: skip
    assert [(each.test_id, each.text) for each in domain.unscored] == [("CT-06", "unreadable")]


def test_a_model_without_any_score_has_no_mean_and_no_choice():
    of = judged([model("a", [verdict("CT-01", unscored="refused")])])
    (domain,) = only(of).domains
    assert (domain.mean.value, domain.mean.unscored, domain.band) == (None, 1, None)
    assert (choice(of).ground, choice(of).model) == ("nothing", None)
    assert judged([]).choices == ()


def test_equal_scores_are_not_taken_for_certainty():
    (domain,) = only(judged([model("a", flat(CODING, 8))])).domains
    assert domain.mean.low is not None
    assert domain.mean.low < 8.0 < (domain.mean.high or 0)


def test_several_answers_to_a_test_count_as_one_test():
    verdicts = [
        verdict("CT-01", (6, 6, 6)),
        verdict("CT-01", (9, 9, 9)),
        verdict("CT-02", (5,) * 3),
    ]
    found = only(judged([model("a", verdicts)]))
    assert [test.tenths for test in found.tests] == [75, 50]
    assert found.domains[0].mean.n == 2
    assert found.domains[0].mean.value == pytest.approx(6.25)


@pytest.mark.parametrize(("passed", "ground"), [(4, "alone"), (3, "not_shown")])
def test_no_model_is_recommended_that_fails_more_than_half_of_its_checks(passed, ground):
    kind = judged([model("a", [verdict("CT-01", (10, 10, 10), shown=evidence(passed, 8))])])
    (choice,) = kind.choices
    assert (choice.ground, choice.chosen) == (ground, "a" if ground == "alone" else None)
    weak = [verdict("CT-01", (10, 10, 10), shown=evidence(passed, 8))]
    strong = [verdict("CT-01", (5, 5, 5), shown=evidence(6, 8))]
    (choice,) = judged([model("a", weak), model("b", strong)]).choices
    assert choice.not_shown == (() if ground == "alone" else ("a",))
    if ground == "alone":
        (rival,) = choice.rivals
        assert (choice.model, rival.model) == ("a", "b")
        assert (rival.evidence_lead.value, rival.judge_lead.value) == (-2.5, 5.0)
    else:
        assert choice.chosen == "b"


def test_what_the_judge_alone_would_give_stands_beside_what_the_evidence_allows():
    lying = verdict("CT-01", (10, 10, 10), shown=evidence(0, 8))
    honest = verdict("CT-02", (4, 6, 6), shown=evidence(6, 8))
    found = only(judged([model("a", [lying, honest])]))
    (domain,) = found.domains
    assert [(test.tenths, test.judge_only_tenths) for test in found.tests] == [(18, 100), (56, 52)]
    assert domain.bounded == ("CT-01", "CT-02")
    assert (domain.mean.value, domain.judge_only.value) == (pytest.approx(3.7), pytest.approx(7.6))
    assert (domain.evidence_passed, domain.evidence_total) == (6, 16)
    assert domain.evidence.value == pytest.approx(0.375)
    assert domain.failed_checks[0].test_id == "CT-01"
    assert len(domain.failed_checks) == 4
    correctness = domain.criteria[0]
    assert (correctness.mean.value, correctness.judged.value) == (2.5, 7.0)


def test_the_weakest_criterion_is_named_unless_two_share_the_place():
    (domain,) = only(judged([model("a", [verdict("CT-01", (9, 5, 7))])])).domains
    assert domain.weakest == "Completeness"
    (domain,) = only(judged([model("a", [verdict("CT-01", (7, 9, 7))])])).domains
    assert domain.weakest is None


def test_categories_have_means_and_bands_of_their_own():
    (domain,) = only(judged([model("a", flat(CODING, 9, 4, 6, 7, 7, 9))])).domains
    assert {name: of.value for name, of in domain.categories.items()} == {
        "writing": 9.0, "improving": 5.0, "explaining": 7.0,
    }  # fmt: skip
    assert domain.category_bands["improving"] == "ACCEPTABLE"


def test_domains_weigh_the_same_whatever_their_number_of_tests():
    found = only(judged([model("a", [*flat(CODING, 9), *flat(DATA[:1], 3)])]))
    assert found.overall.value == pytest.approx(6.0)


def test_the_range_of_a_test_is_between_its_judgements_after_the_evidence():
    one = verdict("CT-01", (10, 8, 8), (2, 8, 8), shown=evidence(5, 10))
    other = verdict("CT-02", (8, 8, 8))
    found = only(judged([model("a", [one, other])]))
    test = found.tests[0]
    assert (test.low, test.high, test.judgements, test.tenths) == (56, 68, 2, 56)


def test_strengths_and_weaknesses_come_from_the_answers_they_are_about():
    good = judgement("coding", (9, 9, 9), strengths=["clear"], weaknesses=["none to speak of"])
    bad = judgement("coding", (2, 2, 2), strengths=["short"], weaknesses=["wrong", "vague"])
    (domain,) = only(
        judged(
            [model("a", [verdict("CT-01", judgements=[good]), verdict("CT-02", judgements=[bad])])]
        )
    ).domains
    assert [(each.test_id, each.text) for each in domain.strengths] == [("CT-01", "clear")]
    assert [(each.test_id, each.text) for each in domain.weaknesses] == [("CT-02", "wrong")]


def test_confidence_is_the_lower_middle_and_low_where_tests_are_missing():
    sure = [verdict("CT-01", (8,) * 3), verdict("CT-02", (8,) * 3, confidence="medium")]
    (domain,) = only(judged([model("a", sure)])).domains
    assert (domain.confidence, domain.confidences) == ("medium", {"high": 1, "medium": 1})
    (domain,) = only(judged([model("a", [*sure, verdict("CT-03", unscored="refused")])])).domains
    assert domain.confidence == "low"


def test_what_was_not_run_is_told_by_reason_and_isolation_once():
    of = judged(
        [
            model(
                "a",
                [
                    verdict("CT-01", (8,) * 3, shown=Evidence(missing="not allowed")),
                    verdict("CT-02", (8,) * 3, shown=Evidence(missing="not allowed")),
                    verdict("CT-03", (8,) * 3, shown=evidence(1, 1, isolation="bubblewrap")),
                ],
            )
        ]
    )
    assert of.not_run == {"not allowed": ("CT-01", "CT-02")}
    assert of.isolation == ("bubblewrap",)
    assert of.judges == ("ollama:judge:7b",)


# -------------------------------------------------------------------------------------- differences


def test_a_difference_is_paired_over_the_tests_both_were_scored_on():
    a = [*flat(CODING[:5], 5), verdict("CT-06", unscored="refused")]
    (found,) = judged([model("a", a), model("b", flat(CODING, 7, 8))]).differences
    assert (found.a, found.b, found.difference.n, found.difference.unscored) == ("a", "b", 5, 1)
    assert found.difference.value == pytest.approx(2.4)
    assert (found.higher, found.lower) == (5, 0)


def test_fewer_than_six_differing_tests_never_tell_two_models_apart():
    (few,) = judged(
        [model("a", flat(CODING[:5], 2)), model("b", flat(CODING[:5], 9, 8))]
    ).differences
    assert not few.told_apart
    (six,) = judged([model("a", flat(CODING, 2)), model("b", flat(CODING, 9, 8))]).differences
    assert six.told_apart
    assert (six.difference.low or 0) > 0


# --------------------------------------------------------------------------------------- the choice


def test_the_better_model_is_chosen_where_the_tests_tell():
    of = judged([model("a", flat(CODING, 5, 6)), model("b", flat(CODING, 8, 9, 9))])
    found = choice(of)
    assert (found.ground, found.chosen, found.band) == ("better", "b", "GOOD")
    (rival,) = found.rivals
    assert rival.model == "a"
    assert rival.lead.value == pytest.approx(19 / 6)
    assert found.tied == ()


def test_of_two_equally_good_models_the_quicker_is_chosen():
    slow = model("slow", flat(CODING, 8, 7, 8), speed=20.0)
    quick = model("quick", flat(CODING, 7, 8, 8), speed=60.0)
    for order in ([slow, quick], [quick, slow]):
        found = choice(judged(order))
        assert (found.ground, found.chosen) == ("quicker", "quick")
        assert [rival.model for rival in found.equals] == ["slow"]


def test_a_slightly_lower_mean_that_is_not_told_apart_still_wins_by_speed():
    slow = model("slow", flat(CODING, 8, 7, 9, 8, 8, 8), speed=20.0)
    quick = model("quick", flat(CODING, 8, 8, 8, 7, 8, 8), speed=60.0)
    found = choice(judged([slow, quick]))
    assert (found.ground, found.chosen) == ("quicker", "quick")
    assert found.rivals[0].lead.value is not None
    assert found.rivals[0].lead.value < 0


def test_a_quick_model_that_may_be_much_worse_is_not_taken_for_equal():
    slow = model("slow", flat(CODING[:3], 9, 8, 9), speed=20.0)
    quick = model("quick", flat(CODING[:3], 5, 9, 5), speed=60.0)
    found = choice(judged([slow, quick]))
    assert (found.ground, found.chosen) == ("higher", "slow")
    assert [rival.model for rival in found.tied] == ["quick"]
    assert found.equals == ()


def test_speeds_by_two_clocks_decide_nothing():
    slow = model("slow", flat(CODING, 8), speed=20.0, clock="server")
    quick = model("quick", flat(CODING, 8), speed=60.0, clock=None)
    assert choice(judged([slow, quick])).ground == "level"


def test_no_model_is_recommended_that_is_not_acceptable():
    found = choice(judged([model("a", flat(CODING, 2)), model("b", flat(CODING, 4, 5))]))
    assert (found.ground, found.model, found.chosen) == ("none_good_enough", "b", None)


def test_an_incomplete_mean_is_not_chosen_beside_a_whole_one():
    gaps = [*flat(CODING[:4], 10), *(verdict(test, unscored="refused") for test in CODING[4:])]
    found = choice(judged([model("gaps", gaps), model("whole", flat(CODING, 6))]))
    assert (found.chosen, found.ground, found.left_out) == ("whole", "alone", ("gaps",))
    found = choice(judged([model("gaps", gaps)]))
    assert (found.ground, found.chosen, found.model) == ("incomplete", None, "gaps")


def test_nobody_is_even_the_best_while_a_better_model_could_not_be_compared():
    def weak(points: int, *, gap: bool) -> list[FinalJudgement]:
        found = [verdict(each, (points,) * 3, shown=evidence(1, 8)) for each in CODING]
        return [*found[:5], verdict("CT-06", unscored="failed")] if gap else found

    of = judged([model("a", weak(3, gap=True)), model("b", weak(2, gap=True)),
                 model("c", weak(0, gap=False))])  # fmt: skip
    found = choice(of)
    assert (found.ground, found.model, found.chosen) == ("incomplete", "a", None)
    assert found.compared == ("c",)
    said = closing_sentence(of)
    assert "even the best" not in said
    assert "a's" in said
    assert "(c) are not good enough" in said


def test_the_mean_of_a_domain_is_the_suites_score():
    verdicts = [*flat(CODING[:5], 10, 2, 4, 6, 8), verdict("CT-06", unscored="failed")]
    one = model("a", verdicts)
    weights = {("coding", each): 1.0 for each in set(one.categories.values())}
    (domain,) = only(judged([replace(one, weights=weights)])).domains
    # writing 10; improving 2 and 4; explaining 6 and 8
    assert domain.mean.value == pytest.approx((10 + 3 + 7) / 3)
    assert (domain.mean.n, domain.mean.unscored) == (5, 1)


def test_domains_are_chosen_for_by_themselves():
    a = model("a", [*flat(CODING, 9, 8), *flat(DATA, 5)])
    b = model("b", [*flat(CODING, 5), *flat(DATA, 8, 9)])
    of = judged([a, b])
    assert (choice(of, "coding").chosen, choice(of, "data").chosen) == ("a", "b")


# ---------------------------------------------------------------------------------------- over runs


def test_a_models_runs_stay_in_their_order_and_the_last_two_are_compared_test_by_test():
    earlier = [
        EarlierRun(run="r1", when="2026-02-01", model="a", final_judgements=tuple(flat(CODING, 3))),
        EarlierRun(run="r2", when="2026-01-01", model="a", final_judgements=tuple(flat(CODING, 5))),
        EarlierRun(
            run="rx", when="2026-01-01", model="other", final_judgements=tuple(flat(CODING, 9))
        ),
    ]
    of = judged([model("a", flat(CODING, 7, 8))], run="r3", when="2026-03-01", earlier=earlier)
    (runs,) = only(of).over_runs
    assert [point.run for point in runs.points] == ["r1", "r2", "r3"]
    assert [point.mean.value for point in runs.points] == [3.0, 5.0, 7.5]
    assert runs.change.value == pytest.approx(2.5)
    assert runs.told_apart
    assert runs.same_judges


def test_an_interval_beside_0_on_few_tests_is_said_with_its_p_value():
    before, after = (
        [
            verdict(test, judgements=[judgement("coding", (points,) * 3)])
            for test, points in zip(CODING, of, strict=False)
        ]
        for of in ((3, 3, 3), (6, 7, 8))
    )
    earlier = [EarlierRun(run="r1", when="2026-01-01", model="a", final_judgements=tuple(before))]
    (runs,) = only(judged([model("a", after)], earlier=earlier)).over_runs
    assert runs.change.low is not None
    assert runs.change.low > 0
    assert not runs.told_apart
    (line,) = over_runs(runs)
    assert line.endswith("but p = 0.250 by the paired test: no significant change.")


def test_another_version_of_the_judge_is_told():
    before = [verdict("CT-01", judgements=[judgement("coding", (5,) * 3, fingerprint="older")])]
    earlier = [EarlierRun(run="r1", when="2026-01-01", model="a", final_judgements=tuple(before))]
    (runs,) = only(judged([model("a", flat(CODING, 7))], earlier=earlier)).over_runs
    assert not runs.same_judges
    assert runs.change.n == 1
    assert not runs.told_apart


def test_the_same_verdicts_give_the_same_figures():
    def once() -> Mapping[str, object]:
        of = judged([model("a", flat(CODING, 5, 8, 9)), model("b", flat(CODING, 6, 7, 9))])
        return {"models": of.models, "choices": of.choices, "differences": of.differences}

    assert once() == once()


@pytest.mark.parametrize(
    ("low", "value", "high", "reliable", "tentative"),
    [
        (0.82, 0.9, 0.97, True, False),
        (-0.29, 0.9, 1.0, None, False),
        (0.7, 0.85, 0.95, None, True),
        (0.1, 0.4, 0.6, False, False),
        (0.1, 0.5, 0.8, None, False),
    ],
)
def test_raters_are_reliable_only_where_the_whole_interval_is(
    low, value, high, reliable, tentative
):
    alpha = Estimate(
        value=value, low=low, high=high, n=12, unscored=0, unit="1", method="bootstrap"
    )
    together = RaterAgreement(kind="judges", raters=("a", "b"), answers=6, figures={"alpha": alpha})
    assert (together.reliable, together.tentative) == (reliable, tentative)
