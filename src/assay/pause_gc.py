"""Work in which Python does not look for garbage.

Thousands of tests become some hundred thousand objects, all of them in use; every so many new ones
make Python walk through all objects of the process. Loading 100,000 tests takes a fifth longer with
it. After transformers was imported each walk takes 0.2 to 0.4 s, as long as a GPU needs for the
whole of HellaSwag with 124 M parameters.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def pause_gc() -> Iterator[None]:
    """For stretches of pure Python that end soon: never around a yield to a caller."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
