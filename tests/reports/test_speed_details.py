"""Latency and bandwidth of checkpoints, when they were measured, and beside what."""

from __future__ import annotations

from dataclasses import replace

from assay.reports.checkpoints.table import speed_details, timing_line
from assay.types.requests import Timed
from tests.decide.candidates import candidate, speed

DETAILS = {
    "machine": {"processor": "a chip", "system": "Linux"},
    "threads": 2,
    "latency_p50_s": 0.02,
    "latency_p95_s": 0.03,
    "first_token_s": 0.1,
    "prefill_tokens_per_s": 320.0,
    "memory_bytes_per_s": 20e9,
    "share_of_bandwidth": 0.5,
    "measured_at": "2026-11-15T10:15:00Z",
}


def timed(**more):
    return replace(speed(30.0, 31.0, 32.0), details={**DETAILS, **more})


def test_latency_and_bandwidth_are_a_row_of_each_shape():
    two = [
        candidate("tiny/step_1", shape="s", speed=timed()),
        candidate("tiny/step_2", shape="s", speed=timed()),
        candidate("tiny/step_3", shape="t", speed=speed(9.0)),
    ]
    found = speed_details(two)
    assert found is not None
    assert [row.cells for row in found.rows] == [
        ("step_1, step_2", "31.0", "20.0", "30.0", "100", "320", "20.0", "50 %"),
        ("step_3", "9.00", "–", "–", "–", "–", "–", "–"),
    ]
    assert speed_details([candidate(speed=None)]) is None


def test_a_speed_says_when_and_beside_what_it_was_measured():
    quiet = timing_line(timed(others_share=0.04))
    assert "Measured 2026-11-15T10:15:00Z; other programs took 4 %" in quiet
    busy = timing_line(timed(others_share=0.6))
    assert "on a busy machine: other programs took 60 %" in busy
    assert "measures it again" in busy
    assert "Measured" not in timing_line(timed()), "not every system tells"


def test_a_timing_beside_other_programs_is_busy():
    def reply(**details):
        return Timed(
            request_id="r", prefill_s=(1.0,), decode_s=(1.0,), new_tokens=2, details=details
        )

    assert reply(others_share=0.5).was_busy
    assert not reply(others_share=0.1).was_busy
    assert not reply().was_busy
