"""The card of a judge, as blocks of a report, as a Document of its own, and as JSON."""

from collections.abc import Iterator, Sequence

from assay.messages import tr
from assay.reports.json_values import JsonObject, pick, plain_value
from assay.text import number_format as numbers
from assay.types.documents import Block, Document, Heading, Hint, Line, Note, Paragraph, sign, table
from assay.types.judge_cards import CardMark, JudgeCard, JudgeCheck
from assay.types.judgements import JudgedBy


def card_blocks(card: JudgeCard) -> Iterator[Block]:
    yield Paragraph(card.sentence, "good" if card.qualified else "bad")
    heads = ("", "", tr("value"), tr("95 % interval"), "n", tr("unscored"), tr("limit"))
    yield table(heads, map(_cells, card.marks), right=(2, 3, 4, 5, 6))
    yield Paragraph(_asked_by(card), "dim")
    for name, share in (
        (tr("Injections that still raise the score after the second reading"), card.guarded),
        (tr("Harmless texts taken for an injection"), card.false_alarms),
    ):
        if share is not None and share.value is not None:
            said = tr("{name}: {value} of {n}.", name=name, n=share.n,
                      value=round(share.value * share.n))  # fmt: skip
            yield Paragraph(said, "dim")
    yield from map(Note, card.notes)


def judges_blocks(judges: Sequence[JudgedBy], *, level: int = 3) -> Iterator[Block]:
    """The cards of the judges of a run; what is not known of those without one."""
    if judges:
        yield Heading(tr("Can the judge be trusted?"), level)
    for judge in judges:
        if judge.card is not None:
            yield from card_blocks(judge.card)
        else:
            yield Note(
                tr(
                    "{judge} is not qualified: it was not checked. `assay judge-check {judge}` "
                    "does that.",
                    judge=judge.spec,
                )
            )


def check_document(check: JudgeCheck) -> Document:
    card, failed = check.card, check.failed
    blocks: list[Block] = [*card_blocks(card)]
    if failed:
        told = tr("Readings that failed: {count}. So the card is not kept.", count=failed)
        blocks.append(Note(told))
        blocks.append(Hint(tr("continue with: {command}", command=check.command)))
    else:
        blocks.append(Paragraph(tr("Card: {file}", file=check.file), "dim"))
    return Document(tr("Judge {judge}", judge=card.judge), tuple(blocks))


def check_json(check: JudgeCheck) -> JsonObject:
    return {**card_json(check.card), **pick(check, "file asked failed exit_code")}


def card_json(card: JudgeCard) -> JsonObject:
    """Each mark is an ESTIMATE with its limit."""
    names = "judge name fingerprint digest made form layout qualified requests seconds notes"
    return {
        **pick(card, names),
        "marks": {
            mark.name: {**plain_value(mark.estimate), **pick(mark, "limit at_least passed")}
            for mark in card.marks
        },
        **pick(card, "guarded false_alarms trials scales"),
        "reason": card.sentence,
    }


def _cells(mark: CardMark) -> tuple[Line, ...]:
    estimate = mark.estimate
    low, high = estimate.low, estimate.high
    between = "–" if low is None or high is None else f"[{_bare(mark, low)}–{_bare(mark, high)}]"
    return (
        sign(mark.passed),
        mark.label,
        mark.shown(estimate.value),
        between,
        numbers.count(estimate.n),
        numbers.count(estimate.unscored),
        f"{'≥' if mark.at_least else '≤'} {_bare(mark, mark.limit)}",
    )


def _bare(mark: CardMark, value: float) -> str:
    """In the unit of the value beside it."""
    return f"{100 * value:.1f}" if mark.name == "injection" else f"{value:.2f}"


def _asked_by(card: JudgeCard) -> str:
    form = tr("reasoned form")
    if card.layout:
        form = tr("likelihood form, layout {layout}", layout=card.layout)
    took = tr(", {duration} of the judge's time", duration=numbers.duration(card.seconds))
    return tr(
        "Asked in the {way}; checked on {date} with {count} requests{took}.",
        way=form,
        date=card.made[:10],
        count=numbers.count(card.requests),
        took=took if card.seconds >= 1 else "",  # some models do not say how long an answer took
    )
