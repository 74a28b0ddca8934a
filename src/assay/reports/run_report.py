"""A run's report: what was decided, then every model, suite and test."""

from collections.abc import Iterator, Mapping

from assay.messages import labelled, tr, trn
from assay.reports import sentences
from assay.reports.cards.judged import judged_suites
from assay.reports.cards.one_model import methods_in, one_model_each, score_of
from assay.reports.cards.run import run_card
from assay.reports.cards.scores import in_this_way
from assay.reports.checkpoints.decision import decision_blocks, decision_tables, name_of
from assay.reports.every_test import every_test
from assay.reports.failures import failure_blocks
from assay.reports.judged.section import judged_blocks
from assay.reports.judged.sentences import domain_name
from assay.reports.measured import quantities
from assay.reports.measured.speed import (
    depth_blocks,
    picture_of,
    speed_table,
)
from assay.reports.pictures.quality import draw_quality
from assay.reports.reviews import reviewed_blocks
from assay.reports.since import since_blocks
from assay.text import number_format as numbers
from assay.types import Estimate, documents
from assay.types.decisions import Gate
from assay.types.documents import (
    Block,
    Figures,
    Fold,
    Heading,
    Hint,
    Note,
    Paragraph,
    Row,
    RunLine,
    Span,
)
from assay.types.measures import FigureColumn, every_measure
from assay.types.results import ModelReport, Report, SuiteSummary

SHOWN_NAMES = 4


def run_document(report: Report) -> documents.Document:
    suites = dict.fromkeys(each.suite for model in report.models for each in model.suites)
    names = sentences.short_names(report)
    if report.decision is not None:
        names = {model.spec: name_of(report, model) for model in report.models}
    title = tr("{suites}: {models}", suites=", ".join(suites), models=", ".join(names.values()))
    return documents.Document(
        title=title if suites else tr("Run {run}", run=report.run),
        blocks=tuple(_blocks(report, names)),
        out=report.out,
        card=run_card(report),
        scores=tuple(_scores(report, names)),
    )


def _scores(report: Report, names: Mapping[str, str]) -> Iterator[Block]:
    """The line about the run, and one table with a line for each model. Of a run that shows every
    failure, those come first.
    """
    yield RunLine(_run_line(report))
    yield from since_blocks(report)
    if report.every_failure:
        yield from failure_blocks(report, names)
    decided = tuple(decision_tables(report))
    yield from decided or suites_table(report)
    if not decided and not any(model.suites for model in report.models):
        yield from speed_table(report)


def _blocks(report: Report, names: Mapping[str, str]) -> Iterator[Block]:
    """The pictures, the failures that matter; then the details."""
    decided = list(decision_blocks(report))
    several = len(report.models) > 1
    yield from (each for each in decided if not isinstance(each, Fold))
    if not decided:  # checkpoints have a picture of their own
        yield from _notes_on_scores(report, names)
        yield from draw_quality(report)
    if not report.every_failure:
        yield from failure_blocks(report, names)
    if not report.models:
        yield Paragraph(tr("This run has no model."))
    if not any(model.suites for model in report.models):
        yield from picture_of(report)
    if several and report.decision and any(model.suites for model in report.models):
        if decided:
            yield Heading(tr("Suites"))
            yield from suites_table(report)
            yield from _notes_on_scores(report, names)
        yield from _what_they_are(report, names)
    yield from map(Note, report.notes)
    yield from (each for each in decided if isinstance(each, Fold))
    yield from _models(report)
    if report.judged is not None:
        yield from judged_blocks(report.judged)
    if report.reviews is not None:
        yield from reviewed_blocks(report.reviews, names)
    yield from every_test(report, names)
    yield from map(Hint, report.hints)
    yield from _about_the_run(report)


def _about_the_run(report: Report) -> Iterator[Block]:
    run = tr("Run {run}, {state}", run=report.run, state=sentences.state(report))
    yield Paragraph(run, "dim")
    if report.machine is not None:
        yield Paragraph(sentences.machine_line(report.machine, versions=True), "dim")
    if report.command:
        yield Paragraph((tr("Reproduce: "), Span(report.command, "code")), "dim")
    if report.version:
        yield Paragraph(tr("Made by Assay {version}.", version=report.version), "dim")


def _run_line(report: Report) -> str:
    """The run, the page, the machine and the version: what a terminal shows of them."""
    parts = [report.run]
    if report.version:
        parts.append(f"Assay {report.version}")
    if report.machine is not None:
        cores = trn("{count} core", "{count} cores", report.machine.cores)
        system, _, _ = report.machine.system.partition(",")  # a page says which release
        facts = ", ".join(filter(None, (system, cores, *report.machine.gpus)))
        parts.append(tr("Machine: {facts}", facts=facts))
    return " · ".join(parts)


def _notes_on_scores(report: Report, names: Mapping[str, str]) -> Iterator[Block]:
    if len(report.models) > 1:
        for model in report.models:
            yield from (Note(labelled(names[model.spec], note)) for note in _notes_of(model))


