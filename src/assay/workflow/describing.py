"""A suite described before any model is asked: `assay suites NAME`.

In: a Suite. Out: its SuiteCard. The steps: mark the answers that know nothing, count facts by
source, count the rest.
"""

from __future__ import annotations

from pathlib import Path

from assay.results import SuiteCard
from assay.suites.sources import facts_by_source
from assay.summary import suite_card
from assay.types import Suite
from assay.workflow.meanwhile import baselines_of


def describe(suite: Suite) -> SuiteCard:
    """The suite's balance, sources, and trivial baselines."""
    folder = Path(suite.path)
    sources = facts_by_source(folder if folder.is_dir() else folder.parent)
    return suite_card(suite, baselines_of(suite), sources)
