"""The loss of every token of a text, and how many bytes it stands for, as one short text.

Losses are rounded to thousandths of a nat (at most 65.5), which is two bytes a token before
compression; widths are one byte, longer ones several tokens without a loss.
"""

from __future__ import annotations

import base64
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

STEPS = 1000.0  # of a nat
MOST = 65_535
WIDEST = 255


def pack_losses(nats: NDArray[np.floating], widths: NDArray[np.integer]) -> str:
    """`widths`: bytes of each token; a width of 0 belongs to the token behind it."""
    import numpy as np

    wide = np.maximum(0, -(-np.asarray(widths) // WIDEST) - 1)  # further rows of a wide token
    rows = len(widths) + int(wide.sum())
    losses, sizes = np.zeros(rows, "<u2"), np.full(rows, WIDEST, "u1")
    last = np.arange(len(widths)) + np.cumsum(wide)
    losses[last] = np.clip(np.rint(np.asarray(nats) * STEPS), 0, MOST)
    sizes[last] = np.asarray(widths) - wide * WIDEST
    packed = zlib.compress(losses.tobytes() + sizes.tobytes(), 6)
    return base64.b85encode(packed).decode("ascii")


def unpack_losses(packed: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Nats and widths. Raises ValueError where it is none of ours."""
    import numpy as np

    try:
        raw = zlib.decompress(base64.b85decode(packed))
    except (ValueError, zlib.error) as error:
        raise ValueError("no losses of tokens") from error
    rows = len(raw) // 3
    losses = np.frombuffer(raw[: 2 * rows], "<u2").astype(np.float64) / STEPS
    return losses, np.frombuffer(raw[2 * rows :], "u1").astype(np.int64)
