"""A gate's own score: bounded parts worked out by hand, and candidates compared on them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assay.decide.accept import accept, find_not_covered
from assay.decide.advice import advise
from assay.decide.scores import own_scale, weigh
from assay.decide.select import select
from assay.reports.checkpoints.facts import sentence
from assay.types.decisions import SIZE_CLASSES, Gate, Measurements, SuiteLimit, WeightedScore
from assay.types.score_parts import Bound, CommonScale, FigurePart, Unbounded
from tests.decide.candidates import GATE, WHEN, candidate, estimate, os_suite, right, speed, suite
from tests.decide.candidates import text as text_of

FACTS = Gate(
    source="facts.toml",
    perplexity_max=dict.fromkeys(SIZE_CLASSES, 50.0),
    speed_min=dict.fromkeys(SIZE_CLASSES, 10.0),
    suites=(SuiteLimit(name="facts", min=0.5),),
)
WEIGHTS = {"perplexity": 0.4, "suite:facts": 0.4, "speed": 0.2}


def facts(name: str, count: int, perplexity: float, n: int = 100, **more: Any) -> Measurements:
    """So many right of n, and no os suite."""
    return candidate(
        name,
        text=text_of(perplexity, wobble=20.0),
        suites={"facts": suite({"capitals": right(count, n)})},
        **more,
    )


def weighed(measured: Measurements, gate: Gate) -> WeightedScore:
    return weigh(measured, own_scale(gate, [measured]))


def test_the_parts_of_a_gate_s_score_are_bounded_and_its_weights_divided_by_their_sum() -> None:
    gate = replace(FACTS, score={"perplexity": 4, "suite:facts": 4, "speed": 2})
    score = weighed(facts("m/step_1", 70, 25.0, speed=speed(30.0)), gate)
    # 0.4·50/(50 + 25) + 0.4·0.7 + 0.2·30/(30 + 10)
    by_hand = {"perplexity": 0.4 * 2 / 3, "suite:facts": 0.28, "speed": 0.15}
    assert score.adds == pytest.approx(by_hand)
    assert score.value == pytest.approx(sum(by_hand.values()))
    assert score.missing == ()


def test_no_figure_outvotes_the_rest_by_its_scale() -> None:
    """10 over a perplexity of 1.01 would be 4 of the formula's score; here it is at most 1."""
    gate = replace(FACTS, score={"perplexity": 0.5, "suite:facts": 0.5})
    fluent, right_ones = facts("m/step_1", 60, 1.01), facts("m/step_2", 90, 3.0)
    found = select([fluent, right_ones], gate, timestamp=WHEN)
    assert found.selected == "m/step_2"
    assert found.ranked_on == ("perplexity", "suite:facts")


def test_where_os_was_not_run_the_suites_of_the_gate_are_the_domain() -> None:
    score = weighed(facts("m/step_1", 70, 25.0, speed=speed(30.0)), FACTS)
    by_hand = {"perplexity": 0.4 * 2 / 3, "domain": 0.3 * 0.7, "speed": 0.1 * 30 / 40}
    assert {name: of for name, of in score.adds.items() if of} == pytest.approx(by_hand)
    assert score.missing == ("mmlu_cs",)


def test_the_domain_is_the_mean_of_the_gate_s_suites_and_bounded_by_the_shipped_limits() -> None:
    gate = Gate(
        source="two.toml",
        suites=(SuiteLimit(name="facts", min=0.5), SuiteLimit(name="law", min=0.5)),
        bounds={"perplexity_max": GATE.perplexity_max or {}, "speed_min": GATE.speed_min or {}},
    )
    measured = facts("m/step_1", 70, 50.0)
    both = {**measured.suites, "law": suite({"torts": right(30), "contracts": right(50)})}
    score = weighed(replace(measured, suites=both), gate)
    assert score.adds["domain"] == pytest.approx(0.3 * (0.7 + 0.4) / 2)
    assert score.adds["perplexity"] == pytest.approx(0.4 * 0.5)  # tiny: the limit is 50


def test_the_specification_s_formula_is_untouched_where_os_was_run() -> None:
    gate = replace(FACTS, suites=(*FACTS.suites, *GATE.suites))
    measured = facts("m/step_1", 70, 25.0, speed=speed(30.0))
    measured = replace(measured, suites={**measured.suites, "os": os_suite(80, 90, 85)})
    assert weighed(measured, gate).adds == weigh(measured).adds
    assert weigh(measured).adds["perplexity"] == pytest.approx(0.16)


def test_a_stored_gate_without_bounds_keeps_the_formula() -> None:
    gate = Gate(source="old.toml", suites=FACTS.suites)
    assert "os_benchmark" in weighed(facts("m/step_1", 70, 25.0), gate).missing


def test_the_report_says_what_was_ranked_on_and_what_took_no_part() -> None:
    more = {"suites": {"facts": suite({"a": right(70)}), "other": suite({"b": right(20)})}}
    both = [replace(facts(f"m/step_{n}", 70, 25.0), **more) for n in (1, 2)]
    gate = replace(FACTS, score={"suite:facts": 1.0})
    said = " ".join(sentence(each) for each in select(both, gate, timestamp=WHEN).notes)
    assert "Ranked on, each with its weight: suite:facts 1.000." in said
    left_out = "perplexity, accuracy_top1, accuracy_top5, suite:other, speed"
    assert f"Measured, and no part of the ranking: {left_out}." in said


