"""How far models moved from another: a table, the places that flipped, and each block."""

from collections.abc import Iterator

from assay.messages import labelled, tr, trn
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
    plain_text,
    sign,
    table,
)
from assay.types.measured.drift import Drift, ModelDrift

SHOWN_FLIPS = 8  # on a terminal
LONGEST_BEFORE = 60  # characters


def drift_document(drift: Drift) -> Document:
    return Document(title=tr("Drift"), blocks=tuple(_blocks(drift)))


def drift_json(drift: Drift) -> JsonObject:
    said = [plain_text(_sentence(each, drift)) for each in drift.models]
    return {"headline": one_line(" ".join(said)), **plain_value(drift)}


def _blocks(drift: Drift) -> Iterator[Block]:
    first, *others = drift.models
    yield Heading(_sentence(first, drift), 1)
    for each in others:
        yield Paragraph(_sentence(each, drift), "bad" if each.exceeded else "plain")
    yield _figures(drift)
    yield Paragraph(
        tr("Divergence in nats per token. Over {text}: {count} tokens in windows of {window}; "
           "intervals are drawn from blocks of 1,000.", text=drift.text,
           count=numbers.count(drift.tokens), window=numbers.count(drift.window)), "dim",
    )  # fmt: skip
    yield bullets(labelled(model, amounts(held)) for model, held in drift.weights.items() if held)
    for each in drift.models:
        yield from _flipped(each)
        yield from _by_block(each)
    yield from map(Note, drift.notes)


def _sentence(found: ModelDrift, drift: Drift) -> Line:
    kl, same = numbers.readable(found.kl.value or 0.0), numbers.readable(found.same_top.value or 0)
    said = tr("{model} against {base}: mean divergence {kl}, the same likeliest token in {same} of "
              "places, perplexity times {ratio}.", model=found.model, base=drift.base,
              kl=plain_text(_with_interval(found.kl)),
              same=plain_text(_with_interval(found.same_top)),
              ratio=plain_text(_with_interval(found.perplexity_ratio)))  # fmt: skip
    limits = drift.limits
    missed = {
        "max_kl": tr("{kl} exceeds the largest divergence allowed, {limit}.",
                     kl=kl, limit=numbers.exact(limits.max_kl or 0)),
        "min_same_top": tr("{share} is below the least share of equal tokens, {limit}.",
                           share=same, limit=numbers.exact(limits.min_same_top or 0)),
    }  # fmt: skip
    return (
        *((sign(found.accepted), " ") if found.accepted is not None else ()),
        " ".join((said, *(missed[name] for name in found.exceeded))),
    )


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
    return table(heads, [base, *rows], right=range(1, 7), weights={2: 20, 3: 30, 5: 40})


def _with_interval(found: Estimate) -> Line:
    if found.value is None:
        return numbers.not_measured()
    value = numbers.readable(found.value)
    if found.low is None or found.high is None:
        return value
    low, high = numbers.readable(found.low), numbers.readable(found.high)
    return value, Span(f" [{low}–{high}]", "basis")


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
