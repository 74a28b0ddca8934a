"""Work in which Python does not look for garbage: loading 100,000 tests, all of them in use, takes
a fifth longer with it, and after transformers was imported each look takes 0.2 to 0.4 s.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

# Who has frozen what is frozen. Counting that, object by object, would take 0.2 s where a program
# froze what transformers brings along; so the others' is counted once.
_FROZEN_BY: list[Literal["us", "others"]] = []


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
            if keeps and freeze():
                thaw()  # it is among what is old now
            gc.enable()


def freeze() -> bool:
    """Let no look be at what there is until `thaw`. False, and nothing done, where something is
    frozen already: what the caller froze stays so.
    """
    if not _FROZEN_BY and gc.get_freeze_count():
        _FROZEN_BY.append("others")
    if _FROZEN_BY:
        return False
    gc.freeze()
    _FROZEN_BY.append("us")
    return True


def thaw() -> None:
    """What `freeze` froze, if it did."""
    gc.unfreeze()
    _FROZEN_BY.clear()