def test_a_lead_in_the_domain_is_sure_and_a_small_one_is_a_tie() -> None:
    far = [facts("m/step_1", 40, 25.0), facts("m/step_2", 95, 25.0)]
    gate = replace(FACTS, score={"perplexity": 0.5, "suite:facts": 0.5},
                   suites=(SuiteLimit(name="facts", min=0.2),))  # fmt: skip
    found = select(far, gate, timestamp=WHEN)
    assert (found.selected, found.tie) == ("m/step_2", False)
    assert found.difference is not None
    assert found.difference.value == pytest.approx(0.5 * 0.55)
    assert found.difference.low is not None
    assert found.difference.low > 0
    near = [facts("m/step_1", 90, 25.0), facts("m/step_2", 91, 25.0)]
    assert select(near, gate, timestamp=WHEN).tied_with == ("m/step_1",)


def hits(of: Measurements, share: float) -> Measurements:
    """The same blocks, each with a little more or less right."""
    assert of.text is not None
    found = tuple(
        (round(1000 * share) + (5 if place % 2 else -5), 800)
        for place in range(len(of.text.blocks))
    )
    return replace(of, text=replace(of.text, hits=found, top1=estimate(share), top5=estimate(0.8)))


def test_accuracies_are_compared_by_the_documents_they_were_counted_on() -> None:
    gate = replace(FACTS, score={"accuracy_top1": 1.0})
    pair = [hits(facts("m/step_1", 90, 25.0), 0.40), hits(facts("m/step_2", 90, 25.0), 0.42)]
    found = select(pair, gate, timestamp=WHEN)
    assert (found.selected, found.tie, found.ranked_on) == ("m/step_2", False, ("accuracy_top1",))
    assert found.difference is not None
    assert found.difference.value == pytest.approx(0.02)
    other = replace(pair[1], text=replace(pair[1].text, tokenizer="two"))  # type: ignore[type-var]
    apart = select([pair[0], other], gate, timestamp=WHEN)
    assert apart.ranked_on == ()
    assert any("shares of tokens cannot be compared" in sentence(note) for note in apart.notes)


def test_candidates_of_several_sizes_share_the_strictest_limit() -> None:
    limits = {"tiny": 50.0, "small": 30.0, "medium": 20.0, "large": 15.0}
    gate = replace(FACTS, perplexity_max=limits, score={"perplexity": 1.0})
    tiny = facts("a/step_1", 90, 14.0)
    large = replace(facts("b/step_1", 90, 13.0), size_class="large")
    found = select([tiny, large], gate, timestamp=WHEN)
    assert found.selected == "b/step_1"
    ranked = {each.name: each.ranking_score for each in found.ranking}
    assert ranked == pytest.approx({"a/step_1": 15 / 29, "b/step_1": 15 / 28})


def test_a_missing_part_is_named_with_its_weight_and_its_absence_is_no_advice() -> None:
    gate = replace(FACTS, score={"perplexity": 3.0, "suite:law": 1.0})
    measured = facts("m/step_1", 70, 25.0)
    said = [sentence(each) for each in find_not_covered(measured, gate, weighed(measured, gate))]
    assert any("suite:law was not measured" in each and "0.25" in each for each in said)
    advice = advise(measured, accept(measured, gate), None, gate)
    assert all(each.advice.kind != "fetch_mmlu" for each in advice)


def figure(value: float, low: float, high: float) -> Measurements:
    return candidate(figures={"tone": estimate(value, low, high)})


@pytest.mark.parametrize(
    ("bound", "value", "counted"),
    [
        (Bound(better="lower", limits=dict.fromkeys(SIZE_CLASSES, 4.0)), 12.0, 0.25),
        (Bound(better="higher", limits=dict.fromkeys(SIZE_CLASSES, 4.0)), 12.0, 0.75),
        (Bound(better="higher", scale=(-1.0, 1.0)), -0.5, 0.25),
        (Bound(better="lower", scale=(10.0, 0.0)), 2.0, 0.8),
        (Bound(better="lower", scale=(10.0, 0.0)), 20.0, 0.0),
        (Bound(better="lower", scale=(10.0, 0.0)), -5.0, 1.0),
    ],
)
def test_a_figure_counts_by_its_limit_or_by_its_scale(
    bound: Bound, value: float, counted: float
) -> None:
    part = FigurePart(name="tone", weight=1.0, figure=lambda of: of.figures["tone"], bound=bound)
    found = part.part_of(figure(value, value - 1, value + 1), CommonScale())
    assert found is not None
    assert found.value == pytest.approx(counted)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= counted <= found.high


def test_a_figure_below_zero_without_a_scale_is_no_part() -> None:
    bound = Bound(better="higher", limits=dict.fromkeys(SIZE_CLASSES, 4.0))
    part = FigurePart(name="tone", weight=1.0, figure=lambda of: of.figures["tone"], bound=bound)
    assert part.part_of(figure(-1.0, -2.0, 0.0), CommonScale()) is None


@pytest.mark.parametrize("limits", [None, dict.fromkeys(SIZE_CLASSES, 0.0)])
def test_nothing_bounds_a_figure_without_limit_and_scale(limits: Any) -> None:
    with pytest.raises(Unbounded):
        Bound(better="lower", limits=limits)
