"""A system prompt for folders that say nothing about themselves.

In: a Suite, a prompt. Out: the Suite; with a suite.json of its own it stays as it is, for there its
maker has decided, and so does a test that says "" and wants none.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assay.suites.suite_file import SUITE_FILE
from assay.types import Suite


def with_default_system(suite: Suite, system: str) -> Suite:
    """Give every test without a system prompt this one, unless the suite has a suite.json."""
    path = Path(suite.path)
    if ((path if path.is_dir() else path.parent) / SUITE_FILE).is_file():
        return suite
    categories = tuple(
        replace(
            category,
            cases=tuple(
                case if case.system is not None else replace(case, system=system)
                for case in category.cases
            ),
        )
        for category in suite.categories
    )
    return replace(suite, system=suite.system or system, categories=categories)
