"""CT-02: a faster function gives the same results, with fewer operations on its entries.

In: an answer, and which task its function does. Out: Evidence.

Operations are counted outside of the answer's process: the entries of three lists (n, 2n, 4n) stay
with the supervisor, and every comparison and hash of one is a question to it. What is not done with
entries, such as looking numbers up in a list, shows with a long list and a limit of processor time
that is some hundred times what a single pass needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from random import Random

from assay.evidence.code_answers import Chosen, candidate, choose, has_broken_code, repeats
from assay.evidence.inside.wire import Remote, encoded
from assay.evidence.running import Group, GroupResult, Step
from assay.evidence.trials import Trial, differs, equals, not_run, tried, without_code
from assay.fixtures import Made
from assay.messages import tr
from assay.sandbox import Sandbox
from assay.types.judgements import Evidence, EvidenceCheck

_SIZES = (60, 120, 240)
_LONG = 40_000
_MOST_GROWTH = 6.5  # for four times the entries; n log n gives 5.4, a square gives 16
Entries = Sequence[Hashable]


def examine(answer: str, made: Made, sandbox: Sandbox | None) -> Evidence:
    """Try the function that an answer gives."""
    if sandbox is None:
        return not_run()
    asked_for = str(made.facts["function"])
    count = len(made.facts["parameters"])
    chosen = choose(
        answer,
        [asked_for],
        quoted=made.files["slow.py"],
        otherwise=lambda block: candidate(block, count, but=asked_for) is not None,
    )
    name = _name(chosen, asked_for, count, made.files["slow.py"])
    trials = _trials(name, str(made.facts["kind"]))
    if chosen is None:
        broken = has_broken_code(answer)
        reason = tr("the code cannot be parsed") if broken else tr("there is no new function")
        return Evidence(checks=(_named("", asked_for), *without_code(trials, reason)))
    checks, results = tried(trials, chosen.sources, sandbox)
    if results.missing:
        return Evidence(missing=results.missing)
    return Evidence(checks=(_named(name, asked_for), *checks), isolation=sandbox.isolation)


def _name(chosen: Chosen | None, asked_for: str, count: int, slow: str) -> str:
    """What the new function is called: one that keeps the name may be the slow one, quoted."""
    if chosen is None:
        return asked_for
    if asked_for in chosen.main.defined and not repeats(chosen.main, slow, [asked_for]):
        return asked_for
    return candidate(chosen.main, count, but=asked_for) or asked_for


def _named(found: str, asked_for: str) -> EvidenceCheck:
    """`found` is what it is called; "" where there is none."""
    if found == asked_for:
        explanation = tr("The faster function is called {name}", name=asked_for)
    elif found:
        explanation = tr(
            "The faster function is called {found}, and {name} was asked for",
            found=found,
            name=asked_for,
        )
    else:
        explanation = tr("There is no faster function called {name}", name=asked_for)
    return EvidenceCheck(
        name="name", passed=found == asked_for, explanation=explanation, group="interface"
    )


# ----------------------------------------------------------------------------- what is expected


def _repeated(entries: Entries, _: Entries = ()) -> list[object]:
    counts = _counts(entries)
    return [at for at, entry in enumerate(entries) if counts[entry] > 1]


def _earlier(entries: Entries, _: Entries = ()) -> list[object]:
    before: dict[Hashable, int] = {}
    result: list[object] = []
    for entry in entries:
        result.append(before.get(entry, 0))
        before[entry] = before.get(entry, 0) + 1
    return result


def _shared(entries: Entries, others: Entries = ()) -> list[object]:
    known = set(others)
    return [entry for entry in dict.fromkeys(entries) if entry in known]


def _latest(entries: Entries, _: Entries = ()) -> list[object]:
    return list({entry: at for at, entry in enumerate(entries)}.items())


def _counts(entries: Entries) -> dict[Hashable, int]:
    counts: dict[Hashable, int] = {}
    for entry in entries:
        counts[entry] = counts.get(entry, 0) + 1
    return counts


_EXPECTED: dict[str, Callable[[Entries, Entries], list[object]]] = {
    "repeated": _repeated,
    "earlier": _earlier,
    "shared": _shared,
    "latest": _latest,
}


# -------------------------------------------------------------------------------------- trials


def _trials(name: str, kind: str) -> list[Trial]:
    random = Random(f"entries:{kind}")
    numbers = [
        ([random.randrange(top) for _ in range(size)], [random.randrange(top) for _ in range(size)])
        for size, top in ((5, 3), (8, 8), (20, 6), (30, 200), (60, 20))
    ]
    # Equal numbers can be written so differently that others stand between them as texts.
    mixed: list[Hashable] = [1, "1", (1,), "(1,)", None, 2, 1.0, "b", (1,), "", None, "2", 2.5,
                             10**16, 12, 1e16]  # fmt: skip
    texts = ["b", "a", "b", "", "B", "a b", "ab", "", "é"]
    calls = _calls(name, kind)
    return [
        calls("empty", tr("Empty lists"), [([], []), ([], [1])]),
        calls("single", tr("A single entry"), [([7], [7]), ([7], [8]), (["x"], [])]),
        calls("all_different", tr("Entries that all differ"),
              [(list(range(12, 0, -1)), list(range(5, 40, 3)))]),
        calls("all_equal", tr("Entries that are all equal"), [([4] * 9, [4] * 3)]),
        calls("random_numbers", tr("Random numbers, many of them repeated"), numbers),
        calls("texts", tr("Texts"), [(texts, texts[::-2]), (texts[::-1], ["B", "", "zz"])]),
        calls("mixed_types", tr("Numbers, texts and tuples mixed"),
              [(mixed, ["1", (1,), None, 2.5]), (mixed[::-1], [1, "(1,)", "b"])]),
        _unchanged(name, kind),
        *_operations(name, kind),
        _long(name, kind),
    ]  # fmt: skip


def _call(name: str, kind: str) -> str:
    return f"{name}(one, two)" if kind == "shared" else f"{name}(one)"


def _calls(name: str, kind: str) -> Callable[[str, str, Sequence[tuple[Entries, Entries]]], Trial]:
    def calls(check: str, about: str, inputs: Sequence[tuple[Entries, Entries]]) -> Trial:
        steps = [
            Step(
                code=f"result = {_call(name, kind)}",
                names={"one": encoded(list(one)), "two": encoded(list(two))},
            )
            for one, two in inputs
        ]
        return Trial(
            about=about,
            group=Group(name=check, steps=tuple(steps)),
            verdict=equals(*(_EXPECTED[kind](one, two) for one, two in inputs)),
            kind="results",
        )

    return calls


def _unchanged(name: str, kind: str) -> Trial:
    one, two = [5, 3, 5, 1, 3], [3, 5, 5, 9]
    step = Step(
        code=f"{_call(name, kind)}\nresult = [one, two]",
        names={"one": encoded(one), "two": encoded(two)},
    )
    return Trial(
        about=tr("The lists are left as they were"),
        group=Group(name="arguments_unchanged", steps=(step,)),
        verdict=equals([one, two]),
        kind="results",
    )


def _remote_entries(size: int) -> list[int]:
    """Every number twice, far from each other."""
    half = size // 2
    return [*range(half), *reversed(range(half))]


def _counted(name: str, kind: str) -> tuple[Group, list[list[object]]]:
    """One call for each size with remote entries, and the results it should have."""
    steps, results = [], []
    for size in _SIZES:
        one = _remote_entries(size)
        two = one[::2]
        steps.append(
            Step(
                code=f"result = {_call(name, kind)}",
                names={"one": {"values": one}, "two": {"values": two}},
            )
        )
        results.append(_EXPECTED[kind](one, two))
    # Beyond the most that is allowed for the longest list there is nothing more to learn.
    most = _allowed(_SIZES[-1]) + 1
    group = Group(name="operations", steps=tuple(steps), most_asked=most, cpu_s=4)
    return group, results


def _allowed(size: int) -> int:
    """Sorting and looking neighbours up stays below this; so do six questions for each entry."""
    return int(size * (math.log2(size) + 6))


def _operations(name: str, kind: str) -> tuple[Trial, Trial]:
    """How many there are, and how they grow: two checks of the same calls."""
    group, expected = _counted(name, kind)

    def number(result: GroupResult) -> str:
        first = 0
        for step, size, values in zip(result.steps, _SIZES, expected, strict=True):
            if step.asked > _allowed(size):
                return tr("more than {most} for {size} entries", most=_allowed(size), size=size)
            entries = _remote_entries(size)
            known = [*entries, *entries[::2]]
            reason = differs(step, None, result) if step.raised else ""
            if reason:
                return reason
            if _resolved(step.value, known, first) != values:
                return tr("the result for {size} entries is wrong", size=size)
            first += len(known)
        return ""

    return (
        Trial(
            about=tr("The number of comparisons and hashes"),
            group=group,
            verdict=number,
            kind="operations",
        ),
        Trial(
            about=tr("How operations grow when there are four times as many entries"),
            group=group,
            verdict=_growth,
            kind="operations",
            check="growth",
        ),
    )


def _resolved(value: object, known: Sequence[int], first: int) -> object:
    """A result with the remote entries in it replaced by what they are."""
    if isinstance(value, Remote):
        at = value.place - first
        return known[at] if 0 <= at < len(known) else value
    if isinstance(value, list):
        return [_resolved(one, known, first) for one in value]
    return tuple(_resolved(one, known, first) for one in value) if type(value) is tuple else value


def _growth(result: GroupResult) -> str:
    asked = [step.asked for step in result.steps]
    # A question is about two entries at most.
    if any(2 * count < size for count, size in zip(asked, _SIZES, strict=True)):
        return tr("not every entry was looked at")
    if any(step.raised for step in result.steps):
        return tr("there were too many to go on")
    times = asked[-1] / asked[0]
    return "" if times <= _MOST_GROWTH else tr("{times} times as many", times=f"{times:.1f}")


def _long(name: str, kind: str) -> Trial:
    one = _remote_entries(_LONG)
    two = one[::2]
    step = Step(
        code=f"result = {_call(name, kind)}",
        names={"one": encoded(one), "two": encoded(two)},
    )
    return Trial(
        about=tr("A list of {count} entries", count=_LONG),
        group=Group(name="long_list", steps=(step,), cpu_s=2),
        verdict=equals(_EXPECTED[kind](one, two)),
        kind="operations",
    )
