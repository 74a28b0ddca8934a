"""A run's report: what was decided, then every model, suite and test."""

from __future__ import annotations

from collections.abc import Iterator

from assay.messages import tr
from assay.reports import quantities, sentences
from assay.reports.checkpoints.decision import decision_blocks, name_of
from assay.reports.comparison import compared_suite
from assay.reports.judged.section import judged_blocks
from assay.reports.judged.sentences import closing_sentence
from assay.reports.pictures.quality import draw_quality
from assay.reports.speed import depth_blocks, picture_of
from assay.text import number_format as numbers
from assay.types import Estimate, OutcomeKind, documents
from assay.types.documents import Block, Figures, Fold, Heading, Note, Paragraph, Row, Span
from assay.types.results import ModelReport, RepeatRow, Report, SuiteSummary, TestRow

TONES: dict[OutcomeKind, documents.Tone] = {
    OutcomeKind.PASS: "good",
    OutcomeKind.FAIL: "bad",
    OutcomeKind.NO_ANSWER: "warning",
    OutcomeKind.UNSCORED: "warning",
    OutcomeKind.FAILED: "warning",
}
SHOWN_NAMES = 4


def run_document(report: Report) -> documents.Document:
    title = tr("Run {run}", run=report.run)
    return documents.Document(title=title, blocks=tuple(_blocks(report)), out=report.out)


def _blocks(report: Report) -> Iterator[Block]:
    yield Heading(tr("Run {run}", run=report.run), 1)
    yield Paragraph(sentences.state(report), "dim")
    if report.machine is not None:
        yield Paragraph(sentences.machine_line(report.machine), "dim")
    if not report.models:
        yield Paragraph(tr("This run has no model."))
    if report.judged is not None and report.judged.models:
        yield Paragraph(closing_sentence(report.judged), "strong")
    decided = tuple(decision_blocks(report))
    yield from decided
    if not decided and report.selected is not None:
        yield Paragraph(tr("Selected: {model}", model=report.selected), "good")
    if not decided:  # checkpoints have a picture of their own
        yield from draw_quality(report)
    if not any(model.suites for model in report.models):
        yield from picture_of(report)
    yield from _models(report)
    if report.judged is not None:
        yield from judged_blocks(report.judged)
    yield from map(Note, report.notes)
    yield from map(documents.Hint, report.hints)
    if report.command:
        yield Paragraph((tr("The same again: "), Span(report.command, "code")), "dim")
    if report.version:
        yield Paragraph(tr("Made by Assay {version}.", version=report.version), "dim")


def _models(report: Report) -> Iterator[Block]:
    """Several checkpoints have their suites beside each other first."""
    brief = report.decision is not None and len(report.models) > 1
    if brief:
        yield from _suites_in_brief(report)
    for model in report.models:
        heading, *blocks = _model(model)
        if brief:
            yield Fold(model.spec, tuple(blocks))
        else:
            yield from (heading, *blocks)


def _model(model: ModelReport) -> Iterator[Block]:
    accepted = sentences.acceptance(model)
    verdict = Span(f"  {accepted}", "good" if model.accepted else "bad") if accepted else ""
    yield Heading((Span(model.spec, "name"), verdict))
    for known in (sentences.about_line(model.about), sentences.observed_line(model.observed)):
        if known is not None:
            yield Paragraph(known, "dim")
    for summary in model.suites:
        yield from _suite(summary)
    for twin in model.twins:
        first, second = twin.suite[: twin.suite.rindex("-")], twin.suite
        yield Heading(tr("{second} against {first}", first=first, second=second), 3)
        yield from compared_suite(twin, first, second)
    if model.measurements:
        yield Heading(tr("Measurements"), 3)
        yield Figures(tuple(quantities.measurements(model.measurements)))
    yield from depth_blocks(model)
    if not model.suites:
        yield from map(Note, sentences.model_notes(model))
        return
    yield Heading(tr("Performance"), 3)
    yield Paragraph(quantities.answered(model.performance))
    decoding = quantities.decoding(model.performance)
    if decoding is not None:
        yield Paragraph(decoding)
    measured = tuple(quantities.measured(model.performance))
    notes = map(Paragraph, quantities.notes(model.performance))
    yield Fold(tr("Every figure"), (Figures(measured), *notes))
    yield from map(Note, sentences.model_notes(model))


