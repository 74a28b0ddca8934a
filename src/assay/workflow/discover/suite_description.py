"""A suite described before any model is asked: `assay suites NAME`.

In: a Suite. Out: its SuiteCard. The steps: mark the answers that know nothing, count facts by
source, count the rest.
"""

from __future__ import annotations

from pathlib import Path

from assay.suites.fact_sources import facts_by_source
from assay.summary import suite_card
from assay.types import Suite
from assay.types.results import SuiteCard
from assay.workflow.evaluate.background_work import baselines_of


def describe(suite: Suite) -> SuiteCard:
    """The suite's balance, sources, and trivial baselines."""
    folder = Path(suite.path)
    sources = facts_by_source(folder if folder.is_dir() else folder.parent, _beside_facts(suite))
    return suite_card(suite, baselines_of(suite), sources)


def _beside_facts(suite: Suite) -> set[str]:
    """Tests and worked examples that a sources.tsv can speak of: a file that took the place of a
    category brought other tests, whatever their ids.
    """
    here = (each for each in suite.categories if each.name not in suite.elsewhere)
    tests = {case.id for category in here for case in category.cases}
    return tests | {case.id for examples in suite.few_shot.values() for case in examples}
