"""Selection among checkpoints whose scores are worked out by hand."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.decide.select import select
from assay.reports.checkpoints.facts import sentence, sentences
from assay.types.decisions import Gate, Selection
from tests.decide.candidates import (
    GATE,
    OS,
    WHEN,
    candidate,
    estimate,
    os_suite,
    right,
    speed,
    suite,
    text,
)


def chosen(*candidates, gate: Gate = GATE) -> Selection:
    return select(candidates, gate, timestamp=WHEN)


def broken(name: str = "tiny/step_1"):
    return candidate(
        name, text=None, suites={}, speed=None, memory_mb=None, samples=None, failed="cut off"
    )


# ----------------------------------------------------------------------------------- gate and score


def test_the_gate_comes_before_the_score():
    # 0.4·10/60 + 0.3·1 + 0.062 = 0.429 against 0.4·10/40 + 0.3·0.85 + 0.062 = 0.417.
    clever = candidate("tiny/step_200", text=text(60.0), suites={"os": os_suite(100, 100, 100)})
    plain = candidate("tiny/step_100")
    found = chosen(clever, plain)
    assert found.selected == "tiny/step_100"
    assert found.best_so_far is None
    assert found.difference is None
    assert (found.tie, found.tied_with) == (False, ())
    assert (
        sentences(found.reasons)
        == "tiny/step_100 passes the gate. It is the only one of 2 that passes. Best of 2, not "
        "confirmed."
    )
    rows = {row.name: row for row in found.ranking}
    assert rows["tiny/step_200"].ranking_score > rows["tiny/step_100"].ranking_score
    assert [row.name for row in found.ranking] == ["tiny/step_100", "tiny/step_200"]


def test_the_highest_score_is_selected_and_the_difference_has_an_interval():
    # 0.4·10/20 = 0.2 against 0.4·10/40 = 0.1, all else alike; all blocks alike on each side.
    better, worse = candidate("tiny/step_200", text=text(20.0)), candidate("tiny/step_100")
    found = chosen(worse, better)
    assert found.selected == "tiny/step_200"
    assert found.ranked_on == ("perplexity", "os_benchmark", "speed")
    rows = {row.name: row for row in found.ranking}
    # 0.2 + 0.3·0.85 + 0.1·31/50 = 0.2 + 0.255 + 0.062
    assert rows["tiny/step_200"].ranking_score == pytest.approx(0.517)
    assert rows["tiny/step_200"].weighted_score == pytest.approx(0.517)
    assert rows["tiny/step_200"].missing_parts == ("mmlu_cs",)
    assert rows["tiny/step_100"].ranking_score == pytest.approx(0.417)
    difference = found.difference
    assert difference is not None
    assert difference.value == pytest.approx(0.1)
    assert difference.low is not None
    assert 0.08 < difference.low < 0.1 < (difference.high or 0) < 0.12  # speed alone wobbles
    assert (difference.n, difference.method) == (323, "paired bootstrap")  # 300 tests, 20 blocks, 3
    assert not found.tie
    assert sentences(found.reasons).startswith(
        "tiny/step_200 passes the gate. Of 2 that pass it has the highest score: 0.517 "
        "(perplexity 0.200, os_benchmark 0.255, mmlu_cs –, speed 0.062). It is 0.1 ahead of "
        "tiny/step_100; the 95 % interval is "
    )


def test_marginal_criteria_of_the_selected_one_are_named():
    found = chosen(candidate(text=text(49.0, 47.0, 51.0)))
    assert found.selected == "tiny/step_100"
    assert "Marginal: perplexity." in sentences(found.reasons)


# --------------------------------------------------------------------------------------------- ties


def test_an_interval_across_zero_is_a_tie_and_the_higher_score_is_selected():
    a = candidate("tiny/step_200", suites={"os": os_suite(81, 90, 85)})
    b = candidate("tiny/step_100", suites={"os": os_suite(80, 90, 85)})
    found = chosen(a, b)
    assert found.selected == "tiny/step_200"
    assert found.tie
    assert found.tied_with == ("tiny/step_100",)
    # One test of 100 in one of three tasks: 0.3 · (1/100) / 3 = 0.001.
    assert found.difference is not None
    assert found.difference.value == pytest.approx(0.001)
    assert found.difference.low is not None
    assert found.difference.low < 0 < (found.difference.high or 0)
    assert "This is a tie with tiny/step_100" in sentences(found.reasons)


def test_speed_decides_nothing_between_equal_shapes():
    # Measured in two runs of the program: by its own speed, the first would lead by 0.1·33/50.
    early = candidate("tiny/step_100", shape="a", speed=speed(66.0, 66.0, 66.0))
    late = candidate("tiny/step_200", shape="a", speed=speed(33.0, 29.0, 66.0))
    found = chosen(early, late)
    assert found.difference is not None
    assert (found.difference.value, found.difference.low, found.difference.high) == (0, 0, 0)
    assert (found.selected, found.tied_with) == ("tiny/step_200", ("tiny/step_100",))
    assert found.ranking[0].ranking_score == found.ranking[1].ranking_score
    # Another shape is as fast as it is: 0.1·(166 - 66)/50 = 0.2 ahead.
    quick = candidate("tiny/step_300", shape="b", speed=speed(166.0, 166.0, 166.0))
    newest = replace(early, timestamp="2026-02-09T12:34:56Z")
    found = chosen(newest, late, quick)
    assert [row.name for row in found.ranking] == [
        "tiny/step_300",
        "tiny/step_200",
        "tiny/step_100",
    ]
    assert found.difference is not None
    assert found.difference.value == pytest.approx(0.2)


def test_a_single_block_or_test_excludes_nothing():
    # 0.4·10/20 = 0.2 against 0.4·10/40 = 0.1, on a text of one block: nobody knows its spread.
    better = candidate("tiny/step_200", text=text(20.0, blocks=1))
    worse = candidate("tiny/step_100", text=text(40.0, blocks=1))
    found = chosen(better, worse)
    assert found.selected == "tiny/step_200"
    assert found.difference is not None
    assert found.difference.value == pytest.approx(0.1)
    assert (found.difference.low, found.difference.high) == (None, None)
    assert (found.tie, found.tied_with) == (True, ("tiny/step_100",))
    assert "This counts as a tie with tiny/step_100: the difference, 0.1, has no" in sentences(
        found.reasons
    )
    # One test in each category: 0.3·(1 - 0) of nothing certain.
    no_limits = Gate(source="default")
    right_ones = candidate("tiny/step_200", suites={"os": os_suite(1, 1, 1, n=1)})
    wrong_ones = candidate("tiny/step_100", suites={"os": os_suite(0, 0, 0, n=1)})
    found = chosen(right_ones, wrong_ones, gate=no_limits)
    assert found.difference is not None
    assert found.difference.value == pytest.approx(0.3)
    assert found.difference.low is None
    assert (found.selected, found.tie) == ("tiny/step_200", True)


def test_a_tie_is_broken_by_pairing():
    """Of 100 tests a misses ten that b gets: unpaired intervals overlap by far, but no test went
    the other way, so the pairs tell the two apart.
    """
    same = {"driver_select": right(80), "command_complete": right(80)}
    a = candidate("tiny/step_200", suites={"os": suite({"hardware_id": right(90), **same})})
    b = candidate("tiny/step_100", suites={"os": suite({"hardware_id": right(80), **same})})
    equally_fast = speed(30.0, 30.0, 30.0)
    found = chosen(replace(a, speed=equally_fast), replace(b, speed=equally_fast))
    assert found.difference is not None
    assert found.difference.low is not None
    assert 0 < found.difference.low < 0.01 == pytest.approx(found.difference.value)
    assert not found.tie


def test_every_accepted_checkpoint_that_cannot_be_told_apart_is_named():
    close = candidate("tiny/step_200", suites={"os": os_suite(81, 90, 85)})
    closer = candidate("tiny/step_300", suites={"os": os_suite(82, 90, 85)})
    far = candidate("tiny/step_100", text=text(48.0), suites={"os": os_suite(72, 72, 72)})
    refused = candidate("tiny/step_400", text=text(50.0))
    found = chosen(refused, far, closer, close)
    assert found.selected == "tiny/step_300"
    assert found.tied_with == ("tiny/step_200",)


def test_the_best_of_twenty_equal_ones_leaves_none_out():
    """Each one's scores are drawn from the same chances; by pairs alone some would be behind."""
    left_out = 0
    for seed in range(20):
        draw = random.Random(seed)
        drawn = [
            {name: [float(draw.random() < 0.8) for _ in range(100)] for name in OS}
            for _ in range(20)
        ]
        found = chosen(
            *(
                candidate(f"tiny/step_{place}", shape="a", suites={"os": suite(of)})
                for place, of in enumerate(drawn, 1)
            )
        )
        passing = sum(row.accepted is True for row in found.ranking)
        left_out += len(found.tied_with) < passing - 1
    assert left_out <= 3


