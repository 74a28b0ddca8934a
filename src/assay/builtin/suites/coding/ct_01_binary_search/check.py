"""Calls the function with sequences it has not seen, and counts the items that it reads.

Short sequences are handed over, of every kind and size of items; long ones stay here, so that no
item is read without being counted. Whoever tells a plain list from those is timed on plain ones.
"""

import ast
import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from random import Random
from typing import Any

from assay.checking import (
    Candidate,
    Check,
    Code,
    Items,
    Step,
    StepResult,
    Together,
    WideDraw,
    as_steps,
    called,
    choose_code,
    compare,
    differs,
    draw_for,
    find_function,
    find_obstacle,
    holds,
    is_untouched,
    json_block,
    list_checks,
    list_named,
    missing_block,
    raised_instead,
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
    "kinds": (1, "Items and sequences of other kinds, sizes and characters"),
    "named": (1, "Values and lengths that the code itself names"),
    "unchanged": (1, "The sequence after each call"),
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
# Weight of finding another of equal items than was asked for: the search works, and is another.
_OTHER_OF_EQUALS = 16
# Of a search that walks over equal items: "even when items repeat" is what the task is about.
_WALKS = 18
MOST_PLANTED = 0.25  # of all, for code that is wrong only at values that it names
MOST_CHANGED = 0.25  # and for code that changes the sequence
MOST_IN_COMPANY = 0.25  # or that is right alone, and wrong after other calls
# Of all, for code that is right for common numbers in lists, and silently wrong for what else the
# specification promises, or stopped.
MOST_WRONG, MOST_REFUSED = 0.25, 0.5
_LONGEST_LIST = 2_000
_LISTS, _MOST_WANTED = 40, 12  # of each kind; looked for in each
_TWINS = 6  # of them have a list beside them that differs in one item
# A plain list, and how many items are looked for in it: a search needs a hundredth of the
# processor time that is allowed, and code that reads every item needs more than all of it.
_LEAST_PLAIN, _MOST_PLAIN, _LOOKED_FOR, _CPU_S = 300_000, 500_000, 3_000, 3
_LOOKED_FOR_AGAIN = 300  # after the list was changed in place
# Plain sequences of other kinds: so many items are looked for that code that walks looks at
# `_WALKED` items. A search of ours beside it shows how long that may take.
_WALKED, _LEAST_WALKED, _MOST_WALKED = 120_000_000, 5_000, 60_000
_SHORTEST_S, _MOST_TIMES, _PART = 0.3, 5, 97
# An item and what is missing behind it, by its number; and what holds them.
_WRITTEN = {
    "whole numbers": ("3 * {}", "3 * {} + 1"),
    "large numbers": ("10**20 + 2 * {}", "10**20 + 2 * {} + 1"),
    "fractions": ("0.5 * {}", "0.5 * {} + 0.25"),
    "texts": ("'entry %09d' % ({})", "'entry %09d.' % ({})"),
}
_HOLDERS = {"list": "given", "tuple": "(*given,)"}
_OURS = """
def search(items, wanted):
    low, high = 0, len(items)
    while low < high:
        middle = (low + high) // 2
        if items[middle] SIGN wanted:
            low = middle + 1
        else:
            high = middle
    return low
"""
_OWN_CLASS = """type('Row', (), {
    '__len__': lambda _: len(given), '__getitem__': lambda _, at: given[at]})()"""
_SEQUENCES = ("given", "(*given,)", "__import__('collections').UserList(given)",
              "__import__('collections').deque(given)", _OWN_CLASS)  # fmt: skip
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
        trial = _SearchTrial(code, truth, draw_for(answer))
        reasons = trial.reasons()
        is_search = not (reasons["logarithmic"] and reasons["logarithmic_repeats"])
        # A result that is wrong at these alone was made so.
        is_planted = reasons["named"] and not any(reasons[name] for name in _RESULTS)
        claims = json_block(answer)
        calls_itself = trial.calls_itself()
        reasons |= judge_claims(claims, truth, missing_block(answer), calls_itself=calls_itself)
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
        # An exception is seen; a wrong place is not.
        if reasons["kinds"] and not any(reasons[name] for name in _RESULTS if name != "kinds"):
            most["kinds"] = MOST_WRONG if trial.is_silent else MOST_REFUSED
        if trial.changed:
            most["unchanged"] = MOST_CHANGED
        table = dict(_CHECKS)
        if reasons["repeated"]:
            table["repeated"] = (_OTHER_OF_EQUALS, table["repeated"][1])
        walks = reasons["logarithmic_repeats"]
        if is_search and walks and not walks.startswith(_UNCOUNTED):
            table["logarithmic_repeats"] = (_WALKS, table["logarithmic_repeats"][1])
        yield from list_checks(table, reasons, most)
        for reason in [*trial.together.reasons().values()][:1]:
            yield Check("same_together", False, reason, at_most=MOST_IN_COMPANY)


def judge_claims(
    block: dict[str, Any] | None,
    truth: Mapping[str, Any],
    missing: str,
    *,
    calls_itself: bool = False,
) -> dict[str, str]:
    """Why what the block states is not right; "" where it is. A function that calls itself needs
    memory for each call.
    """
    if block is None:
        return dict.fromkeys(_CLAIMS, missing)
    reasons = {}
    of_memory = _LOGARITHMS if calls_itself else ("1",)
    for key, forms in (("time", _LOGARITHMS), ("memory", of_memory)):
        given = block.get(key)
        bare = "".join(str(given).split()).casefold().replace("_", "").replace("\\", "")
        bare = bare.replace("₂", "2").strip("$`.")
        right = {f"o({one.replace(' ', '')})" for one in forms}
        is_right = isinstance(given, str) and bare in right
        why = ", since the function calls itself" if calls_itself and key == "memory" else ""
        told = show(given) if key in block else "missing"
        reasons[key] = "" if is_right else f"{told}, and 'O({forms[0]})' is right{why}"
    for key, expected in truth["claims"].items():
        given = block.get(key)
        told = show(given) if key in block else "missing"
        reasons[key] = "" if same(given, expected) else f"{told}, and {expected} is right"
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


def _draw_fraction(draw: WideDraw) -> float:
    return draw.whole(-(10**9), 10**9) * 2.0 ** draw.random.randrange(-60, 60)


_KINDS: dict[str, Callable[[WideDraw], Any]] = {
    "whole numbers": WideDraw.whole,
    "fractions": _draw_fraction,
    "exact fractions": lambda draw: Fraction(draw.whole(-(10**9), 10**9), draw.length(99, 1)),
    "numbers": WideDraw.number,
    "texts": WideDraw.text,
    "texts with one beginning": lambda draw: "One beginning of all texts, " + draw.text(20),
}


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
        self.together = Together(self.candidate, random)
        self.is_silent = False  # whether a result was wrong, and nothing raised
        self.changed = ""  # which sequence was, by a call

    def calls_itself(self) -> bool:
        function = self.code.function(self.name)
        names = (one.func for one in ast.walk(function or ast.Module([], []))
                 if isinstance(one, ast.Call))  # fmt: skip
        return any(isinstance(one, ast.Name) and one.id == self.name for one in names)

    def reasons(self) -> dict[str, str]:
        """Why each check does not hold; "" where it does."""
        found = dict.fromkeys(_CHECKS, "")
        found["name"] = "" if self.name == self.asked_for else f"it is called {self.name}"
        present = self.present()
        found["present"] = self.call(present)
        found["short_inputs"] = self.call(self.short_inputs())
        if found["present"] and (why := self.why_few(present)):
            tried = ("name", "present", "short_inputs")
            why = f"not tried, since {why}"
            return found | {name: why for name in _CHECKS if name not in tried}
        found["absent"] = self.call(self.missing())
        found["repeated"] = self.call(self.repeated())
        self.is_silent = False
        # Who finds another of equal items has lost what they are worth already.
        found["kinds"] = self.kinds(most=1 if found["repeated"] else 4)
        wrong_too = any(found[name] for name in _RESULTS)
        beside = "not counted, since other results are wrong as well"
        found["named"] = beside if wrong_too else self.named()
        found["examples"], found["parameters"] = self.examples(), self.parameters()
        found["logarithmic"] = (
            self.count(1) or self.count_in_huge() or self.search_plain(1) or self.walked(1)
        )
        wrong = "not counted, since results for {} items are wrong"
        found["logarithmic_absent"] = (
            wrong.format("missing") if found["absent"] else self.count(1, absent=True)
        )
        few = self.random.randrange(20, 60)
        found["logarithmic_repeats"] = (
            wrong.format("repeated")
            if found["repeated"]
            else self.count(self.random.randrange(4, 9))
            or self.search_plain(1 + few * 100)
            or self.walked(few * 10)
        )
        found["unchanged"] = self.changed
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
        sequences: Sequence[str] = (),
        *,
        candidate: Candidate | None = None,
    ) -> str:
        """Look for items in each sequence, made of a list in one of the ways given, in turn."""
        every = sequences or ("given",)
        ways = [every[at % len(every)] for at in range(len(calls))]
        steps = [
            Step(code=f"inside = {way}\nfound = [{self.name}(inside, one) for one in wanted]\n"
                 "result = [found, [*inside]]", names={"given": one, "wanted": two})
            for way, (one, two) in zip(ways, calls, strict=True)
        ]  # fmt: skip
        result = (candidate or self.candidate).run(*steps)
        for way, step, (given, wanted) in zip(ways, result.steps, calls, strict=False):
            kind = "" if way == "given" else f" as {'a class' if way == _OWN_CLASS else way}"
            where = f"when looking for {show(wanted)} in {show(given)}{kind}"
            if step.raised is not None or not isinstance(step.value, list):
                return f"{raised_instead(step, result) or show(step.value)} {where}"
            found, left = step.value
            if not is_untouched(left, [*given]):
                self.changed = self.changed or f"{show(left, 50)} is left of {show(given, 50)}"
            expected = [self.expected([*given], one) for one in wanted]
            if reason := differs(StepResult(value=found), expected, result):
                self.is_silent = True
                return f"{reason} {where}"
        if candidate is None:
            self.together.add("", steps, result)
        return result.why

    def why_few(self, calls: Sequence[Call]) -> str:
        """Why few items are found, of all that is looked for in one run for each sequence; "" where
        enough are. Code that fails at most of the others is told by how it fails.
        """
        right = asked = 0
        failures = Counter[str]()
        for given, wanted in calls:
            steps = [Step(code=f"result = {self.name}(given, one)",
                          names={"given": given, "one": one}) for one in wanted]  # fmt: skip
            result = self.candidate.run(*steps)
            asked += len(wanted)
            right += sum(
                not differs(step, self.expected(given, one), result)
                for step, one in zip(result.steps, wanted, strict=False)
            )
            failures.update(why for one in result.steps if (why := raised_instead(one, result)))
            failures[result.why] += len(wanted) - len(result.steps)
        if right / asked >= LEAST_FOUND:
            return ""
        why, count = failures.most_common(1)[0]
        failed = why and count > (asked - right) / 2
        return why if failed else "few of the items that are there are found"

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
        calls: list[Call] = [(given, self.some(given)) for given in lists]
        # Lists that differ in one place, which is looked for in both.
        for given in self.together.random.sample(lists, _TWINS):
            place = self.together.random.randrange(len(given))
            twin = [*given]
            twin[place] += 1
            calls += [(one, [given[place], twin[place]]) for one in (given, twin)]
        return calls

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

    def kinds(self, most: int) -> str:
        """Numbers and texts of every size and character, in every kind of sequence."""
        draw = WideDraw(self.random)
        calls = []
        for kind in (*_KINDS, *_KINDS):
            for length in (draw.length(300), draw.length(9)):
                items = {_KINDS[kind](draw) for _ in range(length + 1)}
                missing = {items.pop(), *(_KINDS[kind](draw) for _ in range(2))} - items
                given = [one for one in sorted(items) for _ in range(draw.length(most, 1))]
                near = [draw.random.choice(given) for _ in range(3)] if given else []
                beside = [f"{one}!" if kind.startswith("texts") else one + 1 for one in near]
                ends = ["", "\U0010ffff"] if kind.startswith("texts") else [-math.inf, math.inf]
                wanted = [*self.some(sorted(items)), *missing, *beside, *ends]
                calls.append((given[:: self.step], wanted))
        start, step = draw.whole(), draw.length(1_000, 1)
        some: Callable[[Any], Any] = set if most == 1 else list
        numbers = range(start, start + step * draw.length(500, 1), step)[:: self.step]
        letters = sorted(some(draw.text() or "b"))[:: self.step]
        small = sorted(some(draw.random.choices(range(256), k=draw.length(90))))[:: self.step]
        of_range = f"range({numbers[0]}, {numbers[-1] + self.step}, {numbers.step})"
        others: list[tuple[Call, str]] = [
            (([*numbers], [*self.some(numbers), numbers[0] - 1]), of_range),
            ((letters, [*letters[:9], "~", ""]), "''.join(given)"),
            ((small, [*small[:9], 128, -1]), "bytes(given)"),
            ((small, [*small[-9:], 300]), "__import__('array').array('q', given)"),
        ]
        return self.call(calls, _SEQUENCES) or self.call(*map(list, zip(*others, strict=True)))

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
        # Once more without the first item: a place that is remembered is wrong by then.
        code += f"result = [{self.name}(given, one) for one in wanted]\ndel given[:{often}]\n"
        code += f"result += [{self.name}(given, one) for one in wanted[:{_LOOKED_FOR_AGAIN}]]"
        expected, later = [], []
        for one in wanted:
            number, rest = divmod(one - first, step)
            number = number if self.step == 1 else length // often - 1 - number
            place = number * often + (0 if self.is_first else often - 1)
            expected.append(self.absent if rest else self.base + place)
            later.append(self.absent if rest or number == 0 else self.base + place - often)
        result = self.candidate.run(Step(code=code, names={"wanted": wanted}), cpu_s=_CPU_S)
        if result.ended == "time":
            return f"{len(wanted):,} searches in a list of {length:,} take more than {_CPU_S} s"
        return compare(result, [*expected, *later[:_LOOKED_FOR_AGAIN]])

    def walked(self, often: int) -> str:
        """Why a search in plain sequences of other kinds and lengths takes as long as to walk over
        them. A search of ours is timed only where the other takes long enough to say anything.
        """
        for kind in self.random.sample([*_WRITTEN], 4 if often == 1 else 1):
            codes, expected = [], []
            for holder in _HOLDERS:
                code, places = self.draw_searches(kind, holder, often)
                codes.append(code)
                expected.append([*places, True])
            about = f"{kind} in lists and tuples of {_LEAST_WALKED:,} to {_MOST_WALKED:,} items"
            codes = [code.replace("NAME", self.name) for code in codes]
            result = self.candidate.run(*codes, cpu_s=_CPU_S)
            if result.ended == "time":
                return f"to look for {about} takes more than {_CPU_S} s"
            if reason := compare(result, *expected):
                return f"{reason} when looking for {about}"
            if result.cpu_s < _SHORTEST_S:
                continue
            ours = Candidate(_OURS.replace("SIGN", "<" if self.step == 1 else ">"), alone=True)
            codes = [code.replace(f"{self.name}(", "search(") for code in codes]
            times = result.cpu_s / max(ours.run(*codes, cpu_s=_CPU_S).cpu_s, 0.01)
            if times > _MOST_TIMES:
                return f"to look for {about} takes {times:.0f} times as long as halving the range"
        return ""

    def draw_searches(self, kind: str, holder: str, often: int) -> tuple[str, list[list[int]]]:
        """Code that looks for many items of such a sequence, and what a part of it should find;
        and once more of a list from which the first item was removed.
        """
        ratio = _MOST_WALKED / _LEAST_WALKED
        different = int(_LEAST_WALKED * ratio ** self.random.random()) // often
        searches = _WALKED // (different * often)
        factor = self.random.choice((7919, 104_729))
        item, missing = _WRITTEN[kind]
        most = _LOOKED_FOR_AGAIN if holder == "list" else 0
        lines = (
            f"given = [one for at in range({different})",
            f"         for one in [{item.format('at')}] * {often}][:: {self.step}]",
            f"given = {_HOLDERS[holder]}",
            "kept = given[:]",
            f"at = [{factor} * at % {different} for at in range({searches})]",
            f"wanted = [{item.format('one')} if one % 3 else {missing.format('one')}",
            "          for one in at]",
            "found = [NAME(given, one) for one in wanted]",
            f"again = wanted[::{_PART}][:{_LOOKED_FOR_AGAIN}]"
            if holder == "list"
            else "again = []",
            "is_kept = given == kept",
            f"if again: del given[:{often}]",
            f"result = [found[::{_PART}], [NAME(given, one) for one in again], is_kept]",
        )
        numbers = [factor * at % different for at in range(0, searches, _PART)]
        places = [self.place_of(one, different, often) for one in numbers]
        first = 0 if self.step == 1 else different - 1
        shorter = [
            self.absent if one == first or place == self.absent else place - often
            for one, place in zip(numbers, places, strict=True)
        ]
        return "\n".join(lines), [places, shorter[:most]]

    def place_of(self, number: int, different: int, often: int) -> int:
        """Of the item with this number, of which every third is missing."""
        if number % 3 == 0:
            return self.absent
        before = number if self.step == 1 else different - 1 - number
        return self.base + before * often + (0 if self.is_first else often - 1)

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
        wrong = [
            example.code.strip()
            for example, step in zip(examples, result.steps, strict=True)
            if not holds(example, step)
        ]
        count = f"{len(wrong)} of {len(examples)} {'is' if len(wrong) == 1 else 'are'} not true"
        return f"{count}, such as {wrong[0]!r}" if wrong else ""
