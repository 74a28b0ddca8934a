"""The suites that ship, and the tests of one, as blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from assay.messages import tr
from assay.types import Suite
from assay.types.documents import Block, Document, Hint, Line, Paragraph, Span, table


def suites_document(suites: Sequence[Suite]) -> Document:
    heads = (tr("suite"), tr("title"), tr("categories"), tr("tests"))
    rows = (
        (
            suite.name,
            suite.title,
            ", ".join(category.name for category in suite.categories),
            str(sum(len(category.cases) for category in suite.categories)),
        )
        for suite in suites
    )
    hint = Hint(tr("show one with `assay suites NAME`; a folder of your own is a suite too"))
    return Document(title=tr("Suites"), blocks=(table(heads, rows, right=(3,)), hint))


def suite_blocks(suite: Suite) -> Iterator[Block]:
    yield Paragraph(
        tr(
            "{name}: {title} (pass mark {pass_mark}, scoring {scoring})",
            name=suite.name,
            title=suite.title or suite.path,
            pass_mark=suite.pass_mark,
            scoring=suite.scoring,
        ),
        "strong",
    )
    yield table((tr("test"), tr("scored by"), tr("question")), _rows(suite))


def _rows(suite: Suite) -> Iterator[tuple[Line, ...]]:
    for category in suite.categories:
        methods = Counter(case.method for case in category.cases)
        counted = ", ".join(f"{method} {count}" for method, count in methods.items())
        weight = tr("weight {weight}", weight=f"{suite.weight(category.name):g}")
        yield Span(category.name, "strong"), Span(counted, "dim"), Span(weight, "dim")
        for case in category.cases:
            yield case.id, case.method, case.prompt