def test_a_lead_over_one_that_is_too_short_for_the_best_of_many_is_a_tie():
    """Ten tests of 300 go one way: enough for two checkpoints, too few for the best of twenty."""
    same = {"driver_select": right(80), "command_complete": right(80)}
    best = candidate(
        "tiny/step_900", shape="a", suites={"os": suite({"hardware_id": right(88), **same})}
    )
    others = []
    for place in range(1, 20):
        scores = right(83)
        scores[place], scores[85] = 0.0, 1.0
        of = suite({"hardware_id": scores, **same})
        others.append(candidate(f"tiny/step_{place}", shape="a", suites={"os": of}))
    two, many = chosen(best, others[0]), chosen(best, *others)
    assert two.difference is not None
    assert (two.difference.low or 0) > 0
    assert not two.tie
    assert many.tie
    assert "is too short for the best of 20" in sentences(many.reasons)


def test_equal_scores_go_to_the_later_step_and_final_is_the_last():
    names = ["tiny/step_100", "tiny/step_900", "tiny/final"]
    for order in itertools.permutations(names):
        found = chosen(*(candidate(name) for name in order))
        assert [row.name for row in found.ranking] == [
            "tiny/final",
            "tiny/step_900",
            "tiny/step_100",
        ]
        assert found.selected == "tiny/final"
        assert found.tie
        assert found.difference is not None
        assert found.difference.value == 0.0


