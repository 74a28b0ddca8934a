"""CT-05: documentation is compared with the code it describes.

In: an answer, and the functions it was to document. Out: Evidence.

Examples are run against the module as it was given, and what they show is compared here. A trap is
shown by an example if it comes out otherwise with the function that the name promises.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.evidence.code_answers import Chosen, choose, functions, has_broken_code, parsed
from assay.evidence.doc_examples import (
    Example,
    as_steps,
    called,
    holds,
    read_examples,
    rebinds,
)
from assay.evidence.docstrings import bare, described, docstring_of, invented, speaks_of_result
from assay.evidence.running import Group, GroupResult, Results, Step, run_groups
from assay.evidence.trap_wording import states_trap
from assay.evidence.trials import not_run, unfinished
from assay.fixtures import Made
from assay.messages import tr
from assay.sandbox import Sandbox
from assay.types.judgements import Evidence, EvidenceCheck

_MODULE = "toolbox"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Documented:
    """A function of the task with what the answer says of it."""

    facts: Mapping[str, Any]
    docstring: str
    source: str  # without documentation
    examples: tuple[Example, ...]

    @property
    def name(self) -> str:
        return str(self.facts["name"])

    @property
    def own_examples(self) -> list[Example]:
        """Those that call the function itself."""
        return [example for example in self.examples if self.name in called(example)]


def examine(answer: str, made: Made, sandbox: Sandbox | None) -> Evidence:
    """Compare the documentation that an answer gives with the code."""
    if sandbox is None:
        return not_run()
    facts: Sequence[Mapping[str, Any]] = made.facts["functions"]
    chosen = choose(answer, [str(one["name"]) for one in facts])
    if chosen is None:
        broken = has_broken_code(answer)
        reason = tr("the code cannot be parsed") if broken else tr("there is no documented code")
        return Evidence(checks=_nothing(facts, reason))
    documented = [_documented(one, chosen) for one in facts]
    original = made.files["toolbox.py"]
    results = run_groups(
        sandbox, [""], _groups(documented), modules={_MODULE: original, **_promised(documented)}
    )
    if results.missing:
        return Evidence(missing=results.missing)
    checks = (
        *_text_checks(documented, original, chosen),
        _examples_given(documented),
        _examples_true(documented, results.groups["examples"]),
        *_trap_checks(documented, results),
    )
    return Evidence(checks=checks, isolation=sandbox.isolation)


def _documented(facts: Mapping[str, Any], chosen: Chosen) -> _Documented:
    function = next(
        (found for block in reversed(chosen.blocks) if (found := block.function(facts["name"]))),
        None,
    )
    if function is None:
        return _Documented(facts=facts, docstring="", source="", examples=())
    docstring = docstring_of(function)
    return _Documented(
        facts=facts,
        docstring=docstring,
        source=_bare(function),
        examples=read_examples(docstring),
    )


def _bare(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    try:
        return bare(function)
    except (RecursionError, ValueError, SyntaxError, MemoryError):
        return ""


# ------------------------------------------------------------------------------------- the text


def _check(name: str, about: str, wrong: Sequence[str], kind: str) -> EvidenceCheck:
    """A check that holds where nothing is wrong."""
    names = ", ".join(wrong)
    return EvidenceCheck(
        name=name,
        passed=not wrong,
        explanation=tr("{about}; not so: {names}", about=about, names=names) if wrong else about,
        group=kind,
    )


def _text_checks(
    documented: Sequence[_Documented], original: str, chosen: Chosen
) -> list[EvidenceCheck]:
    tree = parsed(original)
    before = {one.name: bare(one) for one in functions(tree)} if tree is not None else {}
    silent = [one.name for one in documented if not one.docstring.strip()]
    if ast.get_docstring(chosen.main.tree) is None:
        silent.append(_MODULE)
    return [
        _check(
            "code_unchanged", tr("The code is what it was"),
            [one.name for one in documented if one.source != before[one.name]], "text",
        ),
        _check("docstrings", tr("The module and each function have a docstring"), silent, "text"),
        _check(
            "parameters", tr("Every parameter is described, and none is invented"),
            [one.name for one in documented if not _parameters_right(one)], "text",
        ),
        _check(
            "results", tr("Every result is described"),
            [one.name for one in documented if not speaks_of_result(one.docstring)], "text",
        ),
        _check(
            "exceptions", tr("Every exception is described"),
            [one.name for one in documented
             if not all(kind in one.docstring for kind in one.facts["raises"])], "text",
        ),
    ]  # fmt: skip


def _parameters_right(one: _Documented) -> bool:
    parameters: tuple[str, ...] = one.facts["parameters"]
    return all(described(one.docstring, name) for name in parameters) and not invented(
        one.docstring, parameters
    )


# --------------------------------------------------------------------------------- the examples


def _groups(documented: Sequence[_Documented]) -> list[Group]:
    steps: list[Step] = []
    for one in documented:
        steps += as_steps(one.examples, _MODULE)
    groups = [Group(name="examples", steps=tuple(steps))]
    for one in documented:
        if one.facts["trap"]:
            changed = tuple(
                Step(code=step.code, kind="example", anew=step.anew,
                     names={_MODULE: None, _by_name(one): None})
                for step in as_steps(one.examples, _MODULE)
            )  # fmt: skip
            groups.append(Group(name=_by_name(one), steps=changed))
    return groups


def _by_name(one: _Documented) -> str:
    """The module that holds what the function's name promises."""
    return f"promised_{one.facts['id']}"


