"""Steps, and what is expected of them: together they become checks.

In: trials, an answer's code, a sandbox. Out: Evidence.

What is expected stays in this process: only the steps of a trial go into the sandbox.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from assay.evidence.running import Group, GroupResult, Results, StepResult, run_groups
from assay.messages import tr
from assay.sandbox import Sandbox
from assay.types.judgements import Evidence, EvidenceCheck

# Why a result is not what it should be, as the end of a sentence; "" where it is.
Verdict = Callable[[GroupResult], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One check: what is tried, in words; how; and how its result is read. `check` is its name
    where that is not the group's: several trials may read one group.
    """

    about: str
    group: Group
    verdict: Verdict
    kind: str = ""
    check: str = ""

    @property
    def name(self) -> str:
        """The check's name."""
        return self.check or self.group.name


def not_run() -> Evidence:
    """There is no sandbox."""
    return Evidence(
        missing=tr("the code was not run: that needs the option --allow-code-execution")
    )


def without_code(trials: Sequence[Trial], reason: str) -> tuple[EvidenceCheck, ...]:
    """No check holds where there is nothing to run."""
    return tuple(
        EvidenceCheck(name=trial.name, passed=False, group=trial.kind,
                      explanation=_sentence(trial.about, reason))
        for trial in trials
    )  # fmt: skip


def tried(
    trials: Sequence[Trial],
    sources: Sequence[str],
    sandbox: Sandbox,
    *,
    modules: Mapping[str, str] | None = None,
) -> tuple[tuple[EvidenceCheck, ...], Results]:
    """Run all trials at once, and compare."""
    groups = {trial.group.name: trial.group for trial in trials}
    results = run_groups(sandbox, sources, [*groups.values()], modules=modules)
    if results.missing:
        return (), results
    return tuple(_check(trial, results.groups[trial.group.name]) for trial in trials), results


def _check(trial: Trial, result: GroupResult) -> EvidenceCheck:
    reason = unfinished(result) or trial.verdict(result)
    return EvidenceCheck(
        name=trial.name,
        passed=not reason,
        explanation=_sentence(trial.about, reason),
        group=trial.kind,
    )


def _sentence(about: str, reason: str) -> str:
    return tr("{about}: {reason}", about=about, reason=reason) if reason else about


def unfinished(result: GroupResult) -> str:
    """Why a group did not come to its end; "" where it did."""
    if result.ended == "done":
        return ""
    if result.ended in ("time", "cpu"):
        return tr("the code did not come to an end in the time allowed")
    if result.ended == "skipped":
        return tr("not tried any more, after the code had run out of time again and again")
    return tr("the code ended its own process, or was ended by a limit")


def equals(*expected: object) -> Verdict:
    """Step by step these values, each of the same type."""

    def verdict(result: GroupResult) -> str:
        for step, value in zip(result.steps, expected, strict=True):
            reason = differs(step, value, result)
            if reason:
                return reason
        return ""

    return verdict


def differs(step: StepResult, expected: object, result: GroupResult) -> str:
    """Why this is not the value expected; "" where it is."""
    if step.raised is not None:
        return raised_instead(step, result)
    if same(step.value, expected):
        return ""
    found, wanted = shown(step.value), shown(expected)
    return tr("{found} came back instead of {wanted}", found=found, wanted=wanted)


def raised_instead(step: StepResult, result: GroupResult) -> str:
    """What was raised; and if the code could not even be loaded, why."""
    raised = step.raised
    if raised is None:
        return ""
    if result.problem is not None and "NameError" in raised.types:
        return tr("the code cannot be loaded, {problem}", problem=shown(result.problem.text))
    return tr("the code raised {problem}", problem=shown(raised.text))


def same(found: object, expected: object) -> bool:
    """Equal, and of the same type; whole numbers and floats may stand for each other."""
    if isinstance(found, bool) or isinstance(expected, bool):
        return found is expected
    if isinstance(found, int | float) and isinstance(expected, int | float):
        if isinstance(found, int) and isinstance(expected, int):
            return found == expected
        return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9)
    if type(found) is not type(expected):
        return False
    if isinstance(found, list | tuple) and isinstance(expected, list | tuple):
        return len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(found, dict) and isinstance(expected, dict):
        return found.keys() == expected.keys() and all(
            same(value, expected[key]) for key, value in found.items()
        )
    return found == expected


def shown(value: object) -> str:
    """A value as a sentence can hold it: escaped, and not too long."""
    text = repr(value)
    return text if len(text) <= 120 else text[:117] + "..."
