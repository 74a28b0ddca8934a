"""The wrong answers that matter most: what was asked, what came, and why it does not count."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.messages import tr, trn
from assay.text.safe_text import one_line
from assay.types import OutcomeKind
from assay.types.documents import Block, Bullets, Heading, Item, Paragraph, Span
from assay.types.results import Report, TestRow

SHOWN = 5
LONGEST = 300  # characters of a question or an answer
WRONG = (OutcomeKind.FAIL, OutcomeKind.NO_ANSWER)


@dataclass(frozen=True, slots=True)
class _FailedTest:
    """One test, and the wrong answers to it by model; `asked`: how many models answered it."""

    suite: str
    rows: Mapping[str, TestRow]
    asked: int

    @property
    def order(self) -> tuple[float, float]:
        scores = [row.score or 0.0 for row in self.rows.values()]
        return -len(self.rows) / self.asked, sum(scores) / len(scores)


def failure_blocks(report: Report, names: Mapping[str, str]) -> Iterator[Block]:
    """Five of them, of as many categories as there are, or every one. `names`: of the specs."""
    found = sorted(_failed_tests(report), key=lambda each: each.order)
    if not found:
        return
    shown = found if report.every_failure else _spread(found)[:SHOWN]
    title = tr("Failed tests") if report.every_failure else tr("Failures that matter most")
    yield Heading(title)
    several = len(report.models) > 1
    yield Bullets(tuple(_item(each, names, several=several) for each in shown), numbered=True)
    if len(found) > len(shown):
        more = trn(
            "{count} more failed test: assay report {run} --failed",
            "{count} more failed tests: assay report {run} --failed",
            len(found) - len(shown),
            run=report.run,
        )
        yield Paragraph(Span(more, "code"), "dim")


def _failed_tests(report: Report) -> Iterator[_FailedTest]:
    wrong: dict[tuple[str, str], dict[str, TestRow]] = defaultdict(dict)
    asked: dict[tuple[str, str], int] = defaultdict(int)
    for model in report.models:
        for summary in model.suites:
            for row in summary.tests:
                asked[summary.suite, row.id] += 1
                if row.outcome in WRONG:
                    wrong[summary.suite, row.id][model.spec] = row
    for (suite, test), rows in wrong.items():
        yield _FailedTest(suite, rows, asked[suite, test])


def _spread(found: Sequence[_FailedTest]) -> list[_FailedTest]:
    """The first of every category, then the second of each: five of one kind say one thing."""
    seen: dict[tuple[str, str], int] = defaultdict(int)
    turns = []
    for each in found:
        category = each.suite, next(iter(each.rows.values())).category
        turns.append(seen[category])
        seen[category] += 1
    return [each for _, each in sorted(zip(turns, found, strict=True), key=lambda pair: pair[0])]


def _item(failed: _FailedTest, names: Mapping[str, str], *, several: bool) -> Item:
    spec, row = next(iter(failed.rows.items()))
    where = tr("{test} of {suite}, {category}", test=row.id, suite=failed.suite,
               category=row.category)  # fmt: skip
    if several:
        count = tr("wrong by {wrong} of {models} models", wrong=len(failed.rows),
                   models=failed.asked)  # fmt: skip
        where = f"{where}: {count}"
    answer = tr("{model} answered", model=names[spec]) if several else tr("answered")
    said = one_line(row.answer or "", longest=LONGEST) or tr("nothing")
    under = (
        tr("asked: {text}", text=one_line(row.question, longest=LONGEST)),
        f"{answer}: {said}",
        tr("why: {text}", text=one_line(row.explanation, longest=LONGEST)),
    )
    return Item((Span(where, "strong"),), under)
