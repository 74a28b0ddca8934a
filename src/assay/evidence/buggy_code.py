"""CT-03: every planted bug has probes that a corrected module comes through.

In: an answer, and what was planted where. Out: Evidence: a check for each bug, and one for the
functions that were right before.

Functions that the answer leaves out are taken from the module it was given, bugs included. Where it
gives no code but a diff, that is applied to the module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.evidence.code_answers import choose, has_broken_code
from assay.evidence.diffs import patched
from assay.evidence.running import Group, GroupResult, Step
from assay.evidence.trials import Trial, differs, not_run, raised_instead, tried, without_code
from assay.fixtures import Made
from assay.fixtures.probes import Probe
from assay.messages import tr
from assay.sandbox import Sandbox
from assay.types.judgements import Evidence


def examine(answer: str, made: Made, sandbox: Sandbox | None) -> Evidence:
    """Try the corrected module that an answer gives."""
    if sandbox is None:
        return not_run()
    functions: Sequence[dict[str, Any]] = made.facts["functions"]
    trials = [_fixed(one) for one in functions if one["planted"]]
    trials.append(_still_right([one for one in functions if not one["planted"]]))
    names = [str(one["name"]) for one in functions]
    original = made.files["shop.py"]
    chosen = choose(answer, names, quoted=original)
    if chosen is None:
        chosen = choose(f"```python\n{patched(original, answer)}```", names, quoted=original)
    if chosen is None:
        broken = has_broken_code(answer)
        reason = tr("the code cannot be parsed") if broken else tr("there is no corrected code")
        return Evidence(checks=without_code(trials, reason))
    # What the answer defines takes the place of what the task gave.
    sources = (original, *chosen.sources)
    checks, results = tried(trials, sources, sandbox)
    if results.missing:
        return Evidence(missing=results.missing)
    given = frozenset().union(*(block.defined for block in chosen.blocks))
    left_out = [name for name in names if name not in given]
    notes = (tr("Not in the answer: {names}.", names=", ".join(left_out)),) if left_out else ()
    return Evidence(checks=checks, isolation=sandbox.isolation, notes=notes)


def _fixed(function: dict[str, Any]) -> Trial:
    probes: tuple[Probe, ...] = function["probes"]
    return Trial(
        about=tr("The bug in {function}", function=function["name"]),
        group=Group(name=f"fixed:{function['id']}", steps=_steps(probes)),
        verdict=lambda result: _verdict(probes, result),
        kind="bugs",
    )


def _still_right(functions: Sequence[dict[str, Any]]) -> Trial:
    probes = tuple(probe for function in functions for probe in function["probes"])
    return Trial(
        about=tr("The functions that were right are still right"),
        group=Group(name="nothing_broken", steps=_steps(probes)),
        verdict=lambda result: _verdict(probes, result),
        kind="other code",
    )


def _steps(probes: Sequence[Probe]) -> tuple[Step, ...]:
    return tuple(Step(code=probe.code) for probe in probes)


def _verdict(probes: Sequence[Probe], result: GroupResult) -> str:
    for probe, step in zip(probes, result.steps, strict=True):
        if not probe.raises:
            reason = differs(step, probe.expected, result)
        elif step.raised is None:
            reason = tr("{kind} was not raised", kind=probe.raises)
        else:
            reason = "" if probe.raises in step.raised.types else raised_instead(step, result)
        if reason:
            return reason
    return ""
