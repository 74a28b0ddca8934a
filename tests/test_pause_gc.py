"""Work in which Python does not look for garbage."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest

from assay.pause_gc import pause_gc


def test_garbage_is_looked_for_again_afterwards_whatever_happens() -> None:
    assert gc.isenabled()
    with pause_gc():
        assert not gc.isenabled()
        with pause_gc():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ValueError, match="broken"), pause_gc():
        raise ValueError("broken")
    assert gc.isenabled()


def test_who_has_turned_it_off_finds_it_off() -> None:
    gc.disable()
    try:
        with pause_gc():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_stays_in_use_is_old_afterwards_and_nothing_is_frozen() -> None:
    """In a process of its own: here, what the tests brought along is frozen until they end."""
    code = (
        "import gc\n"
        "from assay.pause_gc import pause_gc\n"
        "with pause_gc(keeps=True): made = [[] for _ in range(1000)]\n"
        "old = {id(each) for each in gc.get_objects(2)}\n"
        "assert all(id(each) in old for each in made)\n"
        "assert gc.get_freeze_count() == 0\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
