"""Every model in a store, suite by suite, best first."""

from __future__ import annotations

from collections.abc import Iterator

from assay.messages import tr, trn
from assay.text import number_format as numbers
from assay.types.documents import Block, Document, Heading, Note, Paragraph, Row, Span, table
from assay.types.results import Leaderboard, Standing, SuiteRanking


def leaderboard_document(leaderboard: Leaderboard) -> Document:
    return Document(title=tr("Leaderboard"), blocks=tuple(_blocks(leaderboard)))


def _blocks(leaderboard: Leaderboard) -> Iterator[Block]:
    yield Heading(tr("Leaderboard"), 1)
    if not leaderboard.suites:
        none = tr("No finished run in {out} has scores: `assay run` makes one.")
        yield Paragraph(none.format(out=leaderboard.out))
    for suite in leaderboard.suites:
        yield from _ranking(suite)
    yield from map(Note, leaderboard.notes)


def _ranking(suite: SuiteRanking) -> Iterator[Block]:
    tests = trn("{count} test", "{count} tests", suite.tests) if suite.tests else ""
    # Two versions or samples of one suite have one name; the content tells them apart.
    content = tr("content {digest}", digest=suite.content) if suite.content else ""
    named = ", ".join(filter(None, (suite.suite, tests)))
    yield Heading((named, Span(f"  {suite.asked}" if suite.asked else "", "warning")))
    if content:
        yield Paragraph(content, "dim")
    heads = (
        "#", tr("model"), tr("score"), tr("95 % interval"), "n", tr("unscored"), tr("run"),
        tr("when"),
    )  # fmt: skip
    weights = {6: 20, 7: 10}
    yield table(heads, map(_standing, suite.rows), right=(0, 2, 3, 4, 5), weights=weights)
    if any(row.tie for row in suite.rows):
        yield Paragraph(
            tr("= no significant difference to the row above (95 %, unpaired; compare the runs)."),
            "dim",
        )
    if any(row.rank is None for row in suite.rows):
        yield Paragraph(tr("– not ranked: more than 5 % of its tests are unscored."), "dim")


def _standing(row: Standing) -> Row:
    return Row(
        (
            "–" if row.rank is None else f"{'=' if row.tie else ''}{row.rank}",
            row.model,
            numbers.value(row.score),
            numbers.interval(row.score),
            numbers.count(row.score.n),
            numbers.count(row.score.unscored),
            row.run,
            row.when,
        ),
        tone="warning" if row.score.incomplete else "plain",
    )