def suites_table(report: Report) -> Iterator[documents.Table]:
    """Models and suites, in points, above what answers that know nothing would score; of judged
    suites the mean of 10 that the decision is about.
    """
    judged = report.judged if report.judged and report.judged.models else None
    by_judge = judged_suites(judged) if judged else set()
    scored = [summary for model in report.models for summary in model.suites if not summary.own]
    suites = {each.suite: each for each in scored if each.suite not in by_judge}
    domains = judged.domains if judged else ()
    if not suites and not domains:
        return
    names, own = sentences.short_names(report), _own_columns(report)
    means = {each.model: each for each in judged.models} if judged else {}
    ways = [(suite, way) for suite in suites for way in methods_in(report, suite)]
    rows = []
    for same in one_model_each(report):
        judged_as = [means[each.spec] for each in same if each.spec in means][:1]
        found = [of.domain(each) for of in judged_as for each in domains] or [None] * len(domains)
        figures = [each.mean if each else None for each in found]
        figures += [score_of(same, suite, way) for suite, way in ways]
        figures += [
            next(filter(None, (each.measurements.get(of.figure) for each in same)), None)
            for of in own
        ]
        rows.append(Row((names[same[0].spec], *map(_cell, figures))))
    repeated = {place: suites[suite] for place, (suite, _) in enumerate(ways)}
    rows += _baseline_rows(repeated, before=len(domains), behind=len(own))
    heads = (
        "",
        *(tr("{domain}, of 10", domain=domain_name(each)) for each in domains),
        *(tr("{suite}, points", suite=in_this_way(suite, way)) for suite, way in ways),
        *(each.head for each in own),
    )
    weights = {place: -place for place in range(2, len(heads))}
    yield documents.table(heads, rows, right=range(1, len(heads)), weights=weights, one_line=True)


def _baseline_rows(
    suites: Mapping[int, SuiteSummary], *, before: int, behind: int
) -> Iterator[Row]:
    guesses = [[*_baselines(each)] for each in suites.values() if each.baselines]
    if not guesses or len(guesses) < len(suites):
        return
    for place, (name, _) in enumerate(guesses[0]):
        if place == 2 and len({each.suite for each in suites.values()}) > 1:
            # each suite has another constant
            name = tr("baseline: always the same answer")
        cells = (_cell(each[place][1]) for each in guesses)
        yield Row((name, *[""] * before, *cells, *[""] * behind), tone="dim")
    oracles = [each.baselines.oracle if each.baselines else None for each in suites.values()]
    if any(oracles):
        name = tr("baseline: {answer}", answer=sentences.oracle_name())
        yield Row((name, *[""] * before, *map(_cell, oracles), *[""] * behind), tone="dim")


def _own_columns(report: Report) -> list[FigureColumn]:
    """Of the figures that plugins measure of every model."""
    measured = {name for model in report.models for name in model.measurements}
    own = [each for each in every_measure() if each.of_every_model and each.name in measured]
    return [column for each in own for column in each.columns(Gate(source=""), measured)]


def _cell(score: Estimate | None) -> documents.Line:
    return numbers.not_measured() if score is None else numbers.cell(score)


def _notes_of(model: ModelReport) -> Iterator[str]:
    for summary in model.suites:
        for sentence in sentences.why_this_score(summary):
            yield tr("{suite}: {why}", suite=summary.suite, why=sentence)
    yield from sentences.model_notes(model)


def _models(report: Report) -> Iterator[Block]:
    """One of several is folded away: its scores are in a table above."""
    if len(report.models) == 1 or not any(model.suites for model in report.models):
        for model in report.models:
            yield from _model(model, alone=True)
        return
    folds = (Fold(model.spec, tuple(_model(model, alone=False))[1:]) for model in report.models)
    yield Fold(tr("Each model"), tuple(folds), open=True)


def _model(model: ModelReport, *, alone: bool) -> Iterator[Block]:
    accepted = sentences.acceptance(model)
    verdict = Span(f"  {accepted}", "good" if model.accepted else "bad") if accepted else ""
    yield Heading((Span(model.spec, "name"), verdict))
    for known in (sentences.about_line(model.about), sentences.observed_line(model.observed)):
        if known is not None:
            yield Paragraph(known, "dim")
    for summary in model.suites:
        yield from _suite(summary, alone=alone)
    if model.measurements:
        yield Heading(tr("Measurements"), 3)
        yield Figures(tuple(quantities.measurements(model.measurements)))
    yield from depth_blocks(model)
    if not model.suites:
        yield from map(Note, sentences.model_notes(model))
        return
    yield Heading(tr("Performance"), 3)
    yield Paragraph(trn("{count} answer", "{count} answers", model.performance.answered))
    decoding = quantities.decoding(model.performance)
    if decoding is not None:
        yield Paragraph(decoding)
    measured = tuple(quantities.measured(model.performance))
    notes = map(Paragraph, quantities.notes(model.performance))
    yield Fold(tr("Every figure"), (Figures(measured), *notes))
    yield from map(Note, sentences.model_notes(model))


def _suite(summary: SuiteSummary, *, alone: bool) -> Iterator[Block]:
    yield Heading(f"{summary.suite} – {summary.title}" if summary.title else summary.suite, 3)
    yield from map(Paragraph, sentences.why_this_score(summary))
    score = [] if summary.own else [(summary.suite, summary.score)]
    guesses = _baselines(summary) if alone else ()
    yield Figures((*score, *summary.categories.items(), *guesses))
    yield Paragraph(sentences.outcomes(summary))
    if mark := sentences.pass_mark(summary):
        yield Paragraph(mark, "dim")


def _baselines(summary: SuiteSummary) -> Iterator[tuple[str, Estimate]]:
    for answer, score in sentences.baselines(summary.baselines) if summary.baselines else ():
        yield tr("baseline: {answer}", answer=answer), score


def _what_they_are(report: Report, names: Mapping[str, str]) -> Iterator[Block]:
    alike: dict[str, list[str]] = {}
    for model in report.models:
        if known := sentences.about_line(model.about):
            alike.setdefault(known, []).append(names[model.spec])
    for known, of in alike.items():
        more = tr(", … (+{count})", count=len(of) - SHOWN_NAMES) if of[SHOWN_NAMES:] else ""
        shown = ", ".join(of[:SHOWN_NAMES]) + more
        yield Paragraph(tr("{names}: {facts}", names=shown, facts=known), "dim")
