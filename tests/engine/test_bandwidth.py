"""What this machine could do: figures that hang together, whatever the machine."""

from __future__ import annotations

from math import isfinite

import pytest
import torch

from assay.engine import timing
from assay.engine.timing import SIZES, measure_bandwidth

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def _short(monkeypatch):
    monkeypatch.setattr(timing, "SECONDS_EACH", 0.01)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_rate_is_a_number(dtype):
    found = measure_bandwidth(CPU, dtype, size=2**23)
    assert found > 0
    assert isfinite(found)


@pytest.mark.parametrize(
    ("asked", "taken"), [(1, SIZES["cpu"][0]), (2**24, 2**24), (2**40, SIZES["cpu"][1])]
)
def test_the_data_is_as_large_as_a_moment_allows(monkeypatch, asked, taken):
    monkeypatch.setattr(timing, "_quickest", lambda work, device: 1.0)
    assert measure_bandwidth(CPU, torch.float32, size=asked) == taken


def test_the_first_run_is_left_out_and_the_quickest_of_the_others_counts(monkeypatch):
    now = 0.0
    durations = iter([1.0, 3.0, 2.0, 9.0])

    def work():
        nonlocal now
        now += next(durations)

    monkeypatch.setattr(timing.time, "perf_counter", lambda: now)
    assert timing._quickest(work, CPU) == 2.0
    assert list(durations) == [9.0], "two runs are enough when they took long"
