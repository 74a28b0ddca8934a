"""Every model in a store, suite by suite, best first."""

from collections.abc import Iterator

from assay.messages import tr, trn
from assay.text import number_format as numbers
from assay.types.documents import (
    Block,
    Document,
    Heading,
    Note,
    Paragraph,
    Row,
    Span,
    bullets,
    table,
)
from assay.types.results import Footprint, Leaderboard, Standing, SuiteRanking


def leaderboard_document(leaderboard: Leaderboard) -> Document:
    return Document(title=tr("Leaderboard"), blocks=tuple(_blocks(leaderboard)))


def _blocks(leaderboard: Leaderboard) -> Iterator[Block]:
    yield Heading(tr("Leaderboard"), 1)
    if not leaderboard.suites and not leaderboard.left_out:
        none = tr("No finished run in {out} has scores: `assay run` makes one.")
        yield Paragraph(none.format(out=leaderboard.out))
    for suite in leaderboard.suites:
        yield from _ranking(suite)
    beyond = [each for each in leaderboard.left_out if not each.command]
    unknown = [each for each in leaderboard.left_out if each.command]
    if beyond:
        yield Heading(tr("Beyond the limits"))
        said = [tr("{model}: {why}", model=each.model, why=each.why) for each in beyond]
        yield bullets(said)
    if unknown:
        yield Heading(tr("Not measured"))
        yield bullets([(f"{each.model}: ", Span(each.command, "code")) for each in unknown])
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
        tr("when"), tr("memory"), tr("tokens/s"), tr("context"),
    )  # fmt: skip
    shown = heads if any(row.footprint for row in suite.rows) else heads[:8]
    right, weights = (0, 2, 3, 4, 5, 8, 9, 10), {5: 30, 6: 20, 7: 10}
    yield table(shown, map(_standing, suite.rows), right=right, weights=weights)
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
            *(_footprint(row.footprint) if row.footprint else ()),
        ),
        tone="warning" if row.score.incomplete else "plain",
    )


def _footprint(of: Footprint) -> tuple[str, ...]:
    size = of.memory.value
    return (
        numbers.not_measured() if size is None else numbers.memory(round(size * 1e6)),
        f"{numbers.value(of.speed)} {numbers.interval(of.speed)}",
        "–" if of.context is None else numbers.count(of.context),
    )
