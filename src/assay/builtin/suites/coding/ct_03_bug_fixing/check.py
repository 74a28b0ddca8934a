"""Runs code that shows each planted bug with the corrected module, and the same for the functions
that were right. What it should find is what it finds with our own corrected module.
"""

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from assay.checking import (
    Candidate,
    Check,
    Code,
    choose_code,
    differs,
    find_obstacle,
    functions,
    list_checks,
    parse,
    raised_instead,
    show,
)

_BUG, _REST, _SPOILED = 4, 3, 12  # weights; to break what was right costs more
_WHOLE, _IN_PARTS = 1, 6  # the whole module was asked for: to leave functions out costs more


def check(answer: str, truth: Mapping[str, Any], files: Mapping[str, str]) -> Iterator[Check]:
    shown, original = truth["functions"], files["shop.py"]
    planted = [one for one in shown if one["planted"]]
    bugs = {f"bug_{at}": one for at, one in enumerate(planted, 1)}
    table: dict[str, tuple[float, str]] = {
        **{name: (_BUG, f"The bug in {one['name']}") for name, one in bugs.items()},
        "nothing_broken": (_REST, "The functions that were right"),
        "complete": (_WHOLE, "Functions that are missing, or have other parameters"),
        "docstrings": (1, "Docstrings that were changed"),
    }
    code = choose_code(answer, [one["name"] for one in shown], quoted=original)
    obstacle = find_obstacle(answer, code)
    if code is None or obstacle:
        yield from list_checks(table, obstacle)
        return
    trial = _RepairTrial(code, truth, original)
    reasons = {name: trial.reason(one) for name, one in bugs.items()}
    # Leaving functions as they are is worth nothing to one who fixes little.
    too_few = ""
    if 2 * sum(map(bool, reasons.values())) > len(bugs):
        too_few = "not counted, since fewer than half of the bugs are fixed"
    rest = [one for one in shown if not one["planted"]]
    reasons["nothing_broken"] = spoiled = too_few or trial.reason(*rest)
    if spoiled:
        table["nothing_broken"] = (_SPOILED, table["nothing_broken"][1])
    if trial.left_out:
        table["complete"] = (_IN_PARTS, table["complete"][1])
    reasons["complete"] = too_few or ", ".join(trial.left_out)
    reasons["docstrings"] = too_few or ", ".join(trial.reworded)
    yield from list_checks(table, reasons)


class _RepairTrial:
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
        self.reworded = [
            name
            for name, function in own.items()
            if function is not None and _words(function) != _words(given[name])
        ]
        self.defined = code.defined
        # What the answer does not define stays as it was; ours come last, so that no code of the
        # answer sees them when it is loaded.
        unfixed = [ast.unparse(given[name]) for name in given if name not in code.defined]
        self.candidate = Candidate([*code.sources, *unfixed], alone=True)
        self.corrected: dict[str, Any] = {}
        exec(truth["corrected"], self.corrected)

    def reason(self, *functions: Mapping[str, Any]) -> str:
        """Why the functions do not do what they should; "" where they do."""
        if len(functions) == 1 and functions[0]["name"] not in self.defined:
            return "the answer does not give this function"
        probes = [probe for function in functions for probe in function["probes"]]
        result = self.candidate.run(*probes)
        if result.why:
            return result.why
        for probe, step in zip(probes, result.steps, strict=True):
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
                return f"{reason} from {show(probe)}"
        return ""


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    return [one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)]


def _words(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    return (ast.get_docstring(function) or "").split()
