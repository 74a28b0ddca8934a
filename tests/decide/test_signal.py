"""Which suites tell anything of training, and what those that do not are left out of."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from assay.decide.divergence import diverged_steps
from assay.decide.select import select
from assay.decide.trend import find_signals, steps_of
from assay.reports.checkpoints.facts import sentence
from assay.types.decisions import (
    Decision,
    DecisionPlan,
    Measurements,
    PlannedCheckpoint,
    SuiteFigures,
    SuiteSignal,
)
from assay.workflow.reporting.decision import decide
from tests.decide.candidates import GATE, WHEN, candidate, estimate, os_suite, right, suite, text


def shuffled(count: int, seed: int, n: int = 100) -> list[float]:
    """So many right of n, each time others: a guesser."""
    scores = right(count, n)
    Random(seed).shuffle(scores)
    return scores


def asked(scores: list[float], baseline: float | None = 0.25) -> SuiteFigures:
    return replace(suite({"computer_science": scores}), baseline=baseline)


def steps(name: str, *found: SuiteFigures) -> list[Measurements]:
    return [
        candidate(f"tiny/step_{100 * number}", suites={"os": os_suite(80, 90, 85), name: figures})
        for number, figures in enumerate(found, 1)
    ]


def signal_of(name: str, *found: SuiteFigures) -> SuiteSignal:
    return next(each for each in find_signals(steps(name, *found)) if each.suite == name)


def test_a_suite_that_is_learnt_carries_signal():
    found = signal_of("quiz", *(asked(right(count)) for count in (20, 60, 90)))
    assert found.change.value == pytest.approx(70)
    assert found.carries
    assert 0 < found.noise < 6, "one-sided changes churn little"


def test_a_guesser_that_drifts_is_noise():
    drifting = (asked(shuffled(count, seed)) for seed, count in enumerate((20, 27, 33)))
    found = signal_of("quiz", *drifting)
    assert found.change.value == pytest.approx(13)
    assert found.noise > 4, "neighbours differ in many tests"
    assert (found.carries, found.guesses) == (False, True)


def test_above_guessing_a_change_within_the_noise_is_noise_too():
    wandering = (asked(shuffled(count, seed)) for seed, count in enumerate((60, 66, 64)))
    found = signal_of("quiz", *wandering)
    assert (found.carries, found.guesses) == (False, False)


def test_swings_there_and_back_are_noise_that_no_pairing_shows():
    """All steps swing together, as when a model changes its favourite letter."""
    swinging = [asked(right(count)) for count in (30, 60, 35, 50)]
    found = signal_of("quiz", *swinging)
    assert found.noise == pytest.approx(15), "back by 25 and by 15: the lower middle"
    assert not found.carries
    falling = [asked(right(count)) for count in (90, 60, 40)]
    assert signal_of("quiz", *falling).carries, "what is unlearnt is no noise"


def test_a_rise_and_a_fall_are_changes_and_not_noise():
    """As much at the end as at the beginning, and yet the third step is by far the best."""
    found = signal_of("quiz", *(asked(right(count)) for count in (30, 60, 90, 60, 30)))
    assert found.by_the_way == (100, 400)
    assert found.change.value == pytest.approx(40)
    assert found.carries


def test_a_third_of_the_steps_counts_as_one():
    """One low step of nine changes the mean of its third, not the direction."""
    counts = (20, 22, 24, 60, 20, 62, 80, 82, 84)
    found = signal_of("quiz", *(asked(right(count)) for count in counts))
    assert found.change.value == pytest.approx(60)
    assert found.carries


def folder_with(*, diverged: bool) -> Decision:
    """Three good steps, of which two are alike and pass; and one between them that diverged."""
    made = [
        candidate("tiny/step_100", text=text(80.0, wobble=5), suites={"os": os_suite(10, 12, 9)}),
        candidate("tiny/step_200", text=text(40.0, wobble=5), suites={"os": os_suite(84, 90, 86)}),
        candidate("tiny/step_400", text=text(39.9, wobble=9), suites={"os": os_suite(80, 91, 84)}),
    ]
    if diverged:
        bad = replace(text(3000.0), top1=estimate(0.02, 0.01, 0.03))
        made.insert(2, candidate("tiny/step_300", text=bad, suites={"os": os_suite(0, 1, 0)}))
    subjects = tuple(
        PlannedCheckpoint(
            spec=each.path, name=each.name, path=each.path, step=each.step, folder="tiny"
        )
        for each in made
    )
    plan = DecisionPlan(subjects=subjects, measures=(), gate=GATE, selects=True)
    return decide(plan, made, timestamp=WHEN)


def test_a_step_that_diverged_is_named_and_changes_no_decision():
    without, found = folder_with(diverged=False), folder_with(diverged=True)
    before, after = without.selections["tiny"], found.selections["tiny"]
    assert before.tie
    assert (after.selected, after.tie, after.tied_with) == (
        before.selected, before.tie, before.tied_with,
    )  # fmt: skip
    assert after.ranked_on == before.ranked_on
    assert "os_benchmark" in after.ranked_on
    assert after.difference == before.difference
    assert found.signals == without.signals
    (named,) = [each for each in after.notes if each.kind == "step_diverged_in_text"]
    assert sentence(named).startswith("Step 300 diverged: held-out nats per token +4.32")
    assert "the next token is right in 2 % instead of 31 %" in sentence(named)


def test_without_a_text_a_suite_that_falls_and_comes_back_shows_the_step():
    counts = (70, 80, 5, 82, 84)
    made = [replace(each, text=None) for each in steps("quiz", *(asked(right(n)) for n in counts))]
    (found,) = diverged_steps(steps_of(made))
    assert (found.step, found.before, found.measure) == (300, 200, "suite:quiz")
    assert find_signals(made) == find_signals([*made[:2], *made[3:]])


def test_a_loss_that_rises_slowly_or_keeps_its_guesses_did_not_diverge():
    """As overfitting does."""
    slow = [candidate(f"tiny/step_{n}", text=text(40 * 1.3**n)) for n in range(1, 6)]
    assert diverged_steps(slow) == ()
    worse = [candidate("tiny/step_1", text=text(40)), candidate("tiny/step_2", text=text(400))]
    assert diverged_steps(worse) == (), "the first guess is right as often as before"


def test_fewer_than_three_steps_say_nothing():
    two = steps("quiz", asked(right(20)), asked(right(90)))
    assert find_signals(two) == ()
    other_tests = replace(asked(right(30)), digest="other")
    assert [each.suite for each in find_signals([*two, *steps("quiz", other_tests)])] == []


def test_noise_decides_nothing_between_two_checkpoints():
    """The later step has the better MMLU, by chance, and the worse perplexity."""
    made = [
        replace(each, mmlu_cs=estimate(share), text=candidate().text)
        for each, share in zip(
            steps("mmlu", *(asked(shuffled(n, n)) for n in (24, 25, 30))),
            (0.24, 0.25, 0.30),
            strict=True,
        )
    ]
    noise = [each.suite for each in find_signals(made) if not each.carries]
    assert "mmlu" in noise
    whole = select(made, GATE, timestamp=WHEN)
    assert "mmlu_cs" in whole.ranked_on
    without = select(made, GATE, timestamp=WHEN, noise=noise)
    assert without.ranked_on == ("perplexity", "speed"), "os is equal at all steps, noise as well"
    assert {each.kind for each in without.notes} >= {"part_is_noise", "ranked_on"}
    scores = {row.name: (row.weighted_score, row.ranking_score) for row in without.ranking}
    assert len({ranking for _, ranking in scores.values()}) == 1
    assert len({weighted for weighted, _ in scores.values()}) == 3, "the formula stays"
    assert without.tie
