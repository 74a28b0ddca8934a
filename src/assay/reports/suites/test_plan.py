"""test-plans/TEST-ID.md: what a test asks and how it is scored. A judged test ends in itself as
JSON, so that answers made elsewhere can be judged with nothing but this page.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from assay.messages import labelled, tr, translated
from assay.reports.json_values import pick
from assay.text.number_format import exact
from assay.types import Case, JudgeFields, Message
from assay.types.documents import Block, Document, Heading, Paragraph, Span, Verbatim, bullets


def test_plan(case: Case, examples: Sequence[Message]) -> Document:
    """`examples`: the turns of worked examples that are sent before the test."""
    return Document(title=case.id, blocks=tuple(_blocks(case, examples)))


test_plan.__test__ = False  # type: ignore[attr-defined]  # pytest takes every test_… for its own


def _blocks(case: Case, examples: Sequence[Message]) -> Iterator[Block]:
    yield Heading(case.id, 1)
    if case.description:
        yield Paragraph(case.description)
    yield Paragraph(
        tr("Suite {suite}, category {category}.", suite=case.suite, category=case.category)
    )
    yield Heading(tr("What is asked"))
    if case.system:
        yield Verbatim(case.system, title=tr("system"))
    roles = {"system": tr("system"), "user": tr("user"), "assistant": tr("assistant")}
    for message in examples:
        title = labelled(tr("worked example"), roles[message.role])
        yield Verbatim(message.content, title=title)
    for message in case.messages:
        yield Verbatim(message.in_words, title=roles[message.role])
    if case.live:
        yield Paragraph(
            tr("Each user turn is asked in turn, with the model’s own answers between.")
        )
    yield Heading(tr("How the answer is scored"))
    yield Paragraph((Span(case.method, "code"), labelled("", translated(case.check.description))))
    expected = [labelled(name, text) for name, text in case.check.describe()]
    if expected:
        yield Heading(tr("What is expected"))
        yield bullets(expected)
    yield Heading(tr("Settings"))
    yield bullets(_settings(case))
    if case.check.judged:
        yield Heading(tr("As a test file"))
        test = _as_test(case, case.check.judged)
        whole = {"suite": case.suite, "category": case.category, "test": test}
        if case.check.judged.checker:
            whole["checker"] = {
                "folder": case.check.judged.checker,
                "digest": case.check.judged.checker_digest,
                **pick(case.check.judged, "data_seed runs_code"),
            }
        yield Verbatim(json.dumps(whole, ensure_ascii=True, indent=1), language="json")


def _as_test(case: Case, check: JudgeFields) -> dict[str, Any]:
    turns = [{"role": turn.role, "content": turn.content} for turn in case.messages]
    told: dict[str, Any] = {
        **pick(case, "id description"),
        "eval_method": case.method,
        "system": case.system,
        **({"prompt": turns[0]["content"]} if len(turns) == 1 else {"messages": turns}),
        **({"live": True} if case.live else {}),
        **pick(check, "rubric requirements evaluation_points checklist fixtures"),
        **pick(case, "temperature max_tokens stop tags"),
    }
    return {field: value for field, value in told.items() if value not in (None, "", (), [])}


def _settings(case: Case) -> Iterator[str]:
    default = tr("the default of the model’s kind")
    settings = [
        (tr("temperature"), exact(case.temperature)),
        (tr("maximum tokens"), default if case.max_tokens is None else str(case.max_tokens)),
        *((tr("stops at"), text) for text in case.stop),
        (tr("language"), case.language),
        (tr("scoring"), case.scoring),
        *((tr("tag"), tag) for tag in case.tags),
    ]
    return (labelled(name, text) for name, text in settings if text)
