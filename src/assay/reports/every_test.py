"""Every test beside all models: what failed first, the question once, then each answer."""

from collections.abc import Iterator, Mapping, Sequence

from assay.messages import labelled, tr, trn
from assay.reports import sentences
from assay.reports.failures import Answers, answers_by_test, failed_first, wrong
from assay.reports.judged.evaluation_text import evaluation_text
from assay.reports.sentences import spoken
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types import OutcomeKind
from assay.types.conversations import conversation_text
from assay.types.documents import (
    Block,
    Fold,
    Line,
    Matrix,
    Paragraph,
    Row,
    Span,
    Tone,
    Verbatim,
    table,
)
from assay.types.results import Report, TrialRow

TONES: dict[OutcomeKind, Tone] = {
    OutcomeKind.PASS: "good",
    OutcomeKind.FAIL: "bad",
    OutcomeKind.NO_ANSWER: "warning",
    OutcomeKind.UNSCORED: "warning",
    OutcomeKind.FAILED: "warning",
}
MISSING = (OutcomeKind.UNSCORED, OutcomeKind.FAILED)
LONGEST_QUESTION = 140  # characters of a line that opens a test
LONGEST_TEXT = 6000  # characters of one answer
MOST_BYTES, MOST_BYTES_OF_CHECKPOINTS = 2_500_000, 700_000  # of the page's 3 MB and 1 MB


def every_test(report: Report, names: Mapping[str, str]) -> Iterator[Block]:
    """`names`: of the models' specs."""
    models = [model for model in report.models if model.suites]
    found = failed_first(answers_by_test(models))
    if not found:
        return
    several = len({suite for suite, _ in found}) > 1
    failed = trn("failed", "failed", 2)  # of tests, more than one: French has a plural
    kinds = {"failed": failed, "differ": tr("models differ"), "missing": tr("no score")}
    groups: dict[str, str] = {}  # what a category is called, and its class
    judged = _judged(report)
    rows = []
    for suite, answers in found:
        first = next(iter(answers.values()))
        category = labelled(suite, first.category) if several else first.category
        group = groups.setdefault(category, f"g{len(groups)}")
        shown = _details(answers, names, {spec: judged.get((spec, suite, first.id), "")
                                          for spec in answers})  # fmt: skip
        cells = (first.id, category, *_cells(answers, [model.spec for model in models]))
        rows.append(Row(cells, details=shown, kinds=(*_kinds(answers), group)))
    heads: Sequence[str] = [names[model.spec] for model in models]
    if len(models) == 1:
        heads = (tr("outcome"), tr("score"), tr("why"))
    of = table((tr("test"), tr("category"), *heads), rows, right=(3,) if len(models) == 1 else ())
    seen = {kind for row in rows for kind in row.kinds}
    matrix = Matrix(
        columns=of.columns,
        rows=of.rows,
        kinds={kind: label for kind, label in kinds.items() if kind in seen},
        groups={group: category for category, group in groups.items()},
        most_bytes=MOST_BYTES if report.decision is None else MOST_BYTES_OF_CHECKPOINTS,
        all_in=f"assay view {report.run}",
    )
    yield Fold(tr("Every test"), (matrix,), open=True)


def _judged(report: Report) -> dict[tuple[str, str, str], str]:
    """Why a judged test of a model that is shown got its score, in the standard format."""
    shown = {model.spec for model in report.models}
    return {
        (model.model, test.suite, test.test_id): "\n\n".join(
            evaluation_text(each, model=model.model) for each in test.final_judgements
        )
        for model in (report.judged.models if report.judged else ())
        if model.model in shown
        for test in model.tests
    }


def _kinds(answers: Answers) -> Iterator[str]:
    outcomes = {row.outcome for row in answers.values()}
    if wrong(answers):
        yield "failed"
    if len(outcomes) > 1:
        yield "differ"
    if outcomes & {*MISSING}:
        yield "missing"


def _cells(answers: Answers, specs: Sequence[str]) -> Iterator[Line]:
    for spec in specs:
        row = answers.get(spec)
        if row is None:
            yield "–"
        elif len(specs) == 1:
            yield Span(sentences.outcome_of(row), TONES[row.outcome])
            yield from (numbers.score(row.score), row.explanation)
        else:
            yield _outcome(row)


def _outcome(row: TrialRow) -> Span:
    score = "" if row.score is None else f" {numbers.score(row.score)}"
    return Span(f"{sentences.outcome_of(row)}{score}", TONES[row.outcome])


def _details(
    answers: Answers, names: Mapping[str, str], judged: Mapping[str, str]
) -> tuple[Block, ...]:
    first = next(iter(answers.values()))
    own = any(row.sent for row in answers.values())  # then no two conversations are the same
    question = conversation_text(first.turns, spoken) if first.turns and not own else ""
    blocks: list[Block] = [_text(question, tr("question"))] if question else []
    for spec, row in answers.items():
        for number, each in enumerate(row.repeats or (row,), start=1):
            who = [names[spec]] if len(answers) > 1 else []
            who += [tr("try {number}", number=number)] if row.repeats else []
            if who:
                why = f"  {each.explanation}"
                blocks.append(Paragraph((labelled(", ".join(who), ""), _outcome(each), why)))
            if own:
                said = conversation_text(each.sent or first.turns, spoken)
                blocks.append(_text(said, tr("conversation")))
            if each.answer is not None:
                blocks.append(_text(each.answer, "" if who and not own else tr("answer")))
        if judged[spec]:
            blocks.append(_text(judged[spec], tr("judged")))
    title = one_line(first.question, longest=LONGEST_QUESTION) or first.id
    return (Fold(title, tuple(blocks)),) if blocks else ()


def _text(text: str, title: str) -> Verbatim:
    left = len(text) - LONGEST_TEXT
    if left > 0:
        more = tr("[… {count} characters more]", count=numbers.count(left))
        text = f"{text[:LONGEST_TEXT]}\n{more}"
    return Verbatim(text, title=title)
