"""The kernel for a token behind what is kept, against plain attention. Needs Triton, and a GPU or
`TRITON_INTERPRET=1` and a NumPy below 2.4.
"""

import os

import pytest
import torch

pytest.importorskip("triton")
if not torch.cuda.is_available() and os.environ.get("TRITON_INTERPRET") != "1":
    pytest.skip("needs a GPU or TRITON_INTERPRET=1", allow_module_level=True)

from assay.engine.kernels import behind

# Triton's interpreter makes numbers of arrays.
pytestmark = pytest.mark.filterwarnings("ignore:Conversion of an array:DeprecationWarning")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize(("heads", "shared_by", "size"), [(2, 1, 64), (2, 4, 32), (1, 3, 80)])
def test_a_token_behind_slots_sees_what_plain_attention_shows_it(dtype, heads, shared_by, size):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    assert behind.serves(device, dtype, heads, shared_by, size)


def test_heads_that_are_too_large_are_left_to_the_plain_way():
    size = behind.LONGEST_HEAD + 1
    assert not behind.serves(torch.device("cpu"), torch.bfloat16, 2, 1, size)
