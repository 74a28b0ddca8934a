"""The judged tests of a run in its report."""

from __future__ import annotations

from collections.abc import Iterator

from assay.messages import tr
from assay.reports.judged import sentences as said
from assay.reports.judged.evaluation_text import evaluation_text
from assay.reports.judged.judging import judging_blocks
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types import Estimate
from assay.types.documents import (
    Block,
    Figures,
    Fold,
    Heading,
    Line,
    Note,
    Paragraph,
    Span,
    Table,
    Tone,
    Verbatim,
    bullets,
    table,
)
from assay.types.judged import Judged, ModelJudged, TestJudged
from assay.types.judgements import Band, band_of, shown_tenths

TONES: dict[Band, Tone] = {
    "EXCELLENT": "good",
    "GOOD": "good",
    "ACCEPTABLE": "warning",
    "POOR": "bad",
    "FAILED": "bad",
}
LONGEST_REASON = 200


def judged_blocks(of: Judged) -> Iterator[Block]:
    """Every test and model, the means, what is unscored, and which model to use."""
    if not of.models:
        return
    yield Heading(tr("Judged tests"))
    if of.judges:
        yield Paragraph(tr("Judged by {judges}.", judges=", ".join(of.judges)), "dim")
        if unread := said.scored_by_checks(of):
            yield Note(unread)
    else:
        told = tr("No judge was asked: a score is the share of checks that pass, times 10.")
        yield Paragraph(told, "dim")
    yield _table(of)
    legend = tr(
        "Overall of 10 and its band, and checks that hold of all that were run. “alone”: what the "
        "judge would give without them. From–to: by the lowest and highest scores given."
    )
    yield Paragraph(legend, "dim")
    yield Figures(tuple(_means(of)))
    for model in of.models:
        yield Fold(tr("Why: {model}", model=model.model), tuple(_evaluations(model)), long=True)
    yield bullets(_unscored(of))
    yield from judging_blocks(of, level=3)
    yield from (Note(told) for choice in of.choices if (told := said.left_out(choice)))
    yield from map(Note, of.notes)
    yield Paragraph(said.closing_sentence(of), "strong")


def _table(of: Judged) -> Table:
    rows = (
        (said.name_of_test(first), *("–" if test is None else _cell(test) for test in row))
        for first, row in _rows(of)
    )
    return table((tr("test"), *(model.model for model in of.models)), rows)


def _cell(test: TestJudged) -> Line:
    """7.2 GOOD, 9/12, and how far judgements differ or what the judge alone would give."""
    total, alone = test.evidence_total, test.judge_only_tenths
    more = []
    if test.low is not None and test.high is not None and test.low != test.high:
        more.append(f"{shown_tenths(test.low)}–{shown_tenths(test.high)}")
    if alone is not None and alone != test.tenths:
        more.append(tr("alone {overall}", overall=f"{shown_tenths(alone)} {band_of(alone)}"))
    return (
        Span(said.overall(test), TONES[test.band] if test.band else "warning"),
        f", {test.evidence_passed}/{total}" if total else "",
        *(Span(f" ({each})", "dim") for each in more),
    )


def _evaluations(model: ModelJudged) -> Iterator[Block]:
    for test in model.tests:
        yield Paragraph((said.name_of_test(test), f"  {said.overall(test)}"), "strong")
        for each in test.final_judgements:
            yield Verbatim(evaluation_text(each, model=model.model))


def _rows(of: Judged) -> Iterator[tuple[TestJudged, list[TestJudged | None]]]:
    """Every test that any model was judged on, beside all models."""
    by_model = [{(test.suite, test.test_id): test for test in model.tests} for model in of.models]
    for key in dict.fromkeys(key for tests in by_model for key in tests):
        row = [tests.get(key) for tests in by_model]
        yield next(test for test in row if test is not None), row


def _means(of: Judged) -> Iterator[tuple[str, Estimate]]:
    for model in of.models:
        for domain in model.domains:
            name = said.domain_name(domain.domain)
            yield tr("{what}, {model}", what=name, model=model.model), domain.mean


def _unscored(of: Judged) -> Iterator[str]:
    """A line for each reason: a judge that is down says the same of every test."""
    for model in of.models:
        remarks = [each for domain in model.domains for each in domain.unscored]
        for why, tests in said.by_reason(remarks):
            yield tr(
                "Unscored: {test}, {model}: {why}",
                test=tests,
                model=model.model,
                why=one_line(why, longest=LONGEST_REASON) or numbers.not_measured(),
            )
