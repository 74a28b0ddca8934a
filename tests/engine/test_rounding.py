"""Rounding to 8 bits against ggml's own loops, written out number by number."""

import numpy as np
import pytest
import torch

from assay.engine.rounding import Q8_0, Q8_K


def by_hand_q8_0(row: np.ndarray) -> np.ndarray:
    """As quantize_row_q8_0 of ggml and back: the step goes through 16 bits, the counts do not."""
    found = []
    for start in range(0, len(row), 32):
        block = row[start : start + 32].astype(np.float32)
        step = np.float32(max(abs(each) for each in block)) / np.float32(127)
        inverse = np.float32(1) / step if step else np.float32(0)
        counts = [np.rint(each * inverse) for each in block]
        found += [np.float32(each) * np.float32(np.float16(step)) for each in counts]
    return np.array(found, np.float32)


def by_hand_q8_k(row: np.ndarray) -> np.ndarray:
    """As quantize_row_q8_K of ggml and back: the largest becomes -127 steps, one for 256."""
    found: list[np.float32] = []
    for start in range(0, len(row), 256):
        block = row[start : start + 256].astype(np.float32)
        largest = block[np.argmax(np.abs(block))]
        if not largest:
            found += [np.float32(0)] * 256
            continue
        scale = np.float32(-127) / largest
        counts = [min(np.float32(127), np.rint(scale * each)) for each in block]
        found += [each / scale for each in counts]
    return np.array(found, np.float32)


@pytest.mark.parametrize(("rounding", "by_hand"), [(Q8_0, by_hand_q8_0), (Q8_K, by_hand_q8_k)])
def test_numbers_are_rounded_as_ggml_rounds_them(rounding, by_hand):
    draw = np.random.default_rng(0)
    rows = draw.standard_normal((6, 512)).astype(np.float32) * np.float32(3)
    rows[1] *= draw.lognormal(0, 2, 512).astype(np.float32)
    rows[2, 40:] = 0
    rows[3] = 0
    rows[4, 7] = -900
    expected = np.stack([by_hand(row) for row in rows])
    found = rounding.rounded(torch.from_numpy(rows))
    np.testing.assert_allclose(found.numpy(), expected, rtol=2e-6, atol=0)
    assert not np.allclose(expected, rows, rtol=1e-4)


def test_a_worked_block():
    """Steps of 1: halves go to the even neighbour."""
    row = torch.zeros(32)
    row[:5] = torch.tensor([127.0, 0.4, -0.6, 2.5, 3.5])
    assert Q8_0.rounded(row)[:5].tolist() == [127, 0, -1, 2, 4]


def test_rows_do_not_see_each_other_and_keep_their_number_type():
    rows = torch.randn(3, 64, generator=torch.Generator().manual_seed(0))
    together = Q8_0.rounded(rows)
    assert torch.equal(together[1], Q8_0.rounded(rows[1]))
    assert Q8_K.rounded(torch.ones(2, 256, dtype=torch.bfloat16)).dtype == torch.bfloat16
