"""A tick is told beside the mark and never changes it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.checks.keywords import Keywords
from assay.checks.scoring import score_reply
from assay.types import Answered, Case, Message

CASE = Case(
    id="hardware_id_001",
    suite="os",
    category="hardware_id",
    messages=(Message("user", "PCI device 1002:67df is a"),),
    check=Keywords(expected_keywords=(("graphics card", "GPU"),)),
    tags=("graphics", "tick vendor: AMD | Advanced Micro Devices"),
)


def explained(answer: str, case: Case = CASE) -> tuple[float | None, str]:
    score = score_reply(case, Answered(request_id="r", text=answer))
    assert score is not None
    return score.value, score.explanation


@pytest.mark.parametrize(
    ("answer", "value", "told"),
    [
        ("a GPU by amd", 1.0, "Found: vendor (AMD)."),
        ("a GPU of Advanced  Micro Devices", 1.0, "Found: vendor (Advanced Micro Devices)."),
        ("a sound card from AMD", 0.0, "Found: vendor (AMD)."),
        ("a GPU", 1.0, "Not found: vendor (AMD / Advanced Micro Devices)."),
        ("a GPU for AMD64 machines", 1.0, "Not found: vendor (AMD / Advanced Micro Devices)."),
    ],
)
def test_a_tick_is_told_and_the_mark_is_as_without(answer: str, value: float, told: str) -> None:
    marked, explanation = explained(answer)
    without, plain = explained(answer, replace(CASE, tags=()))
    assert marked == without == value
    assert explanation == f"{plain} {told}"


@pytest.mark.parametrize("tag", ["tick", "tick vendor", "tick vendor:", "tick vendor: ", "vendor"])
def test_other_tags_tick_nothing(tag: str) -> None:
    case = replace(CASE, tags=(tag,))
    assert explained("a GPU", case) == explained("a GPU", replace(CASE, tags=()))
