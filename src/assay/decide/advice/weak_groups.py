"""Which kinds of tests a checkpoint fails more than others: device classes, distributions, topics.

A group is all tests of a category that share a tag; tags that begin with "tick " look for something
in an answer. A group is weak where more of it fails than of the other tests of its category, by
Fisher's exact test (one-sided), adjusted by Holm for all groups that were looked at, at 5 %. Groups
of fewer than FEWEST tests, or that leave fewer, are not looked at: they show nothing.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from assay.stats import holm
from assay.types import DEFAULT_PASS_MARK, Suite

TestGroups = Mapping[str, Mapping[str, tuple[str, ...]]]  # category -> test id -> groups

FEWEST = 5
TICK = "tick "
CHANCE = 0.05
ROUNDING = 1e-9  # as for outcomes: 0.7 from three tenths and four tenths is 0.7


class WeakGroup(NamedTuple):
    """`failed` of its `tests` are below the pass mark. `p` is adjusted."""

    category: str
    group: str
    failed: int
    tests: int
    failed_elsewhere: int
    tests_elsewhere: int
    p: float


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
    scores: Mapping[str, Mapping[str, float]], groups: TestGroups
) -> tuple[WeakGroup, ...]:
    """Of every category that has scores; worst first."""
    found: list[WeakGroup] = []
    for category, shares in sorted(scores.items()):
        failed = {test for test, share in shares.items() if share < DEFAULT_PASS_MARK - ROUNDING}
        for name, tests in _large_enough(groups.get(category, {}), shares).items():
            of, among, inside = len(tests), len(shares), len(tests & failed)
            p = at_least(inside, of=of, failed=len(failed), among=among)
            rest = len(failed) - inside
            found.append(WeakGroup(category, name, inside, of, rest, among - of, p))
    adjusted = holm([group.p for group in found])
    weak = (g._replace(p=p) for g, p in zip(found, adjusted, strict=True) if p < CHANCE)
    return tuple(sorted(weak, key=lambda g: (g.p, -g.failed, g.category, g.group)))


def _large_enough(
    groups: Mapping[str, tuple[str, ...]], shares: Mapping[str, float]
) -> dict[str, set[str]]:
    tests: dict[str, set[str]] = defaultdict(set)
    for test in shares:
        for name in groups.get(test, ()):
            tests[name].add(test)
    most = len(shares) - FEWEST
    return {name: inside for name, inside in tests.items() if FEWEST <= len(inside) <= most}


def at_least(hits: int, *, of: int, failed: int, among: int) -> float:
    """Fisher, one-sided: the chance that a draw of `of` from `among`, of which `failed` failed,
    holds `hits` of them or more.
    """
    ways = sum(
        math.comb(failed, k) * math.comb(among - failed, of - k)
        for k in range(hits, min(of, failed) + 1)
    )
    return ways / math.comb(among, of)
