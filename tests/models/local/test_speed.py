"""The fresh process that times a checkpoint: what it prints, what it refuses, how it ends."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from assay.errors import ModelUnavailable
from assay.machine import this_machine
from assay.models.local.model import LocalModel
from assay.models.local.speed import TimedCheckpoint, begun_to_time, measure_speed
from assay.types import Request, ToTime
from assay.types.options import LocalOptions
from tests.models.local.checkpoints import make_checkpoint
from tests.waiting import PATIENCE_S


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory) -> Path:
    return make_checkpoint(tmp_path_factory.mktemp("tiny") / "step_1", "llama", context=48)


@pytest.fixture(scope="module")
def measured(checkpoint) -> SimpleNamespace:
    """By a parent that holds 400 MB itself."""
    weight = bytearray(400_000_000)
    weight[::4096] = b"x" * len(weight[::4096])
    found = measure_speed(TimedCheckpoint(folder=str(checkpoint)))
    assert len(weight)
    return SimpleNamespace(**found)


def test_three_runs_are_timed_and_the_one_in_the_middle_is_reported(measured):
    assert len(measured.runs_per_s) == len(measured.prefill_s) == len(measured.decode_s) == 3
    assert measured.tokens_per_s == sorted(measured.runs_per_s)[1]
    assert (measured.prompt_tokens, measured.new_tokens) == (24, 24)
    assert measured.decode_s[0] * measured.runs_per_s[0] == pytest.approx(23)
    assert measured.spread_per_s is not None
    assert 0 < measured.latency_p50_s <= measured.latency_p95_s
    assert measured.first_token_s > 0


def test_hardware_threads_and_number_type_are_named(measured):
    assert measured.machine == json.loads(json.dumps(asdict(this_machine())))
    assert measured.threads == this_machine().cores
    assert measured.dtype == "float32"


def test_memory_is_the_sum_of_its_parts(measured):
    parts = measured.weights_mb + measured.cache_mb + measured.activations_mb
    assert measured.memory_usage_mb == pytest.approx(parts)
    # Two layers, keys and values, two heads of eight, 48 tokens, two bytes.
    assert measured.cache_mb == pytest.approx(2 * 2 * 2 * 8 * 48 * 2 / 1e6)
    if sys.platform.startswith("linux"):
        assert measured.resident_mb is not None
        assert 0 < measured.resident_mb < 1000


def test_bytes_moved_are_compared_with_what_memory_delivers(measured):
    share = measured.bytes_per_token * measured.tokens_per_s / measured.memory_bytes_per_s
    assert measured.share_of_bandwidth == pytest.approx(share)
    assert measured.bytes_per_token > measured.weights_mb * 1e6
    assert math.isfinite(measured.memory_bytes_per_s)


def test_a_large_parent_does_not_count_as_the_childs_memory(measured):
    if measured.resident_mb is not None:
        assert measured.resident_mb < 300


def test_a_folder_that_cannot_be_loaded_is_a_reason_and_no_exception(tmp_path):
    with pytest.raises(ModelUnavailable) as found:
        measure_speed(TimedCheckpoint(folder=str(tmp_path / "none")))
    assert str(tmp_path / "none") in found.value.message
    assert found.value.hint


def children_of_this_process() -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process().children()
        if "assay.models.local.speed" in child.cmdline()
    ]


def test_the_deadline_ends_it(checkpoint):
    with pytest.raises(ModelUnavailable) as found:
        measure_speed(TimedCheckpoint(folder=str(checkpoint)), deadline_s=0.2)
    assert "0.2" in found.value.message
    assert children_of_this_process() == []


def test_stopping_ends_it(checkpoint):
    asked = 0

    def stopped() -> bool:
        nonlocal asked
        asked += 1
        return asked > 2

    with pytest.raises(ModelUnavailable):
        measure_speed(TimedCheckpoint(folder=str(checkpoint)), stopped=stopped)
    assert children_of_this_process() == []


def test_it_loads_beside_and_measures_when_told_to(checkpoint):
    with begun_to_time(TimedCheckpoint(folder=str(checkpoint))) as timing:
        while not children_of_this_process():
            time.sleep(0.01)
        [process] = children_of_this_process()
        until = time.monotonic() + PATIENCE_S
        loaded = 0.0
        # It computes as long as it loads, and then waits.
        while process.cpu_times().user > loaded and time.monotonic() < until:
            loaded = process.cpu_times().user
            time.sleep(1.0)
        assert process.is_running()
        before = datetime.now(UTC)
        found = timing.measure()
    measured_at = datetime.fromisoformat(found["measured_at"])
    assert measured_at >= before.replace(microsecond=0)
    assert children_of_this_process() == []


def test_one_that_was_never_told_to_measure_ends_with_its_owner(checkpoint):
    with begun_to_time(TimedCheckpoint(folder=str(checkpoint))):
        while not children_of_this_process():  # its name is there once it has begun
            time.sleep(0.01)
    assert children_of_this_process() == []


def test_one_that_cannot_load_says_so_when_asked(tmp_path):
    with begun_to_time(TimedCheckpoint(folder=str(tmp_path / "none"))) as timing:
        psutil.wait_procs(children_of_this_process(), timeout=PATIENCE_S)
        with pytest.raises(ModelUnavailable) as found:
            timing.measure()
    assert "none" in found.value.message


def timing_requests(*works):
    return [
        Request(
            id=f"{number}", suite="measure:speed", test_id="speed", turn=0, repeat=number, work=work
        )
        for number, work in enumerate(works)
    ]


def test_a_model_made_ready_is_timed_by_the_process_that_loaded_it_beside(checkpoint):
    model = LocalModel(checkpoint, spec="hf:x", settings=LocalOptions(device="cpu"))
    requests = timing_requests(*[ToTime(new_tokens=4, prompt_tokens=4, repeats=1)] * 2)
    with model.get_ready(requests):
        begun = children_of_this_process()
        replies = list(model.answer(requests))
        assert children_of_this_process() == []
    assert [len(reply.decode_s) for reply in replies] == [1, 1]
    assert len(begun) <= 1


def test_one_made_ready_for_other_runs_is_ended_and_another_does_what_is_asked(checkpoint):
    model = LocalModel(checkpoint, spec="hf:x", settings=LocalOptions(device="cpu"))
    asked = timing_requests(ToTime(new_tokens=4, prompt_tokens=4, repeats=1))
    with model.get_ready(timing_requests(ToTime(new_tokens=5, prompt_tokens=4, repeats=1))):
        [reply] = model.answer(asked)
        assert children_of_this_process() == []
    assert reply.new_tokens == 4


def test_an_interrupt_ends_it_too(checkpoint):
    def stopped() -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure_speed(TimedCheckpoint(folder=str(checkpoint)), stopped=stopped)
    assert children_of_this_process() == []


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs signals")
def test_it_ends_with_a_parent_that_was_killed(checkpoint):
    code = (
        "import sys; from assay.models.local.speed import TimedCheckpoint, measure_speed\n"
        "measure_speed(TimedCheckpoint(folder=sys.argv[1]))\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(checkpoint)])
    children: list[psutil.Process] = []
    while parent.poll() is None and not children:
        children = psutil.Process(parent.pid).children()
        time.sleep(0.01)
    parent.kill()
    parent.wait()
    assert children, "it ended before it was killed"
    _, alive = psutil.wait_procs(children, timeout=PATIENCE_S)
    assert alive == []
