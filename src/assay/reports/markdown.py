"""Reports as Markdown that can be pasted into an issue.

In: a Report, a Comparison or a Leaderboard. Out: GitHub-flavoured Markdown. All text that a model,
a file or a user wrote is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.messages import tr, trn
from assay.reports import decision_markdown, quantities, sentences, surroundings
from assay.reports.judge_section import judged_markdown
from assay.reports.markdown_blocks import bullets, facts, figures, joined, table
from assay.text import number_format as numbers
from assay.text.safe_text import markdown_code
from assay.text.safe_text import markdown_inline as inline
from assay.types.results import (
    Comparison,
    Leaderboard,
    ModelReport,
    PairComparison,
    Report,
    SuiteComparison,
    SuiteRanking,
    SuiteSummary,
    TestRow,
)

__all__ = [
    "bullets",
    "comparison",
    "facts",
    "figures",
    "joined",
    "leaderboard",
    "report",
    "table",
]

SHOWN_EXPLANATION = 300
OUT_FROM_REPORTS = "../../.."  # a run's pages lie in OUT/runs/ID/reports


def report(document: Report, *, out: str = OUT_FROM_REPORTS) -> str:
    """One run: what was decided, then every model, suite, category and test. `out` leads from the
    page to the run's folder of results, where the pictures are.
    """
    return joined(_report(document, out))


def comparison(document: Comparison) -> str:
    """Paired comparisons."""
    return joined(_comparison(document))


def leaderboard(document: Leaderboard) -> str:
    """Every model, suite by suite, best first."""
    return joined(_leaderboard(document))


# ---------------------------------------------------------------------------------------- one run


def _report(document: Report, out: str) -> Iterator[str | None]:
    yield f"# {inline(tr('Run {run}', run=document.run))}"
    yield inline(sentences.state(document))
    if document.machine is not None:
        yield inline(surroundings.machine_line(document.machine))
    yield _plain(sentences.nothing_to_show(document))
    if document.decision is not None:
        yield from decision_markdown.decided(document, out=out)
    elif document.selected is not None:
        yield f"**{inline(tr('Selected: {model}', model=document.selected))}**"
    if document.judged is not None:
        yield judged_markdown(document.judged)
    for model in document.models:
        yield from _model(model)
    yield bullets([*document.notes, *document.hints])
    if document.command:
        yield tr("The same again: {command}", command=markdown_code(document.command))
    if document.version:
        yield inline(tr("Made by Assay {version}.", version=document.version))


def _model(model: ModelReport) -> Iterator[str | None]:
    accepted = sentences.acceptance(model)
    yield f"## {inline(model.spec)}" + (f" ({accepted})" if accepted else "")
    yield _plain(surroundings.about_line(model.about))
    yield _plain(surroundings.observed_line(model.observed))
    for summary in model.suites:
        yield from _suite(summary)
    if model.measurements:
        yield f"### {tr('Measurements')}"
        yield figures(quantities.measurements(model.measurements))
    yield inline(quantities.answered(model.performance))
    yield _plain(quantities.decoding(model.performance))
    yield bullets(sentences.model_notes(model))


def _suite(summary: SuiteSummary) -> Iterator[str | None]:
    title = f"{summary.suite} – {summary.title}" if summary.title else summary.suite
    yield f"### {inline(title)}"
    yield f"**{inline(tr('score {figure}', figure=numbers.figure(summary.score)))}**"
    yield figures(summary.categories.items())
    if summary.baselines is not None:
        yield inline(tr("What answers that know nothing would score:"))
        yield figures(sentences.baselines(summary.baselines))
        yield _plain(sentences.baselines_sampled(summary.baselines))
    yield inline(sentences.outcomes(summary))
    heads = (tr("test"), tr("category"), tr("outcome"), tr("score"), tr("why"))
    yield table(heads, (_test(row) for row in summary.tests), right=(3,))


def _test(row: TestRow) -> tuple[str, ...]:
    return (
        inline(row.id),
        inline(row.category),
        sentences.outcome(row.outcome),
        numbers.score(row.score),
        inline(row.explanation, longest=SHOWN_EXPLANATION),
    )


def _plain(sentence: str | None) -> str | None:
    return None if sentence is None else inline(sentence)


# ------------------------------------------------------------------- comparisons and leaderboards


def _comparison(document: Comparison) -> Iterator[str | None]:
    yield f"# {tr('Comparison')}"
    yield _plain(sentences.nothing_to_show(document))
    for pair in document.pairs:
        yield from _pair(pair)
    yield bullets(document.notes)


def _pair(pair: PairComparison) -> Iterator[str | None]:
    title = tr("{second} against {first}", first=pair.a.model, second=pair.b.model)
    yield f"## {inline(title)}"
    yield inline(tr("first: run {a}; second: run {b}", a=pair.a.run, b=pair.b.run))
    for compared in pair.suites:
        yield from _compared(compared)
    yield bullets(pair.notes)


def _compared(compared: SuiteComparison) -> Iterator[str | None]:
    yield f"### {inline(compared.suite)}"
    yield f"**{inline(sentences.verdict(compared))}**"
    parts = [(c.name, c.a, c.b, c.difference, c.p_value) for c in compared.categories]
    whole = (tr("points"), compared.a, compared.b, compared.difference, compared.p_value)
    heads = ("", tr("first"), tr("second"), tr("difference, 95 % interval"), tr("pairs"), "p")
    rows = (
        (
            inline(name),
            numbers.value(a),
            numbers.value(b),
            inline(numbers.difference(difference)),
            numbers.count(difference.n),
            inline(numbers.p_value(p)),
        )
        for name, a, b, difference, p in [*parts, whole]
    )
    yield table(heads, rows, right=(1, 2, 3, 4, 5))
    told = [] if compared.p_value is None else [sentences.how_tested(compared)]
    least = sentences.detectable(compared)
    yield bullets([*told, *([least] if least else []), *sentences.left_out(compared)])
    if compared.flips:
        yield inline(trn("{count} test flipped:", "{count} tests flipped:", len(compared.flips)))
        yield table(
            (tr("test"), tr("category"), tr("first"), tr("second")),
            (
                (
                    inline(flip.id),
                    inline(flip.category),
                    f"{sentences.outcome(flip.outcome_a)} {numbers.score(flip.score_a)}",
                    f"{sentences.outcome(flip.outcome_b)} {numbers.score(flip.score_b)}",
                )
                for flip in compared.flips
            ),
        )


def _leaderboard(document: Leaderboard) -> Iterator[str | None]:
    yield f"# {tr('Leaderboard')}"
    yield _plain(sentences.nothing_to_show(document))
    for suite in document.suites:
        yield from _ranking(suite)
    yield bullets(document.notes)


def _ranking(suite: SuiteRanking) -> Iterator[str | None]:
    tests = trn("{count} test", "{count} tests", suite.tests)
    named = f"{suite.suite}, {tests}" if suite.tests else suite.suite
    yield f"## {inline(', '.join(filter(None, (named, suite.asked))))}"
    heads = (
        "#", tr("model"), tr("score"), tr("95 % interval"), "n", tr("unscored"), tr("run"),
        tr("when"),
    )  # fmt: skip
    rows = (
        (
            "–" if row.rank is None else f"{'=' if row.tie else ''}{row.rank}",
            inline(row.model),
            numbers.value(row.score),
            inline(numbers.interval(row.score)),
            numbers.count(row.score.n),
            numbers.count(row.score.unscored),
            inline(row.run),
            inline(row.when),
        )
        for row in suite.rows
    )
    yield table(heads, rows, right=(0, 2, 3, 4, 5))
    yield bullets(sentences.ranking_legend(suite))
