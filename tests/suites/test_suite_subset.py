"""A sample is fair, reproducible, and disturbed as little as possible by other tests."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.ewe_quality import EweQuality
from assay.errors import SuiteNotFound, UsageError
from assay.suites.load import pick_all
from assay.types import Case, Category, Message, Suite


def pick(suite: Suite, **how: Any) -> Suite:
    return pick_all([suite], **how)[0]


def suite(sizes: dict[str, int], name: str = "s", **settings: Any) -> Suite:
    def case(category: str, number: int) -> Case:
        return Case(
            id=f"{category}_{number:03}",
            suite=name,
            category=category,
            messages=(Message("user", "x"),),
            check=EweQuality(),
        )

    return Suite(
        name=name,
        path=name,
        categories=tuple(
            Category(name=category, cases=tuple(case(category, n) for n in range(size)))
            for category, size in sizes.items()
        ),
        **settings,
    )


def ids(of: Suite) -> list[str]:
    return [case.id for case in of.cases]


SIZES = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 12), min_size=1)


@given(SIZES, st.integers(1, 40), st.integers(0, 5))
def test_a_sample_is_spread_evenly_and_keeps_the_order_of_the_file(
    sizes: dict[str, int], limit: int, seed: int
) -> None:
    whole = suite(sizes)
    drawn = pick(whole, limit=limit, seed=seed)
    assert len(ids(drawn)) == min(limit, sum(sizes.values()))
    assert ids(drawn) == [name for name in ids(whole) if name in set(ids(drawn))]
    counts = Counter(case.category for case in drawn.cases)
    most = max(counts.values())
    assert all(counts[name] >= min(size, most - 1) for name, size in sizes.items())
    assert all(category.cases for category in drawn.categories)


@given(SIZES, st.integers(1, 20), st.integers(0, 5))
def test_a_larger_limit_only_adds_tests(sizes: dict[str, int], limit: int, seed: int) -> None:
    small = pick(suite(sizes), limit=limit, seed=seed)
    large = pick(suite(sizes), limit=limit + 3, seed=seed)
    assert set(ids(small)) <= set(ids(large))


@given(SIZES, st.integers(1, 20))
def test_the_order_of_the_tests_in_the_file_does_not_matter(
    sizes: dict[str, int], limit: int
) -> None:
    whole = suite(sizes)
    turned = Suite(
        name="s",
        path="s",
        categories=tuple(
            Category(name=c.name, cases=c.cases[::-1]) for c in reversed(whole.categories)
        ),
    )
    assert set(ids(pick(whole, limit=limit))) == set(ids(pick(turned, limit=limit)))


def test_another_seed_draws_another_sample_and_the_same_seed_the_same() -> None:
    whole = suite({"a": 50})
    assert ids(pick(whole, limit=5, seed=1)) != ids(pick(whole, limit=5, seed=2))
    assert ids(pick(whole, limit=5, seed=1)) == ids(pick(whole, limit=5, seed=1))
    assert ids(pick(whole, limit=5)) != ids(whole)[:5]


def test_without_wishes_the_suite_stays_as_it_is() -> None:
    whole = suite({"a": 2, "b": 3}, weights={"a": 1.0, "b": 2.0})
    assert pick(whole) == whole


def test_categories_are_picked_with_their_weights_and_examples() -> None:
    whole = suite({"a": 2, "b": 3}, weights={"a": 1.0, "b": 2.0}, few_shot={"a": (), "b": ()})
    part = pick(whole, categories=["b"])
    assert (ids(part), part.weights, part.few_shot) == (
        ["b_000", "b_001", "b_002"],
        {"b": 2.0},
        {"b": ()},
    )


def test_an_unknown_category_says_what_was_meant() -> None:
    with pytest.raises(SuiteNotFound) as caught:
        pick(suite({"reasoning": 1}), categories=["resoning"])
    assert caught.value.message == ("there is no category 'resoning'; did you mean 'reasoning'?")


def test_with_several_suites_a_category_must_be_in_one_of_them() -> None:
    suites = [suite({"a": 1}, "one"), suite({"b": 1}, "two")]
    assert [s.name for s in pick_all(suites, ["b"])] == ["two"]
    with pytest.raises(SuiteNotFound):
        pick_all(suites, ["b", "zzz"])


def test_the_limit_is_per_suite_and_at_least_one() -> None:
    suites = [suite({"a": 5}, "one"), suite({"a": 5}, "two")]
    assert [len(ids(s)) for s in pick_all(suites, limit=2)] == [2, 2]
    with pytest.raises(UsageError, match="at least 1"):
        pick_all(suites, limit=0)
