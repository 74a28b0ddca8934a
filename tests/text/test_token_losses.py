"""The loss of every token as a short text, and back."""

from __future__ import annotations

import numpy as np
import pytest

from assay.text.token_losses import pack_losses, unpack_losses


def test_losses_and_widths_come_back():
    nats, widths = np.array([0.0, 1.2345, 99.0]), np.array([3, 0, 1])
    losses, sizes = unpack_losses(pack_losses(nats, widths))
    assert losses.tolist() == pytest.approx([0.0, 1.234, 65.535], abs=6e-4)
    assert sizes.tolist() == [3, 0, 1]


def test_a_token_wider_than_a_byte_can_say_keeps_its_loss_and_its_place():
    losses, sizes = unpack_losses(pack_losses(np.array([2.0, 5.0]), np.array([600, 4])))
    assert sizes.tolist() == [255, 255, 90, 4]
    assert losses.tolist() == [0, 0, 2, 5]


def test_a_token_takes_about_three_bytes():
    draw = np.random.default_rng(0)
    packed = pack_losses(draw.exponential(3.0, 10_000), draw.integers(1, 9, 10_000))
    assert len(packed) < 3.2 * 10_000


def test_what_is_no_such_text_is_refused():
    with pytest.raises(ValueError, match="no losses"):
        unpack_losses("hello")