# -------------------------------------------------------------------------------------- none passes


def test_none_that_passes_leaves_the_best_so_far_and_what_it_lacks():
    near = candidate("tiny/step_200", text=text(52.0, 50.5, 53.5), speed=None)
    far = candidate("tiny/step_100", text=text(400.0))
    found = chosen(near, far)
    assert (found.selected, found.best_so_far) == (None, "tiny/step_200")
    assert found.difference is None
    assert found.ranked_on == ("perplexity", "os_benchmark")
    # 0.4·10/52 + 0.3·0.85 = 0.0769 + 0.255
    assert sentences(found.reasons) == (
        "None of 2 passes the gate. The best so far is tiny/step_200, with 0.332 (perplexity "
        "0.077, os_benchmark 0.255, mmlu_cs –, speed –). What tiny/step_200 lacks: Perplexity 52 "
        "is not below 50. Its 95 % interval is 50.5 to 53.5. Speed was not measured."
    )


def test_nothing_evaluated_selects_nothing_and_says_so():
    found = chosen(broken("tiny/step_1"), broken("tiny/step_2"))
    assert (found.selected, found.best_so_far, found.ranked_on) == (None, None, ())
    assert sentences(found.reasons) == "No checkpoint could be evaluated."
    assert [row.failed for row in found.ranking] == ["cut off", "cut off"]
    nobody = chosen()
    assert (nobody.selected, nobody.best_so_far, nobody.ranking) == (None, None, ())
    assert sentences(nobody.reasons) == "There is no checkpoint to select from."


def test_failed_ones_rank_last_and_take_no_part_away():
    found = chosen(broken("tiny/step_900"), candidate("tiny/step_100"), candidate("tiny/step_200"))
    assert [row.name for row in found.ranking] == [
        "tiny/step_200",
        "tiny/step_100",
        "tiny/step_900",
    ]
    assert found.ranked_on == ("perplexity", "os_benchmark", "speed")
    assert found.ranking[-1].accepted is None
    assert found.ranking[-1].ranking_score is None


def test_an_accepted_one_ranks_before_a_higher_score_that_is_unknown_or_refused():
    unknown = candidate("tiny/step_300", text=text(20.0), memory_mb=None)
    refused = candidate("tiny/step_400", text=text(20.0), memory_mb=estimate(200.0, n=1))
    found = chosen(unknown, refused, candidate("tiny/step_100"))
    assert [row.accepted for row in found.ranking] == [True, False, None]
    assert found.selected == "tiny/step_100"


