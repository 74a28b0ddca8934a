"""Steps done again in one process, where each could spoil the results of another.

A function is tried alone and its result read at once; those who use it call it again and again,
keep what came back, and change what they gave. Steps that were right alone are therefore done once
more, all in one process, in a drawn order:

- each has arguments of its own, and all results are kept until the last step is done, and compared
  then: a buffer that the next call fills has changed by then;
- what came back is changed, as its owner may: whoever keeps it for the next call gives it again;
- each step is done once more, in another order, with arguments that another step had, changed to
  hold its own values: whoever knows arguments by the object has the results of the other.

A result that depends on its arguments alone is the same each time. How much is done depends on the
steps alone, so that a busy machine finds the same.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import NamedTuple

from .candidate import Candidate, GroupResult, Step, StepResult, gives_other, is_plain_step

_LONGEST = 30_000  # characters of a step
_MOST_STEPS, _MOST_LETTERS = 110, 100_000
_CPU_S, _WALL_S = 6, 20


class _Done(NamedTuple):
    label: str
    step: Step
    before: StepResult
    size: int


class Together:
    """Collects steps of a candidate that were right, under a label each; says which are not any
    more where they are done together.
    """

    def __init__(self, candidate: Candidate, random: Random) -> None:
        self.candidate = candidate
        # Of its own: what else the checker draws stays as it is.
        self.random = Random(repr(random.getstate()[1][:9]))
        self.done: list[_Done] = []

    def add(self, label: str, steps: Sequence[Step], result: GroupResult) -> None:
        """Steps, and what came of them alone."""
        for step, before in zip(steps, result.steps, strict=False):
            size = len(step.code) + len(repr(step.names))
            if step.kind == "probe" and size <= _LONGEST and is_plain_step(step):
                self.done.append(_Done(label, step, before, size))

    def reasons(self) -> dict[str, str]:
        """By label, what is different in company; nothing where all is the same."""
        chosen = self._choose()
        if not chosen:
            return {}
        orders = [self.random.sample(range(len(chosen)), len(chosen)) for _ in range(2)]
        partners = self._pair(chosen)
        told = (
            "in one process with other calls",
            "after other calls, the same result read again",
            "called again, after results and arguments were changed",
        )
        steps = [
            *((at, told[0], replace(chosen[at].step, keep=f"{at}")) for at in orders[0]),
            (-1, told[1], Step(code="", kind="kept")),
            (-1, "", Step(code="", kind="spoil")),
            *((at, told[2], replace(chosen[at].step, into=f"{partners[at]}")) for at in orders[1]),
        ]  # fmt: skip
        result = self._run([step for _, _, step in steps])
        reasons: dict[str, str] = {}
        for (at, about, step), after in zip(steps, result.steps, strict=False):
            read = [(at, after)] if at >= 0 else []
            if step.kind == "kept" and isinstance(after.value, dict):
                read = [(int(label), StepResult(value=one)) for label, one in after.value.items()]
            for number, found in read:
                one = chosen[number]
                if reason := gives_other(one.before, found):
                    told_by = f"{about}: {reason} ({one.step.code.strip()[:80]})"
                    reasons.setdefault(one.label, told_by)
        if not reasons and result.ended in ("died", "time"):
            reasons[chosen[0].label] = f"in one process with other calls {result.why}"
        return reasons

    def _choose(self) -> list[_Done]:
        """As many as there is room for, of each label in turn."""
        queues: dict[str, list[_Done]] = defaultdict(list)
        for one in self.random.sample(self.done, len(self.done)):
            queues[one.label].append(one)
        chosen, letters = list[_Done](), 0
        while queues and len(chosen) < _MOST_STEPS:
            for label in [*queues]:
                one = queues[label].pop()
                if not queues[label]:
                    del queues[label]
                if letters + one.size <= _MOST_LETTERS and len(chosen) < _MOST_STEPS:
                    chosen.append(one)
                    letters += one.size
        return chosen

    def _pair(self, chosen: Sequence[_Done]) -> dict[int, int]:
        """For each step another with the same code, whose arguments it takes over: one that begins
        alike, if there is one.
        """
        alike: dict[str, list[int]] = defaultdict(list)
        for at, one in enumerate(chosen):
            if one.before.raised is None:
                alike[one.step.code].append(at)
        partners = dict[int, int]()
        for some in alike.values():
            some.sort(key=lambda at: repr(chosen[at].step.names))
            partners |= zip(some, [*some[1:], some[0]], strict=True)
        return {at: partners.get(at, at) for at in range(len(chosen))}

    def _run(self, steps: Sequence[Step]) -> GroupResult:
        result = self.candidate.run(*steps, cpu_s=_CPU_S, wall_s=_WALL_S)
        if result.ended == "died":  # which a full machine can bring about
            result = self.candidate.run(*steps, cpu_s=_CPU_S, wall_s=_WALL_S)
        return result
