"""The languages' model made again without one of its sources: seconds each, so once a worker."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture(scope="session")
def script(root: Path) -> ModuleType:
    """The script that makes the parameters."""
    place = root / "scripts" / "make_language_model.py"
    spec = importlib.util.spec_from_file_location("make_language_model", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_language_model"] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def lines(script: ModuleType, shared: Path) -> list[Any]:
    return list(script.read_lines(shared / "data" / "langid"))


@pytest.fixture(scope="session")
def model_without(script: ModuleType, lines: list[Any]) -> Callable[[str], Any]:
    """A model that never saw a source."""

    @cache
    def train(source: str) -> Any:
        return script.train(lines, without_sources=[source])

    return train
