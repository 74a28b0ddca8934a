"""`tests/golden/values.json` is what lm-evaluation-harness says today, not only what it said once.

The engine's tests compare with those stored values, without the harness; here the harness is asked
again, from the same weights.
"""

from __future__ import annotations

import json

import lm_eval
import pytest

from tests.golden.shapes import HERE, SHAPES
from tests_around.make_golden import values_of

VALUES = json.loads((HERE / "values.json").read_text("utf-8"))
NEAR = 1e-4  # two processors add up in another order


def test_the_stored_values_are_of_the_version_that_is_installed():
    assert VALUES["made_with"]["lm_eval"] == lm_eval.__version__


@pytest.mark.parametrize("shape", SHAPES)
def test_the_harness_still_gives_the_stored_values(shape):
    found, stored = values_of(shape), VALUES["shapes"][shape]
    assert list(found) == list(stored)
    for one, other in zip(flat(found), flat(stored), strict=True):
        assert one == (
            pytest.approx(other, rel=1e-6, abs=NEAR) if isinstance(other, float) else other
        )


def flat(value):
    """The leaves, in order."""
    if isinstance(value, dict):
        value = [each for pair in value.items() for each in pair]
    if isinstance(value, list | tuple):
        for each in value:
            yield from flat(each)
    else:
        yield value
