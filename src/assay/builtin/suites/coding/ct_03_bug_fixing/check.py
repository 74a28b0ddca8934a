"""Runs code that shows each planted bug with the corrected module, and the same for the functions
that were right. What it should find is what it finds with our own corrected module.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from assay.checking import (
    Candidate,
    Check,
    Code,
    choose_code,
    differs,
    functions,
    has_broken_code,
    missing_package,
    parse,
    raised_instead,
)

_BUG, _REST = 4, 4  # weights; each bug counts as much as all functions that were right


def check(answer: str, truth: Mapping[str, Any], files: Mapping[str, str]) -> Iterator[Check]:
    shown = truth["functions"]
    original = files["shop.py"]
    names = [one["name"] for one in shown]
    code = choose_code(answer, names, quoted=original)
    package = missing_package(code) if code is not None else ""
    if code is None or package:
        reason = "the code cannot be parsed" if has_broken_code(answer) else "there is no new code"
        if package:
            reason = f"needs {package}, which is not installed here"
        failed = None if package else False
        bugs = [one["name"] for one in shown if one["planted"]]
        for number, name in enumerate(bugs, 1):
            yield Check(f"bug_{number}", failed, f"The bug in {name}: {reason}", _BUG)
        yield Check("nothing_broken", failed, f"The functions that were right: {reason}", _REST)
        yield Check("complete", failed, f"The module as a whole: {reason}")
        return
    trial = _Trial(code, truth, original)
    has_fixed = False
    number = 0
    for one in shown:
        if one["planted"]:
            number += 1
            reason = trial.reason(one)
            has_fixed = has_fixed or not reason
            about = f"The bug in {one['name']}"
            yield Check(f"bug_{number}", not reason,
                        f"{about}: {reason}" if reason else f"{about} is fixed", _BUG)  # fmt: skip
    # Leaving functions as they are is worth nothing to one who has fixed nothing.
    reasons = [] if has_fixed else ["no bug is fixed"]
    reasons += [
        f"{one['name']}, {reason}"
        for one in shown
        if not one["planted"] and (reason := trial.reason(one))
    ]
    about = "The functions that were right are still right"
    yield Check("nothing_broken", not reasons,
                f"{about}: {reasons[0]}" if reasons else about, _REST)  # fmt: skip
    lacking = trial.left_out or ([] if has_fixed else ["a fix"])
    about = "All functions are there, with their parameters"
    yield Check("complete", not lacking, f"{about}: not {', '.join(lacking)}" if lacking else about)


class _Trial:
    """The corrected module beside ours."""

    def __init__(self, code: Code, truth: Mapping[str, Any], original: str) -> None:
        tree = parse(original) or ast.Module([], [])
        given = {one.name: one for one in functions(tree)}
        own = {name: code.function(name) for name in given}
        self.left_out = [
            name
            for name, function in own.items()
            if function is None or _parameters(function) != _parameters(given[name])
        ]
        # What the answer does not define stays as it was; ours come last, so that no code of the
        # answer sees them when it is loaded.
        unfixed = [ast.unparse(given[name]) for name in given if name not in code.defined]
        self.candidate = Candidate([*code.sources, *unfixed])
        self.corrected: dict[str, Any] = {}
        exec(truth["corrected"], self.corrected)

    def reason(self, function: Mapping[str, Any]) -> str:
        """Why the function does not do what it should; "" where it does."""
        result = self.candidate.run(*function["probes"])
        if result.why:
            return result.why
        for probe, step in zip(function["probes"], result.steps, strict=True):
            try:
                names = dict(self.corrected)
                exec(probe, names)
            except ValueError:
                if step.raised is None:
                    return "ValueError was not raised"
                reason = "" if "ValueError" in step.raised.types else raised_instead(step, result)
            else:
                reason = differs(step, names["result"], result)
            if reason:
                return reason
        return ""


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    return [one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)]
