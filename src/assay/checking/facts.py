"""Checks, and facts that an answer's JSON block should hold.

In: a block as `json_block` gives it, and facts. Out: one Check for each fact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from .comparing import same_date, same_number, same_set, same_text, show

_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Check:
    """One finding about an answer. `passed` is None where it could not be checked.

    `why` is a sentence for the report. `fact` completes "does the answer say that ...": with it, a
    check that is None is asked of a judge.
    """

    name: str
    passed: bool | None
    why: str
    weight: float = 1
    fact: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """What the block should hold at `key`; dots lead into objects ("largest.amount").

    `says` is the statement for a judge: "the total of all orders is 5,400.00 euros". Numbers are
    compared within `tolerance`, texts by same_text, dates by same_date, lists and sets as sets; a
    boolean must be one. `same(given, expected)` compares in another way. `name` is the check's name
    where that is not the key.
    """

    key: str
    expected: Any
    says: str
    weight: float = 1
    tolerance: float = 0
    same: Callable[[Any, Any], bool] | None = None
    name: str = ""


def list_checks(
    table: Mapping[str, tuple[float, str]], reasons: Mapping[str, str] | str, *, known: bool = True
) -> Iterator[Check]:
    """One check for each name in the table, which gives its weight and says what is checked. A
    check with a reason against it did not pass, or could not be checked where that is not `known`;
    a single reason is one against all.
    """
    for name, (weight, about) in table.items():
        reason = reasons if isinstance(reasons, str) else reasons[name]
        why = f"{about}: {reason}" if reason else about
        yield Check(name, (not reason) if known else None, why, weight)


def check_facts(block: dict[str, Any] | None, facts: Iterable[Fact]) -> Iterator[Check]:
    """One check for each fact. Without a block all of them are None, with their facts."""
    for fact in facts:
        name = fact.name or fact.key
        if block is None:
            why = "the answer has no JSON block that can be read"
            yield Check(name, None, why, fact.weight, fact.says)
            continue
        given = value_at(block, fact.key, _ABSENT)
        if given is _ABSENT:
            why = f"the block has no key {show(fact.key)}; {fact.says}"
            yield Check(name, False, why, fact.weight, fact.says)
        elif _holds(given, fact):
            yield Check(name, True, f"{fact.key} is {show(given)}", fact.weight, fact.says)
        else:
            why = f"{fact.key} is {show(given)} in the answer; {fact.says}"
            yield Check(name, False, why, fact.weight, fact.says)


def value_at(block: Any, key: str, otherwise: Any = None) -> Any:
    """The value at a dotted key. A key that holds dots itself is found too."""
    if isinstance(block, dict):
        if key in block:
            return block[key]
        first, dot, rest = key.partition(".")
        if dot and first in block:
            return value_at(block[first], rest, otherwise)
    return otherwise


def _holds(given: Any, fact: Fact) -> bool:
    expected = fact.expected
    if fact.same is not None:
        return bool(fact.same(given, expected))
    if isinstance(expected, bool) or expected is None:
        return given is expected
    if isinstance(expected, int | float):
        return same_number(given, expected, fact.tolerance)
    if isinstance(expected, date):
        return same_date(given, expected)
    if isinstance(expected, list | tuple | set | frozenset):
        return same_set(given, expected)
    return same_text(given, expected)
