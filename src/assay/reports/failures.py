"""The wrong answers that matter most: what was asked, what came, and why it does not count."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from assay.messages import labelled, tr, trn
from assay.reports.sentences import role
from assay.text.safe_text import one_line
from assay.types import Message, OutcomeKind
from assay.types.documents import Block, Bullets, Heading, Item, Paragraph, Span
from assay.types.results import ModelReport, Report, TestRow

SHOWN = 5
LONGEST = 300  # characters of a question or an answer
SHOWN_TURNS, LONGEST_TURN = 4, 160  # that were before the question
WRONG = (OutcomeKind.FAIL, OutcomeKind.NO_ANSWER)

Answers = Mapping[str, TestRow]  # to one test, by model


def failure_blocks(report: Report, names: Mapping[str, str]) -> Iterator[Block]:
    """Five of them, of as many categories as there are, or every one. `names`: of the specs."""
    found = _failed_tests(report)
    if not found:
        if report.every_failure:
            yield Paragraph(tr("No scored answer failed."))
        return
    shown = found if report.every_failure else _spread(found)[:SHOWN]
    title = tr("Failed tests") if report.every_failure else tr("Failures that matter most")
    yield Heading(title)
    several = any(len(rows) > 1 for _, rows in shown)
    prompts = Counter(each.content for _, rows in found for each in _system(wrong(rows)))
    every = prompts.total() == len(found)  # has one
    usual = prompts.most_common(1)[0][0] if every else ""
    if usual:
        said = one_line(usual, longest=LONGEST_TURN)
        yield Paragraph(tr("System prompt, unless another is shown: {text}", text=said), "dim")
    items = (_item(suite, rows, names, usual, several=several) for suite, rows in shown)
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
    """Where a checkpoint was selected, only its own: nobody ships the others."""
    chosen = [model for model in report.models if model.spec == report.selected]
    found = failed_first(answers_by_test(chosen or report.models))
    return [each for each in found if wrong(each[1])]


def answers_by_test(models: Iterable[ModelReport]) -> list[tuple[str, Answers]]:
    """Each with its suite."""
    found: dict[tuple[str, str], dict[str, TestRow]] = defaultdict(dict)
    for model in models:
        for summary in model.suites:
            for row in summary.tests:
                found[summary.suite, row.id][model.spec] = row
    return [(suite, rows) for (suite, _), rows in found.items()]


def failed_first(found: Iterable[tuple[str, Answers]]) -> list[tuple[str, Answers]]:
    """Those that most models got wrong, then by the lowest score; then those without a score."""
    return sorted(found, key=lambda each: _order(each[1]))


def wrong(rows: Answers) -> dict[str, TestRow]:
    return {spec: row for spec, row in rows.items() if row.outcome in WRONG}


def _order(rows: Answers) -> tuple[float, float]:
    scores = [row.score or 0.0 for row in wrong(rows).values()]
    if not scores:
        return 0, all(row.score is not None for row in rows.values())
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


def _system(rows: Answers) -> list[Message]:
    first = next(iter(rows.values()))
    return [turn for turn in first.turns if turn.role == "system"]


def _earlier_turns(row: TestRow, usual: str) -> Iterator[str]:
    """What was said before the question: the newest turns of it, and an unusual system prompt."""
    before = (row.sent or row.turns)[:-1]
    said = [turn for turn in before if turn.role != "system"]
    yield from (_said(turn) for turn in before if turn not in said and turn.content != usual)
    if left := len(said[:-SHOWN_TURNS]):
        yield trn("… {count} earlier turn", "… {count} earlier turns", left)
    yield from map(_said, said[-SHOWN_TURNS:])


def _said(turn: Message) -> str:
    return labelled(role(turn), one_line(turn.in_words, longest=LONGEST_TURN))


def _item(
    suite: str, rows: Answers, names: Mapping[str, str], usual: str, *, several: bool
) -> Item:
    failed = wrong(rows)
    spec, row = next(iter(failed.items()))
    where = tr("{test} of {suite}, {category}", test=row.id, suite=suite, category=row.category)
    if several:
        count = tr("{wrong} of {models} models did not pass", wrong=len(failed), models=len(rows))
        where = labelled(where, count)
    answer = tr("{model} answered", model=names[spec]) if several else tr("answered")
    said = one_line(row.answer or row.extracted or "", longest=LONGEST) or tr("nothing")
    under = (
        *_earlier_turns(row, usual),
        tr("asked: {text}", text=one_line(row.question, longest=LONGEST)),
        labelled(answer, said),
        tr("why: {text}", text=one_line(row.explanation, longest=LONGEST)),
    )
    return Item((Span(where, "strong"),), under)
