"""Compares results with those of a fast function of ours, and counts operations on entries.

The entries of some lists stay here, so that every comparison and hash is counted. What is not done
with entries, such as looking positions up in a list, shows with a long list and a limit of
processor time that is some hundred times what a single pass needs.
"""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from assay.checking import (
    Candidate,
    Check,
    Code,
    Remote,
    Step,
    Values,
    choose_code,
    compare,
    find_function,
    find_obstacle,
    list_checks,
    raised_instead,
    repeats,
)

_SIZES = (40, 80, 160)
_LONG = 50_000
_MOST_ASKED = 20  # about an entry, beside sorting; ten look-ups in a dictionary ask as much
_MOST_GROWTH = 6.5  # for four times the entries; n log n gives 5.4, a square gives 16
# Weight, and what is checked. The given code, or another that is as slow, gets less than half: its
# results count little, and that it leaves its arguments alone counts nothing.
_CHECKS = {
    "name": (1, "The faster function has the name asked for"),
    "edge_cases": (4, "Empty lists and single entries"),
    "numbers": (3, "Numbers, many of them repeated"),
    "mixed": (8, "Numbers, texts and tuples mixed"),
    "unchanged": (9, "The lists are not changed"),
    "operations": (8, "The number of comparisons and hashes, and its growth"),
    "long_list": (10, f"A list of {_LONG:,} entries"),
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
    obstacle = find_obstacle(answer, code)
    if code is None or obstacle:
        yield from list_checks(_CHECKS, obstacle)
    else:
        yield from list_checks(_CHECKS, _SpeedTrial(code, truth, count, slow).reasons())


class _SpeedTrial:
    """One function, called with what the seed draws."""

    def __init__(self, code: Code, truth: Mapping[str, Any], count: int, slow: str) -> None:
        self.asked_for = truth["function"]
        self.name = self.asked_for
        # A function that keeps the name may be the slow one, quoted beside a new one.
        if self.name not in code.defined or repeats(code.main, slow, [self.name]):
            self.name = find_function(code.main, count, but=self.asked_for) or self.name
        self.arguments = "one, two" if count == 2 else "one"
        self.count = count
        self.often, self.least = truth["often"], truth["least"]
        self.random = Random(f"hidden:{truth['seed']}")
        self.sample = self.random.sample
        self.candidate = Candidate(code.sources)
        ours: dict[str, Any] = {}
        exec(truth["faster"], ours)
        self.faster = ours[self.asked_for]

    def reasons(self) -> dict[str, str]:
        """Why each check does not hold; "" where it does."""
        found = dict.fromkeys(_CHECKS, "the results are wrong")
        found["name"] = "" if self.name == self.asked_for else f"it is called {self.name}"
        numbers = [self.draw(range(size)) for size in self.sample(range(2, 25), 6)]
        found["numbers"] = self.call(numbers)
        if found["numbers"]:
            return found
        edges: list[Lists] = [([], []), ([], [1]), ([7], [7]), (["x"], []), ([()], [(), 8])]
        mixed = [self.draw(self.mixed(size)) for size in self.sample(range(8, 17), 4)]
        found["edge_cases"], found["mixed"] = self.call(edges), self.call(mixed)
        found["operations"] = self.operations()
        wrong = found["edge_cases"] or found["mixed"] or found["operations"]
        found["long_list"] = wrong or self.call([self.draw_long(_LONG)], cpu_s=1)
        found["unchanged"] = found["operations"] or self.unchanged()
        return found

    def expected(self, lists: Lists) -> list[object]:
        return list(self.faster(*lists[: self.count]))

    def call(self, inputs: Sequence[Lists], cpu_s: int = 1) -> str:
        code = f"result = {self.name}({self.arguments})"
        steps = [Step(code=code, names={"one": one, "two": two}) for one, two in inputs]
        result = self.candidate.run(*steps, cpu_s=cpu_s)
        return compare(result, *(self.expected(lists) for lists in inputs))

    def draw(self, pool: Sequence[Hashable]) -> Lists:
        """Two lists of entries of the pool, which occur more often and less often than whatever
        the function asks for.
        """
        length = len(pool) * (self.often + 1) // 2
        return self.random.choices(pool, k=length), self.random.choices(pool, k=length)

    def draw_long(self, length: int) -> Lists:
        """Two lists, half of their entries repeated and half of them not. Of two that are compared,
        half of the different entries are in the result, so that looking through it shows.
        """
        if self.count == 2:
            pool = range(length // self.least)
            two = [entry for entry in pool for _ in range(self.least - entry % 2)]
            one = [*pool, *self.random.choices(pool, k=length - len(pool))]
            self.random.shuffle(one)
            self.random.shuffle(two)
            return one, two
        repeated, single = range(length // (2 * self.often) + 1), range(length, 3 * length)
        found = []
        for _ in range(2):
            entries = self.random.choices(repeated, k=length // 2)
            entries += self.random.sample(single, length - len(entries))
            self.random.shuffle(entries)
            found.append(entries)
        return found[0], found[1]

    def mixed(self, count: int) -> list[Hashable]:
        """Entries of many types. Equal ones can look different, others alike."""
        number = self.random.randrange(2, 90)
        pool = [
            number, str(number), float(number), (number,), f"({number},)", None, "None", "", (),
            number + 0.5, 10**16, 1e16, "b", "B", "é", ("b", 1), ("b", "1"), frozenset({number}),
        ]  # fmt: skip
        return self.random.sample(pool, count)

    def unchanged(self) -> str:
        lists = [self.draw(range(size)) for size in self.sample(range(3, 15), 3)]
        code = f"{self.name}({self.arguments})\nresult = [one, two]"
        steps = [Step(code=code, names={"one": one, "two": two}) for one, two in lists]
        return compare(self.candidate.run(*steps), *([one, two] for one, two in lists))

    def operations(self) -> str:
        """Why there are too many, they grow too fast, or the results are wrong."""
        asked = []
        for size in _SIZES:
            one, two = self.draw_long(size)
            names = {"one": Values(one), "two": Values(two)}
            step = Step(code=f"result = {self.name}({self.arguments})", names=names)
            most = int(size * self.count * (math.log2(size) + _MOST_ASKED))
            result = self.candidate.run(step, most_asked=most, cpu_s=4)
            if result.why:
                return result.why
            (found,) = result.steps
            asked.append(found.asked)
            if found.asked > most:
                return f"more than {most} for {size} entries"
            if found.raised is not None:
                return raised_instead(found, result)
            if 2 * found.asked < size:  # a question is about two entries at most
                return "not every entry was looked at"
            if _resolve(found.value, [*one, *two]) != self.expected((one, two)):
                return f"the result for {size} entries is wrong"
        times = asked[-1] / asked[0]
        grown = f"{times:.1f} times as many for four times the entries"
        return "" if times <= _MOST_GROWTH else grown


def _resolve(value: object, known: Sequence[Hashable]) -> object:
    """A result with the remote entries in it replaced by what they are."""
    if isinstance(value, Remote):
        return known[value.place] if 0 <= value.place < len(known) else value
    if isinstance(value, list):
        return [_resolve(one, known) for one in value]
    return tuple(_resolve(one, known) for one in value) if type(value) is tuple else value
