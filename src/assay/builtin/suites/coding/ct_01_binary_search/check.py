"""Calls the function with sequences it has not seen, and counts the items that it reads.

Short sequences are handed over; long ones stay here, so that no item is read without being counted.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from random import Random
from typing import Any

from assay.checking import (
    Candidate,
    Check,
    Code,
    Items,
    Step,
    as_steps,
    called,
    choose_code,
    compare,
    differs,
    find_function,
    find_obstacle,
    holds,
    list_checks,
    read_examples,
    show,
)

_WITHHELD = ("bisect", "_bisect")
# Weight, and what is checked. Reading few items is the point of the task, and worth nothing where
# the results are wrong: a search that reads all items gets less than half.
_CHECKS = {
    "name": (1, "The function has the name asked for"),
    "edge_cases": (4, "Empty sequences and single items"),
    "present": (2, "Every item of sequences without repetition"),
    "absent": (4, "Items that are missing below, between and above others"),
    "repeated": (6, "Items that occur several times"),
    "kinds": (4, "Texts, fractions, tuples and other sequences"),
    "unchanged": (3, "The sequence is not changed"),
    "logarithmic": (14, "The number of items read grows with the logarithm of the length"),
    "logarithmic_repeats": (14, "The same where items occur very often"),
    "examples": (1, "The docstring has two examples or more, and they are true"),
}
Call = tuple[Sequence[Any], Sequence[Any]]  # a sequence, and what to look for in it


def check(answer: str, truth: Mapping[str, Any], files: Mapping[str, str]) -> Iterator[Check]:
    asked_for = truth["function"]
    code = choose_code(
        answer, [asked_for], otherwise=lambda block: find_function(block, 2) is not None
    )
    obstacle = find_obstacle(answer, code)
    if code is None or obstacle:
        yield from list_checks(_CHECKS, obstacle)
    else:
        yield from list_checks(_CHECKS, _SearchTrial(code, truth).reasons())


class _SearchTrial:
    """One function, called with what the seed draws."""

    def __init__(self, code: Code, truth: Mapping[str, Any]) -> None:
        self.code = code
        self.asked_for = truth["function"]
        is_named = self.asked_for in code.defined
        self.name = self.asked_for if is_named else find_function(code.main, 2) or self.asked_for
        self.is_first = truth["pick"] == "first"
        self.absent = truth["absent"]
        self.random = Random(f"hidden:{truth['seed']}")
        self.candidate = Candidate(code.sources, without=_WITHHELD)

    def reasons(self) -> dict[str, str]:
        """Why each check does not hold; "" where it does."""
        found = dict.fromkeys(_CHECKS, "it does not find items that are there")
        found["name"] = "" if self.name == self.asked_for else f"it is called {self.name}"
        found["present"] = self.call(self.present())
        if found["present"]:
            return found
        found["edge_cases"] = self.call(self.edge_cases())
        found["absent"] = self.call(self.missing())
        found["repeated"] = self.call(self.repeated())
        found["kinds"] = self.kinds()
        found["unchanged"] = self.unchanged()
        found["examples"] = self.examples()
        basics = found["edge_cases"] or found["absent"] or found["kinds"]
        found["logarithmic"] = basics or self.count(1)
        found["logarithmic_repeats"] = found["repeated"] or self.count(self.random.randrange(4, 9))
        return found

    def expected(self, given: Sequence[Any], wanted: Any) -> int:
        at = bisect_left(given, wanted) if self.is_first else bisect_right(given, wanted) - 1
        return at if 0 <= at < len(given) and given[at] == wanted else self.absent

    def call(self, calls: Sequence[Call], sequence: str = "given") -> str:
        code = f"result = [{self.name}({sequence}, one) for one in wanted]"
        steps = [Step(code=code, names={"given": one, "wanted": two}) for one, two in calls]
        result = self.candidate.run(*steps)
        for step, (given, wanted) in zip(result.steps, calls, strict=False):
            expected = [self.expected(given, one) for one in wanted]
            if reason := differs(step, expected, result):
                return f"{reason} when looking for {show(wanted)} in {show(given)}"
        return result.why

    def ascending(self, count: int, step: int = 9) -> list[int]:
        """Numbers that all differ, with a gap of two at least."""
        start = self.random.randrange(-200, 200)
        return [start + at for at in accumulate(self.random.choices(range(2, step), k=count))]

    def edge_cases(self) -> list[Call]:
        (one,) = self.ascending(1)
        return [([], [one, "a"]), ((), [one]), ([one], [one - 1, one, one + 1])]

    def present(self) -> list[Call]:
        lists = [self.ascending(size) for size in (2, 3, *self.random.sample(range(4, 30), 4))]
        return [(given, given) for given in lists]

    def missing(self) -> list[Call]:
        lists = [self.ascending(size) for size in (2, *self.random.sample(range(3, 25), 4))]
        return [(given, [given[0] - 1, *(item + 1 for item in given)]) for given in lists]

    def repeated(self) -> list[Call]:
        lists = [[7, 7], [self.random.randrange(90)] * self.random.randrange(5, 30)]
        for _ in range(5):
            different = self.ascending(self.random.randrange(2, 6))
            lists.append([one for one in different for _ in range(self.random.randrange(1, 8))])
        return [(given, sorted(set(given))) for given in lists]

    def kinds(self) -> str:
        numbers = self.ascending(self.random.randrange(5, 12))
        texts = sorted(f"{chr(65 + number % 50)}{number:x}" for number in numbers)
        fractions = [number / 8 for number in numbers]
        calls: list[Call] = [
            (texts, [*texts, "~", ""]),
            (fractions, [*fractions, fractions[0] + 0.01]),
            (tuple(numbers), numbers),
            (tuple(texts), texts),
        ]
        own_class = "__import__('collections').UserList(given)"
        return self.call(calls) or self.call(calls[:2], own_class)

    def unchanged(self) -> str:
        lists = [self.ascending(size) for size in self.random.sample(range(4, 20), 3)]
        code = f"[{self.name}(given, one) for one in (given[-1], given[0] + 1)]\nresult = given"
        steps = [Step(code=code, names={"given": given}) for given in lists]
        return compare(self.candidate.run(*steps), *lists)

    def long_sequences(self, different: int) -> list[list[Any]]:
        """Sequences whose items all differ, with 1, or have only a few values in uneven shares."""
        numbers = self.ascending(self.random.randrange(20_000, 30_000), 1_000)
        if different > 1:
            ends = sorted(self.random.sample(range(1, 1_000), different - 1))
            cuts = [0, *(len(numbers) * end // 1_000 for end in ends), len(numbers)]
            numbers = [
                value for at, value in enumerate(numbers[:different])
                for _ in range(cuts[at], cuts[at + 1])
            ]  # fmt: skip
        shorter = numbers[:: self.random.randrange(9, 20)]
        return [numbers, shorter, [f"{number + 1_000:09}" for number in shorter]]

    def count(self, different: int) -> str:
        """Why results are wrong, or more items were read than a logarithm allows: enough for a
        search that goes through the sequence twice and reads each middle item three times.
        """
        for given in self.long_sequences(different):
            most = 6 * math.ceil(math.log2(len(given))) + 12
            place = self.random.randrange(len(given))
            wanted = [given[0], given[-1], given[place]]
            if isinstance(given[0], str):
                wanted += ["", "x", given[place] + "0"]
            else:
                wanted += [-(10**6), 10**10, given[place] + 1]
            code = f"result = {self.name}(given, wanted)"
            steps = [
                Step(code=code, names={"given": Items(given), "wanted": one}) for one in wanted
            ]
            result = self.candidate.run(*steps, most_asked=most, cpu_s=4)
            if any(step.asked > most for step in result.steps):
                return f"more than {most} of {len(given)} items were read"
            if any(step.asked == 0 for step in result.steps):
                return "no item was read"
            if reason := compare(result, *(self.expected(given, one) for one in wanted)):
                return reason
        return ""

    def examples(self) -> str:
        examples = read_examples(self.code.docstring(self.name))
        if sum(self.name in called(example) for example in examples) < 2:
            return "there are fewer than two"
        result = self.candidate.run(*as_steps(examples, "answer"))
        if result.why:
            return result.why
        for example, step in zip(examples, result.steps, strict=True):
            if not holds(example, step):
                return f"one is not true: {example.code.strip()!r}"
        return ""
