"""Compares results with those of a fast function of ours, and counts operations on entries.

The entries of some lists stay here, so that every comparison and hash is counted. What is not done
with entries, such as looking positions up in a list, shows with a long list and a limit of processor
time that is some hundred times what a single pass needs.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from assay.checking import (
    Candidate,
    Check,
    Code,
    GroupResult,
    Remote,
    Step,
    Values,
    choose_code,
    compare,
    find_function,
    has_broken_code,
    missing_package,
    raised_instead,
    repeats,
)

_SIZES = (60, 120, 240)
_LONG = 40_000
_MOST_GROWTH = 6.5  # for four times the entries; n log n gives 5.4, a square gives 16
# Weight, and what is checked. The given code, or another that is as slow, passes less than half.
_CHECKS = {
    "name": (1, "The faster function has the name asked for"),
    "edge_cases": (1, "Empty lists and single entries"),
    "numbers": (3, "Numbers, many of them repeated"),
    "mixed": (4, "Numbers, texts and tuples mixed"),
    "unchanged": (2, "The lists are not changed"),
    "operations": (5, "The number of comparisons and hashes"),
    "growth": (3, "The growth of their number with four times the entries"),
    "long_list": (6, f"A list of {_LONG:,} entries"),
}
Lists = tuple[Sequence[Hashable], Sequence[Hashable]]


def check(answer: str, truth: Mapping[str, Any], files: Mapping[str, str]) -> Iterator[Check]:
    asked_for, slow = truth["function"], files["slow.py"]
    count = 2 if truth["kind"] == "shared" else 1
    code = choose_code(
        answer,
        [asked_for],
        quoted=slow,
        otherwise=lambda block: find_function(block, count, but=asked_for) is not None,
    )
    if code is None:
        is_broken = has_broken_code(answer)
        reason = "the code cannot be parsed" if is_broken else "there is no new function"
        reasons = dict.fromkeys(_CHECKS, reason)
    elif package := missing_package(code):
        for name, (weight, about) in _CHECKS.items():
            yield Check(
                name, None, f"{about}: needs {package}, which is not installed here", weight
            )
        return
    else:
        reasons = _Trial(code, truth, count, slow).reasons()
    for name, (weight, about) in _CHECKS.items():
        reason = reasons[name]
        yield Check(name, not reason, f"{about}: {reason}" if reason else about, weight)


class _Trial:
    """One function, called with what the seed draws."""

    def __init__(self, code: Code, truth: Mapping[str, Any], count: int, slow: str) -> None:
        self.asked_for = truth["function"]
        self.name = self.asked_for
        # A function that keeps the name may be the slow one, quoted beside a new one.
        if self.name not in code.defined or repeats(code.main, slow, [self.name]):
            self.name = find_function(code.main, count, but=self.asked_for) or self.name
        self.arguments = "one, two" if count == 2 else "one"
        self.count = count
        self.often = truth["often"]
        self.random = Random(f"hidden:{truth['seed']}")
        self.candidate = Candidate(code.sources)
        ours: dict[str, Any] = {}
        exec(truth["faster"], ours)
        self.faster = ours[self.asked_for]

    def reasons(self) -> dict[str, str]:
        """Why each check does not hold; "" where it does."""
        numbers = self.call([self.draw(range(size)) for size in self.sizes(range(2, 25), 6)])
        operations, growth = self.operations()
        return {
            "name": "" if self.name == self.asked_for else f"it is called {self.name}",
            "edge_cases": self.call([([], []), ([], [1]), ([7], [7]), (["x"], []), ([()], [(), 8])]),
            "numbers": numbers,
            "mixed": self.call([self.draw(self.mixed(size)) for size in self.sizes(range(8, 17), 4)]),
            "unchanged": numbers and "the results are wrong" or self.unchanged(),
            "operations": operations,
            "growth": growth,
            "long_list": self.call([self.draw(range(10**6), _LONG)], cpu_s=2),
        }  # fmt: skip

    def expected(self, lists: Lists) -> list[object]:
        return list(self.faster(*lists[: self.count]))

    def call(self, inputs: Sequence[Lists], cpu_s: int = 1) -> str:
        """Why the results are not those expected."""
        code = f"result = {self.name}({self.arguments})"
        steps = [Step(code=code, names={"one": one, "two": two}) for one, two in inputs]
        result = self.candidate.run(*steps, cpu_s=cpu_s)
        return compare(result, *(self.expected(lists) for lists in inputs))

    # ---------------------------------------------------------------------------------- inputs

    def sizes(self, among: range, count: int) -> list[int]:
        return self.random.sample(among, count)

    def draw(self, pool: Sequence[Hashable], length: int = 0) -> Lists:
        """Two lists of entries of the pool, or of as many of it as give the length. Numbers of
        occurrences lie on both sides of whatever the function asks for.
        """
        found = []
        some = pool if not length else self.random.sample(pool, length)
        for _ in range(2):
            entries: list[Hashable] = []
            for entry in some:
                entries += [entry] * self.random.randrange(self.often + 1)
                if length and len(entries) >= length:
                    break
            self.random.shuffle(entries)
            found.append(entries[:length] if length else entries)
        return found[0], found[1]

    def mixed(self, count: int) -> list[Hashable]:
        """Entries of many types. Equal ones can look different, others alike."""
        number = self.random.randrange(2, 90)
        pool = [
            number, str(number), float(number), (number,), f"({number},)", None, "None", "", (),
            number + 0.5, 10**16, 1e16, "b", "B", "é", ("b", 1), ("b", "1"), frozenset({number}),
        ]  # fmt: skip
        return self.random.sample(pool, count)

    # ------------------------------------------------------------------------ what is measured

    def unchanged(self) -> str:
        lists = [self.draw(range(size)) for size in self.sizes(range(3, 15), 3)]
        code = f"{self.name}({self.arguments})\nresult = [one, two]"
        steps = [Step(code=code, names={"one": one, "two": two}) for one, two in lists]
        return compare(self.candidate.run(*steps), *([one, two] for one, two in lists))

    def operations(self) -> tuple[str, str]:
        """Why there are too many, and why they grow too fast."""
        lists = [self.draw(range(10**6), size) for size in _SIZES]
        code = f"result = {self.name}({self.arguments})"
        steps = [
            Step(code=code, names={"one": Values(one), "two": Values(two)}) for one, two in lists
        ]
        # Beyond the most that is allowed for the longest list there is nothing more to learn.
        result = self.candidate.run(*steps, most_asked=_allowed(_SIZES[-1]) + 1, cpu_s=4)
        if result.why:
            return result.why, result.why
        return self.number(result, lists), self.growth(result)

    def number(self, result: GroupResult, lists: Sequence[Lists]) -> str:
        first = 0
        for step, size, (one, two) in zip(result.steps, _SIZES, lists, strict=True):
            if step.asked > _allowed(size):
                return f"more than {_allowed(size)} for {size} entries"
            if step.raised is not None:
                return raised_instead(step, result)
            known = [*one, *two]
            if _resolve(step.value, known, first) != self.expected((one, two)):
                return f"the result for {size} entries is wrong"
            first += len(known)
        return ""

    def growth(self, result: GroupResult) -> str:
        asked = [step.asked for step in result.steps]
        # A question is about two entries at most.
        if any(2 * count < size for count, size in zip(asked, _SIZES, strict=True)):
            return "not every entry was looked at"
        if any(step.raised for step in result.steps):
            return "there were too many to go on"
        times = asked[-1] / asked[0]
        return "" if times <= _MOST_GROWTH else f"{times:.1f} times as many"


def _allowed(size: int) -> int:
    """Sorting and comparing neighbours stays below this; so do six questions for each entry."""
    return int(size * (math.log2(size) + 6))


def _resolve(value: object, known: Sequence[Hashable], first: int) -> object:
    """A result with the remote entries in it replaced by what they are."""
    if isinstance(value, Remote):
        at = value.place - first
        return known[at] if 0 <= at < len(known) else value
    if isinstance(value, list):
        return [_resolve(one, known, first) for one in value]
    return tuple(_resolve(one, known, first) for one in value) if type(value) is tuple else value
