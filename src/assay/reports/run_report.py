"""A run's report: what was decided, then every model, suite and test."""

from collections.abc import Iterator, Mapping

from assay.messages import tr
from assay.reports import quantities, sentences
from assay.reports.checkpoints.decision import decision_blocks, name_of
from assay.reports.comparison import compared_suite
from assay.reports.failures import failure_blocks
from assay.reports.judged.section import judged_blocks
from assay.reports.pictures.quality import draw_quality
from assay.reports.reviews import reviewed_blocks
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
    suites = dict.fromkeys(each.suite for model in report.models for each in model.suites)
    names = sentences.short_names(report)
    title = tr("{suites}: {models}", suites=", ".join(suites), models=", ".join(names.values()))
    return documents.Document(
        title=title if suites else tr("Run {run}", run=report.run),
        blocks=tuple(_blocks(report, names)),
        out=report.out,
    )


def _blocks(report: Report, names: Mapping[str, str]) -> Iterator[Block]:
    """The headline, the models side by side, the failures that matter; then everything else."""
    headline = sentences.headline(report)
    yield Heading(headline, 1)
    decided = tuple(decision_blocks(report))
    for each in decided:
        if not isinstance(each, Paragraph) or documents.plain_text(each.line) != headline:
            yield each
    if not decided:  # checkpoints have a table and a picture of their own
        if len(report.models) > 1:
            yield from _side_by_side(report, names)
        yield from draw_quality(report)
    yield from failure_blocks(report, names)
    if not report.models:
        yield Paragraph(tr("This run has no model."))
    if not any(model.suites for model in report.models):
        yield from picture_of(report)
    yield from _models(report)
    if report.judged is not None:
        yield from judged_blocks(report.judged)
    if report.reviews is not None:
        yield from reviewed_blocks(report.reviews, names)
    yield from map(Note, report.notes)
    yield from map(documents.Hint, report.hints)
    yield from _about_the_run(report)


def _about_the_run(report: Report) -> Iterator[Block]:
    run = tr("Run {run}, {state}", run=report.run, state=sentences.state(report))
    yield Paragraph(run, "dim")
    if report.machine is not None:
        yield Paragraph(sentences.machine_line(report.machine), "dim")
    if report.command:
        yield Paragraph((tr("The same again: "), Span(report.command, "code")), "dim")
    if report.version:
        yield Paragraph(tr("Made by Assay {version}.", version=report.version), "dim")


def _side_by_side(report: Report, names: Mapping[str, str]) -> Iterator[Block]:
    """Models and suites, in points, above the best baseline."""
    scored = [summary for model in report.models for summary in model.suites if not summary.own]
    suites = {summary.suite: summary for summary in scored}
    if not suites:
        return
    rows = []
    for model in report.models:
        scores = {each.suite: each.score for each in model.suites}
        rows.append(Row((names[model.spec], *(_cell(scores.get(suite)) for suite in suites))))
    guesses = [dict(_best_baseline(each)) for each in suites.values()]
    if any(guesses):
        best = [_cell(next(iter(each.values()), None)) for each in guesses]
        rows.append(Row((tr("best baseline"), *best), tone="dim"))
    heads = ("", *(tr("{suite}, points", suite=suite) for suite in suites))
    yield documents.table(heads, rows, right=range(1, len(heads)))
    yield from (Note(f"{names[m.spec]}: {note}") for m in report.models for note in _notes_of(m))


def _cell(score: Estimate | None) -> documents.Line:
    if score is None:
        return numbers.not_measured()
    rests_on = f" {numbers.interval(score)} {numbers.basis(score)}"
    return numbers.value(score), Span(rests_on, "basis")


def _notes_of(model: ModelReport) -> Iterator[str]:
    for summary in model.suites:
        for sentence in sentences.why_this_score(summary):
            yield tr("{suite}: {why}", suite=summary.suite, why=sentence)
    yield from sentences.model_notes(model)


def _models(report: Report) -> Iterator[Block]:
    """One of several is folded away; checkpoints have their suites beside each other first."""
    brief = len(report.models) > 1 and any(model.suites for model in report.models)
    if brief and report.decision is not None:
        yield from _suites_in_brief(report)
    for model in report.models:
        heading, *blocks = _model(model)
        if brief:
            yield Fold(model.spec, tuple(blocks))
        else:
            yield from (heading, *blocks)
    if brief:
        yield Paragraph(tr("-v shows every suite, category and test of each model."), "dim")


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
    tries = [documents.table(("",) * 4, map(_try, row.repeats), right=(2,))] if row.repeats else []
    answer = None if row.repeats else row.answer
    written = (
        *((documents.Verbatim(row.asked, title=tr("question")),) if row.asked else ()),
        *(() if answer is None else (documents.Verbatim(answer, title=tr("answer")),)),
    )
    shown = (Fold(tr("question and answer"), written),) if written else ()
    return Row((row.id, row.category, *_marked(row)), details=(*shown, *tries))


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
        for note in _notes_of(model):
            yield Note(tr("{model}: {note}", model=name, note=note))


def _alike(report: Report) -> dict[str, list[str]]:
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
