"""Every model in a store, suite by suite, best first, as a page that can be published."""

from collections import Counter
from collections.abc import Iterator

from assay.messages import joined, labelled, tr, trn
from assay.reports.sentences import SHOWN_CONSTANT, first_few, not_compared, reviewed_tests
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types import Estimate, Suite
from assay.types.documents import (
    Block,
    Document,
    Fold,
    Heading,
    Note,
    Paragraph,
    Row,
    Span,
    bullets,
    table,
)
from assay.types.results import Baselines, Footprint, Leaderboard, Standing, SuiteRanking


def leaderboard_document(leaderboard: Leaderboard) -> Document:
    names = dict.fromkeys(each.suite for each in leaderboard.suites)
    title = tr("Leaderboard: {suites}", suites=", ".join(names)) if names else tr("Leaderboard")
    return Document(title=title, blocks=tuple(_blocks(leaderboard)))


def leaderboard_headline(leaderboard: Leaderboard) -> str:
    ranked = [suite for suite in leaderboard.suites if suite.rows]
    names = Counter(suite.suite for suite in ranked)
    if said := first_few([_leader(suite, alone=names[suite.suite] == 1) for suite in ranked]):
        return f"{said}."
    if leaderboard.left_out:
        return tr("No model was measured to keep the limits.")
    return tr("No finished run in {out} has scores: `assay run` makes one.", out=leaderboard.out)


def _leader(suite: SuiteRanking, *, alone: bool) -> str:
    first, *others = suite.rows
    content = "" if alone else _content(suite)
    gaps = {
        "suite": f"{suite.suite} ({content})" if content else suite.suite,
        "model": first.name or first.model,
        "score": numbers.figure(first.score),
    }
    if first.rank is None and not first.within_guessing:
        return tr("{suite}: no model has a complete score", **gaps)
    lead = tr("{model} is first on {suite} with {score}", **gaps)
    if first.within_guessing:
        lead = tr("{suite}: no model scores above guessing", **gaps)
    elif others and others[0].tie:
        lead = tr(
            "{lead}, no significant difference from {next}",
            lead=lead,
            next=others[0].name or others[0].model,
        )
    rest = ((each.name or each.model, each) for each in others)
    return joined((lead, *not_compared(rest)))


def _blocks(leaderboard: Leaderboard) -> Iterator[Block]:
    yield Heading(leaderboard_headline(leaderboard), 1)
    every = [row for suite in leaderboard.suites for row in suite.rows]
    if every:
        newest = max(row.when for row in every)
        models = trn("{count} model", "{count} models", len({row.model for row in every}))
        as_of = tr("{models}, as of {date}", models=models, date=numbers.date(newest))
        yield Paragraph(as_of, "dim")
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
        yield bullets([(labelled(each.model, ""), Span(each.command, "code")) for each in unknown])
    yield from map(Note, leaderboard.notes)


def _content(suite: SuiteRanking) -> str:
    """Two versions or samples of one suite have one name; the content tells them apart."""
    return tr("content {digest}", digest=suite.content) if suite.content else ""


def _ranking(suite: SuiteRanking) -> Iterator[Block]:
    tests = trn("{count} test", "{count} tests", suite.tests) if suite.tests else ""
    named = ", ".join(filter(None, (suite.suite, tests)))
    yield Heading((named, Span(f" · {suite.asked}" if suite.asked else "", "warning")))
    if about := " · ".join(filter(None, (*_about(suite.of), _content(suite)))):
        yield Paragraph(about, "dim")
    heads = (
        tr("rank"), tr("model"), tr("score"), tr("95 % interval"), "n", tr("unscored"),
        tr("when"), tr("memory"), tr("tokens/s"), tr("context"),
    )  # fmt: skip
    shown = heads if any(row.footprint for row in suite.rows) else heads[:7]
    right, weights = (0, 2, 3, 4, 5, 7, 8, 9), {5: 30, 6: 10}
    names = Counter(row.name for row in suite.rows)
    rows = [_standing(row, row.name if names[row.name] == 1 else "") for row in suite.rows]
    rows += _guessing(suite, len(shown))
    yield table(shown, rows, right=right, weights=weights)
    if any(row.tie for row in suite.rows):
        yield Paragraph(
            tr(
                "= no significant difference from the row above (95 %, unpaired; compare the runs)."
            ),
            "dim",
        )
    for row in (row for row in suite.rows if row.also):
        yield Paragraph(_one_row(row), "dim")
    if any(row.within_guessing for row in suite.rows):
        said = tr("– not ranked: its interval is not above what guessing scores.")
        yield Paragraph(said, "dim")
    if any(row.rank is None and not row.within_guessing for row in suite.rows):
        yield Paragraph(tr("– not ranked: more than 5 % of its tests are unscored."), "dim")
    if suite.baselines:
        yield Paragraph(_what_guessing_is(suite.baselines), "dim")
    if suite.of:
        yield Paragraph(_weights(suite.of), "dim")
    if any(row.command for row in suite.rows):
        titles = (tr("model"), tr("run"), "Assay", tr("command"))
        made = [(r.model, r.run, r.version, Span(r.command, "code")) for r in suite.rows]
        yield Fold(tr("What was run"), (table(titles, made),), long=True)
    yield from _by_category(suite)


