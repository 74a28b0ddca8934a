"""Word order: what is learned tells lines from their own words shuffled, and survives packing."""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from assay.checks.ewe.word_order import (
    SLOTS,
    WORD_ORDER,
    shipped_word_order,
    slots_of,
    unpack_order,
)


@pytest.fixture(scope="module")
def order_script(root: Path, script: ModuleType) -> ModuleType:
    """`script` comes first: this one imports it by name."""
    place = root / "scripts" / "make_word_order.py"
    spec = importlib.util.spec_from_file_location("make_word_order", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_word_order"] = module
    spec.loader.exec_module(module)
    return module


def test_collections_are_taken_apart_and_messages_under_the_gpl_left_out(
    order_script: ModuleType, lines: list[Any]
) -> None:
    found = order_script.ewe_by_source(order_script.take_apart(lines))
    sizes = {name: len(texts) for name, texts in found.items()}
    assert sizes == {
        "news": 348, "books": 301, "travel": 348, "UDHR": 103, "stories": 102, "later stories": 86,
    }  # fmt: skip


def test_weights_tell_lines_from_the_same_words_shuffled(
    order_script: ModuleType, lines: list[Any]
) -> None:
    found = order_script.ewe_by_source(order_script.take_apart(lines))
    texts, unseen = found["UDHR"][:70], found["UDHR"][70:]
    known = order_script.count_words(texts)
    weights = order_script.learn_weights(texts, known)
    draw = random.Random(2)

    def gain(words: list[str]) -> float:
        return sum(float(weights[slots].sum()) for slots in slots_of(words, known))

    right = sum(gain(words) > gain(draw.sample(words, len(words))) for words in unseen)
    assert right >= 0.85 * len(unseen)


def test_packed_weights_come_back(order_script: ModuleType) -> None:
    shipped = shipped_word_order()
    again = unpack_order(order_script.pack_order(shipped))
    assert np.array_equal(again.weights, shipped.weights)
    assert (again.order, again.bias) == (shipped.order, shipped.bias)
    assert len(shipped.weights) == SLOTS
    assert WORD_ORDER.stat().st_size < 100_000


def test_each_word_and_the_end_have_their_pairs() -> None:
    found = slots_of(["nye", "gbe"], {"nye": 10})
    assert [len(slots) for slots in found] == [6, 6, 6]
    assert slots_of(["nye", "gbe"], {"nye": 10}) != slots_of(["gbe", "nye"], {"nye": 10})
