"""Several trainings of one recipe: how far they lie apart, beside how sure one of them is."""

from __future__ import annotations

import math

import pytest

from assay.decide.trainings import spread_of_trainings
from tests.decide.candidates import candidate, os_suite, text


def seed(number: int, perplexity: float, *counts: int):
    name = f"seed_{number}"
    early = candidate(f"{name}/step_100", shape="s", text=text(90.0, 88.0, 92.0))
    late = candidate(
        f"{name}/step_900",
        shape="s",
        text=text(perplexity, perplexity - 1.96, perplexity + 1.96),
        suites={"os": os_suite(*counts)},
    )
    return [late, early]


def test_the_spread_between_seeds_is_beside_the_error_of_one():
    folders = {
        "a": seed(1, 40.0, 80, 80, 80),
        "b": seed(2, 44.0, 84, 84, 84),
        "c": seed(3, 42.0, 82, 82, 82),
    }
    by_name = {each.figure: each for each in spread_of_trainings(folders)}
    perplexity, suite = by_name["perplexity"], by_name["suite:os"]
    assert (perplexity.trainings, perplexity.mean) == (3, 42.0)
    assert perplexity.between == pytest.approx(2.0), "the last steps: 40, 44, 42"
    assert perplexity.within == pytest.approx(1.0, rel=1e-4)
    assert suite.mean == pytest.approx(82.0)
    assert suite.between == pytest.approx(2.0)
    assert suite.within is not None
    assert 1.0 < suite.within < 3.0, f"about {100 * math.sqrt(0.82 * 0.18 / 300):.1f}"


def test_models_of_other_shapes_or_a_single_training_are_no_seeds():
    assert spread_of_trainings({"a": seed(1, 40.0, 80, 80, 80)}) == ()
    other = candidate("large/step_1", shape="t")
    assert spread_of_trainings({"a": seed(1, 40.0, 80, 80, 80), "b": [other]}) == ()