# ------------------------------------------------------------------------------------ missing parts


def test_candidates_are_ranked_on_the_parts_all_of_them_have():
    # With MMLU: 0.1 + 0.255 + 0.2·0.5 + 0.062 = 0.517, without: 0.417 against 0.420.
    with_mmlu = candidate("tiny/step_100", mmlu_cs=estimate(0.5))
    without = candidate("tiny/step_200", suites={"os": os_suite(81, 91, 86)})
    found = chosen(with_mmlu, without)
    rows = {row.name: row for row in found.ranking}
    assert rows["tiny/step_100"].weighted_score == pytest.approx(0.517)
    assert rows["tiny/step_100"].ranking_score == pytest.approx(0.417)
    assert rows["tiny/step_200"].ranking_score == pytest.approx(0.420)
    assert found.selected == "tiny/step_200"
    assert found.ranked_on == ("perplexity", "os_benchmark", "speed")
    assert "Ranked without mmlu_cs, which tiny/step_200 lacks." in map(sentence, found.notes)


def test_without_any_part_in_common_the_later_step_is_taken_and_called_a_tie():
    gate = Gate(source="here", generation_max_failures=0)
    reads = candidate("tiny/step_100", suites={}, speed=None)
    runs = candidate("tiny/step_200", suites={}, text=None)
    found = chosen(reads, runs, gate=gate)
    assert found.selected == "tiny/step_200"
    assert found.ranked_on == ()
    assert (found.difference, found.tie, found.tied_with) == (None, True, ("tiny/step_100",))
    assert "no part was measured of all" in sentences(found.reasons)


# ------------------------------------------------------------------------------------------ pairing


def test_only_tests_that_both_have_are_paired_and_a_note_says_so():
    whole = {name: right(80) for name in ("hardware_id", "driver_select", "command_complete")}
    a = candidate("tiny/step_200", suites={"os": suite(whole)})
    b = candidate("tiny/step_100", suites={"os": suite({**whole, "hardware_id": right(70, 90)})})
    found = chosen(a, b)
    # On the 90 they share a has 80 and b has 70: 0.1 · 10/90 = 0.0111; as ranked 0.8 against 70/90.
    assert found.difference is not None
    assert found.difference.value == pytest.approx(0.1 * 10 / 90)
    assert found.difference.n == 290 + 20 + 3
    assert any("compared on those they share" in note for note in map(sentence, found.notes))


def test_figures_without_their_tests_are_compared_unpaired_and_a_note_says_so():
    bare = replace(os_suite(80, 80, 80), scores={})
    found = chosen(
        candidate("tiny/step_200", suites={"os": replace(os_suite(90, 90, 90), scores={})}),
        candidate("tiny/step_100", suites={"os": bare}),
    )
    assert found.difference is not None
    assert found.difference.value == pytest.approx(0.03)
    assert any("compared unpaired" in note for note in map(sentence, found.notes))


def test_mmlu_is_paired_by_its_tests():
    def with_mmlu(name, count):
        cs = suite({"computer_science": right(count, 50)})
        shared = {"os": os_suite(80, 80, 80), "mmlu": cs}
        fast = speed(30.0, 30.0)
        share = cs.categories["computer_science"]
        return candidate(name, suites=shared, mmlu_cs=share, speed=fast)

    found = chosen(with_mmlu("tiny/step_200", 30), with_mmlu("tiny/step_100", 20))
    assert found.difference is not None
    assert found.difference.value == pytest.approx(0.2 * 10 / 50)
    assert found.difference.low is not None
    assert found.difference.low > 0  # ten tests went one way, none the other
    assert found.difference.n == 300 + 50 + 20 + 2


def test_incomplete_figures_and_other_machines_are_noted():
    slow = {"machine": {"processor": "old", "cores": 2}}
    found = chosen(
        candidate("tiny/step_100", provenance={"machine": {"processor": "new", "cores": 64}}),
        candidate(
            "tiny/step_200", provenance=slow, suites={"os": os_suite(90, 90, 90, unscored=9)}
        ),
    )
    assert "tiny/step_200 is ranked on incomplete figures: os_benchmark." in map(
        sentence, found.notes
    )
    assert any("different machines" in note for note in map(sentence, found.notes))


# --------------------------------------------------------------------------------------- tokenizers


