"""Checks; facts that an answer's JSON block should hold; names that it gives."""

import math
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from .comparing import same_text, same_value, show

_ABSENT = object()
_MOST_NAMES, _MOST_SHOWN = 300, 5
NO_READABLE = "the answer has no JSON block that can be read"
UNCOUNTED = ("not counted", "not tried")  # begin the reason of what says nothing against an answer


@dataclass(frozen=True, slots=True)
class Check:
    """One finding about an answer. `passed` None: it could not be checked; `why`: a sentence for
    the report. `fact` completes "does the answer say that ...", for a judge. `at_most`: the share
    of the whole that an answer can reach without it, for what the task says must be.
    """

    name: str
    passed: bool | None
    why: str
    weight: float = 1
    fact: str = ""
    at_most: float = 1


@dataclass(frozen=True, slots=True)
class Fact:
    """What the block should hold at `key`; dots lead into objects ("largest.amount"). `says` is the
    statement for a judge: "the total is 5,400.00 euros". Numbers are compared within `tolerance`,
    lists as sets, or all by `same(given, expected)`. `name`: of the check, if not the key. With an
    `owner`, the key of another fact, it counts only if that one does; with `proofs`, keys of facts
    that cannot be guessed, if one of them is right by itself. `units`: what may be beside
    the number in a report, without case; None: any common unit.
    """

    key: str
    expected: Any
    says: str
    weight: float = 1
    tolerance: float = 0
    same: Callable[[Any, Any], bool] | None = None
    name: str = ""
    owner: str = ""
    units: tuple[str, ...] | None = None
    proofs: tuple[str, ...] = ()

    def is_right(self, given: object) -> bool:
        same = self.same or partial(same_value, tolerance=self.tolerance)
        return bool(same(given, self.expected))


def list_checks(
    table: Mapping[str, tuple[float, str]],
    reasons: Mapping[str, str] | str,
    at_most: Mapping[str, float] | None = None,
) -> Iterator[Check]:
    """One check for each name in the table, with its weight and what is checked. A reason against
    it fails it; a single reason is one against all. What is not counted or not tried comes first.
    `at_most`, by name: what an answer can reach without it.
    """
    for name, (weight, about) in table.items():
        reason = reasons if isinstance(reasons, str) else reasons[name]
        why = f"{about}: {reason}" if reason else about
        if reason.startswith(UNCOUNTED):
            why = f"{reason}: {about[0].lower()}{about[1:]}"
        yield Check(name, not reason, why, weight, at_most=(at_most or {}).get(name, 1))


def check_facts(block: dict[str, Any] | None, facts: Iterable[Fact]) -> Iterator[Check]:
    """One check for each fact. Without a block all of them are None, with their facts."""
    listed = list(facts)
    of_key = {fact.key: fact for fact in listed}
    for fact in listed:
        name = fact.name or fact.key
        if block is None:
            yield Check(name, None, NO_READABLE, fact.weight, fact.says)
            continue
        given = value_at(block, fact.key, _ABSENT)
        is_right = given is not _ABSENT and fact.is_right(given)
        wrong = _wrong_owner(block, fact, of_key) if is_right else ""
        why = f"{fact.key} is {show(given)}" + ("" if is_right else f" in the block; {fact.says}")
        if wrong:
            be = "are" if " and " in wrong else "is"
            why = f"{fact.key} is {show(given)} in the block, but {wrong} {be} wrong; {fact.says}"
        if given is _ABSENT:
            why = f"the block has no key {show(fact.key)}; {fact.says}"
        yield Check(name, is_right and not wrong, why, fact.weight, fact.says)


