"""test-plans/TEST-ID.md: what a test asks and how its answer is marked, before any model is asked.

In: a Case. Out: Markdown. A judged test ends in the test itself as JSON, files and all, which
`suites/test_plan_file.py` reads: answers that are made elsewhere can then be judged with nothing
but this page.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from assay.messages import tr
from assay.text.safe_text import markdown_block, markdown_inline
from assay.types import (
    Case,
    Check,
    CommandSequence,
    Composite,
    EweQuality,
    ExactMatch,
    Format,
    Judge,
    Keywords,
    MultipleChoice,
    NoCheck,
    TopK,
)


def test_plan(case: Case) -> str:
    """One test, for a reader."""
    return "\n\n".join(_blocks(case)) + "\n"


test_plan.__test__ = False  # type: ignore[attr-defined]  # pytest takes every test_… for its own


def _blocks(case: Case) -> Iterator[str]:
    yield f"# {markdown_inline(case.id)}"
    if case.description:
        yield markdown_inline(case.description)
    yield markdown_inline(
        tr("Suite {suite}, category {category}.", suite=case.suite, category=case.category)
    )
    yield f"## {tr('What is asked')}"
    if case.system:
        yield f"**{tr('system')}**"
        yield markdown_block(case.system)
    for message in case.messages:
        yield f"**{_role(message.role)}**"
        yield markdown_block(message.content)
    if case.live:
        yield tr("Each user turn is asked in turn, with the model’s own replies between.")
    yield f"## {tr('How the answer is marked')}"
    yield f"`{case.method}`: {_how(case.check)}"
    expected = "\n".join(_bullets(case.check))
    if expected:
        yield f"## {tr('What is expected')}"
        yield expected
    yield f"## {tr('Settings')}"
    yield "\n".join(_settings(case))
    if isinstance(case.check, Judge):
        yield f"## {tr('As a test file')}"
        whole = {"suite": case.suite, "category": case.category, "test": _as_test(case, case.check)}
        yield f"```json\n{json.dumps(whole, ensure_ascii=True, indent=1)}\n```"


def _as_test(case: Case, check: Judge) -> dict[str, Any]:
    """The test as a file would have it, with its files shown and their seed pinned."""
    turns = [{"role": turn.role, "content": turn.content} for turn in case.messages]
    told: dict[str, Any] = {
        "id": case.id,
        "description": case.description,
        "eval_method": case.method,
        "system": case.system,
        **({"prompt": turns[0]["content"]} if len(turns) == 1 else {"messages": turns}),
        **({"live": True} if case.live else {}),
        "rubric": check.rubric,
        "requirements": check.requirements,
        "evaluation_points": check.evaluation_points,
        "checklist": check.checklist,
        "evidence": check.evidence and f"{check.evidence}@{check.data_seed}",
        "fixtures": [_pinned(fixture, check.data_seed) for fixture in check.fixtures],
        "temperature": case.temperature,
        "max_tokens": case.max_tokens,
        "stop": case.stop,
        "tags": case.tags,
    }
    return {field: value for field, value in told.items() if value not in (None, "", (), [])}


def _pinned(fixture: str, seed: int) -> str:
    generator, colon, file = fixture.partition(":")
    return f"{generator.partition('@')[0]}@{seed}:{file}" if colon else fixture


def _role(role: str) -> str:
    return {"system": tr("system"), "user": tr("user"), "assistant": tr("assistant")}[role]


def _how(check: Check) -> str:
    match check:
        case ExactMatch():
            return tr("the whole answer is one of the accepted texts (1 or 0).")
        case Keywords():
            return tr("the share of the keywords found; 0 if a forbidden one appears.")
        case MultipleChoice():
            return tr("the letter chosen is the right one (1 or 0).")
        case Format():
            return tr("the share of the stated rules that hold.")
        case EweQuality():
            return tr("how well the answer reads as Ewe, from 0 to 1.")
        case Composite():
            return tr("the mean of keywords, format and, where it applies, Ewe quality.")
        case TopK():
            return tr("an accepted answer is among the {k} best (1 or 0).", k=check.k)
        case CommandSequence():
            return tr("the share of the steps found in order, read as shell commands.")
        case Judge():
            return tr("a judge marks it from 0 to 10 by the rubric.")
        case NoCheck():
            return tr("it is not: nothing says what a right answer would be.")


def _bullets(check: Check) -> Iterator[str]:
    """Everything the check asks for, one bullet a thing."""
    match check:
        case ExactMatch():
            yield from _each(tr("accepted"), check.expected)
            yield _bullet(tr("compared as"), check.normalize)
        case Keywords():
            yield from _keywords(check)
        case MultipleChoice():
            yield _bullet(tr("right"), check.expected)
            for letter, choice in zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", check.choices, strict=False):
                yield _bullet(letter, choice)
        case Format():
            yield from _rules(check)
        case Composite():
            yield from _keywords(check.keywords) if check.keywords else ()
            yield from _rules(check.format) if check.format else ()
            for part, weight in check.weights.items():
                yield _bullet(tr("weight of {part}", part=part), f"{weight:g}")
        case TopK():
            yield from _each(tr("accepted"), check.expected_any)
            yield _bullet(tr("compared as"), check.match)
        case CommandSequence():
            for number, step in enumerate(check.expected_commands, start=1):
                yield _bullet(tr("step {number}", number=number), _alternatives(step))
        case Judge():
            yield _bullet(tr("rubric"), check.rubric)
            yield from _each(tr("requirement"), check.requirements)
            yield from _each(tr("evaluation point"), check.evaluation_points)
            yield from _each(tr("checklist"), check.checklist)
            if check.evidence:
                yield _bullet(tr("evidence"), check.evidence)
            for fixture in check.fixtures:
                yield _bullet(tr("shown file"), _pinned(fixture, check.data_seed))


def _keywords(check: Keywords) -> Iterator[str]:
    yield from _each(tr("keyword"), [_alternatives(item) for item in check.expected])
    yield from _each(tr("forbidden"), [_alternatives(item) for item in check.forbidden])
    yield _bullet(tr("matched by"), check.match)


def _rules(check: Format) -> Iterator[str]:
    for rule in fields(check):
        wanted = getattr(check, rule.name)
        if rule.name == "method" or wanted is None or wanted == ():
            continue
        shown = ", ".join(wanted) if isinstance(wanted, tuple) else str(wanted)
        yield _bullet(rule.name, shown)


def _settings(case: Case) -> Iterator[str]:
    yield _bullet(tr("temperature"), f"{case.temperature:g}")
    longest = tr("as the model’s kind has it") if case.max_tokens is None else str(case.max_tokens)
    yield _bullet(tr("most tokens"), longest)
    yield from _each(tr("stops at"), case.stop)
    if case.language:
        yield _bullet(tr("language"), case.language)
    yield _bullet(tr("scoring"), case.scoring)
    yield from _each(tr("tag"), case.tags)


def _alternatives(texts: tuple[str, ...]) -> str:
    return tr(" or ").join(texts)


def _each(name: str, texts: tuple[str, ...] | list[str]) -> Iterator[str]:
    return (_bullet(name, text) for text in texts)


def _bullet(name: str, text: str) -> str:
    return f"- {markdown_inline(name)}: {markdown_inline(text)}"
