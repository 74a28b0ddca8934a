"""test-plans/TEST-ID.md: what a test asks and how its answer is scored, before any model is asked.

In: a Case. Out: Markdown. A judged test ends in the test itself as JSON, files and all, which
`suites/test_plan_file.py` reads: answers that are made elsewhere can then be judged with nothing
but this page.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from assay.messages import tr, translated
from assay.text.safe_text import markdown_block, markdown_inline
from assay.types import Case, JudgeFields


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
    yield f"## {tr('How the answer is scored')}"
    yield f"`{case.method}`: {markdown_inline(translated(case.check.description))}"
    expected = "\n".join(_bullet(name, text) for name, text in case.check.describe())
    if expected:
        yield f"## {tr('What is expected')}"
        yield expected
    yield f"## {tr('Settings')}"
    yield "\n".join(_settings(case))
    if case.check.judged:
        yield f"## {tr('As a test file')}"
        test = _as_test(case, case.check.judged)
        whole = {"suite": case.suite, "category": case.category, "test": test}
        yield f"```json\n{json.dumps(whole, ensure_ascii=True, indent=1)}\n```"


def _as_test(case: Case, check: JudgeFields) -> dict[str, Any]:
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
        "fixtures": check.pinned_fixtures,
        "temperature": case.temperature,
        "max_tokens": case.max_tokens,
        "stop": case.stop,
        "tags": case.tags,
    }
    return {field: value for field, value in told.items() if value not in (None, "", (), [])}


def _role(role: str) -> str:
    return {"system": tr("system"), "user": tr("user"), "assistant": tr("assistant")}[role]


def _settings(case: Case) -> Iterator[str]:
    yield _bullet(tr("temperature"), f"{case.temperature:g}")
    longest = tr("as the model’s kind has it") if case.max_tokens is None else str(case.max_tokens)
    yield _bullet(tr("most tokens"), longest)
    yield from _each(tr("stops at"), case.stop)
    if case.language:
        yield _bullet(tr("language"), case.language)
    yield _bullet(tr("scoring"), case.scoring)
    yield from _each(tr("tag"), case.tags)


def _each(name: str, texts: tuple[str, ...] | list[str]) -> Iterator[str]:
    return (_bullet(name, text) for text in texts)


def _bullet(name: str, text: str) -> str:
    return f"- {markdown_inline(name)}: {markdown_inline(text)}"
