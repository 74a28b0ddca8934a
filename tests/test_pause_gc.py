"""Work in which Python does not look for garbage."""

from __future__ import annotations

import gc

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
