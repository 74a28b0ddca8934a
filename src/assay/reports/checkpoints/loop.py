"""The history of a loop of training: its rounds as a table and a curve, and what each changed."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from assay.messages import joined, tr
from assay.reports.cards.loop import best_round, loop_card
from assay.reports.checkpoints.facts import is_kind
from assay.reports.checkpoints.figures import EvaluatedFolder, in_words
from assay.reports.checkpoints.json_documents import acceptance_document
from assay.reports.checkpoints.table import checkpoint_table
from assay.reports.json_values import JsonObject, plain_value
from assay.reports.pictures.steps import over_steps
from assay.text import number_format as numbers
from assay.types.documents import (
    Block,
    Bullets,
    Document,
    Files,
    Heading,
    Item,
    Line,
    Note,
    Paragraph,
    Picture,
    sign,
    table,
)
from assay.types.rounds import LoopRound, SuggestedChange, TrainingLoop


def loop_document(loop: TrainingLoop) -> Document:
    return Document(
        tr("Training loop"),
        tuple(_blocks(loop)),
        out=loop.out,
        card=loop_card(loop),
        scores=(checkpoint_table(_evaluated(loop)),) if loop.rounds else (),
    )


def round_document(done: LoopRound) -> JsonObject:
    """round_NN.json."""
    review = done.review
    return {
        "round": done.number,
        "checkpoint": done.measured.path,
        **plain_value(acceptance_document(done.acceptance)),
        "review": {"by": review.by, "said": review.said, "failed": review.failed or None},
        "changes": [each.to_dict() for each in done.changes],
    }


def loop_json(loop: TrainingLoop) -> JsonObject:
    best = best_round(loop)
    return {
        "headline": loop_card(loop).decision,
        "accepted": loop.ended == "accepted",
        "ended": loop.ended,
        "best": best.number if best else None,
        "checkpoint": best.measured.path if best else None,
        "rounds": [
            {**round_document(each), "standing": each.standing,
             "difference": plain_value(each.difference), "best_before": each.best_before,
             "weighted_score": each.weighted.value}
            for each in loop.rounds
        ],
        "seconds": round(loop.seconds, 1),
        "tokens": loop.tokens,
        "out": loop.out,
        "exit_code": loop.exit_code,
    }  # fmt: skip


def _round(loop: TrainingLoop, number: int | None) -> LoopRound | None:
    return next((each for each in loop.rounds if each.number == number), None)


def _evaluated(loop: TrainingLoop) -> EvaluatedFolder:
    best = best_round(loop)
    return EvaluatedFolder(
        checkpoints=[replace(each.measured, step=each.number) for each in loop.rounds],
        gate=loop.gate,
        acceptances={each.measured.name: each.acceptance for each in loop.rounds},
        weighted={each.measured.name: each.weighted for each in loop.rounds},
        selected=best.measured.name if best and best.acceptance.accepted else None,
    )


def _blocks(loop: TrainingLoop) -> Iterator[Block]:
    if loop.rounds:
        heads = (tr("round"), tr("accepted"), tr("beside the best before"), tr("changed for it"))
        yield table(heads, (_row(loop, each) for each in loop.rounds), right=(0,))
        yield Picture(
            title=tr("Perplexity, suites and weighted score by round"),
            draw=partial(over_steps, _evaluated(loop), tr("round")),
        )
        if (last := loop.rounds[-1]).changes:
            yield Heading(tr("What the next round would change"))
            yield Bullets(tuple(map(_item, last.changes)))
    for each in loop.rounds:
        if each.review.failed:
            why = each.review.failed
            yield Note(tr("The review of round {number} failed, and Assay's advice took its place: "
                          "{why}", number=each.number, why=why))  # fmt: skip
    yield Paragraph(
        tr("{duration} in all; reviews took {tokens} tokens.",
           duration=numbers.duration(loop.seconds), tokens=numbers.count(loop.tokens)), "dim",
    )  # fmt: skip
    yield Files((*(f"round_{each.number:02d}.json" for each in loop.rounds), "loop.html"))


def _row(loop: TrainingLoop, of: LoopRound) -> tuple[Line, ...]:
    before = _round(loop, of.number - 1)
    changed = joined(_told(each).rstrip(".") for each in before.changes) if before else ""
    return str(of.number), sign(of.acceptance.accepted), _standing(of), changed or "–"


def _standing(of: LoopRound) -> str:
    if of.standing == "first":
        return "–"
    by = in_words(of.difference) if of.difference else tr("not comparable")
    said = {
        "better": tr("better than round {best}: {by}", best=of.best_before, by=by),
        "worse": tr("worse than round {best}: {by}; the next starts from round {best}",
                    best=of.best_before, by=by),
        "equal": tr("no significant difference from round {best}: {by}", best=of.best_before,
                    by=by),
    }  # fmt: skip
    return said[of.standing]


def _item(change: SuggestedChange) -> Item:
    told = _told(change)
    return Item(told, (change.reason,) if change.reason != told else ())


def _told(change: SuggestedChange) -> str:
    """Of our own advice its sentence: `what` is the kind of it, for programs."""
    if change.kind == "steps":
        return tr("{steps} steps", steps=numbers.count(change.steps))
    if change.kind == "data":
        names = ", ".join(change.categories)
        return tr("{times} times the data on {names}", times=numbers.readable(change.times),
                  names=names)  # fmt: skip
    return change.reason if is_kind(change.what) else change.what
