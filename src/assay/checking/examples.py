"""Examples in docstrings, in the form of an interactive session (`>>> double(4)`)."""

import ast
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from .candidate import Step, StepResult

_LONGEST_DOCSTRING = 20_000
_MOST = 20
_PROMPT = re.compile(r"[ \t]*>>>(?: |$)(.*)")
_CONTINUED = re.compile(r"[ \t]*\.\.\.(?: |$)(.*)")
_TRACEBACK = "Traceback (most recent call last):"


@dataclass(frozen=True, slots=True)
class Example:
    """A line of input (with those that continue it), and what it promises to show."""

    code: str
    promised: str


def read_examples(docstring: str) -> tuple[Example, ...]:
    found: list[tuple[list[str], list[str]]] = []
    inside = False
    for line in docstring[:_LONGEST_DOCSTRING].splitlines():
        prompt = _PROMPT.match(line)
        continued = _CONTINUED.match(line)
        if prompt:
            found.append(([prompt.group(1)], []))
            inside = True
        elif not inside:
            continue
        elif continued and not found[-1][1]:
            found[-1][0].append(continued.group(1))
        elif line.strip() and not line.strip().startswith("```"):
            found[-1][1].append(line.strip())
        else:
            inside = False
    return tuple(
        Example("\n".join(code) + "\n", "\n".join(promised)) for code, promised in found[:_MOST]
    )


def as_steps(examples: Sequence[Example], module: str) -> tuple[Step, ...]:
    """Steps that run them in one session, with the names of a module."""
    return tuple(
        Step(code=example.code, kind="example", anew=at == 0, names={module: None})
        for at, example in enumerate(examples)
    )


def called(example: Example) -> frozenset[str]:
    try:
        tree = ast.parse(example.code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return frozenset(
        one.id if isinstance(one, ast.Name) else one.attr
        for one in calls
        if isinstance(one, ast.Name | ast.Attribute)
    )


def holds(example: Example, result: StepResult) -> bool:
    """Whether what was shown is what the example promises."""
    if result.raised is not None:
        if not example.promised.startswith(_TRACEBACK):
            return False
        lines = result.raised.text.splitlines() or [""]
        return _alike(example.promised.splitlines()[-1], lines[-1])
    shown = "\n".join(line.strip() for line in result.output.strip().splitlines())
    return _alike(example.promised, shown)


def _alike(promised: str, shown: str) -> bool:
    one, two = " ".join(promised.split()), " ".join(shown.split())
    return one == two or _equal_values(one, two)


def _equal_values(promised: str, shown: str) -> bool:
    """`{"a": 1}` for `{'a': 1}`, 0.3 for 0.30000000000000004."""
    try:
        one, two = ast.literal_eval(promised), ast.literal_eval(shown)
    except (SyntaxError, ValueError, RecursionError, MemoryError, TypeError):
        return False
    if isinstance(one, float) and isinstance(two, float):
        return math.isclose(one, two, rel_tol=1e-9)
    return type(one) is type(two) and bool(one == two)
