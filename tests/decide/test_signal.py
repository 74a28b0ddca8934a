"""Which suites tell anything of training, and what those that do not are left out of."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from assay.decide.select import select
from assay.decide.trend import find_signals
from assay.types.decisions import Measurements, SuiteFigures, SuiteSignal
from tests.decide.candidates import GATE, WHEN, candidate, estimate, os_suite, right, suite


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


def test_a_step_back_is_noise_that_no_pairing_shows():
    """All steps swing together, as when a model changes its favourite letter."""
    swinging = [asked(right(count)) for count in (30, 60, 35, 50)]
    found = signal_of("quiz", *swinging)
    assert found.noise == pytest.approx(25)
    assert not found.carries
    falling = [asked(right(count)) for count in (90, 60, 40)]
    assert signal_of("quiz", *falling).carries, "what is unlearnt is no noise"


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
