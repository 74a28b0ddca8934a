"""CT-01: a search function is called with sequences it has not seen, and what it reads is counted.

In: an answer, and the names and choices of its specification. Out: Evidence.

Short sequences are handed over as they are. Long ones stay with the supervisor, which counts every
item that is looked at: a function cannot tell less than it reads, nor reset the counter.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from assay.evidence.code_answers import Chosen, candidate, choose, functions, has_broken_code
from assay.evidence.doc_examples import as_steps, called, holds, read_examples
from assay.evidence.inside.wire import encoded
from assay.evidence.running import Group, GroupResult, Step
from assay.evidence.trials import (
    Trial,
    equals,
    not_run,
    raised_instead,
    tried,
    without_code,
)
from assay.fixtures import Made
from assay.messages import tr
from assay.sandbox import Sandbox
from assay.types.judgements import Evidence, EvidenceCheck

_SIZES = (1_000, 30_000, 1_000_000)
_MOST_READ = 400  # three times what a logarithm allows, far less than a long sequence
_SEARCHING = "bisect"
_WORDS = ("", "Accra", "Ho", "Kpalime", "Lome", "Tema", "agbe", "zebra")


def examine(answer: str, made: Made, sandbox: Sandbox | None) -> Evidence:
    """Try the function that an answer gives."""
    if sandbox is None:
        return not_run()
    asked_for = str(made.facts["function"])
    chosen = choose(answer, [asked_for], otherwise=lambda block: candidate(block, 2) is not None)
    name = _name(chosen, asked_for)
    trials = [*_trials(name, made, _borrowed(chosen, name)), _examples(name, chosen)]
    if chosen is None:
        broken = has_broken_code(answer)
        reason = tr("the code cannot be parsed") if broken else tr("there is no such function")
        return Evidence(checks=(_named("", asked_for), *without_code(trials, reason)))
    checks, results = tried(trials, chosen.sources, sandbox)
    if results.missing:
        return Evidence(missing=results.missing)
    return Evidence(checks=(_named(name, asked_for), *checks), isolation=sandbox.isolation)


def _name(chosen: Chosen | None, asked_for: str) -> str:
    if chosen is None or asked_for in chosen.main.defined:
        return asked_for
    return candidate(chosen.main, 2) or asked_for


def _named(found: str, asked_for: str) -> EvidenceCheck:
    """`found` is what it is called; "" where there is none."""
    if found == asked_for:
        explanation = tr("The function is called {name}", name=asked_for)
    elif found:
        explanation = tr(
            "The function is called {found}, and {name} was asked for",
            found=found,
            name=asked_for,
        )
    else:
        explanation = tr("There is no function called {name}", name=asked_for)
    return EvidenceCheck(
        name="name", passed=found == asked_for, explanation=explanation, group="interface"
    )


def _borrowed(chosen: Chosen | None, name: str) -> bool:
    """Whether the function, or one that it uses, leaves the search to the module for it."""
    if chosen is None:
        return False
    trees = [block.tree for block in chosen.blocks]
    known = {one.name: one for tree in trees for one in functions(tree)}
    borrowed = {name for tree in trees for name in _from_module(tree)}
    reached, left = {name}, [name]
    while left:
        function = known.get(left.pop())
        if function is None:
            continue
        if any(_from_module(function)):
            return True
        used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        if used & borrowed:
            return True
        left += [one for one in used if one in known and one not in reached]
        reached |= used
    return False


def _from_module(tree: ast.AST) -> Iterator[str]:
    """The names under which the module or its functions are known after the imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == _SEARCHING:
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (one.asname or one.name for one in node.names if one.name == _SEARCHING)


# -------------------------------------------------------------------------------------- trials


def _trials(name: str, made: Made, borrowed: bool) -> list[Trial]:
    pick, absent = made.facts["pick"], made.facts["absent"]
    expected = _expecting(str(pick), absent)
    calls = _calls(name, expected)
    numbers = [3, 8, 12, 17, 23, 31, 40, 58, 77]
    return [
        calls("empty", tr("An empty sequence"), [([], 3), ([], "a")]),
        calls("one_item", tr("A single item, present or not"), [([5], 5), ([5], 4), ([5], 6)]),
        calls("absent_below", tr("An item below all others"),
              [(numbers[:size], 1) for size in range(2, 10)]),
        calls("absent_above", tr("An item above all others"),
              [(numbers[:size], 99) for size in range(2, 10)]),
        calls("absent_between", tr("A missing item between others"),
              [(numbers, item + 1) for item in numbers[:-1]]),
        calls("first_item", tr("The first item of many"),
              [(numbers[:size], 3) for size in range(2, 10)]),
        calls("last_item", tr("The last item of many"),
              [(numbers[:size], numbers[size - 1]) for size in range(2, 10)]),
        calls("every_position", tr("Every item of sequences with up to 12 items"),
              [(list(range(0, 2 * size, 2)), 2 * at) for size in range(1, 13)
               for at in range(size)]),
        calls("repeated_items", tr("Items that occur several times"), _repeated()),
        calls("negative_numbers", tr("Negative numbers and fractions"),
              [([-40, -7.5, -7, -1, 0, 2.25], item)
               for item in (-40, -7.5, -7, -1, 0, 2.25, -8, 1)]),
        calls("texts", tr("Texts instead of numbers"),
              [(list(_WORDS), word) for word in (*_WORDS, "Keta", "zzz")]),
        calls("tuples", tr("A tuple instead of a list"),
              [((2, 4, 6), 2), ((2, 4, 6), 6), ((2, 4, 6), 5), ((), 5)]),
        _unchanged(name),
        _long(name, expected),
        _counted(name, "logarithmic", tr("The number of items read grows with the logarithm"), 1,
                 borrowed=borrowed),
        _counted(name, "logarithmic_repeats",
                 tr("It does so too where the same item occurs very often"), 5, borrowed=borrowed),
    ]  # fmt: skip