def _about(suite: Suite | None) -> Iterator[str]:
    if suite is None:
        return
    yield suite.title
    if suite.version:
        yield tr("version {version}", version=suite.version)
    if suite.licence:
        yield tr("licence: {licence}", licence=suite.licence)
    total = sum(1 for _ in suite.cases)
    reviewed = reviewed_tests(suite.reviewed, total)
    yield tr("tests reviewed by a person: {reviewed}", reviewed=reviewed)
    if suite.reviewers:
        yield tr("reviewers: {names}", names=", ".join(suite.reviewers))


def _by_category(suite: SuiteRanking) -> Iterator[Block]:
    """What each model scores in each category, with its interval."""
    names = [each.name for each in suite.of.categories] if suite.of else []
    if len(names) < 2 or not any(row.categories for row in suite.rows):
        return
    rows = [(name, *(_category(row.categories.get(name)) for row in suite.rows)) for name in names]
    heads = (tr("category"), *(row.name or row.model for row in suite.rows))
    yield Fold(tr("By category, 0 to 1"), (table(heads, rows, right=range(1, len(heads))),))


def _category(of: Estimate | None) -> str:
    return f"{numbers.value(of)} {numbers.interval(of)}" if of else numbers.not_measured()


def _what_guessing_is(known: Baselines) -> str:
    # A constant answer that only a judge could score is not measured.
    if known.constant.value is None:
        return tr("Guessing is the better of an empty answer and the prompt echoed.")
    constant = one_line(known.constant_answer, longest=SHOWN_CONSTANT)
    return tr(
        "Guessing is the best of an empty answer, the prompt echoed, and always “{constant}”.",
        constant=constant,
    )


def _guessing(suite: SuiteRanking, columns: int) -> Iterator[Row]:
    """What the best answer that knows nothing would score, below the models."""
    known = suite.baselines
    every = (known.empty, known.echoed, known.constant) if known else ()
    for score in (each for each in every if known and each.value == known.best):
        cells = ("", tr("guessing"), *_score(score))
        yield Row((*cells, *[""] * (columns - len(cells))), tone="dim")
        return


def _weights(suite: Suite) -> str:
    names = [each.name for each in suite.categories]
    if len({suite.weight(name) for name in names}) == 1:
        return trn("One category makes the score: {names}.",
                   "The score is the mean of {count} categories: {names}.",
                   len(names), names=", ".join(names))  # fmt: skip
    shown = ", ".join(f"{name} {numbers.exact(suite.weight(name))}" for name in names)
    return tr("The score is the mean of its categories by weight: {weights}.", weights=shown)


def _standing(row: Standing, name: str) -> Row:
    return Row(
        (
            "–" if row.rank is None else f"{'=' if row.tie else ''}{row.rank}",
            name or row.model,
            *_score(row.score),
            numbers.date(row.when),
            *(_footprint(row.footprint) if row.footprint else ()),
        ),
        tone="warning" if row.score.incomplete else "plain",
    )


def _one_row(row: Standing) -> str:
    said = tr("{model} and {others} have the same weights: one row", model=row.model,
              others=", ".join(row.also))  # fmt: skip
    if row.scored_as:
        said = tr("{said}, its score by {spec}, speed and memory by what serves it", said=said,
                  spec=row.scored_as)  # fmt: skip
    return f"{said}."


def _score(of: Estimate) -> tuple[str, ...]:
    counts = numbers.count(of.n), numbers.count(of.unscored)
    return numbers.value(of), numbers.interval(of), *counts


def _footprint(of: Footprint) -> tuple[str, ...]:
    size = of.memory.value
    return (
        numbers.not_measured() if size is None else numbers.memory(round(size * 1e6)),
        f"{numbers.value(of.speed)} {numbers.interval(of.speed)}",
        "–" if of.context is None else numbers.count(of.context),
    )