def test_other_tokenizers_are_compared_by_bits_per_byte_with_a_warning():
    # One byte per token and perplexity 3: log2(3) = 1.585 bits per byte. Four bytes per token and
    # perplexity 16: 4 / 4 = 1 bit per byte, so the second reads better though its perplexity is
    # five times as high. Tokens have 2.5 bytes on average: 2^2.5 = 5.66 and 3^2.5 = 15.6.
    by_byte = candidate("bytes/final", text=text(3.0, tokenizer="bytes", bytes_per_token=1.0))
    by_word = candidate("words/final", text=text(16.0, tokenizer="words", bytes_per_token=4.0))
    found = chosen(by_byte, by_word)
    rows = {row.name: row for row in found.ranking}
    assert found.selected == "words/final"
    assert rows["words/final"].ranking_score == pytest.approx(4 / 2**2.5 + 0.317)
    assert rows["bytes/final"].ranking_score == pytest.approx(4 / 3**2.5 + 0.317)
    # The weighted score stays as the formula has it.
    assert rows["bytes/final"].weighted_score == pytest.approx(4 / 3 + 0.317)
    assert found.difference is not None
    assert found.difference.value == pytest.approx(4 / 2**2.5 - 4 / 3**2.5)
    assert any("bits per byte" in note for note in map(sentence, found.notes))


def test_other_tokenizers_without_bytes_leave_perplexity_out():
    ids = candidate("a/final", text=text(30.0, tokenizer="a", bytes_per_token=None))
    other = candidate("b/final", text=text(20.0, tokenizer="b"))
    found = chosen(ids, other)
    assert found.ranked_on == ("os_benchmark", "speed")
    assert any("Ranked without perplexity" in note for note in map(sentence, found.notes))


def test_perplexities_of_different_texts_are_never_compared():
    found = chosen(
        candidate("tiny/step_100", text=text(20.0, of="one text")),
        candidate("tiny/step_200", text=text(30.0, of="another")),
    )
    assert found.ranked_on == ("os_benchmark", "speed")
    assert any("different texts" in note for note in map(sentence, found.notes))


def test_sampled_predictions_are_never_ranked_beside_those_of_a_search():
    searched = os_suite(80, 80, 80)
    sampled = replace(
        searched,
        categories={
            name: replace(share, method="sampled") for name, share in searched.categories.items()
        },
    )
    found = chosen(
        candidate("tiny/step_100", suites={"os": searched}),
        candidate("tiny/step_200", suites={"os": sampled}),
    )
    assert found.ranked_on == ("perplexity", "speed")
    assert any("sampled" in note for note in map(sentence, found.notes))


# --------------------------------------------------------------------------------------------- laws

counts = st.integers(60, 95)
drawn = st.builds(
    lambda step, perplexity, right_ones, tokens, has_text: candidate(
        f"tiny/step_{step}",
        text=text(perplexity, wobble=40.0) if has_text else None,
        suites={"os": os_suite(*right_ones)},
        speed=speed(tokens, tokens + 1, tokens + 2),
    ),
    st.integers(1, 6),
    st.sampled_from([20.0, 30.0, 45.0, 80.0]),
    st.tuples(counts, counts, counts),
    st.sampled_from([5.0, 20.0, 40.0]),
    st.booleans(),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(drawn, max_size=4, unique_by=lambda each: each.name), st.randoms())
def test_the_order_of_candidates_never_matters(candidates, random):
    other = list(candidates)
    random.shuffle(other)
    assert chosen(*candidates) == chosen(*other)


@settings(max_examples=40, deadline=None)
@given(st.lists(drawn, min_size=1, max_size=4, unique_by=lambda each: each.name))
def test_what_is_selected_is_accepted_and_has_the_highest_score_of_those(candidates):
    found = chosen(*candidates)
    accepted = [row for row in found.ranking if row.accepted]
    if not accepted:
        assert found.selected is None
        assert found.best_so_far == found.ranking[0].name
    else:
        best = max(row.ranking_score for row in accepted)
        assert next(row for row in accepted if row.name == found.selected).ranking_score == best
        assert found.best_so_far is None
        assert (found.difference is None) == (len(accepted) == 1)
        assert found.selected not in found.tied_with
        assert set(found.tied_with) <= {row.name for row in accepted}
