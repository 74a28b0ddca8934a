"""Word order: what is counted tells lines from their own words shuffled, and survives packing."""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from assay.checks.ewe.language import NAME, mark_names, shipped_model
from assay.checks.ewe.word_order import (
    ANY,
    EDGE,
    PLACES,
    VIEWS,
    WORD_ORDER,
    hashes_of,
    place_of,
    runs_of,
    shipped_word_order,
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
    worth = np.array([1.0] * len(VIEWS) + [0.0] * 4)
    order = order_script.put_together(order_script.weigh_runs(texts, known), worth)
    draw = random.Random(2)

    def gain(text: str) -> float:
        return sum(order.gains(order_script.words_of(text), known))

    right = sum(gain(text) > gain(order_script.shuffled(text, draw)) for text in unseen)
    assert right >= 0.9 * len(unseen)


def test_weights_add_up_to_how_much_likelier_a_word_is_after_another(
    order_script: ModuleType,
) -> None:
    """Kneser-Ney by hand, in the view of pairs: "a b" twice, "c b" once, "c d" once."""
    texts = ["a b", "a b", "c b", "c d"]
    known = {"a": 3, "b": 3, "c": 3, "d": 3}
    weights = order_script.weigh_runs(texts, known)[0]
    words = 12  # four times two and an end
    # Different pairs: | a, | c, a b, c b, c d, b |, d |; two of them end in b.
    b_alone = (2 - 0.75) / 7 + 0.75 * 5 / 7 * (1 / 5)
    after_a = (2 - 0.75) / 2 + 0.75 / 2 * b_alone
    added = weights["b"] + weights["a b"] + weights[f"a {ANY}"]
    assert added == pytest.approx(np.log(after_a / (3 / words)))
    # Never seen after a, d has what is left of a.
    unseen = weights["d"] + weights[f"a {ANY}"]
    d_alone = (1 - 0.75) / 7 + 0.75 * 5 / 7 * (1 / 5)
    assert unseen == pytest.approx(np.log(0.75 / 2 * d_alone / (1 / words)))
    # Pairs seen once are not kept, nor what is left of a word that only they begin with.
    assert "c b" not in weights
    assert f"c {ANY}" not in weights


def test_packed_weights_come_back(order_script: ModuleType) -> None:
    shipped = shipped_word_order()
    again = unpack_order(order_script.pack_order(shipped))
    assert np.array_equal(again.places, shipped.places)
    assert np.array_equal(again.weights, shipped.weights)
    assert (again.length, again.bias) == (shipped.length, shipped.bias)
    assert int(shipped.places[-1]) < PLACES
    assert (np.diff(shipped.places.astype(np.int64)) > 0).all()
    assert WORD_ORDER.stat().st_size < 250_000


def test_rare_words_are_counted_by_their_letters() -> None:
    pairs, _, triples = VIEWS
    found = [*runs_of(["nye", "gbea"], {"nye": 5}, pairs)]
    assert found[1] == ["-ea", "nye -ea", f"nye {ANY}"]
    found = [*runs_of(["nye", "gbea"], {"nye": 5}, triples)]
    assert found[1][-2:] == [f"{EDGE} -ny -gb", f"{EDGE} -ny {ANY}"]
    assert found[-1][-2:] == [f"-ny -gb {EDGE}", f"-ny -gb {ANY}"]


@pytest.mark.parametrize("words", [[], ["nye"], ["menya", "la", "^", "esiawo", "nunya"]])
def test_hashes_are_those_of_the_runs(words: list[str]) -> None:
    known = shipped_model().ewe_words
    views = [runs_of(words, known, view) for view in VIEWS]
    hashes = hashes_of(words, known)
    assert [[each % PLACES for each in of_word] for of_word in hashes] == [
        [place_of(view, run) for view, runs in enumerate(at_word) for run in runs]
        for at_word in zip(*views, strict=True)
    ]


def test_a_rare_word_with_a_capital_inside_a_sentence_is_a_name() -> None:
    known = {"nye": 10, "le": 10, "kofi": 3}
    words = ["ama", "nye", "mensa", "le", "kofi"]
    assert mark_names("Ama nye Mensa le Kofi", words, known) == ["ama", "nye", NAME, "le", "kofi"]
    assert mark_names("Ama Mensa Adzo", ["ama", "mensa", "adzo"], {}) == ["ama", "mensa", "adzo"]
