"""The wrong answers that matter most: what was asked, what came, and why it does not count."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from assay.messages import tr, trn
from assay.text.safe_text import one_line
from assay.types import OutcomeKind
from assay.types.documents import Block, Bullets, Heading, Item, Paragraph, Span
from assay.types.results import Report, TestRow

SHOWN = 5
LONGEST = 300  # characters of a question or an answer
WRONG = (OutcomeKind.FAIL, OutcomeKind.NO_ANSWER)

Answers = Mapping[str, TestRow]  # to one test, by model


def failure_blocks(report: Report, names: Mapping[str, str]) -> Iterator[Block]:
    """Five of them, of as many categories as there are, or every one. `names`: of the specs."""
    found = _failed_tests(report)
    if not found:
        return
    shown = found if report.every_failure else _spread(found)[:SHOWN]
    title = tr("Failed tests") if report.every_failure else tr("Failures that matter most")
    yield Heading(title)
    several = any(len(rows) > 1 for _, rows in shown)
    items = (_item(suite, rows, names, several=several) for suite, rows in shown)
    yield Bullets(tuple(items), numbered=True)
    if len(found) > len(shown):
        more = trn(
            "{count} more failed test: assay report {run} --failed",
            "{count} more failed tests: assay report {run} --failed",
            len(found) - len(shown),
            run=report.run,
        )
        yield Paragraph(Span(more, "code"), "dim")


def _failed_tests(report: Report) -> list[tuple[str, Answers]]:
    """Each with its suite: those that most models got wrong first, then by the lowest score. Where
    a checkpoint was selected, only its own: nobody ships the others.
    """
    found: dict[tuple[str, str], dict[str, TestRow]] = defaultdict(dict)
    chosen = [model for model in report.models if model.spec == report.selected]
    for model in chosen or report.models:
        for summary in model.suites:
            for row in summary.tests:
                found[summary.suite, row.id][model.spec] = row
    failed = [(suite, rows) for (suite, _), rows in found.items() if _wrong(rows)]
    return sorted(failed, key=lambda each: _order(each[1]))


def _wrong(rows: Answers) -> dict[str, TestRow]:
    return {spec: row for spec, row in rows.items() if row.outcome in WRONG}


def _order(rows: Answers) -> tuple[float, float]:
    scores = [row.score or 0.0 for row in _wrong(rows).values()]
    return -len(scores) / len(rows), sum(scores) / len(scores)


def _spread(found: Sequence[tuple[str, Answers]]) -> list[tuple[str, Answers]]:
    """The first of every category, then the second of each: five of one kind say one thing."""
    seen: dict[tuple[str, str], int] = defaultdict(int)
    turns = []
    for suite, rows in found:
        category = suite, next(iter(rows.values())).category
        turns.append(seen[category])
        seen[category] += 1
    return [each for _, each in sorted(zip(turns, found, strict=True), key=lambda pair: pair[0])]


def _item(suite: str, rows: Answers, names: Mapping[str, str], *, several: bool) -> Item:
    wrong = _wrong(rows)
    spec, row = next(iter(wrong.items()))
    where = tr("{test} of {suite}, {category}", test=row.id, suite=suite, category=row.category)
    if several:
        count = tr("{wrong} of {models} models got it wrong", wrong=len(wrong), models=len(rows))
        where = f"{where}: {count}"
    answer = tr("{model} answered", model=names[spec]) if several else tr("answered")
    said = one_line(row.answer or row.extracted or "", longest=LONGEST) or tr("nothing")
    under = (
        tr("asked: {text}", text=one_line(row.question, longest=LONGEST)),
        f"{answer}: {said}",
        tr("why: {text}", text=one_line(row.explanation, longest=LONGEST)),
    )
    return Item((Span(where, "strong"),), under)
