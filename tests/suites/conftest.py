"""Writing suites to disk, the way an author would."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.suites.load import examine
from assay.types import FileFinding

Test = dict[str, Any]
WriteSuite = Callable[..., Path]
FindingsOf = Callable[..., tuple[FileFinding, ...]]


@pytest.fixture
def write_suite(tmp_path: Path) -> WriteSuite:
    """A folder with one file per category; `suite` becomes suite.json."""

    def write(
        categories: dict[str, Any], suite: Any = None, extra: dict[str, Any] | None = None
    ) -> Path:
        folder = tmp_path / "tests"
        folder.mkdir(exist_ok=True)
        for name, tests in categories.items():
            put(folder / f"{name}.json", tests)
        if suite is not None:
            put(folder / "suite.json", suite)
        for name, content in (extra or {}).items():
            put(folder / name, content)
        return folder

    return write


def put(path: Path, content: Any) -> None:
    """Write text as it is, and anything else as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def findings_of(write_suite: WriteSuite) -> FindingsOf:
    """All findings on tests that make up one category."""

    def findings(*tests: Any, suite: Any = None) -> tuple[FileFinding, ...]:
        return examine([write_suite({"a": list(tests)}, suite)])

    return findings


def good(**changes: Any) -> Test:
    """A sound test; a change of None takes the field out."""
    test: Test = {
        "id": "a_001",
        "prompt": "What is the capital of Togo?",
        "eval_method": "keywords",
        "expected_keywords": ["Lomé"],
    }
    test.update(changes)
    return {name: value for name, value in test.items() if value is not None}


def asking(method: str, **fields: Any) -> Test:
    """A test of some eval_method."""
    return {"id": "a_001", "prompt": "Well?", "eval_method": method, **fields}
