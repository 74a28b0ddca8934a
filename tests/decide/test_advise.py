"""What is advised follows from what was measured, and cites it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.decide import advice
from assay.decide.accept import accept
from assay.decide.advice import MOST
from assay.decide.trend import trend
from assay.reports.checkpoints.facts import advice_texts
from assay.types.decisions import (
    Acceptance,
    Gate,
    Measurements,
    Recommendation,
    SuiteLimit,
    fact,
)
from assay.types.trends import Trend
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

FAILED_TEXT = criterion(False, math.exp(3.8), 40.0)
PASSED_TEXT = criterion(True, math.exp(3.8), 50.0)


class Advice(NamedTuple):
    """A recommendation in words."""

    concern: str
    advice: str
    figures: tuple[str, ...]


def advise(
    measured: Measurements, said: Acceptance, over_steps: Trend | None, *, gate: Gate = GATE
) -> tuple[Advice, ...]:
    return in_words(advice.advise(measured, said, over_steps, gate))


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
    less a fifth 3200, and a quarter more 5000. The gap: ln 44.7 − ln 40.4 = 0.1 nats.
    """
    (one,) = advice_on_run({1000: 4.0, 2000: 3.9, 4000: 3.8}, math.exp(3.7))
    assert "Train longer" in one.advice
    assert "about 3,200 to 5,000 steps beyond step 4,000" in one.advice
    assert "perplexity 44.7 [35.8–55.9], n = 20,000; limit below 40.4" in one.figures
    assert "gap 0.1 nats per token" in one.figures
    assert any(figure.startswith("step 2,000 to 4,000:") for figure in one.figures)


def test_a_limit_too_far_for_steps_asks_for_more_than_steps() -> None:
    (one,) = advice_on_run({1000: 4.0, 2000: 3.9, 4000: 3.8}, math.exp(3.0))
    assert "more than 4 times the 4,000 steps done" in one.advice
    assert one.advice.startswith("A larger model or better data comes first")


def test_a_flat_loss_asks_for_a_larger_model_then_for_data() -> None:
    flat = {1000: 4.0, 2000: 3.5, 4000: 3.5, 8000: 3.5, 16000: 3.5}
    larger, data = advice_on_run(flat, 30.0)
    assert "A larger model" in larger.advice
    assert "8 million parameters" in larger.figures
    assert "Better data" in data.advice


def test_a_plateau_that_is_not_proven_asks_for_more_steps() -> None:
    """A recipe that reached its limit at step 479 looked flat after 30 steps."""
    (one,) = advice_on_run({10: 4.0, 15: 3.6, 20: 3.5, 25: 3.5, 30: 3.5}, 30.0)
    assert one.advice.startswith("Train on: that the held-out loss no longer falls cannot be said")


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


def test_noise_asks_for_a_longer_text() -> None:
    steps = [
        checkpoint(step, text=text(loss, jitter=0.5, seed=2 * place))
        for place, (step, loss) in enumerate({1.0: 4.0, 2.0: 3.9, 4.0: 3.8}.items())
    ]
    said = acceptance(perplexity=FAILED_TEXT)
    one = only(advise(steps[-1], said, trend(steps)), "perplexity")
    assert "`--text FILE`" in one.advice


def test_a_checkpoint_named_singly_asks_for_the_others_of_its_folder() -> None:
    (known,) = run({1000.0: 4.0})
    one = only(advise(known, acceptance(perplexity=FAILED_TEXT), None), "perplexity")
    assert "`assay run models/run`" in one.advice
    assert "steps with a perplexity: 1" in one.figures


@pytest.mark.parametrize("steps", [1, 2])
def test_a_folder_of_one_or_two_steps_asks_for_more_of_them_and_not_for_the_same_run(
    steps: int,
) -> None:
    known = run({1000.0: 4.0, 2000.0: 3.8})[-steps:]
    over = trend(known) or Trend(curves={})
    one = only(advise(known[-1], acceptance(perplexity=FAILED_TEXT), over), "perplexity")
    assert one.advice.startswith("Save checkpoints more often")
    assert "assay run" not in one.advice


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
    return about(advise(one, said, None, gate=GATE), "domain")


def test_the_lowest_category_is_named() -> None:
    what, _ = on_os(os_suite(80, 40, 60))
    assert "driver_select" in what.advice
    assert "driver_select: 0.4 [0.309–0.498], n = 100" in what.figures
    assert "os: 0.6, limit above 0.7" in what.figures


