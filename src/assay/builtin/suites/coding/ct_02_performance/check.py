"""Compares results with those of a fast function of ours, and counts operations on entries.

The entries of some lists stay here, so that every comparison and hash is counted. What is not done
with entries, such as looking positions up in a list or working with copies, shows in how the time
grows from one long list to another: the longer of processor time, as the system counts it, and time
by the clock. Entries are of every kind, in short lists and in long ones, and the lists are compared
after each call.
"""

import ast
import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from assay.checking import (
    KINDS,
    Candidate,
    Check,
    Code,
    GroupResult,
    Remote,
    Step,
    StepResult,
    Together,
    Values,
    WideDraw,
    choose_code,
    cited_in,
    differs,
    draw_for,
    find_function,
    find_obstacle,
    is_untouched,
    json_block,
    list_checks,
    list_named,
    missing_block,
    raised_instead,
    read_number,
    repeats,
    same,
    show,
    words_in,
)

_LEAST, _MOST = 40, 80  # entries of the shortest list whose operations are counted
_LEAST_LONG, _MOST_LONG = 12_000, 16_000  # of the shorter of two whose time is measured
_STEP = 2**6 * 3**2 * 5 * 7  # between entries of some long lists
_CPU_S = 2  # some hundred times what a single pass needs
# Of processor time, and by the clock, which counts what else runs on the machine too: below it the
# growth says nothing.
_SHORTEST_S, _SHORTEST_WALL_S = 0.1, 1.0
# Lists of other lengths, of each kind of entries: the longest of those whose time is not measured.
_SHORT, _LONG, _LONGEST = (100, 4_000), (4_000, 10_000), (12_000, 16_000)
_PART = 101
_TWINS = 6  # of the lists of numbers have a list beside them that differs in one entry
_WHOLE = 2_000  # entries: of longer lists a part comes back, and whether they are equal to a copy
_MOST_TIMES = 8  # as long for four times the entries; n log n takes 4.6, a square 16 times
_TRIES = 3  # at most, and the shortest times count: what else runs on the machine only adds
_MOST_ASKED = 20  # about an entry, beside sorting; ten look-ups in a dictionary ask as much
_MOST_GROWTH = 6.5  # for four times the entries; n log n gives 5.4, a square gives 16
# Of all, for code that is right for numbers, and for other entries silently wrong, or stopped; and
# for code that changes the lists.
MOST_WRONG, MOST_REFUSED = 0.25, 0.5
_GAIN = 10 / 3  # a gain may be so many times as large or small: a pass or two more, other steps
_LEAST_WORDS = 3  # about code that is cited
_NEAR = 0.55  # of results that are wrong, the share that is right all the same
_RESULTS = ("short_inputs", "numbers", "mixed")
_MOST_NAMES = 4  # of modules
# A list of a length that the code names: one that is sent, and one that is made there.
_LONGEST_NAMED, _LONGEST_MADE = 300_000, 6_000_000
# Long lists are drawn as whole numbers; their entries are written in one of these ways.
_NUMBERS = "whole numbers"
_WRITTEN: dict[str, Callable[[int], Hashable]] = {
    _NUMBERS: lambda one: one,
    "texts": lambda one: f"entry number {one} of many",
    "tuples": lambda one: ("entry", one // 7, one % 7),
    "floats": lambda one: one + 0.25,
    "sets": lambda one: frozenset({one, "entry"}),
    "mixed": lambda one: (one, str(one), (one,), one + 0.5)[one % 4],
}
_TIMED = (_NUMBERS, "texts", "tuples")
# Weight, and what is checked. The given code, or another that is as slow, gets less than a quarter:
# right results count little, and what is said about the code counts only where it is faster.
_CHECKS = {
    "name": (1, "The name of the faster function"),
    "short_inputs": (3, "Empty lists and single entries"),
    "numbers": (4, "Numbers, many of them repeated"),
    "mixed": (4, "Numbers, texts, tuples and others, alone and mixed"),
    "named": (1, "Entries, lengths and repetitions that the code itself names"),
    "unchanged": (2, "The lists after each call"),
    "operations": (14, "The number of comparisons and hashes, and its growth"),
    "long_list": (11, "Two long lists, one four times as long, and how the time grows"),
    "causes": (14, "Code that makes the given function slow, cited in the explanation"),
    "docstrings": (9, "The docstrings of the module and of the function"),
    "time_before": (2, "The complexity of the given code in the block"),
    "time_after": (3, "The complexity of the new code in the block"),
    "memory_after": (1, "The memory of the new code in the block"),
    "gain_1000": (2, "The gain for 1,000 entries in the block"),
    "gain_100000": (4, "The gain for 100,000 entries in the block"),
}
_CLAIMS = ("time_before", "time_after", "memory_after", "gain_1000", "gain_100000")
_SQUARES = ("n^2", "n²", "n**2", "n*n", "nm", "n*m", "n×m", "n·m", "mn", "m*n")
_LINEAR = ("n", "n+m", "m+n", "nlogn", "nlog(n)", "n*log(n)", "nlog2n", "n*logn")
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
    if code is None and choose_code(answer, [asked_for]) is not None:
        unchanged = "the code of no function is changed"
        beside = f"not counted, since {unchanged}"
        work = ("operations", "long_list")
        yield from list_checks(_CHECKS, {one: unchanged if one in work else beside
                                         for one in _CHECKS})  # fmt: skip
    elif code is None or obstacle:
        yield from list_checks(_CHECKS, obstacle)
    else:
        trial = _SpeedTrial(code, truth, count, slow, draw_for(answer))
        reasons = trial.reasons()
        reasons |= judge_claims(json_block(answer), missing_block(answer))
        reasons["causes"] = explain_causes(answer, slow)
        lacking = [name for name, text in trial.documented.items() if not text]
        reasons["docstrings"] = f"none for {' and '.join(lacking)}" if lacking else ""
        # A result that is wrong at these alone was made so.
        is_planted = reasons["named"] and not any(reasons[name] for name in _RESULTS)
        if reasons["long_list"]:
            elsewhere = "not counted, since long lists are not done as fast"
            if not reasons["numbers"]:
                reasons["operations"] = reasons["operations"] or elsewhere
            later = (
                "named",
                "unchanged",
                "causes",
                "docstrings",
                *_CLAIMS[1:],
            )  # what the given code needs is true of any answer
            no = "not counted, since only fast code earns it"
            reasons |= {name: reasons[name] or no for name in later}
        # The given code took mixed entries, and the task promises them.
        most = 1 if reasons["numbers"] else MOST_WRONG if trial.is_silent else MOST_REFUSED
        limits = {"mixed": most}
        if trial.changed:
            limits["unchanged"] = MOST_WRONG
        if is_planted:
            limits["named"] = MOST_WRONG
        yield from list_checks(_CHECKS, reasons, limits)
        for reason in [*trial.together.reasons().values()][:1]:
            yield Check("same_together", False, reason, at_most=MOST_WRONG)


def judge_claims(block: dict[str, Any] | None, missing: str) -> dict[str, str]:
    """Why what the block states is not right; "" where it is. The gain follows from the
    sizes and the complexities, but for what a step is.
    """
    if block is None:
        return dict.fromkeys(_CLAIMS, missing)
    reasons = {}
    for key, forms in (
        ("time_before", _SQUARES), ("time_after", _LINEAR), ("memory_after", ("n", "n+m", "m", "k"))
    ):  # fmt: skip
        given = block.get(key)
        bare = "".join(str(given).split()).casefold().strip("$`.").replace("\\", "")
        inside = bare.removeprefix("o(").removesuffix(")") if bare.startswith("o(") else ""
        is_right = isinstance(given, str) and inside in forms
        taken = f"such as O({forms[0]}) is right"
        told = (
            f"{show(given)}, and a form {taken}"
            if key in block
            else f"it is missing; a form {taken}"
        )
        reasons[key] = "" if is_right else told
    for key, size in (("gain_1000", 1_000), ("gain_100000", 100_000)):
        sorts = not reasons["time_after"] and "log" in str(block.get("time_after")).casefold()
        ratio = size / math.log2(size) if sorts else size
        number, least, most = read_number(block.get(key)), ratio / _GAIN, ratio * _GAIN
        is_right = number is not None and least <= number <= most
        told = f"{show(block.get(key))} is no number" if number is None else show(block.get(key))
        told = told if key in block else "it is missing"
        reasons[key] = "" if is_right else f"{told}, and {least:,.0f} to {most:,.0f} is taken"
    return reasons


def explain_causes(answer: str, slow: str) -> str:
    """Why no item of the explanation cites code of a loop of the given function; "" if one does."""
    loops = [one for one in ast.walk(ast.parse(slow)) if isinstance(one, ast.For)]
    lines = {line.strip() for loop in loops
             for line in (ast.get_source_segment(slow, loop) or "").splitlines()}  # fmt: skip
    for part, spans in cited_in(answer):
        for span in spans:
            bare = "".join(span.split()).rstrip(":")
            is_cited = any(bare in "".join(line.split()) for line in lines)
            beside = words_in(part) - words_in(span)
            if len(re.findall(r"\w+", span)) > 1 and is_cited and len(beside) >= _LEAST_WORDS:
                return ""
    return f"no item cites some in backticks, with {_LEAST_WORDS} words or more about it"


class _SpeedTrial:
    """One function, called with what the answer draws: a table made for another is of no use."""

    def __init__(
        self, code: Code, truth: Mapping[str, Any], count: int, slow: str, random: Random
    ) -> None:
        self.asked_for = truth["function"]
        self.name = self.asked_for
        self.tree = code.tree
        # A function that keeps the name may be the slow one, quoted beside a new one.
        if self.name not in code.defined or repeats(code.main, slow, [self.name]):
            self.name = find_function(code.main, count, but=self.asked_for) or self.name
        self.arguments = "one, two" if count == 2 else "one"
        self.count = count
        self.often, self.least = truth["often"], truth["least"]
        self.random = random
        self.sample = self.random.sample
        self.documented = {
            "the module": any(ast.get_docstring(one.tree) for one in code.blocks),
            "the function": bool(code.docstring(self.name)),
        }
        self.sources = code.sources
        self.candidate = Candidate(code.sources, alone=True)
        ours: dict[str, Any] = {}
        exec(truth["faster"], ours)
        self.faster = ours[self.asked_for]
        self.together = Together(self.candidate, random)
        self.is_silent = False  # whether a result was wrong, and nothing raised
        self.changed = ""  # which list was, by a call
        self.wrong = 0  # results
        # Of each result to the right one.
        self.nearness: list[float] = []

    def reasons(self) -> dict[str, str]:
        """Why each check does not hold; "" where it does."""
        found = dict.fromkeys(_CHECKS, "not tried, since results for numbers are wrong")
        found["name"] = "" if self.name == self.asked_for else f"it is called {self.name}"
        sizes = [int(2 + math.exp(self.random.uniform(0, 5))) for _ in range(30)]
        numbers = [self.draw(range(size)) for size in (*self.sample(range(2, 25), 6), *sizes)]
        # Lists that differ from others in one entry between the ends.
        for one, two in self.together.random.sample(numbers, _TWINS):
            twin = [*one]
            twin[len(twin) // 2] = self.together.random.choice(twin) + 1  # type: ignore[operator]
            numbers.append((twin, two))
        found["numbers"] = self.call(numbers)
        nearness = sum(self.nearness) / max(len(self.nearness), 1)
        edges: list[Lists] = [([], []), ([], [1]), ([7], [7]), (["x"], []), ([()], [(), 8])]
        found["short_inputs"] = self.call(edges)
        if found["numbers"]:
            # One rule is wrong, and how it works can be seen all the same. An answer to another
            # task has another name, or is wrong for single entries too; code that is wrong where
            # it names a value is right elsewhere.
            is_rule = 2 * self.wrong > len(numbers) and nearness >= _NEAR
            is_near = is_rule and not found["name"] and not found["short_inputs"]
            if is_near:
                found["operations"] = self.operations(right=False)
            return found
        # Different entries with the same hash, the same last digits of it, or the same if rounded,
        # are no repetition.
        number = self.random.randrange(90)
        alike = [-1, -2, number, number + 2**40, number + 0.5, number + 0.5 + 2**-40] * self.least
        mixed = [self.draw(self.mixed(size)) for size in self.sample(range(8, 17), 4)]
        self.is_silent = False
        found["mixed"] = self.call([*mixed, (alike, alike), *self.kinds()])
        wrong_too = any(found[name] for name in _RESULTS)
        beside = "not counted, since other results are wrong as well"
        found["named"] = beside if wrong_too else self.named()
        found["operations"] = self.operations()
        # Who takes numbers alone has lost what the others are worth already.
        found["long_list"] = self.growth((_NUMBERS,) if found["mixed"] else [*_WRITTEN])
        found["unchanged"] = self.changed
        return found

    def kinds(self) -> list[Lists]:
        """Entries that differ in one part each: of each kind alone, and all mixed."""
        draw = WideDraw(self.random)
        pools = [draw.alike(kind) for kind in (*KINDS, *KINDS)]
        pools.append([self.random.choice(pool) for pool in pools for _ in range(3)])
        found = [self.draw(pool) for pool in pools]
        found += [(tuple(one), tuple(two)) for one, two in found[::3]]
        letters = [self.draw(draw.text() or "a") for _ in range(2)]
        return [*found, *(("".join(map(str, one)), "".join(map(str, two))) for one, two in letters)]

    def growth(self, kinds: Sequence[str]) -> str:
        """Why long lists take too long, or much longer than they are longer."""
        lists = [self.write(kind, self.draw_long(self.random.randrange(*limits)))
                 for kind in kinds
                 for limits in (_SHORT, _LONG if kind in _TIMED else _LONGEST)]  # fmt: skip
        if reason := self.call(lists, cpu_s=_CPU_S):
            shortest, longest = (way(len(one) for one, _ in lists) for way in (min, max))
            return f"{len(lists)} lists of {shortest:,} to {longest:,} entries: {reason}"
        # Of the three kinds at least one in lists and one in tuples.
        ways = self.sample([True, False, self.random.random() < 0.5], len(_TIMED))
        for kind, in_tuple in zip(_TIMED, ways, strict=True):
            if kind in kinds and (reason := self.grown(kind, in_tuple=in_tuple)):
                return f"{kind}: {reason}"
        return ""

    def grown(self, kind: str, *, in_tuple: bool) -> str:
        """The same of a list of entries of a kind, and of one four times as long."""
        shorter = self.random.randrange(_LEAST_LONG, _MOST_LONG)
        shorter = shorter if kind == _NUMBERS else shorter // 2
        lists = [self.write(kind, self.draw_long(length), in_tuple=in_tuple)
                 for length in (4 * shorter, shorter)]  # fmt: skip
        least = [(math.inf, math.inf)] * 2
        shortest = (_SHORTEST_S, _SHORTEST_WALL_S)
        for _ in range(_TRIES):
            for at, both in enumerate(lists):
                *used, reason = self.time(both, shortest if at == 0 else (0, 0))
                if reason:
                    return f"{len(both[0]):,} entries: {reason}"
                least[at] = min(least[at][0], used[0]), min(least[at][1], used[1])
                if least[0][0] <= shortest[0] and least[0][1] <= shortest[1]:
                    return ""  # too short to say anything, and short enough
            grown = [
                f"{least[0][way] / least[1][way]:.0f} times the {what} for four times the entries"
                for way, what in enumerate(("processor time", "time by the clock"))
                if least[0][way] > max(shortest[way], _MOST_TIMES * least[1][way])
            ]
            if not grown:
                return ""
        return grown[0]

    def time(self, lists: Lists, enough: tuple[float, float]) -> tuple[float, float, str]:
        """How long one call takes, by the processor and by the clock, and why its result is wrong.
        What it takes to make the lists is measured without the answer, whose code would know, and
        not at all where both together are short enough.
        """
        step = self.step(lists)
        result = self.candidate.run(step, cpu_s=_CPU_S)
        reason = result.why or self.differs(lists, result.steps[0], result)
        used = (result.cpu_s, result.wall_s)
        if used[0] > enough[0] or used[1] > enough[1]:
            loading = Candidate("", alone=True).run(Step(code="", names=step.names))
            used = (used[0] - loading.cpu_s, used[1] - loading.wall_s)
        return max(used[0], 0.001), max(used[1], 0.001), reason

    def called(self, lists: Lists) -> str:
        """A call as a reader would write it; of a long list its beginning."""
        return f"{self.name}({', '.join(show(one) for one in lists[: self.count])})"

    def expected(self, lists: Lists) -> list[object]:
        return list(self.faster(*lists[: self.count]))

    def step(self, lists: Lists) -> Step:
        """A call, with what it leaves of its arguments."""
        names = dict(zip(("one", "two")[: self.count], lists, strict=False))
        code = f"found = {self.name}({self.arguments})\n"
        if len(lists[0]) <= _WHOLE:
            return Step(code=f"{code}result = [found, {self.arguments}]", names=names)
        kept = "".join(f"kept_{one} = {one}[:]\n" for one in names)
        left = ", ".join(f"{one}[::{_PART}] if {one} == kept_{one} else 0" for one in names)
        return Step(code=f"{kept}{code}result = [found, {left}]", names=names)

    def differs(self, lists: Lists, step: StepResult, result: GroupResult) -> str:
        """Why a call does not come to what it should; "" where it does. What it has changed is
        noted.
        """
        if step.raised is not None or not isinstance(step.value, list):
            return raised_instead(step, result) or f"{show(step.value)} came back"
        found, *left = step.value
        for one, all_given in zip(left, lists, strict=False):
            given = all_given if len(lists[0]) <= _WHOLE else all_given[::_PART]
            if not is_untouched(one, given):
                self.changed = self.changed or f"{show(one, 50)} is left of {show(given, 50)}"
        expected = self.expected(lists)
        self.nearness.append(_overlap(found, expected))
        # Equal entries may replace each other: True for 1.
        if (isinstance(found, list) and found == expected) or same(found, expected):
            return ""
        self.is_silent = True
        self.wrong += 1
        return differs(StepResult(value=found), expected, result) or "other entries came back"

    def call(
        self, inputs: Sequence[Lists], cpu_s: int = 1, candidate: Candidate | None = None
    ) -> str:
        steps = [self.step(lists) for lists in inputs]
        result = (candidate or self.candidate).run(*steps, cpu_s=cpu_s)
        reasons = [self.differs(lists, step, result)
                   for lists, step in zip(inputs, result.steps, strict=False)]  # fmt: skip
        wrong = [
            (len(lists[0]), at) for at, lists in enumerate(inputs[: len(reasons)]) if reasons[at]
        ]
        if not wrong:
            if not result.why and candidate is None:
                self.together.add("", steps, result)
            return result.why
        _, at = min(wrong)  # the shortest lists tell most
        return f"{reasons[at]} from {self.called(inputs[at])}"

    def named(self) -> str:
        """The numbers and texts of the code as entries, as lengths, and as how often one occurs."""
        found = list_named(self.tree, self.random)
        near = sorted({one + off for one in found.numbers for off in (-1, 0, 1)})
        pool: list[Hashable] = [*found.numbers, *found.texts, *map(str, found.numbers), "x"]
        inputs = [self.draw(pool), *(self.draw([one, "x", 7]) for one in pool)]
        for often in [one for one in near if 1 < one <= 300]:
            entries = [5, *["often"] * often, 6, *["seldom"] * (often // 2), 5]
            inputs.append((entries, entries[::-1]))
        shorter = [one for one in near if 1 < one <= 1_000]
        for length in shorter:
            inputs.append(self.draw_length(length))
        if reason := self.call(inputs):
            return reason
        for name in [one for one in ("__main__", *found.texts) if one.isidentifier()][:_MOST_NAMES]:
            other = Candidate(self.sources, alone=True, name=name)
            if reason := self.call(inputs[:9], candidate=other):
                return f"{reason}, in a module called {name}"
        longer = [one for one in near if 1_000 < one <= _LONGEST_NAMED]
        for length in self.sample(longer, min(6, len(longer))):
            lists = self.draw_length(length)
            result = self.candidate.run(self.step(lists), cpu_s=_CPU_S)
            if result.steps and (reason := self.differs(lists, result.steps[0], result)):
                return f"{length:,} entries: {reason}"
        made = [one for one in near if _LONGEST_NAMED < one <= _LONGEST_MADE]
        for length in self.sample(made, min(2, len(made))):
            if reason := self.made(length):
                return f"{length:,} entries: {reason}"
        return ""

    def made(self, length: int) -> str:
        """The same for lists that are made where the code runs, of which a part comes back."""
        pool = self.sample(range(100), 2 + length % 2)
        given = f"one = two = {pool} * {length // len(pool)} + {pool[:1]} * {length % len(pool)}\n"
        part = "result = [len(found), found[:5], found[-5:], found[::99_991]]"
        code = f"{given}found = {self.name}({self.arguments})\n{part}"
        result = self.candidate.run(code, cpu_s=_CPU_S)
        names: dict[str, Any] = {self.name: self.faster}
        if not result.steps or (
            (raised := result.steps[0].raised) and "MemoryError" in raised.types
        ):
            return ""
        exec(code, names)
        return differs(result.steps[0], names["result"], result)

    def draw_length(self, length: int) -> Lists:
        pool = range(max(2, length // self.often))
        return self.random.choices(pool, k=length), self.random.choices(pool, k=length)

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
        # Whoever sorts entries by a remainder of theirs has one heap of them, in half of the lists.
        step = self.random.choice((1, _STEP)) * self.random.randrange(1, 40)
        start = self.random.randrange(-(10**6), 10**6)
        if self.count == 2:
            pool = range(start, start + step * (length // self.least), step)
            two = [entry for entry in pool
                   for _ in range(self.least - (entry - start) // step % 2)]  # fmt: skip
            one = [*pool, *self.random.choices(pool, k=length - len(pool))]
            self.random.shuffle(one)
            self.random.shuffle(two)
            return one, two
        repeated = range(start, start + step * (length // (2 * self.often) + 1), step)
        single = range(start + step * length, start + 3 * step * length, step)
        found = []
        for _ in range(self.count):
            entries = self.random.choices(repeated, k=length // 2)
            entries += self.random.sample(single, length - len(entries))
            self.random.shuffle(entries)
            found.append(entries)
        return found[0], found[-1]

    def mixed(self, count: int) -> list[Hashable]:
        """Entries of many types. Equal ones can look different, others alike."""
        number = self.random.randrange(2, 90)
        pool = [
            number, str(number), float(number), (number,), f"({number},)", None, "None", "", (),
            number + 0.5, 10**16, 1e16, "b", "B", "é", ("b", 1), ("b", "1"), frozenset({number}),
        ]  # fmt: skip
        return self.random.sample(pool, count)

    def write(self, kind: str, lists: Lists, *, in_tuple: bool | None = None) -> Lists:
        """Two lists of whole numbers with their entries written as a kind; as tuples or not, or
        now so and now so.
        """
        write = _WRITTEN[kind]
        one, two = ([write(entry) for entry in some] for some in lists)  # type: ignore[arg-type]
        if in_tuple is None:
            in_tuple = self.random.random() >= 0.7
        return (tuple(one), tuple(two)) if in_tuple else (one, two)

    def operations(self, *, right: bool = True) -> str:
        """Why there are too many, they grow too fast, or, where they are to be right, the results
        are wrong.
        """
        asked = []
        smallest = self.random.randrange(_LEAST, _MOST)
        for size in (smallest, 2 * smallest, 4 * smallest):
            one, two = self.draw_long(size)
            names = {"one": Values(one), "two": Values(two)}
            code = f"result = [{self.name}({self.arguments}), {self.arguments}]"
            step = Step(code=code, names=names)
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
            value, *left = _resolve(found.value, [*one, *two])
            if left != [one, two][: self.count]:
                self.changed = self.changed or f"of {size} entries others are left"
            if right and value != self.expected((one, two)):
                return f"the result for {size} entries is wrong"
        times = asked[-1] / asked[0]
        grown = f"{times:.1f} times as many for four times the entries"
        return "" if times <= _MOST_GROWTH else grown


def _overlap(one: object, other: list[object]) -> float:
    """How much of two lists is the same, in any order: 1 for all of it."""
    here, there = Counter(_leaves(one)), Counter(_leaves(other))
    both = here.total() + there.total()
    return 2 * (here & there).total() / both if both else 1.0


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, list | tuple):
        for one in value:
            yield from _leaves(one)
    else:
        yield repr(value)


def _resolve(value: Any, known: Sequence[Hashable]) -> Any:
    """A result with the remote entries in it replaced by what they are."""
    if isinstance(value, Remote):
        return known[value.place] if 0 <= value.place < len(known) else value
    if isinstance(value, list):
        return [_resolve(one, known) for one in value]
    return tuple(_resolve(one, known) for one in value) if type(value) is tuple else value
