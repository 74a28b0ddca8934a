"""Work in which Python does not look for garbage: loading 100,000 tests, all of them in use, takes
a fifth longer with it, and after transformers was imported each look takes 0.2 to 0.4 s.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_SEEN: list[bool] = []


@contextmanager
def pause_gc(*, keeps: bool = False) -> Iterator[None]:
    """For stretches of pure Python that end soon: never around a yield to a caller. `keeps`: what
    was made stays in use, and the first look after it need not be at all of that.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            if keeps and not _others_froze():
                gc.freeze()
                gc.unfreeze()  # it is among what is old now
            gc.enable()


def _others_froze() -> bool:
    """Whether somebody froze what must stay so. A yes is kept: it is counted, object by object, and
    takes 0.2 s where a program froze what transformers brings along.
    """
    if not _SEEN and gc.get_freeze_count():
        _SEEN.append(True)
    return bool(_SEEN)