def test_categories_that_are_equally_low_are_all_named() -> None:
    """Nothing is right in any: none of the three is lower than the others."""
    what, _ = on_os(os_suite(0, 0, 0))
    assert what.advice == (
        "More training data for hardware_id, driver_select, command_complete, which are equally "
        "low in os."
    )


def test_fine_perplexity_and_a_low_suite_ask_for_mixture_or_fine_tuning() -> None:
    _, how = on_os(os_suite(60, 40, 60), perplexity=PASSED_TEXT)
    assert "mixture" in how.advice
    assert "fine-tune" in how.advice


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
        suites=(SuiteLimit(name="mine", min=0.7, categories=("a",)),),
    )
    found = about(advise(one, accept(one, gate), None, gate=gate), "domain")
    assert "More training data for a, the lowest category of mine." in [e.advice for e in found]


# ----------------------------------------------------------------------------------- speed, memory


def on_speed(per_s: float, **details: Any) -> Advice:
    one = checkpoint(1, speed=speed(per_s, **details))
    said = acceptance(speed=criterion(False, per_s, 10.0))
    return only(advise(one, said, None), "speed")


def test_a_slow_model_is_told_how_much_faster_it_must_become() -> None:
    assert "2 times as fast" in on_speed(5.0).advice


def on_memory(**parts: Any) -> Advice:
    one = checkpoint(1, memory_mb=made(200.0, None, None, n=1, unit="MB"), memory=parts)
    said = acceptance(memory=criterion(False, 200.0, 150.0))
    return only(advise(one, said, None), "memory")


def test_too_much_memory_is_told_with_its_parts() -> None:
    one = on_memory(weights_mb=180.0, cache_mb=15.0, activations_mb=5.0)
    assert "50 MB too much" in one.advice
    assert one.figures[1:4] == ("weights 180 MB", "cache 15 MB", "activations 5 MB")


# -------------------------------------------------------------------------------------- generation


def test_loops_are_told_with_prompts_passages_and_what_to_look_at() -> None:
    one = checkpoint(1, samples=(sample(1, "loop"), sample(2), sample(3, "loop", "repetition")))
    said = acceptance(generation=criterion(False, 2.0, 0.0))
    found = only(advise(one, said, None), "generation")
    assert "sample_001, sample_003" in found.advice
    assert "end-of-text token" in found.advice
    assert "2 of 3 prompts failed, 0 may: loop 2, repetition 1" in found.figures
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


def test_what_is_missing_is_named_with_the_command_that_measures_it() -> None:
    one = checkpoint(1, mmlu_cs=None, not_measured={"mmlu_cs": "mmlu is not installed"})
    of_gate, of_score = about(advise(one, accept(one, GATE), None, gate=GATE), "missing")
    assert of_gate.advice == (
        "Measure what is missing before deciding: `assay run models/run/step_1`."
    )
    assert len(of_gate.figures) == 5
    assert "`assay fetch mmlu`" in of_score.advice
    assert of_score.figures[1] == "mmlu is not installed"


def test_a_suite_that_no_run_asks_by_itself_is_named() -> None:
    gate = Gate(
        source="g", speed_min=GATE.speed_min, suites=(SuiteLimit(name="my tests", min=0.5),)
    )
    one = checkpoint(1)
    assert only(advise(one, accept(one, gate), None, gate=gate), "missing").advice.endswith(
        "`assay run models/run/step_1`, `assay run models/run/step_1 -s 'my tests'`."
    )


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


def test_where_all_is_measured_and_accepted_nothing_is_said() -> None:
    one = good(1)
    assert advise(one, accept(one, GATE), None, gate=GATE) == ()


