"""Trials -> estimates: outcomes, repeats, weights, baselines, comparisons, ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from assay.checks.exact_match import ExactMatch
from assay.checks.judge import Judge
from assay.checks.keywords import Keywords
from assay.checks.multiple_choice import MultipleChoice
from assay.checks.top_k import TopK
from assay.stats import estimates
from assay.summary.baselines import baselines
from assay.summary.comparisons import compare_suites, rank, with_holm
from assay.summary.trials import measurements, summarise
from assay.types import (
    AnswerCheck,
    Answered,
    Case,
    Category,
    ChoiceLikelihoods,
    Failed,
    Message,
    OutcomeKind,
    Reply,
    Score,
    Suite,
    Trial,
)
from assay.types.results import PairComparison, Side, Standing, SuiteSummary, TestRow

PASS, FAIL, NO_ANSWER, UNSCORED, FAILED = OutcomeKind


def case_of(id: str, category: str = "facts", check: AnswerCheck | None = None) -> Case:
    return Case(
        id=id,
        suite="demo",
        category=category,
        messages=(Message("user", f"What is {id}?"),),
        check=check or ExactMatch(expected=("x",)),
    )


def suite_of(
    categories: dict[str, Sequence[Case]], weights: dict[str, float] | None = None
) -> Suite:
    return Suite(
        name="demo",
        path="demo",
        categories=tuple(Category(name=n, cases=tuple(c)) for n, c in categories.items()),
        weights=weights or {},
    )


def trial_of(case: Case, mark: float | str, *, repeat: int = 0, **reply: object) -> Trial:
    """A number is a score; "no answer", "unscored" and "failed" are the other three outcomes."""
    said = {"text": f"answer {repeat}", **reply}
    answered: Reply = Answered(request_id="r", **said)  # type: ignore[arg-type]
    score: Score | None = None
    if isinstance(mark, float | int):
        score = Score(scorer="s", version=1, value=float(mark), extracted="x", explanation="why")
    elif mark == "no answer":
        score = Score(scorer="s", version=1, value=0.0, no_answer=True)
    elif mark == "unscored":
        score = Score(scorer="s", version=1, unscored_reason="no_judge")
    else:
        answered = Failed(request_id="r", reason=mark)
    return Trial(case=case, repeat=repeat, request_id="r", reply=answered, score=score)


def summary_of(marks: dict[str, Sequence[float | str]], **kwargs: object) -> SuiteSummary:
    """One category per key, one test per mark, ids CATEGORY_0, CATEGORY_1 …"""
    cases = {
        name: [case_of(f"{name}_{i}", name) for i in range(len(values))]
        for name, values in marks.items()
    }
    trials = [
        trial_of(case, mark)
        for name in marks
        for case, mark in zip(cases[name], marks[name], strict=True)
    ]
    return summarise(suite_of(cases, **kwargs), trials)  # type: ignore[arg-type]


def repeated(*marks: float | str, pass_mark: float = 0.7) -> TestRow:
    case = case_of("a")
    trials = [trial_of(case, mark, repeat=i) for i, mark in enumerate(marks)]
    return summarise(suite_of({"facts": [case]}), trials).tests[0]


# -------------------------------------------------------------------------------------- one suite


def test_wrong_unscored_and_failed_are_three_things() -> None:
    found = summary_of({"facts": [1, 0, "no answer", "unscored", "timed out"]})
    category = found.categories["facts"]
    assert [row.outcome for row in found.tests] == [PASS, FAIL, NO_ANSWER, UNSCORED, FAILED]
    assert [row.score for row in found.tests] == [1, 0, 0, None, None]
    assert (category.value, category.n, category.unscored) == (pytest.approx(1 / 3), 3, 2)
    assert found.outcomes == {PASS: 1, FAIL: 1, NO_ANSWER: 1, UNSCORED: 1, FAILED: 1}
    assert found.tests[3].explanation == "no_judge"
    assert (found.tests[4].explanation, found.tests[4].answer) == ("timed out", None)


def test_rows_stand_in_file_order_whatever_the_order_of_trials() -> None:
    cases = [case_of(name) for name in ("c", "a", "b")]
    trials = [trial_of(case, 1) for case in sorted(cases, key=lambda case: case.id)]
    found = summarise(suite_of({"facts": cases}), trials)
    assert [row.id for row in found.tests] == ["c", "a", "b"]


def test_tests_not_asked_yet_count_nowhere() -> None:
    cases = [case_of("a"), case_of("b")]
    found = summarise(suite_of({"facts": cases, "empty": [case_of("z", "empty")]}), [
        trial_of(cases[0], 1)
    ])  # fmt: skip
    assert [row.id for row in found.tests] == ["a"]
    assert list(found.categories) == ["facts"]
    assert (found.score.n, found.score.unscored) == (1, 0)


def test_the_suite_score_is_the_weighted_mean_in_points() -> None:
    found = summary_of({"a": [1, 0], "b": [1, 1]}, weights={"a": 3.0, "b": 1.0})
    assert found.score.value == pytest.approx((0.5 * 3 + 1) / 4 * 100)
    assert (found.score.unit, found.score.n) == ("points", 4)


def test_a_category_where_nothing_could_be_marked_leaves_the_weights() -> None:
    found = summary_of({"a": [1, 0], "b": ["failed", "failed"]})
    assert found.score.value == 50
    assert (found.score.n, found.score.unscored, found.score.incomplete) == (2, 2, True)
    assert found.categories["b"].value is None


def test_a_category_of_weight_zero_is_shown_but_not_in_the_score() -> None:
    found = summary_of({"a": [1, 1], "b": [0, 0]}, weights={"a": 1.0, "b": 0.0})
    assert found.score.value == 100
    assert found.categories["b"].value == 0


def test_a_category_that_suite_json_does_not_weigh_counts_one() -> None:
    found = summary_of({"a": [1, 1], "b": [0, 0]}, weights={"a": 3.0})
    assert found.score.value == 75


def test_no_trials_make_an_empty_summary_and_not_a_zero() -> None:
    found = summarise(suite_of({"facts": [case_of("a")]}), [])
    assert (found.score.value, found.tests, dict(found.categories)) == (None, (), {})


def test_predictions_stand_for_the_answer_where_there_is_no_text() -> None:
    case = case_of("a", check=TopK(expected_any=("x",)))
    reply = Answered(request_id="r", text="", predictions=("x", "y"), prediction_method="sampled")
    score = Score(scorer="s", version=1, value=1.0)
    trial = Trial(case=case, repeat=0, request_id="r", reply=reply, score=score)
    found = summarise(suite_of({"facts": [case]}), [trial])
    assert found.tests[0].answer == "x\ny"
    assert found.categories["facts"].method == "sampled"


def chosen_by(case: Case, method: str) -> Trial:
    reply = ChoiceLikelihoods(request_id="r", log_likelihoods=(-1.0, -2.0), method=method)  # type: ignore[arg-type]
    score = Score(scorer="s", version=1, value=1.0)
    return Trial(case=case, repeat=0, request_id="r", reply=reply, score=score)


def test_right_answers_have_their_bits_per_byte() -> None:
    """The letter or the text that was weighed, or what was read beside a written answer."""
    by_letter = case_of("a", check=MultipleChoice(expected="B", choices=("no", "yes")))
    by_text = case_of(
        "b", check=MultipleChoice(expected="A", choices=("four", "five"), score_by="text")
    )
    written, unread = case_of("c", check=ExactMatch(expected=("e1000",))), case_of("d")
    read = ChoiceLikelihoods(request_id="r", log_likelihoods=(-2.5,))
    found = summarise(
        suite_of({"facts": [by_letter, by_text, written, unread]}),
        [
            chosen_by(by_letter, "likelihood"),  # -2 for 1 byte
            chosen_by(by_text, "likelihood"),  # -1 for 4 bytes
            trial_of(written, 1),  # -2.5 for 5 bytes
            trial_of(unread, 1),
        ],
        right_answers={"c": read},
    ).measurements["right_bits_per_byte"]
    assert found.value == pytest.approx(5.5 / 10 / math.log(2))
    assert (found.n, found.unit) == (3, "bits per byte")
    guessed = summarise(suite_of({"facts": [by_letter]}), [chosen_by(by_letter, "first_token")])
    assert "right_bits_per_byte" not in guessed.measurements


def test_a_category_marked_by_first_tokens_says_so_and_others_do_not() -> None:
    cases = {name: [case_of(f"{name}_{n}", name) for n in range(2)] for name in ("few", "all")}
    trials = [
        chosen_by(cases["few"][0], "first_token"),
        trial_of(cases["few"][1], 1),
        *(chosen_by(case, "likelihood") for case in cases["all"]),
    ]
    found = summarise(suite_of(cases), trials)
    assert found.categories["few"].method == "first_token"
    assert found.categories["all"].method == "wilson"


def test_a_category_asked_in_two_lesser_ways_names_both() -> None:
    letters, guesses = case_of("a"), case_of("b", check=TopK(expected_any=("x",)))
    trials = [
        chosen_by(letters, "first_token"),
        trial_of(guesses, 1, predictions=("x", "y"), prediction_method="sampled"),
    ]
    found = summarise(suite_of({"facts": [letters, guesses]}), trials)
    assert found.categories["facts"].method == "first_token + sampled"


# ---------------------------------------------------------------------------------------- repeats


@pytest.mark.parametrize(
    ("marks", "outcome", "score"),
    [
        ((1, 1, 0), FAIL, 2 / 3),
        ((1, 0.4), PASS, 0.7),  # on the mark
        (("no answer", "no answer"), NO_ANSWER, 0.0),
        (("no answer", "failed"), NO_ANSWER, 0.0),
        (("no answer", 0), FAIL, 0.0),
        ((1, "failed"), PASS, 1.0),
        (("failed", "failed"), FAILED, None),
        (("failed", "unscored"), UNSCORED, None),
    ],
)
def test_a_repeated_test_is_one_row_with_the_mean_of_its_marked_tries(
    marks: tuple[float | str, ...], outcome: OutcomeKind, score: float | None
) -> None:
    row = repeated(*marks)
    assert row.outcome is outcome
    assert row.score == (None if score is None else pytest.approx(score))
    assert [repeat.repeat for repeat in row.repeats] == list(range(len(marks)))


def test_a_test_asked_once_has_no_repeats() -> None:
    assert repeated(1).repeats == ()


def test_the_explanation_of_a_repeated_test_counts_its_tries() -> None:
    assert repeated(1, 0, 0).explanation == "1 of 3 tries passed"
    assert repeated("too slow", "too slow").explanation == "too slow"


def test_repeats_measure_chance_of_one_pass_of_all_passes_and_spread() -> None:
    cases = [case_of("a"), case_of("b")]
    trials = [
        trial_of(case, mark, repeat=i)
        for case, marks in zip(cases, ([1, 0, 0], [1, 1, 1]), strict=True)
        for i, mark in enumerate(marks)
    ]
    found = summarise(suite_of({"facts": cases}), trials).measurements
    assert found["pass@1"].value == pytest.approx((1 / 3 + 1) / 2)
    assert found["pass@3"].value == 1
    assert found["pass^3"].value == 0.5
    assert found["spread"].value == pytest.approx((3**-0.5 + 0) / 2)


def test_a_test_with_a_failed_try_says_nothing_about_all_its_tries() -> None:
    cases = [case_of("a"), case_of("b")]
    trials = [
        trial_of(cases[0], 1, repeat=0),
        trial_of(cases[0], "failed", repeat=1),
        trial_of(cases[1], 1, repeat=0),
        trial_of(cases[1], 1, repeat=1),
    ]
    found = summarise(suite_of({"facts": cases}), trials).measurements
    assert (found["pass@1"].n, found["pass@1"].unscored) == (2, 0)
    assert (found["pass@2"].n, found["pass@2"].unscored) == (1, 1)


def test_one_try_each_measures_no_repeats() -> None:
    assert "pass@1" not in summary_of({"facts": [1, 0]}).measurements


# ------------------------------------------------------------------------------------ measurements


def test_seconds_per_answer_are_measured_where_replies_were_timed() -> None:
    case = case_of("a")
    found = summarise(suite_of({"facts": [case]}), [trial_of(case, 1, total_s=2.5)])
    assert found.measurements["answer_s"].value == 2.5
    assert found.measurements["answer_s"].unit == "s"


def test_measurements_are_named_by_suite_only_where_there_are_several() -> None:
    case = case_of("a")
    one = summarise(suite_of({"facts": [case]}), [trial_of(case, 1, total_s=2.5)])
    assert list(measurements([one])) == ["answer_s"]
    assert list(measurements([one, one])) == ["demo/answer_s"]
    assert measurements([]) == {}


# --------------------------------------------------------------------------------------- baselines


def marking(case: Case, reply: Reply) -> Score | None:
    """Exact texts; for choices, the letter; keywords as a share."""
    assert isinstance(reply, Answered)
    text, check = reply.text, case.check
    match check:
        case ExactMatch():
            value = float(text in check.expected)
        case MultipleChoice():
            value = float(text == check.expected)
        case TopK():
            value = float(any(guess in check.expected_any for guess in reply.predictions))
        case Keywords():
            items = check.expected_keywords
            value = sum(any(word in text for word in item) for item in items) / len(items)
        case _:
            return None
    return Score(scorer="s", version=1, value=value)


def test_a_constant_letter_may_be_any_that_is_a_choice() -> None:
    six = ("u", "v", "w", "x", "y", "z")
    cases = [
        case_of(f"l_{i}", "letters", MultipleChoice(expected="F", choices=six)) for i in range(3)
    ]
    found = baselines(suite_of({"letters": cases}), marking, rendered_prompt=lambda case: "")
    assert (found.constant_answer, found.constant.value) == ("F", 100)


def test_baselines_say_what_knowing_nothing_scores() -> None:
    suite = suite_of(
        {
            "letters": [
                case_of(f"l_{i}", "letters", MultipleChoice(expected=letter))
                for i, letter in enumerate("BBBA")
            ],
            "words": [
                case_of("w_0", "words", Keywords(expected_keywords=(("What",), ("not there",))))
            ],
        }
    )
    found = baselines(suite, marking, rendered_prompt=lambda case: case.prompt)
    assert (found.empty.value, found.empty.n) == (0, 5)
    assert found.echoed.value == pytest.approx(25)
    assert (found.constant_answer, found.constant.value) == ("B", pytest.approx(75 / 2))
    assert found.best == pytest.approx(75 / 2)
    assert found.oracle is not None
    assert found.oracle.value == pytest.approx((0 + 1) / 2 * 100), "all keywords in one line"


def test_the_constant_may_be_a_frequent_expected_text() -> None:
    cases = [case_of(f"c_{i}", check=ExactMatch(expected=(t,))) for i, t in enumerate("uvvw")]
    found = baselines(suite_of({"facts": cases}), marking, rendered_prompt=lambda case: "")
    assert (found.constant_answer, found.constant.value) == ("v", 50)


def test_judged_tests_are_unscored_in_baselines_and_top_k_gets_a_prediction() -> None:
    cases = [
        case_of("j", check=Judge(rubric="coding")),
        case_of("k", check=TopK(expected_any=("x",))),
    ]
    found = baselines(suite_of({"facts": cases}), marking, rendered_prompt=lambda case: "x")
    assert (found.echoed.value, found.echoed.n, found.echoed.unscored) == (100, 1, 1)
    only_judged = baselines(suite_of({"f": cases[:1]}), marking, rendered_prompt=lambda case: "x")
    assert only_judged.constant.value is None


def test_a_large_suite_is_sampled_over_all_its_categories() -> None:
    categories = {
        "many": [case_of(f"m_{i}", "many") for i in range(900)],
        "few": [case_of(f"f_{i}", "few") for i in range(3)],
    }
    suite = suite_of(categories)
    asked: list[str] = []

    def noting(case: Case, reply: Reply) -> Score | None:
        asked.append(case.category)
        return marking(case, reply)

    found = baselines(suite, noting, rendered_prompt=lambda case: "", sample=100)
    assert found.empty.n == 101
    assert set(asked) == {"many", "few"}
    again = baselines(suite, marking, rendered_prompt=lambda case: "", sample=100)
    assert again == found


# ------------------------------------------------------------------------------------- comparisons


def test_a_comparison_pairs_tests_and_names_those_that_flipped() -> None:
    a = summary_of({"x": [1, 1, 0, 0.5], "y": [0, 0]})
    b = summary_of({"x": [1, 0, 1, 0.6], "y": [0, 1]})
    found = compare_suites(a, b)
    assert [(flip.id, flip.gained) for flip in found.flips] == [
        ("x_1", False),
        ("x_2", True),
        ("y_1", True),
    ]
    assert found.difference.value == pytest.approx((0.1 / 4 + 0.5) / 2 * 100)
    assert found.difference.unit == "points"
    assert found.method == "paired bootstrap"
    assert [category.name for category in found.categories] == ["x", "y"]
    assert found.categories[1].difference.value == 0.5
    assert found.verdict == "undecided"


def test_tests_that_cannot_be_paired_are_left_out_with_the_reason() -> None:
    a = summary_of({"x": [1, 1, "failed", 1]})
    b = summary_of({"x": [1, 1, 1], "z": [1]})
    found = compare_suites(a, b, same=frozenset({"x_0", "x_2"}))
    assert {test.id: test.reason for test in found.left_out} == {
        "x_1": "changed",
        "x_2": "unscored",
        "x_3": "only_in_first",
        "z_0": "only_in_second",
    }
    assert (found.difference.n, found.difference.unscored) == (1, 1)


def test_nothing_in_common_is_said_and_not_called_equal() -> None:
    found = compare_suites(summary_of({"x": [1]}), summary_of({"y": [1]}))
    assert (found.verdict, found.p_value, found.difference.value) == (
        "nothing_in_common",
        None,
        None,
    )
    assert found.detectable is None


def test_a_clear_difference_has_a_verdict_and_holm_can_take_it_back() -> None:
    a = summary_of({"x": [0] * 6 + [1] * 10})
    b = summary_of({"x": [1] * 16})
    found = compare_suites(a, b)
    assert (found.verdict, found.p_value) == ("better", pytest.approx(0.03125))
    turned = compare_suites(b, a)
    assert turned.verdict == "worse"
    assert (turned.difference.low, turned.difference.high) == pytest.approx(
        (-found.difference.high, -found.difference.low)
    )
    pair = PairComparison(a=Side(run="1", model="m"), b=Side(run="2", model="m"), suites=(found,))
    assert with_holm([pair])[0].suites[0].verdict == "better"
    twice = with_holm([pair, pair])
    assert [p.suites[0].adjusted_p for p in twice] == [pytest.approx(0.0625)] * 2
    assert [p.suites[0].verdict for p in twice] == ["undecided"] * 2


def test_few_tests_detect_only_large_differences() -> None:
    def detectable(n: int) -> float:
        found = compare_suites(summary_of({"x": [0, 1] * n}), summary_of({"x": [1, 0] * n}))
        assert found.detectable is not None
        return found.detectable

    assert detectable(3) > detectable(50) > 0
    alike = summary_of({"x": [1, 0] * 20})
    assert (compare_suites(alike, alike).detectable or 0) > 5


# ------------------------------------------------------------------------------------ leaderboard


def standing(model: str, right: int, *, unscored: int = 0) -> Standing:
    score = estimates.weighted([(estimates.proportion(right, 40, unscored=unscored), 1.0)])
    return Standing(model=model, score=score, run="r", when="2026-01-01T00:00:00Z")


def test_models_are_ranked_best_first_and_ties_with_the_row_above_are_marked() -> None:
    found = rank("demo", [standing("c", 8), standing("a", 36), standing("b", 35)], tests=40)
    assert [(row.rank, row.model, row.tie) for row in found.rows] == [
        (1, "a", False),
        (2, "b", True),
        (3, "c", False),
    ]


def test_an_incomplete_score_stands_below_without_a_rank() -> None:
    found = rank("demo", [standing("a", 40, unscored=10), standing("b", 10)])
    assert [(row.rank, row.model) for row in found.rows] == [(1, "b"), (None, "a")]


def test_causes_are_counted_among_the_answers_of_a_suite() -> None:
    cases = [case_of(name) for name in "abcdef"]
    texts = ["x", "Sorry, I do not know.", "What is c?", "x x x", "y", "the river"]
    ends = [{}, {}, {}, {"truncated": True, "finish": "loop"}, {"truncated": True}, {}]
    trials = [
        trial_of(case, float(text == "x"), text=text, **end)
        for case, text, end in zip(cases, texts, ends, strict=True)
    ]
    found = summarise(suite_of({"facts": cases}), trials)
    counted = {cause.kind: (cause.count, cause.n) for cause in found.causes}
    assert counted == dict.fromkeys(("declined", "echoed", "loops", "cut"), (1, 6))
    assert found.measurements["echoed"].value == pytest.approx(1 / 6)


def test_a_test_that_asks_for_a_refusal_has_no_answer_that_declines() -> None:
    case = case_of("a", check=ExactMatch(expected=("I do not know",)))
    found = summarise(suite_of({"facts": [case]}), [trial_of(case, 0, text="I cannot say.")])
    assert found.causes == ()


def test_tokens_and_seconds_per_right_answer_count_the_wrong_answers_too() -> None:
    cases = [case_of(name) for name in "abc"]
    spent = [(1, 10, 1.0), (0, 200, 20.0), (1, 30, 3.0)]
    trials = [
        trial_of(case, value, output_tokens=tokens, total_s=seconds, prompt_tokens=5)
        for case, (value, tokens, seconds) in zip(cases, spent, strict=True)
    ]
    found = summarise(suite_of({"facts": cases}), trials)
    tokens = found.measurements["tokens_per_right_answer"]
    assert (tokens.value, tokens.n, tokens.unit) == (120, 3, "tokens")
    assert tokens.low < 120 < tokens.high
    assert found.measurements["seconds_per_right_answer"].value == 12
    assert (found.cost.right, found.cost.answers, found.cost.total_tokens) == (2, 3, 240)


def test_no_right_answer_has_no_cost_and_an_untimed_model_none_at_all() -> None:
    case = case_of("a")
    wrong = trial_of(case, 0, output_tokens=9, total_s=1.0, prompt_tokens=5)
    cost = summarise(suite_of({"facts": [case]}), [wrong]).cost
    assert (cost.right, cost.total_tokens, cost.tokens.value) == (0, 9, None)
    assert summarise(suite_of({"facts": [case]}), [trial_of(case, 1)]).cost is None
