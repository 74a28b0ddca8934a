"""What this machine could do: figures that hang together, whatever the machine."""

from __future__ import annotations

from itertools import count
from math import isfinite

import pytest
import torch

from assay.engine.timing import SIZES, measure_bandwidth

CPU = torch.device("cpu")


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_rate_is_a_number(dtype):
    found = measure_bandwidth(CPU, dtype, size=2**23, seconds=0.01)
    assert found > 0
    assert isfinite(found)


@pytest.mark.parametrize(
    ("asked", "taken"), [(1, SIZES["cpu"][0]), (2**24, 2**24), (2**40, SIZES["cpu"][1])]
)
def test_the_data_is_as_large_as_a_moment_allows(asked, taken):
    """By a clock that moves by a second whenever somebody looks at it."""
    seconds = count().__next__
    assert measure_bandwidth(CPU, torch.float32, size=asked, seconds=0, clock=seconds) == taken


def test_the_quickest_of_two_runs_counts_and_two_are_enough_when_they_took_long():
    # When it looks: first of all; at the start and the end of a run; between runs, from the second.
    looks = iter([0.0, 0.0, 3.0, 3.0, 5.0, 5.0])
    size = SIZES["cpu"][0]
    assert measure_bandwidth(CPU, torch.float32, size=size, clock=looks.__next__) == size / 2
    assert list(looks) == []
