"""A base model sees one text: an answer follows its question, turns are parted by a blank line."""

from __future__ import annotations

import pytest

from assay.models.base import as_text
from assay.types import Message


def asked(question: str, answer: str, then: str = "Next:") -> str:
    turns = (Message("user", question), Message("assistant", answer), Message("user", then))
    return as_text(turns)


@pytest.mark.parametrize(
    ("question", "answer", "text"),
    [
        ("PCI device 8086:10d3 is a", "network card", "PCI device 8086:10d3 is a network card"),
        ("List all PCI devices:", "lspci", "List all PCI devices: lspci"),
        ("Which driver for RTL8139?", "8139too", "Which driver for RTL8139?\n8139too"),
        ("Install nginx on Debian", "apt update\napt install nginx",
         "Install nginx on Debian\napt update\napt install nginx"),
    ],
)  # fmt: skip
def test_a_worked_example_reads_as_it_would_be_written(question, answer, text):
    assert asked(question, answer) == f"{text}\n\nNext:"


def test_a_system_prompt_stands_apart():
    turns = (Message("system", "Be brief."), Message("user", "Two plus two?"))
    assert as_text(turns) == "Be brief.\n\nTwo plus two?"


def test_a_single_prompt_is_left_as_it_is():
    assert as_text((Message("user", "She adds two and"),)) == "She adds two and"