def _promised(documented: Sequence[_Documented]) -> dict[str, str]:
    return {_by_name(one): one.facts["expected_by_name"] for one in documented if one.facts["trap"]}


def _examples_given(documented: Sequence[_Documented]) -> EvidenceCheck:
    names = frozenset(one.name for one in documented)
    without = [
        one.name
        for one in documented
        if not any(not rebinds(example, names) for example in one.own_examples)
    ]
    return _check("examples", tr("Every function has an example"), without, "examples")


def _examples_true(documented: Sequence[_Documented], result: GroupResult) -> EvidenceCheck:
    about = tr("The examples are true")
    examples = [example for one in documented for example in one.examples]
    reason = unfinished(result)
    if reason or not examples:
        return _check("examples_true", about, [reason or tr("there are none")], "examples")
    wrong = [
        repr(example.code.strip()[:80])
        for example, step in zip(examples, result.steps, strict=True)
        if not holds(example, step)
    ]
    return _check("examples_true", about, wrong[:5], "examples")


# ------------------------------------------------------------------------------------ the traps


def _trap_checks(documented: Sequence[_Documented], results: Results) -> list[EvidenceCheck]:
    checks = []
    at = 0
    real = results.groups["examples"]
    for one in documented:
        end = at + len(one.examples)
        if one.facts["trap"]:
            by_name = results.groups[_by_name(one)]
            told = states_trap(one.facts["id"], one.docstring)
            seen = _is_shown(one, real, by_name, range(at, end))
            checks += _traps(one.facts, told=told, seen=seen)
        at = end
    return checks


def _traps(facts: Mapping[str, Any], *, told: bool, seen: bool) -> list[EvidenceCheck]:
    name = facts["name"]
    return [
        EvidenceCheck(
            name=f"trap_stated:{facts['id']}",
            passed=told,
            explanation=tr("What {name} really does is stated", name=name)
            if told
            else tr("It is not stated that {name} does not do what its name suggests", name=name),
            group="traps",
        ),
        EvidenceCheck(
            name=f"trap_shown:{facts['id']}",
            passed=seen,
            explanation=tr("A true example shows what {name} really does", name=name)
            if seen
            else tr("No true example shows what {name} really does", name=name),
            group="traps",
        ),
    ]


def _is_shown(one: _Documented, real: GroupResult, by_name: GroupResult, places: range) -> bool:
    """Whether an example is true, and would not be so of the function that the name promises."""
    if real.ended != "done" or by_name.ended != "done":
        return False
    own = set(one.own_examples)
    return any(
        example in own and holds(example, real.steps[at]) and not holds(example, other)
        for example, at, other in zip(one.examples, places, by_name.steps, strict=True)
    )


def _nothing(facts: Sequence[Mapping[str, Any]], reason: str) -> tuple[EvidenceCheck, ...]:
    """All checks, none of which holds."""
    texts = ("code_unchanged", "docstrings", "parameters", "results", "exceptions")
    checks = [
        EvidenceCheck(name=name, passed=False, explanation=reason, group="text") for name in texts
    ]
    checks += [
        EvidenceCheck(name=name, passed=False, explanation=reason, group="examples")
        for name in ("examples", "examples_true")
    ]
    for one in facts:
        if one["trap"]:
            checks += _traps(one, told=False, seen=False)
    return tuple(checks)
