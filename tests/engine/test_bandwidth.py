"""What this machine could do: figures that hang together, whatever the machine."""

from __future__ import annotations

from math import isfinite

import pytest
import torch

from assay.engine import bandwidth
from assay.engine.bandwidth import SIZES, measure_bandwidth

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def _short(monkeypatch):
    monkeypatch.setattr(bandwidth, "SECONDS_EACH", 0.01)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_every_rate_is_measured(dtype):
    found = measure_bandwidth(CPU, dtype, size=2**23)
    for rate in (found.copy_bytes_per_s, found.read_bytes_per_s, found.operations_per_s):
        assert rate > 0
        assert isfinite(rate)


@pytest.mark.parametrize(
    ("asked", "taken"), [(1, SIZES["cpu"][0]), (2**24, 2**24), (2**40, SIZES["cpu"][1])]
)
def test_the_data_is_as_large_as_a_moment_allows(monkeypatch, asked, taken):
    sizes = []
    monkeypatch.setattr(bandwidth, "_copied", lambda device, dtype, size: sizes.append(size) or 1.0)
    monkeypatch.setattr(bandwidth, "_read", lambda device, dtype, size: sizes.append(size) or 1.0)
    monkeypatch.setattr(bandwidth, "_multiplied", lambda device, dtype, side: 1.0)
    measure_bandwidth(CPU, torch.float32, size=asked)
    assert sizes == [taken, taken]


def test_the_first_run_is_left_out_and_the_quickest_of_the_others_counts(monkeypatch):
    now = 0.0
    durations = iter([1.0, 3.0, 2.0, 9.0])

    def work():
        nonlocal now
        now += next(durations)

    monkeypatch.setattr(bandwidth.time, "perf_counter", lambda: now)
    assert bandwidth._quickest(work, CPU) == 2.0
    assert list(durations) == [9.0], "two runs are enough when they took long"
