"""Calls the function with sequences it has not seen, and counts the items that it reads.

Short sequences are handed over; long ones stay here, so that no item is read without being counted.
"""

import math
import re
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
    draw_for,
    find_function,
    find_obstacle,
    holds,
    json_block,
    list_checks,
    list_named,
    read_examples,
    same,
    show,
)

_WITHHELD = ("bisect", "_bisect")
LEAST_FOUND = 0.25  # of the items that are there; one who finds fewer does not search
MOST_UNSEARCHED = 0.25  # of all, for code that is right in short sequences alone
# Weight, and what is checked. Reading few items is the point of the task: a search that reads all
# of them gets less than a quarter. What is said about a search counts only where it is one.
_CHECKS = {
    "name": (1, "The name of the function"),
    "short_inputs": (2, "Empty sequences and single items"),
    "present": (1, "Every item of sequences without repetition"),
    "absent": (2, "Items that are missing below, between and above others"),
    "repeated": (2, "Items that occur several times"),
    "kinds": (1, "Texts, fractions, tuples and other sequences"),
    "named": (1, "Values and lengths that the code itself names"),
    "unchanged": (1, "The sequence after the call"),
    "logarithmic": (4, "Items read in long sequences"),
    "logarithmic_absent": (5, "Items read in long sequences where the item is missing"),
    "logarithmic_repeats": (9, "Items read in long sequences where items occur very often"),
    "parameters": (2, "Parameters and result in the docstring"),
    "examples": (3, "Two examples or more in the docstring"),
    "time": (2, "The running time in the block"),
    "memory": (1, "The memory in the block"),
    "for_empty": (1, "The result for an empty sequence in the block"),
    "for_repeated": (2, "The result for repeated items in the block"),
    "for_absent": (1, "The result for a missing item in the block"),
}
_RESULTS = ("short_inputs", "present", "absent", "repeated", "kinds")
_UNCOUNTED = "not counted"  # begins the reason of a check that says nothing against the code
MOST_PLANTED = 0.25  # of all, for code that is wrong only at values that it names
_LONGEST_LIST = 2_000
_LISTS, _MOST_WANTED = 40, 12  # of each kind; looked for in each
# A list of Python's own, in which so many items are looked for: a search is done in a hundredth of
# the processor time, and whoever reads each item needs more than all of it.
_LEAST_PLAIN, _MOST_PLAIN, _LOOKED_FOR, _CPU_S = 300_000, 500_000, 3_000, 3
_CLAIMS = ("time", "memory", "for_empty", "for_repeated", "for_absent")
_LOGARITHMS = ("log n", "logn", "log(n)", "log2 n", "log2(n)", "log2n", "lg n", "lgn", "ln n")
_MOST_NAMES = 4  # of modules
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
        reasons = _SearchTrial(code, truth, draw_for(answer)).reasons()
        is_search = not (reasons["logarithmic"] and reasons["logarithmic_repeats"])
        # A result that is wrong at these alone was made so.
        is_planted = reasons["named"] and not any(reasons[name] for name in _RESULTS)
        reasons |= judge_claims(json_block(answer), truth)
        kept = ("logarithmic", "logarithmic_absent", "logarithmic_repeats")
        broken = (reasons[name] for name in kept if not reasons[name].startswith(_UNCOUNTED))
        if any(broken) and not reasons["time"]:
            reasons["time"] = "the code does not keep to what is stated"
        if not is_search:
            later = ("named", "unchanged", "parameters", "examples", *_CLAIMS)
            no = "not counted, since only a search that reads few items earns it"
            reasons |= {name: reasons[name] or no for name in later}
        # Right where a look at every item would do, and not where a search is needed.
        short_only = not reasons["present"] and reasons["logarithmic"]
        most = {"logarithmic": MOST_UNSEARCHED} if short_only else {}
        # What a search is for: without it the rest is worth little.
        most["present"] = MOST_UNSEARCHED
        if is_planted:
            most["named"] = MOST_PLANTED
        yield from list_checks(_CHECKS, reasons, most)


