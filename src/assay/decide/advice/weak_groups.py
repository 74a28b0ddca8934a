"""Which kinds of tests a checkpoint fails more than others: device classes, distributions, topics.

In: a suite's tags; scores by test. Out: the groups that are worse than the rest beyond chance.

A group is all tests of a category that share a tag. Tags that begin with "tick " are not kinds of
tests but something looked for in an answer. A group counts as weak where more of it fails than of
the other tests of its category, by Fisher's exact test (one-sided), adjusted by Holm for all groups
that were looked at, at 5 %. Groups of fewer than FEWEST tests, or that leave fewer, are not looked
at: they show nothing.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay.stats import holm
from assay.types import DEFAULT_PASS_MARK, Suite

TestGroups = Mapping[str, Mapping[str, tuple[str, ...]]]  # category -> test id -> groups

FEWEST = 5
TICK = "tick "
CHANCE = 0.05
ROUNDING = 1e-9  # as for outcomes: 0.7 from three tenths and four tenths is 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class WeakGroup:
    """`failed` of its `tests` are below the pass mark, against `failed_elsewhere` of the other
    tests of the category. `p_value` is adjusted.
    """

    category: str
    name: str
    failed: int
    tests: int
    failed_elsewhere: int
    tests_elsewhere: int
    p_value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The weak groups, worst first, and how many groups of each category were looked at."""

    weak: tuple[WeakGroup, ...]
    looked_at: Mapping[str, int]


def groups_of(suite: Suite) -> dict[str, dict[str, tuple[str, ...]]]:
    """Category -> test id -> the groups that the test belongs to, by its tags."""
    return {
        category.name: {
            case.id: tuple(tag for tag in case.tags if not tag.startswith(TICK))
            for case in category.cases
        }
        for category in suite.categories
    }


def weak_groups(
    scores: Mapping[str, Mapping[str, float]],
    groups: TestGroups,
    *,
    pass_mark: float = DEFAULT_PASS_MARK,
) -> Spread:
    """Look at every group of every category that has scores."""
    found: list[WeakGroup] = []
    members: list[frozenset[str]] = []
    looked_at: dict[str, int] = {}
    for category, shares in sorted(scores.items()):
        failed = {test for test, share in shares.items() if share < pass_mark - ROUNDING}
        kinds = _large_enough(groups.get(category, {}), shares)
        looked_at[category] = len(kinds)
        for name, tests in kinds.items():
            found.append(_group(category, name, tests, failed, len(shares)))
            members.append(tests)
    adjusted = holm([group.p_value for group in found])
    ordered = sorted(
        (
            (replace(group, p_value=p), tests)
            for group, tests, p in zip(found, members, adjusted, strict=True)
            if p < CHANCE
        ),
        key=lambda each: (each[0].p_value, -each[0].failed, each[0].category, each[0].name),
    )
    return Spread(weak=_without_parts(ordered), looked_at=looked_at)


def _large_enough(
    groups: Mapping[str, tuple[str, ...]], shares: Mapping[str, float]
) -> dict[str, frozenset[str]]:
    tests: dict[str, set[str]] = defaultdict(set)
    for test in shares:
        for name in groups.get(test, ()):
            tests[name].add(test)
    return {
        name: frozenset(inside)
        for name, inside in sorted(tests.items())
        if FEWEST <= len(inside) <= len(shares) - FEWEST
    }


def _group(
    category: str, name: str, tests: frozenset[str], failed: set[str], total: int
) -> WeakGroup:
    inside = len(tests & failed)
    return WeakGroup(
        category=category,
        name=name,
        failed=inside,
        tests=len(tests),
        failed_elsewhere=len(failed) - inside,
        tests_elsewhere=total - len(tests),
        p_value=at_least(inside, of=len(tests), failed=len(failed), among=total),
    )


def at_least(hits: int, *, of: int, failed: int, among: int) -> float:
    """Fisher, one-sided: the chance that a draw of `of` from `among`, of which `failed` failed,
    holds `hits` of them or more.
    """
    ways = sum(
        math.comb(failed, k) * math.comb(among - failed, of - k)
        for k in range(hits, min(of, failed) + 1)
    )
    return ways / math.comb(among, of)


def _without_parts(
    ordered: Sequence[tuple[WeakGroup, frozenset[str]]],
) -> tuple[WeakGroup, ...]:
    """A group inside a clearer one says nothing new."""
    kept: list[tuple[WeakGroup, frozenset[str]]] = []
    for group, tests in ordered:
        if not any(group.category == other.category and tests <= theirs for other, theirs in kept):
            kept.append((group, tests))
    return tuple(group for group, _ in kept)
