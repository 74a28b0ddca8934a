"""Where rows that are written lie: rows that are copied, moved and removed."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.engine.layout.slots import Slots

CAPACITY, LAYERS = 12, 3


def filled(lengths, seed=0):
    """Each module's keys and values, drawn; and copies of them by name."""
    draw = torch.Generator().manual_seed(seed)
    slots = Slots(len(lengths) + 2, CAPACITY, LAYERS)
    for length in lengths:
        slots.take(length)
    for module in range(LAYERS):
        keys, values = torch.randn(2, slots.rows, 2, CAPACITY, 4, generator=draw)
        slots.write(module, slice(0, slots.rows), keys, values)
    return slots


def kept(slots):
    """[row][module] what a row sees."""
    return [
        [
            (
                slots.keys[module][row, :, :length].clone(),
                slots.values[module][row, :, :length].clone(),
            )
            for module in range(LAYERS)
        ]
        for row, length in enumerate(slots.lengths)
    ]


def same(one, other):
    return all(
        torch.equal(a, b)
        for row, like in zip(one, other, strict=True)
        for module, its in zip(row, like, strict=True)
        for a, b in zip(module, its, strict=True)
    )


@st.composite
def orders(draw):
    lengths = draw(st.lists(st.integers(0, CAPACITY), min_size=1, max_size=5))
    rows = draw(st.lists(st.integers(0, len(lengths) - 1), max_size=len(lengths) + 2))
    return lengths, rows


@settings(deadline=None)
@given(orders(), st.sampled_from([1, 200, 2**20]))
def test_reordered_rows_see_what_those_saw_that_they_are_copies_of(order, room):
    lengths, rows = order
    slots = filled(lengths)
    slots.bytes_moved = room
    before = kept(slots)
    slots.reorder(rows)
    assert slots.lengths == [lengths[row] for row in rows]
    assert same(kept(slots), [before[row] for row in rows])


@given(st.permutations(range(4)), st.integers(0, 6))
def test_what_rows_have_in_common_is_not_copied(order, alike):
    slots = filled([6, 7, 8, 9])
    for store in (*slots.keys.values(), *slots.values.values()):
        store[:, :, :alike] = store[:1, :, :alike]
    before = kept(slots)
    for store in (*slots.keys.values(), *slots.values.values()):
        store[:, :, :alike] += 1  # so that a copy of another row's would show
    slots.reorder(order, [alike] * 4)
    for seen, row in zip(kept(slots), order, strict=True):
        for (keys, values), (its_keys, its_values) in zip(seen, before[row], strict=True):
            assert torch.equal(keys[:, alike:], its_keys[:, alike:])
            assert torch.equal(values[:, alike:], its_values[:, alike:])
            assert torch.equal(keys[:, :alike], its_keys[:, :alike] + 1)


@pytest.mark.parametrize("slot", [0, 1, 2])
def test_the_last_row_takes_the_place_of_one_that_is_removed(slot):
    slots = filled([5, 9, 12])
    before = kept(slots)
    slots.remove(slot)
    expected = [before[2] if row == slot else before[row] for row in range(2)]
    assert same(kept(slots), expected)


def test_modules_of_different_shapes_have_places_of_their_own():
    slots = Slots(2, CAPACITY, 2)
    one, other = torch.ones(2, 2, 3, 4), torch.full((2, 1, 3, 8), 2.0)
    slots.write("one", slice(0, 2), one, one)
    slots.write("other", slice(0, 2), other, other)
    assert slots.keys["one"].shape == (2, 2, CAPACITY, 4)
    assert slots.values["other"].shape == (2, 1, CAPACITY, 8)
    assert torch.equal(slots.keys["one"][:, :, :3], one)
    assert torch.equal(slots.values["other"][:, :, :3], other)