def _suite(summary: SuiteSummary) -> Iterator[Block]:
    yield Heading(f"{summary.suite} – {summary.title}" if summary.title else summary.suite, 3)
    score = tr("score {figure}", figure=numbers.figure(summary.score))
    yield Paragraph(score, "warning" if summary.score.incomplete else "strong")
    yield from map(Paragraph, sentences.why_this_score(summary))
    yield Figures(tuple(summary.categories.items()))
    if summary.baselines is not None:
        yield Paragraph(tr("Baselines"), "strong")
        yield Figures(tuple(sentences.baselines(summary.baselines)))
    yield Paragraph(sentences.outcomes(summary))
    yield Fold(tr("Every test"), (_tests(summary),))


def _tests(summary: SuiteSummary) -> documents.Table:
    heads = (tr("test"), tr("category"), tr("outcome"), tr("score"), tr("why"))
    return documents.table(heads, map(_test, summary.tests), right=(3,))


def _test(row: TestRow) -> Row:
    tries = (_tries(row),) if row.repeats else ()
    answer = None if row.repeats else row.answer
    written = (
        *((documents.Verbatim(row.question, title=tr("question")),) if row.question else ()),
        *(() if answer is None else (documents.Verbatim(answer, title=tr("answer")),)),
    )
    shown = (Fold(tr("question and answer"), written),) if written else ()
    return Row((row.id, row.category, *_marked(row)), details=(*shown, *tries))


def _tries(row: TestRow) -> documents.Table:
    return documents.table(("", "", "", ""), map(_try, row.repeats), right=(2,))


def _try(row: RepeatRow) -> Row:
    answer = () if row.answer is None else (documents.Verbatim(row.answer),)
    shown = (Fold(tr("answer"), answer),) if answer else ()
    return Row((tr("try {number}", number=row.repeat + 1), *_marked(row)), details=shown)


def _marked(row: TestRow | RepeatRow) -> tuple[Span, str, str]:
    outcome = Span(sentences.outcome(row.outcome), TONES[row.outcome])
    return outcome, numbers.score(row.score), row.explanation


def _suites_in_brief(report: Report) -> Iterator[Block]:
    """What the models are, and their scores suite by suite beside the best baseline."""
    for known, names in _alike(report).items():
        more = tr(", … (+{count})", count=len(names) - SHOWN_NAMES) if names[SHOWN_NAMES:] else ""
        alike = ", ".join(names[:SHOWN_NAMES]) + more
        yield Paragraph(tr("{names}: {facts}", names=alike, facts=known), "dim")
    suites: dict[str, list[tuple[str, SuiteSummary]]] = {}
    for model in report.models:
        for summary in model.suites:
            suites.setdefault(summary.suite, []).append((name_of(report, model), summary))
    for suite, rows in suites.items():
        first = rows[0][1]
        yield Heading(f"{suite} – {first.title}" if first.title else suite, 3)
        scores = [(name, summary.score) for name, summary in rows]
        yield Figures((*scores, *_best_baseline(first)))
    for model in report.models:
        name = name_of(report, model)
        why = [
            tr("{suite}: {why}", suite=each.suite, why=sentence)
            for each in model.suites
            for sentence in sentences.why_this_score(each)
        ]
        for note in (*why, *sentences.model_notes(model)):
            yield Note(tr("{model}: {note}", model=name, note=note))
    yield Paragraph(tr("-v shows every suite, category and test of each model."), "dim")


def _alike(report: Report) -> dict[str, list[str]]:
    """The models by what is known of them."""
    alike: dict[str, list[str]] = {}
    for model in report.models:
        if known := sentences.about_line(model.about):
            alike.setdefault(known, []).append(name_of(report, model))
    return alike


def _best_baseline(summary: SuiteSummary) -> list[tuple[str, Estimate]]:
    known = sentences.baselines(summary.baselines) if summary.baselines else ()
    scored = [each for each in known if each[1].value is not None]
    if not scored:
        return []
    answer, score = max(scored, key=lambda each: each[1].value or 0.0)
    return [(tr("baseline: {answer}", answer=answer), score)]