def test_the_first_remedies_come_before_what_is_missing_and_before_second_ones() -> None:
    """Flat perplexity (two remedies), a low suite (two); memory and speed were not measured."""
    flat = {1000: 4.5, 2000: 4.2, 4000: 4.2, 8000: 4.2, 16000: 4.2}
    steps = run(flat, suites={"os": os_suite(9, 9, 9)})
    gate = replace(GATE, generation_max_failures=None)
    found = advise(steps[-1], accept(steps[-1], gate), trend(steps), gate=gate)
    assert [each.concern for each in found] == [
        "perplexity", "domain", "missing", "perplexity", "domain",
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


def kinds_of(folder: list[Measurements], gate: Gate = GATE) -> list[str]:
    last = folder[-1]
    found = advice.advise(last, accept(last, gate), trend(folder), gate)
    return [each.advice.kind for each in found]


def test_the_checkpoints_of_one_run_are_told_one_thing_about_longer_training() -> None:
    """The loss falls; the first steps alone are far from the limit."""
    falling = run({500: 8.0, 1000: 6.0, 2000: 5.0, 4000: 4.2, 8000: 3.55})
    over_steps = trend(falling)
    told = {
        one.advice.kind
        for each in falling
        for one in advice.advise(each, accept(each, GATE), over_steps, GATE)
    }
    assert told & advice.LONGER
    assert not told & advice.NOT_LONGER


def test_what_contradicts_the_last_step_of_a_run_is_left_out() -> None:
    longer, larger, other = (
        Recommendation("concern", fact(kind), (fact("gap", nats=1.0),))
        for kind in ("train_longer", "larger_model", "data_on_category")
    )
    assert advice.agree_over_steps([(larger, other), (longer,), ()]) == [(other,), (longer,), ()]
    assert advice.agree_over_steps([(longer,), (other, larger)]) == [(), (other, larger)]
    assert advice.agree_over_steps([(other,), ()]) == [(other,), ()]


def test_a_model_that_is_too_slow_is_not_told_to_grow() -> None:
    flat = {1000: 4.5, 2000: 4.2, 4000: 4.2, 8000: 4.2, 16000: 4.2}
    assert "larger_model" in kinds_of(run(flat, speed=speed(50)))
    slow = kinds_of(run(flat, speed=speed(5)))
    assert "larger_model" not in slow
    assert "better_data" not in slow, "said once"
    assert {"better_data_at_size", "smaller_or_quantised"} <= {*slow}


def test_the_advice_for_a_slow_model_names_a_profiler() -> None:
    slow = run({1000: 4.2}, speed=speed(5))[-1]
    advised = advice.advise(slow, accept(slow, GATE), None, GATE)
    text, _ = advice_texts(next(each for each in advised if each.concern == "speed"))
    assert "profile it for bottlenecks, with torch.profiler or py-spy" in text
    assert "2 times as fast" in text


def test_nobody_is_told_to_train_longer_where_more_steps_will_not_do() -> None:
    """The text no longer falls, and the suite still rises."""
    flat = {1000: 4.5, 2000: 4.2, 4000: 4.2, 8000: 4.2, 16000: 4.2}
    rising = [
        replace(each, suites={"os": os_suite(*[9 + 12 * place] * 3)})
        for place, each in enumerate(run(flat))
    ]
    over_steps = trend(rising)
    assert over_steps is not None
    assert over_steps.curves["suite:os"].shape == "improving"
    found = kinds_of(rising)
    assert "larger_model" in found
    assert "train_longer_first" not in found


def test_a_suite_at_chance_that_failed_its_limit_is_named_before_second_remedies() -> None:
    guessed = replace(os_suite(24, 26, 25, 25), baseline=0.25)
    known = replace(suite({"a": marks(90)}), baseline=0.25)
    one = good(1, suites={"os": guessed, "quiz": known})
    found = [each.advice.kind for each in advice.advise(one, accept(one, GATE), None, GATE)]
    assert found[:2] == ["data_on_category", "suites_at_chance"]
    fine = good(1, suites={"os": replace(os_suite(90, 90, 90), baseline=0.25), "quiz": guessed})
    assert advice.advise(fine, accept(fine, GATE), None, GATE) == (), "it is no limit of the gate"


def test_a_step_that_fell_in_a_suite_alone_is_told_with_its_categories() -> None:
    good, fallen = os_suite(90, 90, 90, 90), os_suite(1, 1, 1, 1)
    folder = [checkpoint(step, suites={"os": fallen if step == 2 else good}) for step in (1, 2, 3)]
    found = advise(folder[1], accept(folder[1], GATE), trend(folder))
    assert "diverged" in found[0].advice
    check(found)
    assert len(found[0].figures) == len(fallen.categories)


@given(folder=folders())
@settings(max_examples=60, deadline=None)
def test_no_advice_without_figures_none_twice_and_few_enough(folder: list[Measurements]) -> None:
    over_steps = trend(folder)
    said = {each.name: accept(each, GATE) for each in folder}
    for each in folder:
        found = advise(each, said[each.name], over_steps)
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
