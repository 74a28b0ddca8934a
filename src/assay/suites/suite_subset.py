"""Some of a suite's tests: the chosen categories, or a fair sample.

A test's place in the sample depends on the seed and its id alone: a larger limit only adds tests.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.errors import SuiteNotFound, UsageError, raise_all
from assay.files.wording import did_you_mean, shown
from assay.messages import tr
from assay.types import Category, Suite


def pick_all(
    suites: Sequence[Suite],
    categories: Sequence[str] = (),
    limit: int | None = None,
    seed: int = 0,
) -> tuple[Suite, ...]:
    """Suites with only some categories (all, if none are named) and at most `limit` tests each;
    those without any of the categories are left out.

    Raises:
        SuiteNotFound: a category is in none of the suites.
        UsageError: the limit is below 1.
    """
    if limit is not None and limit < 1:
        raise UsageError(tr("the limit must be at least 1, not {limit}", limit=limit))
    known = list(dict.fromkeys(c.name for suite in suites for c in suite.categories))
    raise_all([_no_such_category(name, known) for name in categories if name not in known])
    wanted = set(categories) or set(known)
    chosen = [_keep(suite, [c for c in suite.categories if c.name in wanted]) for suite in suites]
    kept = [suite for suite in chosen if suite.categories]
    return tuple(kept if limit is None else (_sample(suite, limit, seed) for suite in kept))


def _no_such_category(name: str, known: Sequence[str]) -> SuiteNotFound:
    problem = tr("there is no category '{name}'", name=shown(name))
    return SuiteNotFound(
        did_you_mean(problem, name, known),
        hint=tr("`assay suites NAME` lists the categories of a suite."),
    )


def _sample(suite: Suite, limit: int, seed: int) -> Suite:
    """The first of every category's ranking, then the second of each, and so on."""
    turns: list[tuple[int, bytes, str]] = []
    for category in suite.categories:
        ranked = sorted((_rank(seed, case.id), case.id) for case in category.cases)
        turns += [(turn, rank, name) for turn, (rank, name) in enumerate(ranked)]
    drawn = {name for _, _, name in sorted(turns)[:limit]}
    smaller = [
        Category(name=c.name, cases=tuple(case for case in c.cases if case.id in drawn))
        for c in suite.categories
    ]
    return _keep(suite, [category for category in smaller if category.cases])


def _rank(seed: int, name: str) -> bytes:
    return hashlib.blake2b(f"{seed}\0{name}".encode(), digest_size=8).digest()


def _keep(suite: Suite, categories: Sequence[Category]) -> Suite:
    names = {category.name for category in categories}
    return replace(
        suite,
        categories=tuple(categories),
        weights={name: w for name, w in suite.weights.items() if name in names},
        few_shot={name: cases for name, cases in suite.few_shot.items() if name in names},
    )


def only_tests(suites: Sequence[Suite], tests: frozenset[str]) -> Iterator[Suite]:
    """Suites with these tests alone, named by id or SUITE.ID; what is empty then is left out."""
    for suite in suites:
        categories = [
            replace(category, cases=tuple(case for case in category.cases
                                          if {case.id, f"{suite.name}.{case.id}"} & tests))
            for category in suite.categories
        ]  # fmt: skip
        if kept := [category for category in categories if category.cases]:
            yield _keep(suite, kept)