Expecting = Callable[[Sequence[Any], Any], object]


def _expecting(pick: str, absent: object) -> Expecting:
    def expected(given: Sequence[Any], wanted: Any) -> object:
        places = [at for at, item in enumerate(given) if item == wanted]
        return (places[0] if pick == "first" else places[-1]) if places else absent

    return expected


def _calls(
    name: str, expected: Expecting
) -> Callable[[str, str, Sequence[tuple[Sequence[Any], Any]]], Trial]:
    def calls(check: str, about: str, inputs: Sequence[tuple[Sequence[Any], Any]]) -> Trial:
        steps = [
            Step(
                code=f"result = {name}(given, wanted)",
                names={"given": encoded(given), "wanted": encoded(wanted)},
            )
            for given, wanted in inputs
        ]
        results = [expected(given, wanted) for given, wanted in inputs]
        return Trial(
            about=about,
            group=Group(name=check, steps=tuple(steps)),
            verdict=equals(*results),
            kind="behaviour",
        )

    return calls


def _repeated() -> list[tuple[list[int], int]]:
    lists = ([1, 2, 2, 2, 3], [7, 7], [4] * 9, [1, 1, 1, 5, 5, 8], [0, 3, 3, 6, 6, 6, 6, 6, 9])
    return [(given, item) for given in lists for item in sorted(set(given))]


def _unchanged(name: str) -> Trial:
    given = [1, 4, 4, 9, 16, 25]
    steps = [
        Step(code=f"{name}(given, {wanted})\nresult = given", names={"given": encoded(given)})
        for wanted in (4, 25, 7)
    ]
    return Trial(
        about=tr("The sequence is left as it was"),
        group=Group(name="argument_unchanged", steps=tuple(steps)),
        verdict=equals(given, given, given),
        kind="behaviour",
    )


def _remote(name: str, wanted: int, *, length: int, repeat: int) -> Step:
    """A call with 0, 3, 6, ..., each `repeat` times."""
    rule = {"start": 0, "step": 3, "length": length, "repeat": repeat}
    return Step(code=f"result = {name}(given, {wanted})", names={"given": {"progression": rule}})


def _long(name: str, expected: Expecting) -> Trial:
    length = _SIZES[-1]
    present = (0, 3 * (length - 1), 3 * 700_001)
    absent = (700_000, -1, 3 * length)
    return Trial(
        about=tr("A million items"),
        group=Group(
            name="long_sequence",
            steps=tuple(
                _remote(name, wanted, length=length, repeat=1) for wanted in present + absent
            ),
            most_asked=_MOST_READ,
            cpu_s=4,
        ),
        verdict=equals(
            *(wanted // 3 for wanted in present), *(expected([], wanted) for wanted in absent)
        ),
        kind="behaviour",
    )


def _counted(name: str, check: str, about: str, parts: int, *, borrowed: bool) -> Trial:
    """`parts` is how many different items there are for one of many that are equal; 1: all differ.

    A search that reads each middle item up to three times, and goes twice through the sequence,
    stays within six times the logarithm.
    """
    steps, bounds = [], []
    for length in _SIZES:
        repeat = 1 if parts == 1 else length // parts
        items, halvings = length // repeat, math.ceil(math.log2(length))
        missing = 3 * (items // 3) + 1
        for wanted in (0, 3 * (items // 2), 3 * (items - 1), 3 * items, missing):
            steps.append(_remote(name, wanted, length=length, repeat=repeat))
            # Nobody knows that an item is missing between others without having looked for it.
            least = halvings // 2 if wanted == missing else 1
            bounds.append((length, least, 6 * halvings + 12))

    def verdict(result: GroupResult) -> str:
        if borrowed:
            return tr("the module {module} searches, not the function", module=_SEARCHING)
        for step, (length, least, most) in zip(result.steps, bounds, strict=True):
            if step.asked > most:
                return tr(
                    "more than {bound} of {length} items were read", bound=most, length=length
                )
            if step.asked == 0:
                return tr("no item was read at all")
            if step.raised is not None:
                return raised_instead(step, result)
            if step.asked < least:
                return tr("fewer than {bound} of {length} items were read, too few for a search",
                          bound=least, length=length)  # fmt: skip
        return ""

    return Trial(
        about=about,
        group=Group(name=check, steps=tuple(steps), most_asked=_MOST_READ, cpu_s=4),
        verdict=verdict,
        kind="complexity",
    )


def _examples(name: str, chosen: Chosen | None) -> Trial:
    """The examples of the docstring are true; there are at least two that call the function."""
    function = chosen.main.function(name) if chosen is not None else None
    examples = read_examples(ast.get_docstring(function) or "" if function is not None else "")
    calling = sum(name in called(example) for example in examples)

    def verdict(result: GroupResult) -> str:
        if calling < 2:
            return tr("there are fewer than two")
        for example, step in zip(examples, result.steps, strict=True):
            if not holds(example, step):
                return tr("one is not true: {code}", code=repr(example.code.strip()))
        return ""

    return Trial(
        about=tr("The examples of the docstring"),
        group=Group(name="examples", steps=as_steps(examples, "answer")),
        verdict=verdict,
        kind="examples",
    )
