"""What is advised follows from what was measured, and cites it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.decide.accept import accept
from assay.decide.advice import recommendations
from assay.decide.advice.recommendations import MOST
from assay.decide.advice.weak_groups import TestGroups, at_least, groups_of, weak_groups
from assay.decide.trend.curves import Trend, trend
from assay.reports.checkpoints.facts import advice_texts
from assay.suites.load import load_suite
from assay.types.decisions import Acceptance, Gate, Measurements, Recommendation, SuiteLimit
from tests.decide.advice_cases import (
    GATE,
    acceptance,
    checkpoint,
    criterion,
    made,
    marks,
    os_suite,
    run,
    sample,
    speed,
    suite,
    text,
)

SHIPPED = "src/assay/builtin/suites/os"
FAILED_TEXT = criterion(False, math.exp(3.8), 40.0)
PASSED_TEXT = criterion(True, math.exp(3.8), 50.0)


class Advice(NamedTuple):
    """A recommendation in words."""

    concern: str
    advice: str
    figures: tuple[str, ...]


def advise(
    measured: Measurements, said: Acceptance, over_steps: Trend | None, *, gate: Gate = GATE,
    groups: dict[str, TestGroups] | None = None,
) -> tuple[Advice, ...]:  # fmt: skip
    return in_words(recommendations.advise(measured, said, over_steps, gate, groups or {}))


def in_words(found: Sequence[Recommendation]) -> tuple[Advice, ...]:
    return tuple(Advice(each.concern, *advice_texts(each)) for each in found)


def about(found: Sequence[Advice], concern: str) -> list[Advice]:
    return [each for each in found if each.concern == concern]


def only(found: Sequence[Advice], concern: str) -> Advice:
    (one,) = about(found, concern)
    return one


def all_of(one: Advice) -> str:
    return " | ".join((one.advice, *one.figures))


def advice_on_run(losses: dict[float, float], limit: float, **figures: Any) -> list[Advice]:
    """What is said of the last step of a run about its perplexity."""
    steps = run(losses, **figures)
    value = math.exp([*losses.values()][-1])
    said = acceptance(perplexity=criterion(False, value, limit))
    return about(advise(steps[-1], said, trend(steps), gate=GATE), "perplexity")


# -------------------------------------------------------------------------------------- perplexity


def test_a_loss_that_still_falls_asks_for_so_many_steps() -> None:
    """A tenth of a nat per doubling, from 3.8 at step 4000: 3.7 is a doubling away, 4000 steps,
    less a fifth 3200, and a quarter more 5000. The gap: ln 44.7 − ln 40.4 = 0.1 nats, 0.1/ln 2/4 =
    0.0361 bits per byte.
    """
    (one,) = advice_on_run({1000: 4.0, 2000: 3.9, 4000: 3.8}, math.exp(3.7))
    assert "Train longer" in one.advice
    assert "about 3,200 to 5,000 steps beyond step 4,000" in one.advice
    assert "perplexity 44.7 [35.8–55.9], n = 20,000; limit below 40.4" in one.figures
    assert "gap 0.1 nats per token, 0.0361 bits per byte" in one.figures
    assert any(figure.startswith("step 2,000 to 4,000:") for figure in one.figures)


def test_a_limit_too_far_for_steps_asks_for_more_than_steps() -> None:
    (one,) = advice_on_run({1000: 4.0, 2000: 3.9, 4000: 3.8}, math.exp(3.0))
    assert "more than 4 times the 4,000 steps done" in one.advice
    assert one.advice.startswith("A larger model or better data comes first")
    assert "in the next size class, small, the limit is 30" in one.figures


def test_a_flat_loss_asks_for_a_larger_model_then_for_data() -> None:
    larger, data = advice_on_run({1000: 4.0, 2000: 3.5, 4000: 3.5}, 30.0)
    assert "A larger model" in larger.advice
    assert "8 million parameters" in larger.figures
    assert "Better data" in data.advice


def test_a_flat_loss_far_above_the_training_loss_asks_for_data_first() -> None:
    """Held-out 3.5, training 3.0: half a nat of what was learnt does not carry over."""
    losses = {1000.0: 4.0, 2000.0: 3.5, 4000.0: 3.5}
    data, larger = advice_on_run(losses, 30.0, training_loss={4000.0: 3.0})
    assert "Better data" in data.advice
    assert "A larger model" in larger.advice
    assert "training loss at the last step: 3" in data.figures


RISING = {1000.0: 4.0, 2000.0: 3.5, 4000.0: 3.8}


def test_overfitting_asks_for_data_and_names_the_step_to_keep() -> None:
    (one,) = advice_on_run(RISING, 30.0, training_loss={2000.0: 3.3, 4000.0: 2.5})
    assert "overfits since step 2,000" in one.advice
    assert "training loss at step 2,000: 3.3, at step 4,000: 2.5" in one.figures


def test_a_rise_without_a_training_figure_says_which_figure_would_tell() -> None:
    (one,) = advice_on_run(RISING, 30.0)
    assert "rising since step 2,000" in one.advice
    assert "`--train-text FILE`" in one.advice
    assert "trainer_state.json" in one.advice
    assert "overfits since" not in one.advice


def test_a_rise_with_a_training_loss_that_does_not_fall_is_no_overfitting() -> None:
    (one,) = advice_on_run(RISING, 30.0, training_loss={2000.0: 3.3, 4000.0: 3.6})
    assert "not overfitting" in one.advice


def test_an_unstable_run_asks_for_steadier_training() -> None:
    (one,) = advice_on_run({1000: 4.0, 2000: 3.5, 4000: 3.9, 8000: 3.6}, 30.0)
    assert "learning rate" in one.advice
    assert "perplexity at steps 1,000 to 8,000: 54.6, 33.1, 49.4, 36.6, n = 20,000" in one.figures


def test_noise_asks_for_a_longer_text() -> None:
    steps = [
        checkpoint(step, text=text(loss, jitter=0.5, seed=2 * place))
        for place, (step, loss) in enumerate({1.0: 4.0, 2.0: 3.9, 4.0: 3.8}.items())
    ]
    said = acceptance(perplexity=FAILED_TEXT)
    one = only(advise(steps[-1], said, trend(steps)), "perplexity")
    assert "`--text FILE`" in one.advice


@pytest.mark.parametrize("steps", [1, 2])
def test_one_or_two_steps_ask_for_more_of_them(steps: int) -> None:
    known = run({1000.0: 4.0, 2000.0: 3.8})[-steps:]
    said = acceptance(perplexity=FAILED_TEXT)
    one = only(advise(known[-1], said, trend(known)), "perplexity")
    assert "`assay run models/run`" in one.advice
    assert f"steps with a perplexity: {steps}" in one.figures


def test_an_early_step_is_told_of_the_later_one_that_is_good_enough() -> None:
    steps = run({1000: 4.0, 2000: 3.9, 4000: 3.6})
    said = acceptance(perplexity=criterion(False, math.exp(4.0), 40.0))
    one = only(advise(steps[0], said, trend(steps)), "perplexity")
    assert "at step 4,000 of the same run the perplexity is 36.6, below the limit of 40" in (
        one.advice
    )


def test_in_bits_per_byte_the_limit_is_that_of_the_own_tokenizer() -> None:
    steps = [
        checkpoint(1000, text=text(4.0)),
        checkpoint(2000, text=text(3.9, tokenizer="other")),
        checkpoint(4000, text=text(3.8)),
    ]
    said = acceptance(perplexity=criterion(False, math.exp(3.8), math.exp(3.7)))
    one = only(advise(steps[-1], said, trend(steps)), "perplexity")
    # As in nats: all losses and the limit are divided by the same 4 ln 2.
    assert "about 3,200 to 5,000 steps beyond step 4,000" in one.advice


def test_a_perplexity_that_passes_in_a_run_that_overfits_is_told_as_a_trend() -> None:
    steps = run(RISING, training_loss={2000.0: 3.3, 4000.0: 2.5})
    found = advise(steps[-1], acceptance(perplexity=PASSED_TEXT), trend(steps))
    assert not about(found, "perplexity")
    assert "overfits" in only(found, "trend").advice


# ------------------------------------------------------------------------------------------- suites


def on_os(figures: Any, **given: Any) -> list[Advice]:
    one = checkpoint(1, suites={"os": figures})
    mean = (
        sum(
            figures.categories[name].value
            for name in ("hardware_id", "driver_select", "command_complete")
        )
        / 3
    )
    said = acceptance(os_benchmark=criterion(False, mean, 0.70), **given)
    return about(advise(one, said, None, gate=GATE, groups={"os": OS_GROUPS}), "domain")


# Of a hundred tests the first sixteen are wireless, the next forty storage, the rest other.
OS_GROUPS: TestGroups = {
    name: {
        f"{name}_{place:03}": (
            ("wireless",) if place <= 16 else ("storage",) if place <= 56 else ("other",)
        )
        for place in range(1, 101)
    }
    for name in ("hardware_id", "driver_select")
}


def test_the_lowest_category_and_what_it_would_need() -> None:
    """0.8, 0.4, 0.6: the mean is 0.6. Above 0.7 · 3 − 0.8 − 0.6 = 0.7 it would be above 0.7."""
    what, _ = on_os(os_suite(80, 40, 60))
    assert "driver_select" in what.advice
    assert "driver_select above 0.7 would lift the mean above 0.7" in what.figures
    assert "driver_select: 0.4 [0.309–0.498], n = 100" in what.figures
    assert "os: 0.6, limit above 0.7" in what.figures


def test_categories_that_are_equally_low_are_all_named() -> None:
    """Nothing is right in any: none of the three is lower than the others."""
    what, _ = on_os(os_suite(0, 0, 0))
    assert what.advice == (
        "More training data for hardware_id, driver_select, command_complete, which are equally "
        "low in os."
    )
    assert not any("would" in figure for figure in what.figures)
    # 0.9, 0.5, 0.5: (0.7 · 3 − 0.9) / 2 = 0.6 each.
    what, _ = on_os(os_suite(90, 50, 50))
    assert what.advice.endswith("The lowest categories are driver_select, command_complete.")
    assert (
        "driver_select, command_complete above 0.6 each would lift the mean above 0.7"
        in what.figures
    )


def test_a_kind_that_fails_beyond_chance_is_named_with_its_counts() -> None:
    """All 16 wireless wrong, 24 of the 84 others: Fisher p = C(84,24)/C(100,40) ≈ 3e-8."""
    wrong_first = [0.0] * 16 + [1.0] * 60 + [0.0] * 24
    figures = suite(
        {
            "hardware_id": marks(80),
            "driver_select": wrong_first,
            "command_complete": marks(60),
        }
    )
    what, _ = on_os(figures)
    assert "wireless (driver_select)" in what.advice
    assert (
        "driver_select, wireless: 16 of 16 wrong; the others 24 of 84 (p < 0.001)" in what.figures
    )


def test_fine_perplexity_and_a_low_suite_ask_for_mixture_or_fine_tuning() -> None:
    _, how = on_os(os_suite(60, 40, 60), perplexity=PASSED_TEXT)
    assert "mixture" in how.advice
    assert "fine-tune" in how.advice
    assert "perplexity 44.7, limit below 50" in how.figures


def test_both_low_and_still_learning_ask_for_longer_training_first() -> None:
    steps = run({1000: 4.0, 2000: 3.9, 4000: 3.8}, suites={"os": os_suite(60, 40, 60)})
    said = acceptance(
        perplexity=criterion(False, math.exp(3.8), math.exp(3.7)),
        os_benchmark=criterion(False, 0.533, 0.7),
    )
    found = advise(steps[-1], said, trend(steps), gate=GATE)
    assert [each.concern for each in found[:2]] == ["perplexity", "domain"]
    assert "For os, train longer first" in about(found, "domain")[-1].advice


def test_both_low_without_progress_ask_for_another_mixture() -> None:
    steps = run({1000: 4.0, 2000: 3.5, 4000: 3.5}, suites={"os": os_suite(60, 40, 60)})
    said = acceptance(
        perplexity=criterion(False, math.exp(3.5), 30.0),
        os_benchmark=criterion(False, 0.533, 0.7),
    )
    how = about(advise(steps[-1], said, trend(steps), gate=GATE), "domain")[-1]
    assert "Raise the share of the subject of os in the mixture" in how.advice


def test_a_suite_that_still_rises_asks_for_longer_training() -> None:
    steps = [
        checkpoint(step, suites={"mine": suite({"a": marks(right)})})
        for step, right in ((1, 10), (2, 30), (3, 60))
    ]
    gate = Gate(source="g.toml", suites=(SuiteLimit(name="mine", min=0.7),))
    found = advise(steps[-1], accept(steps[-1], gate), trend(steps), gate=gate)
    how = about(found, "domain")[-1]
    assert "For mine, train longer first" in how.advice
    assert any("points of the score of mine +30" in figure for figure in how.figures)


def test_a_gate_of_another_domain_has_its_own_categories() -> None:
    """The gate asks of `a` alone, so `b`, which is lower, is not the one to lift."""
    one = checkpoint(1, suites={"mine": suite({"a": marks(50), "b": marks(10)})})
    gate = Gate(
        source="g.toml",
        suites=(
            SuiteLimit(name="mine", min=0.7, categories=("a",)),
            SuiteLimit(name="mine", min=0.3, categories=("b",)),
        ),
    )
    found = about(advise(one, accept(one, gate), None, gate=gate), "domain")
    assert "More training data for a, the lowest category of mine." in [e.advice for e in found]
    assert "More training data for b, the lowest category of mine." in [e.advice for e in found]


# -------------------------------------------------------------------------------------- weak groups


def test_fishers_chance_by_hand() -> None:
    """Of 10 tests 5 fail; a group of 3 holds 3 of them: C(5,3)/C(10,3) = 10/120."""
    assert at_least(3, of=3, failed=5, among=10) == pytest.approx(10 / 120)
    assert at_least(0, of=3, failed=5, among=10) == pytest.approx(1.0)


def test_small_groups_and_groups_that_are_nearly_all_are_not_looked_at() -> None:
    groups: TestGroups = {"c": {f"t{n}": ("few",) if n < 4 else ("most",) for n in range(50)}}
    scores = {"c": {f"t{n}": float(n >= 4) for n in range(50)}}
    assert weak_groups(scores, groups) == ()


def test_many_groups_need_more_than_one_lucky_one() -> None:
    """Of 100 tests 20 fail, 5 of them in one group of 10. By itself that is rare (p = 0.03); the
    most striking of ten groups is so often that Holm multiplies by ten.
    """
    groups: TestGroups = {"c": {f"t{n:03}": (f"g{n // 10}",) for n in range(100)}}
    wrong = {f"t{n:03}" for n in (*range(5), *range(10, 85, 5))}
    scores = {"c": {f"t{n:03}": float(f"t{n:03}" not in wrong) for n in range(100)}}
    alone = at_least(5, of=10, failed=20, among=100)
    assert alone == pytest.approx(0.0254, abs=0.0001)
    assert weak_groups(scores, groups) == ()


def test_chance_alone_rarely_makes_a_weak_group() -> None:
    """Nothing differs between kinds: of 60 seeded suites at most 5 % may name one; 60 · 0.05 = 3,
    and 8 or more would happen once in 100 times.
    """
    import random

    names = ("storage", "ethernet", "wireless", "graphics", "audio", "usb")
    found = 0
    for seed in range(60):
        draw = random.Random(seed)
        groups: TestGroups = {"c": {f"t{n}": (names[n % 6],) for n in range(96)}}
        scores = {"c": {f"t{n}": float(draw.random() < 0.6) for n in range(96)}}
        found += bool(weak_groups(scores, groups))
    assert found < 8


def test_the_shipped_suite_has_device_classes_distributions_and_topics(root: Path) -> None:
    groups = groups_of(load_suite(root / SHIPPED))
    assert groups["hardware_id"]["hardware_id_001"] == ("ethernet",)
    assert groups["driver_select"]["driver_select_003"] == ("wireless",)
    assert "Debian" in groups["installation"]["installation_001"]
    assert groups["command_complete"]["command_complete_001"][0] == "hardware"


def test_a_distribution_that_fails_is_named_though_no_limit_is_on_it(root: Path) -> None:
    groups = groups_of(load_suite(root / SHIPPED))
    installation = {
        test: float("Alpine Linux" not in names) for test, names in groups["installation"].items()
    }
    figures = os_suite(60, 50, 60)
    figures = replace(figures, scores={"installation": installation})
    one = checkpoint(1, suites={"os": figures})
    said = acceptance(os_benchmark=criterion(False, 0.567, 0.7))
    what = about(advise(one, said, None, gate=GATE, groups={"os": groups}), "domain")[0]
    assert "Alpine Linux (installation)" in what.advice
    assert any("Alpine Linux: 16 of 16 wrong; the others 0 of 84" in f for f in what.figures)


# ----------------------------------------------------------------------------------- speed, memory


def on_speed(per_s: float, **details: Any) -> Advice:
    one = checkpoint(1, speed=speed(per_s, **details))
    said = acceptance(speed=criterion(False, per_s, 10.0))
    return only(advise(one, said, None), "speed")


def test_a_speed_bound_by_memory_asks_for_fewer_bytes() -> None:
    """5 tokens/s where 10 are asked: twice as fast."""
    one = on_speed(
        5.0,
        share_of_bandwidth=0.85,
        bytes_per_token=640_000_000,
        prefill_s=[0.5, 0.5, 0.5],
        decode_s=[49.5, 49.5, 49.5],
    )
    assert "Quantise earlier" in one.advice
    assert "a token must take 2 times fewer bytes" in one.advice
    assert "640 MB read per token, 85 % of the memory's bandwidth" in one.figures
    assert "prompt 0.5 s, decoding 49.5 s (99 % of the time)" in one.figures
    assert "5 [4.95–5.05], n = 3" in one.figures[0]


def test_a_speed_bound_by_overhead_asks_for_fewer_wider_layers() -> None:
    one = on_speed(5.0, share_of_bandwidth=0.12, threads=4, machine={"cores": 4})
    assert one.advice.startswith("Fewer, wider layers")
    assert "12 %" in one.advice


def test_a_speed_without_details_still_says_how_much_is_missing() -> None:
    assert "2 times as fast" in on_speed(5.0).advice


def on_memory(**parts: Any) -> Advice:
    one = checkpoint(1, memory_mb=made(200.0, None, None, n=1, unit="MB"), memory=parts)
    said = acceptance(memory=criterion(False, 200.0, 150.0))
    return only(advise(one, said, None), "memory")


def test_weights_that_are_too_large_ask_for_fewer_parameters() -> None:
    """50 MB too much: at two bytes each 25 million parameters."""
    one = on_memory(weights_mb=180.0, cache_mb=15.0, activations_mb=5.0)
    assert "50 MB must go, about 25 million parameters" in one.advice
    assert one.figures[1:4] == ("weights 180 MB", "cache 15 MB", "activations 5 MB")


def test_a_cache_that_is_too_large_asks_for_a_shorter_context() -> None:
    one = on_memory(weights_mb=60.0, cache_mb=120.0, activations_mb=20.0)
    assert one.advice.startswith("A shorter context")


def test_activations_and_unknown_parts() -> None:
    assert "activations" in on_memory(weights_mb=50.0, cache_mb=20.0, activations_mb=130.0).advice
    assert "50 MB too much" in on_memory().advice
    assert "shared key-value heads" in on_memory(weights_mb=1.0, cache_mb=199.0).advice


# -------------------------------------------------------------------------------------- generation


def test_loops_are_told_with_prompts_passages_and_what_to_look_at() -> None:
    one = checkpoint(1, samples=(sample(1, "loop"), sample(2), sample(3, "loop", "repetition")))
    said = acceptance(generation=criterion(False, 2.0, 0.0))
    found = only(advise(one, said, None), "generation")
    assert "sample_001, sample_003" in found.advice
    assert "end-of-text token" in found.advice
    assert "2 of 3 samples failed, 0 may: loop 2, repetition 1" in found.figures
    assert (
        "sample_001 “PCI device 8086:10d3 is”: loop, “the disk the disk the disk”" in found.figures
    )


def test_nonsense_waits_for_training_where_the_loss_still_falls() -> None:
    samples = (sample(1, "nonsense", passage="xq " * 60),)
    steps = run({1000: 4.0, 2000: 3.9, 4000: 3.8}, samples=samples)
    said = acceptance(generation=criterion(False, 1.0, 0.0))
    falling = only(advise(steps[-1], said, trend(steps)), "generation")
    assert "train longer" in falling.advice
    assert max(len(figure) for figure in falling.figures) < 160  # the passage is cut
    assert "tokenizer" in only(advise(steps[-1], said, None), "generation").advice


# ---------------------------------------------------------------------------- marginal and missing


def test_a_marginal_suite_says_how_many_tests_would_tell() -> None:
    """0.72 with a lower end 0.66 against 0.7: (0.06/0.02)² = 9 times the 300 tests."""
    figures = replace(os_suite(72, 72, 72), categories={"a": made(0.72, 0.66, 0.77, n=300)})
    one = checkpoint(1, suites={"os": figures})
    gate = Gate(source="g", suites=(SuiteLimit(name="os", min=0.7),))
    found = advise(one, accept(one, gate), None, gate=gate)
    marginal = next(each for each in found if "too near" in each.advice)
    assert "about 2,700 tests instead of 300" in marginal.advice
    assert marginal.concern == "domain"
    assert marginal.figures == ("os_benchmark: 0.72 [0.66–0.77], n = 300; limit 0.7",)


def test_a_marginal_perplexity_asks_for_a_longer_text() -> None:
    """45 up to 55 against 50: (10/5)² = 4 times the text."""
    figures = replace(text(3.8), perplexity=made(45.0, 40.0, 55.0, n=20_000, unit="perplexity"))
    one = checkpoint(1, text=figures)
    said = acceptance(perplexity=criterion(True, 45.0, 50.0, marginal=True))
    found = only(advise(one, said, None), "perplexity")
    assert "about 4 times the length (`--text FILE`)" in found.advice


def test_a_value_at_its_limit_is_left_undecided() -> None:
    figures = replace(text(3.8), perplexity=made(50.0, 45.0, 55.0, n=20_000, unit="perplexity"))
    one = checkpoint(1, text=figures)
    said = acceptance(perplexity=criterion(False, 50.0, 50.0, marginal=True))
    found = advise(one, said, None)
    assert any("undecided" in each.advice for each in found)


def test_a_marginal_speed_is_measured_again() -> None:
    one = checkpoint(1, speed=speed(10.05))
    said = acceptance(speed=criterion(True, 10.05, 10.0, marginal=True))
    assert "nothing else runs" in only(advise(one, said, None), "speed").advice


def test_what_is_missing_is_named_with_the_command_that_measures_it() -> None:
    one = checkpoint(1, mmlu_cs=None, not_measured={"mmlu_cs": "mmlu is not installed"})
    of_gate, of_score = about(advise(one, accept(one, GATE), None, gate=GATE), "missing")
    assert of_gate.advice == (
        "Measure what is missing before deciding: `assay run models/run/step_1`."
    )
    assert len(of_gate.figures) == 5
    assert "`assay fetch mmlu`" in of_score.advice
    assert of_score.figures[1] == "mmlu is not installed"


def test_what_alone_is_missing_is_measured_alone() -> None:
    mine = SuiteLimit(name="my tests", min=0.5)
    text_only = Gate(source="g", perplexity_max=GATE.perplexity_max)
    os_only = Gate(source="g", suites=GATE.suites)
    both = Gate(source="g", speed_min=GATE.speed_min, suites=(mine,))
    one = checkpoint(1)
    told = [
        only(advise(one, accept(one, gate), None, gate=gate), "missing").advice.partition(": ")[2]
        for gate in (text_only, os_only, both)
    ]
    assert told == [
        "`assay run models/run/step_1 --text FILE`.",
        "`assay run models/run/step_1 -s os`.",
        "`assay run models/run/step_1`, `assay run models/run/step_1 -s 'my tests'`.",
    ]


def test_an_incomplete_suite_is_to_be_completed() -> None:
    share = replace(made(0.9, 0.85, 0.95, n=80), unscored=20)
    one = checkpoint(1, suites={"mine": replace(suite({"a": marks(90)}), categories={"a": share})})
    gate = Gate(source="g", suites=(SuiteLimit(name="mine", min=0.7),))
    found = only(advise(one, accept(one, gate), None, gate=gate), "missing")
    assert "Complete suite:mine" in found.advice
    assert "20 of 100" in found.figures[0]


def test_without_a_size_class_a_gate_for_all_sizes_is_asked_for() -> None:
    one = checkpoint(1, text=text(3.0), size_class=None, parameters=None)
    gate = Gate(source="g", perplexity_max=GATE.perplexity_max)
    assert (
        "size class is not known"
        in only(advise(one, accept(one, gate), None, gate=gate), "missing").advice
    )


def test_a_checkpoint_that_could_not_be_evaluated_says_why() -> None:
    one = checkpoint(1, failed="weights cut off")
    (found,) = advise(one, accept(one, GATE), None)
    assert (found.concern, found.figures) == ("missing", ("weights cut off",))


# ---------------------------------------------------------------------------------------- accepted


def good(step: float, **figures: Any) -> Measurements:
    given = {
        "text": text(3.0),
        "suites": {"os": os_suite(95, 95, 95, 60)},
        "speed": speed(100),
        "samples": (sample(1),),
        "memory_mb": made(40.0, None, None, n=1, unit="MB"),
    }
    return checkpoint(step, **{**given, **figures})


def test_an_accepted_one_is_told_what_could_be_gained() -> None:
    one = good(1)
    said = accept(one, GATE)
    assert said.accepted
    (found,) = advise(one, said, None, gate=GATE)
    assert found.advice == "Accepted; the most to gain is in installation of os."
    assert found.figures == ("installation: 0.6 [0.502–0.691], n = 100",)


def test_an_accepted_one_that_still_learns_may_go_on() -> None:
    steps = [good(step, text=text(loss)) for step, loss in ((1, 3.2), (2, 3.1), (4, 3.0))]
    (found,) = advise(steps[-1], accept(steps[-1], GATE), trend(steps), gate=GATE)
    assert "still falls" in found.advice


def test_where_nothing_is_to_be_gained_nothing_is_said() -> None:
    one = good(1, suites={"os": os_suite(95, 95, 95, 95)})
    assert advise(one, accept(one, GATE), None, gate=GATE) == ()


def test_the_first_remedies_come_before_what_is_missing_and_before_second_ones() -> None:
    """Flat perplexity (two remedies), a low suite (two), speed (one); memory was not measured."""
    steps = run({1000: 4.5, 2000: 4.2, 4000: 4.2}, suites={"os": os_suite(9, 9, 9)}, speed=speed(5))
    gate = replace(GATE, generation_max_failures=None)
    found = advise(steps[-1], accept(steps[-1], gate), trend(steps), gate=gate)
    assert [each.concern for each in found] == [
        "perplexity", "domain", "speed", "missing", "perplexity", "domain",
    ]  # fmt: skip


# --------------------------------------------------------------------------- whatever was measured


shares = st.floats(0, 1).map(lambda value: made(value, max(0, value - 0.1), min(1, value + 0.1)))
readings = st.builds(
    text, st.floats(0.01, 12), jitter=st.floats(0, 1), seed=st.integers(0, 3),
    blocks=st.integers(1, 6), tokenizer=st.sampled_from("tu"), name=st.sampled_from("ab"),
)  # fmt: skip
suites_made = st.builds(os_suite, *[st.integers(0, 100)] * 4)
speeds = st.builds(
    speed, st.floats(0.01, 1e4), share_of_bandwidth=st.floats(0, 2), threads=st.integers(1, 64),
    bytes_per_token=st.integers(1, 10**11), dtype=st.sampled_from(["float32", "bfloat16", "?"]),
)  # fmt: skip
kinds = st.sampled_from([(), ("loop",), ("nonsense",), ("loop", "repetition")])
sampled = st.lists(kinds, max_size=4).map(
    lambda found: tuple(sample(place, *names) for place, names in enumerate(found))
)
memories = st.fixed_dictionaries(
    {}, optional={name: st.floats(0, 1e5) for name in ("weights_mb", "cache_mb", "activations_mb")}
)
training = st.dictionaries(st.integers(1, 9).map(float), st.floats(0.01, 12), max_size=9)


@st.composite
def folders(draw: st.DrawFn) -> list[Measurements]:
    steps = draw(st.lists(st.integers(0, 9), min_size=1, max_size=4, unique=True))
    return [
        checkpoint(
            step,
            text=draw(st.none() | readings),
            suites=draw(st.just({}) | suites_made.map(lambda one: {"os": one})),
            speed=draw(st.none() | speeds),
            memory_mb=draw(st.none() | st.floats(0, 1e4).map(lambda mb: made(mb, mb, mb, n=1))),
            memory=draw(memories),
            samples=draw(st.none() | sampled),
            mmlu_cs=draw(st.none() | shares),
            size_class=draw(st.sampled_from([None, "tiny", "small", "medium", "large"])),
            parameters=draw(st.none() | st.integers(1, 10**10)),
            training_loss=draw(training),
            failed=draw(st.sampled_from(["", "", "", "cut off"])),
        )
        for step in steps
    ]


@given(folder=folders())
@settings(max_examples=150, deadline=None)
def test_no_advice_without_figures_none_twice_and_few_enough(folder: list[Measurements]) -> None:
    over_steps = trend(folder)
    said = {each.name: accept(each, GATE) for each in folder}
    groups = {"os": OS_GROUPS}
    for each in folder:
        found = advise(each, said[each.name], over_steps, gate=GATE, groups=groups)
        check(found)
        if said[each.name].accepted is False and not each.failed:
            assert found


def check(found: Sequence[Advice]) -> None:
    assert len(found) <= MOST
    assert len({each.advice for each in found}) == len(found)
    for each in found:
        assert each.figures
        assert all(figure.strip() for figure in each.figures)
        assert any(character.isdigit() for character in all_of(each)) or each.concern == "missing"
        assert "{" not in all_of(each)
        assert "nan" not in all_of(each).split()