def judge_claims(block: dict[str, Any] | None, truth: Mapping[str, Any]) -> dict[str, str]:
    """Why what the block states is not right; "" where it is."""
    if block is None:
        return dict.fromkeys(_CLAIMS, "there is no JSON block")
    reasons = {}
    for key, forms in (("time", _LOGARITHMS), ("memory", ("1",))):
        given = block.get(key)
        bare = "".join(str(given).split()).casefold().replace("_", "").replace("\\", "")
        bare = bare.replace("₂", "2").strip("$`.")
        right = {f"o({one.replace(' ', '')})" for one in forms}
        is_right = isinstance(given, str) and bare in right
        reasons[key] = "" if is_right else f"{show(given)}, and 'O({forms[0]})' is right"
    for key, expected in truth["claims"].items():
        given = block.get(key)
        reasons[key] = "" if same(given, expected) else f"{show(given)}, and {expected} is right"
    return reasons


class _Huge(Sequence[int]):
    """Numbers in order, with gaps that grow, worked out when they are read."""

    def __init__(self, length: int, shift: int, step: int) -> None:
        self.length, self.shift, self.step = length, shift, step

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, at: Any) -> Any:
        place = at if self.step == 1 else self.length - 1 - at
        return place * (place + self.shift + 2)


class _SearchTrial:
    """One function, called with what the answer draws: a table made for another is of no use."""

    def __init__(self, code: Code, truth: Mapping[str, Any], random: Random) -> None:
        self.code = code
        self.asked_for = truth["function"]
        is_named = self.asked_for in code.defined
        self.name = self.asked_for if is_named else find_function(code.main, 2) or self.asked_for
        self.is_first = truth["pick"] == "first"
        self.absent, self.base = int(truth["absent"]), int(truth["base"])
        self.step = -1 if truth["order"] == "descending" else 1
        self.random = random
        self.candidate = Candidate(code.sources, without=_WITHHELD, alone=True)

    def reasons(self) -> dict[str, str]:
        """Why each check does not hold; "" where it does."""
        found = dict.fromkeys(_CHECKS, "not tried, since few of the items that are there are found")
        found["name"] = "" if self.name == self.asked_for else f"it is called {self.name}"
        present = self.present()
        found["present"] = self.call(present)
        found["short_inputs"] = self.call(self.short_inputs())
        if found["present"] and self.share_found(present) < LEAST_FOUND:
            return found
        found["absent"] = self.call(self.missing())
        found["repeated"] = self.call(self.repeated())
        found["kinds"] = self.kinds()
        wrong_too = any(found[name] for name in _RESULTS)
        beside = "not counted, since other results are wrong as well"
        found["named"] = beside if wrong_too else self.named()
        found["unchanged"] = self.unchanged()
        found["examples"], found["parameters"] = self.examples(), self.parameters()
        found["logarithmic"] = self.count(1) or self.count_in_huge() or self.search_plain(1)
        wrong = "not counted, since results for {} items are wrong"
        found["logarithmic_absent"] = (
            wrong.format("missing") if found["absent"] else self.count(1, absent=True)
        )
        few = self.random.randrange(20, 60)
        found["logarithmic_repeats"] = (
            wrong.format("repeated")
            if found["repeated"]
            else self.count(self.random.randrange(4, 9)) or self.search_plain(1 + few * 100)
        )
        return found

    def expected(self, given: Sequence[Any], wanted: Any) -> int:
        if wanted not in set(given):
            return self.absent
        upwards = given[:: self.step]
        leftmost = bisect_left(upwards, wanted) if self.step == 1 else None
        if leftmost is None:  # downwards: from the other end
            first = len(given) - bisect_right(upwards, wanted)
            last = len(given) - 1 - bisect_left(upwards, wanted)
        else:
            first, last = leftmost, bisect_right(upwards, wanted) - 1
        return self.base + (first if self.is_first else last)

    def call(
        self,
        calls: Sequence[Call],
        sequence: str = "given",
        *,
        candidate: Candidate | None = None,
    ) -> str:
        code = f"result = [{self.name}({sequence}, one) for one in wanted]"
        steps = [Step(code=code, names={"given": one, "wanted": two}) for one, two in calls]
        result = (candidate or self.candidate).run(*steps)
        for step, (given, wanted) in zip(result.steps, calls, strict=False):
            expected = [self.expected(given, one) for one in wanted]
            if reason := differs(step, expected, result):
                return f"{reason} when looking for {show(wanted)} in {show(given)}"
        return result.why

    def share_found(self, calls: Sequence[Call]) -> float:
        """Of all that is looked for, in one run for each sequence."""
        right = asked = 0
        for given, wanted in calls:
            steps = [Step(code=f"result = {self.name}(given, one)",
                          names={"given": given, "one": one}) for one in wanted]  # fmt: skip
            result = self.candidate.run(*steps)
            asked += len(wanted)
            right += sum(
                not differs(step, self.expected(given, one), result)
                for step, one in zip(result.steps, wanted, strict=False)
            )
        return right / asked

    def ascending(self, count: int, step: int = 9) -> list[int]:
        """Numbers that all differ, with a gap of two at least; in the order asked for."""
        start = self.random.randrange(-200, 200)
        found = [start + at for at in accumulate(self.random.choices(range(2, step), k=count))]
        return found[:: self.step]

    def short_inputs(self) -> list[Call]:
        (one,) = self.ascending(1)
        return [([], [one, "a"]), ((), [one]), ([one], [one - 1, one, one + 1])]

    def lengths(self, count: int) -> list[int]:
        """From 2 to some thousand, as many from each doubling, so that none is left out."""
        top = math.log(_LONGEST_LIST)
        return [2, 3, *(int(2 + math.exp(self.random.uniform(0, top))) for _ in range(count))]

    def some(self, items: Sequence[Any]) -> list[Any]:
        """All of them, or the ends and some more."""
        if len(items) <= _MOST_WANTED:
            return [*items]
        return [items[0], items[-1], *self.random.sample([*items[1:-1]], _MOST_WANTED - 2)]

    def present(self) -> list[Call]:
        lists = [self.ascending(size) for size in self.lengths(_LISTS)]
        return [(given, self.some(given)) for given in lists]

    def missing(self) -> list[Call]:
        lists = [self.ascending(size) for size in self.lengths(_LISTS)]
        return [(given, [min(given) - 1, *(item + 1 for item in self.some(given))])
                for given in lists]  # fmt: skip

    def repeated(self) -> list[Call]:
        lists = [[7, 7], [self.random.randrange(90)] * self.random.randrange(5, 30)]
        for length in self.lengths(_LISTS // 2):
            different = self.ascending(self.random.randrange(2, 3 + int(length**0.5)))
            most = max(2, 2 * length // len(different))
            lists.append([one for one in different for _ in range(self.random.randrange(1, most))])
        return [(given, self.some(sorted(set(given)))) for given in lists]

    def kinds(self) -> str:
        numbers = self.ascending(self.random.randrange(5, 12))
        texts = sorted(f"{chr(65 + number % 50)}{number:x}" for number in numbers)[:: self.step]
        fractions = [number / 8 for number in numbers]
        calls: list[Call] = [
            (texts, [*texts, "~", ""]),
            (fractions, [*fractions, fractions[0] + 0.01]),
            (tuple(numbers), numbers),
            (tuple(texts), texts),
        ]
        own_class = "__import__('collections').UserList(given)"
        return self.call(calls) or self.call(calls[:2], own_class)

    def named(self) -> str:
        """The numbers and texts of the code as items, as what is missing, and as lengths."""
        found = list_named(self.code.tree, self.random)
        calls: list[Call] = []
        for one in found.numbers:
            near = [one - 7, one - 3, one + 4, one + 9][:: self.step]
            with_it = sorted([*near, one])[:: self.step]
            calls += [(near, [one, *near]), (with_it, [*with_it, one + 1, one - 1])]
        texts = sorted({"", *found.texts, *(f"{text}a" for text in found.texts)})
        lengths = {one + off for one in found.numbers for off in (-1, 0, 1) if one + off > 0}
        for length in sorted(one for one in lengths if one <= _LONGEST_LIST):
            given = self.ascending(length)
            places = (0, length - 1, length // 2, self.random.randrange(length))
            calls.append((given, [*(given[at] for at in places), given[-1] + 1]))
        calls.append((texts[:: self.step], texts))
        if reason := self.call(calls):
            return reason
        for name in [one for one in ("__main__", *found.texts) if one.isidentifier()][:_MOST_NAMES]:
            other = Candidate(self.code.sources, without=_WITHHELD, alone=True, name=name)
            if reason := self.call(calls[:9], candidate=other):
                return f"{reason}, in a module called {name}"
        for length in sorted(one for one in lengths if one > _LONGEST_LIST):
            if reason := self.search_huge(length):
                return f"{reason} in a sequence of {length} items"
        return ""

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

    def count(self, different: int, *, absent: bool = False) -> str:
        """Why results are wrong, or more items were read than a logarithm allows: enough for a
        search that goes through the sequence twice and reads each middle item three times.
        """
        for given in self.long_sequences(different):
            most = 6 * math.ceil(math.log2(len(given))) + 12
            place = self.random.randrange(len(given))
            wanted = [given[0], given[-1], given[place], given[place // 2]]
            if absent and isinstance(given[0], str):
                wanted = ["", "x", given[place] + "0"]
            elif absent:
                wanted = [-(10**6), 10**10, given[place] + 1]
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

    def count_in_huge(self) -> str:
        """The same for a sequence that nobody could write down. At this length a root, of whatever
        degree, is far from a logarithm.
        """
        return self.search_huge(self.random.randrange(10**14, 10**15))

    def search_huge(self, length: int) -> str:
        given = _Huge(length, self.random.randrange(9), self.step)
        most = 6 * math.ceil(math.log2(len(given))) + 12
        places = [0, len(given) - 1, *(self.random.randrange(len(given)) for _ in range(3))]
        steps = [Step(code=f"result = {self.name}(given, wanted)",
                      names={"given": Items(given), "wanted": given[one]})
                 for one in places]  # fmt: skip
        result = self.candidate.run(*steps, most_asked=most, cpu_s=4)
        if any(step.asked > most for step in result.steps):
            return f"more than {most} of {len(given)} items were read"
        return compare(result, *(self.base + one for one in places))

    def search_plain(self, often: int) -> str:
        """The same for a plain list, whose items occur `often` each, by processor time."""
        random, step = self.random, self.random.randrange(2, 90)
        length = random.randrange(_LEAST_PLAIN, _MOST_PLAIN) // often * often
        first = random.randrange(-(10**6), 10**6)
        last = first + step * (length // often - 1)
        kinds = random.choices((0, 0, 1), k=_LOOKED_FOR)  # a third of them are missing
        wanted = [first + step * random.randrange(length // often) + one for one in kinds]
        ends = f"range({first}, {last + 1}, {step})"
        ends = ends if self.step == 1 else f"range({last}, {first - 1}, -{step})"
        code = f"given = [one for one in {ends} for _ in range({often})]\n"
        code += f"result = [{self.name}(given, one) for one in wanted]"
        expected = []
        for one in wanted:
            number, rest = divmod(one - first, step)
            number = number if self.step == 1 else length // often - 1 - number
            place = number * often + (0 if self.is_first else often - 1)
            expected.append(self.absent if rest else self.base + place)
        result = self.candidate.run(Step(code=code, names={"wanted": wanted}), cpu_s=_CPU_S)
        if result.ended == "time":
            return f"{len(wanted):,} searches in a list of {length:,} take more than {_CPU_S} s"
        return compare(result, expected)

    def parameters(self) -> str:
        function, text = self.code.function(self.name), self.code.docstring(self.name)
        names = [one.arg for one in function.args.args] if function is not None else []
        prose = "\n".join(line for line in text.splitlines() if ">>>" not in line)
        missing = [name for name in names if not re.search(rf"\b{re.escape(name)}\b", prose)]
        if missing or not names:
            return f"not named: {', '.join(missing) or 'any'}"
        return "" if "return" in prose.casefold() else "the result is not described"

    def examples(self) -> str:
        examples = read_examples(self.code.docstring(self.name))
        if sum(self.name in called(example) for example in examples) < 2:
            return "there are fewer than two"
        result = self.candidate.run(*as_steps(examples, self.candidate.name))
        if result.why:
            return result.why
        for example, step in zip(examples, result.steps, strict=True):
            if not holds(example, step):
                return f"one is not true: {example.code.strip()!r}"
        return ""