def _wrong_owner(block: dict[str, Any], fact: Fact, of_key: Mapping[str, Fact]) -> str:
    """The key of the fact that this one counts with and that is not right; "" where all are."""
    if fact.proofs and not any(
        of_key[key].is_right(value_at(block, key)) for key in fact.proofs
    ):  # fmt: skip
        return " and ".join(fact.proofs)
    seen = {fact.key}
    while fact.owner and fact.owner not in seen:
        seen.add(fact.owner)
        fact = of_key[fact.owner]
        if not fact.is_right(value_at(block, fact.key)):
            return fact.key
    return ""


def hold_to(checks: Iterable[Check]) -> list[Check]:
    """The same checks; one that failed weighs so much that the share is no more than its `at_most`,
    and says so.
    """
    found = list(checks)
    for at, one in enumerate(found):
        if one.passed is not False or one.at_most >= 1:
            continue
        decided = sum(other.weight for other in found if other.passed is not None)
        passed = sum(other.weight for other in found if other.passed)
        lacking = math.ceil(1000 * (passed / one.at_most - decided)) / 1000
        why = f"{one.why}; with this an answer gets at most {10 * one.at_most:g} of 10 points"
        found[at] = replace(one, weight=round(one.weight + max(lacking, 0), 3), why=why)
    return found


def share_of(checks: Iterable[Check]) -> float:
    """Weight passed by weight, of the checks that came to a result."""
    found = [(one.weight, one.passed) for one in checks if one.passed is not None]
    return sum(weight for weight, passed in found if passed) / (sum(w for w, _ in found) or 1)


def value_at(block: Any, key: str, otherwise: Any = None) -> Any:
    """The value at a dotted key. A key that holds dots itself is found too."""
    if isinstance(block, dict):
        if key in block:
            return block[key]
        first, dot, rest = key.partition(".")
        if dot and first in block:
            return value_at(block[first], rest, otherwise)
    return otherwise


def spell_keys(
    value: Any, names: Iterable[str], same: Callable[[Any, Any], bool] = same_text
) -> dict[str, Any]:
    """An object with keys spelt as in `names`; a name given twice has the list of its values."""
    known = list(names)
    found: dict[str, Any] = {}
    if isinstance(value, dict) and len(value) <= _MOST_NAMES:
        for key, one in value.items():
            name = next((name for name in known if same(key, name)), key)
            found[name] = [found[name], one] if name in found else one
    return found


def mentions(given: object, name: str) -> bool:
    """Whether a text holds a name, whatever else stands around it and between its letters."""
    return isinstance(given, str | int) and letters_of(name) in letters_of(str(given)[:1000])


def letters_of(text: str) -> str:
    """Its letters and digits, without case."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(one for one in folded if one.isalnum())


def check_names(
    name: str,
    given: Iterable[Any],
    known: Iterable[str],
    *,
    same: Callable[[Any, Any], bool] = same_text,
    weight_failed: float = 1,
    counts: bool = True,
) -> Check:
    """Whether an answer names only what the data has. To invent something can cost more than 1. To
    invent nothing earns nothing where it does not count: whoever says nothing invents nothing.
    """
    names, texts = list(known), [one for one in given if one is not None]
    if len(texts) > _MOST_NAMES:
        return Check(name, False, f"the block gives {len(texts)} names", weight_failed)
    strange = [one for one in texts if not any(same(one, other) for other in names)]
    several = [one for one in strange if isinstance(one, list | dict)]
    strange = [one for one in strange if not isinstance(one, list | dict)]
    if not strange and not several and not counts:
        return Check(name, False, "not counted, since too few values of the block are right")
    if not strange and not several:
        return Check(name, True, "the block names only what is in the data")
    told = (("neither asked for nor in the data", strange), ("not a single name", several))
    why = "; ".join(f"{what}: {_first_of(some)}" for what, some in told if some)
    return Check(name, False, why, weight_failed)


def _first_of(values: Sequence[object]) -> str:
    more = f" and {len(values) - _MOST_SHOWN} more" if len(values) > _MOST_SHOWN else ""
    return ", ".join(show(one, 40) for one in values[:_MOST_SHOWN]) + more
