"""How far models moved from another: a table, the places that flipped, and each block."""

from collections.abc import Iterator

from assay.messages import labelled, tr, trn
from assay.reports.cards.drift import drift_card, with_interval
from assay.reports.json_values import JsonObject, plain_value
from assay.reports.sentences import amounts
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types import Estimate
from assay.types.documents import (
    Block,
    Document,
    Fold,
    Heading,
    Line,
    Note,
    Paragraph,
    Span,
    bullets,
    table,
)
from assay.types.measured.drift import Drift, ModelDrift

SHOWN_FLIPS = 8  # on a terminal
LONGEST_BEFORE = 60  # characters


def drift_document(drift: Drift) -> Document:
    return Document(
        title=tr("Drift"),
        blocks=tuple(_blocks(drift)),
        card=drift_card(drift),
        scores=(_figures(drift),),
    )


def drift_json(drift: Drift) -> JsonObject:
    return {"headline": drift_card(drift).decision, **plain_value(drift)}


def _blocks(drift: Drift) -> Iterator[Block]:
    yield Paragraph(
        tr("Divergence in nats per token. Over {text}: {count} tokens of {documents} in windows of "
           "{window}; intervals are over documents, or over blocks of a single one.",
           text=drift.text, count=numbers.count(drift.tokens),
           documents=trn("{count} document", "{count} documents", drift.documents),
           window=numbers.count(drift.window)), "dim",
    )  # fmt: skip
    yield bullets(labelled(model, amounts(held)) for model, held in drift.weights.items() if held)
    for each in drift.models:
        yield from _flipped(each)
        yield from _by_block(each)
    yield from map(Note, drift.notes)


def _figures(drift: Drift) -> Block:
    heads = (
        "", tr("mean divergence"), tr("median"), tr("99 %"), tr("same top token"),
        tr("perplexity"), tr("ratio"),
    )  # fmt: skip
    base = (drift.base, "–", "–", "–", "–",
            _with_interval(drift.perplexity), "1")  # fmt: skip
    names = ("kl", "kl_median", "kl_p99", "same_top", "perplexity", "perplexity_ratio")
    rows = [
        (each.model, *(_with_interval(getattr(each, name)) for name in names))
        for each in drift.models
    ]
    weights = {2: 20, 3: 30, 4: 60, 5: 40, 6: 50}
    return table(heads, [base, *rows], right=range(1, 7), weights=weights, one_line=True)


def _with_interval(found: Estimate) -> Line:
    value, bracket, ends = with_interval(found).partition(" [")
    return value, Span(bracket + ends, "basis")


def _flipped(found: ModelDrift) -> Iterator[Block]:
    if not found.flipped:
        return
    yield Heading(tr("Where {model} predicts another token", model=found.model))
    yield Paragraph(
        trn("{count} place has another likeliest token.",
            "{places} places have another likeliest token; those that diverge most:",
            found.flipped, places=numbers.count(found.flipped)),
    )  # fmt: skip
    heads = (tr("text"), tr("base"), tr("model"), tr("in the text"), tr("divergence"))
    rows = (
        (
            _ending(one_line(flip.before)),
            f"{flip.base!r} {numbers.percent(flip.base_share)}",
            f"{flip.other!r} {numbers.percent(flip.other_share)}",
            repr(flip.follows),
            numbers.readable(flip.kl),
        )
        for flip in found.flips
    )
    yield table(heads, rows, right=(4,), weights={3: 10}, most_on_terminal=SHOWN_FLIPS)


def _ending(text: str) -> str:
    return f"…{text[-LONGEST_BEFORE:]}" if len(text) > LONGEST_BEFORE else text


def _by_block(found: ModelDrift) -> Iterator[Block]:
    if len(found.blocks) < 2:
        return
    heads = (tr("block"), tr("tokens"), tr("mean divergence"), tr("same top token"), tr("ratio"))
    rows = (
        (
            str(number),
            numbers.count(each.tokens),
            *map(numbers.readable, (each.kl, each.same_top, each.perplexity_ratio)),
        )
        for number, each in enumerate(found.blocks, 1)
    )
    blocks = table(heads, rows, right=range(5))
    yield Fold(tr("{model} by block", model=found.model), (blocks,), long=True)
