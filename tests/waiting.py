"""Waiting for something to happen, without an opinion on how fast."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

# Only a broken program reaches this. A slow or busy machine must not.
PATIENCE_S = 600

Found = TypeVar("Found")


def wait_for(
    condition: Callable[[], Found], *, every_s: float = 0.01, patience_s: float = PATIENCE_S
) -> Found:
    """Return what the condition gives as soon as that is true."""
    end = time.monotonic() + patience_s
    while not (found := condition()):
        assert time.monotonic() < end, f"waited {patience_s} s in vain"
        time.sleep(every_s)
    return found
