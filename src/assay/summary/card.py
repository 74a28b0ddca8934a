"""What a suite is made of: its balance, its right answers, its repeated questions."""

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping

from assay.types import Category, Suite
from assay.types.results import Baselines, CategoryCard, SuiteCard

TICKS = "tick "  # tags that look for something in an answer say nothing of what a test is about


def suite_card(suite: Suite, known: Baselines, sources: Mapping[str, int]) -> SuiteCard:
    return SuiteCard(
        suite=suite,
        categories=tuple(_category(suite, category) for category in suite.categories),
        baselines=known,
        sources=sources,
        repeated=tuple(_repeated(suite)),
    )


def _category(suite: Suite, category: Category) -> CategoryCard:
    cases = category.cases
    words = [sum(len(turn.content.split()) for turn in case.messages) for case in cases]
    letters = [case.check.gold() or "" for case in cases if case.check.requests().letters]
    return CategoryCard(
        name=category.name,
        tests=len(cases),
        examples=len(suite.few_shot.get(category.name, ())),
        weight=suite.weight(category.name),
        methods=_counted(case.method for case in cases),
        words=(min(words), round(statistics.median(words)), max(words)),
        letters=dict(sorted(Counter(letters).items())),
        tags=_counted(tag for case in cases for tag in case.tags if not tag.startswith(TICKS)),
    )


def _counted(names: Iterable[str]) -> dict[str, int]:
    """Most frequent first; ties by name, so that a page made again is the same page."""
    counts = Counter(names)
    return {name: counts[name] for name in sorted(counts, key=lambda name: (-counts[name], name))}


def _repeated(suite: Suite) -> Iterable[str]:
    """Ids of tests that ask what an earlier test asks, letter case and white space apart."""
    seen: dict[tuple[object, ...], str] = {}
    for case in suite.cases:
        asked = tuple(" ".join(turn.content.casefold().split()) for turn in case.messages)
        options = case.check.requests().options
        first = seen.setdefault((case.system, asked, options), case.id)
        if first != case.id:
            yield case.id
