"""A fourteenth of the written answers is measured here; `python -m tests.answers` measures all."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from assay.errors import SandboxUnavailable
from assay.sandbox import open_sandbox
from tests.answers import (
    ASK_MORE_NOW,
    GOOD_FROM,
    LABELS,
    WRONG_UP_TO,
    measure,
    read_answers,
    read_recorded,
)

EVERY = 14


def test_every_test_has_two_answers_of_every_label() -> None:
    rows = list(read_answers())
    assert len(rows) == len({row["id"] for row in rows}) == 300
    counts = Counter((row["test"], row["label"]) for row in rows)
    assert len(counts) == 12 * len(LABELS)
    assert min(counts.values()) >= 2


def test_good_answers_score_at_least_0_9_and_wrong_ones_at_most_0_8() -> None:
    try:
        sandbox = open_sandbox()
    except SandboxUnavailable as unavailable:
        pytest.skip(unavailable.message)
    rows = [
        row
        for row in list(read_answers())[::EVERY]
        if row["test"] not in ASK_MORE_NOW or row["label"] in ("wrong", "adversarial")
    ]
    measured = measure(rows, sandbox)
    assert len(measured) > 15
    assert sum(each.agrees for each in measured) >= 0.97 * len(measured)
    for each in measured:
        about = each.row["id"], each.share, each.failed
        if each.label == "good":
            assert each.share >= GOOD_FROM, about
        elif each.label != "mediocre":
            assert each.share <= WRONG_UP_TO, about


def test_no_recorded_answer_of_a_small_model_is_called_good(shared: Path) -> None:
    """Their labels call one of them mediocre and the others wrong."""
    try:
        sandbox = open_sandbox()
    except SandboxUnavailable as unavailable:
        pytest.skip(unavailable.message)
    rows = list(read_recorded(shared / "recordings" / "answers"))
    # The prompt of CT-04 has changed too much for its old answers, and CT-06 waits for seconds.
    rows = [row for row in rows if row["test"] not in ("CT-04", "CT-06")]
    measured = measure(rows, sandbox)
    assert len(measured) == 20
    assert all(each.share <= WRONG_UP_TO for each in measured)
