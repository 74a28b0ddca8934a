"""Quantised files of one model: a table, what each holds, each suite, and a picture."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from assay.messages import labelled, tr, trn
from assay.reports.cards.drift import with_interval
from assay.reports.cards.quants import megabytes, quantised_base, quants_card
from assay.reports.json_values import JsonObject, plain_value
from assay.reports.pictures.quants import draw_quants
from assay.text import number_format as numbers
from assay.types import Estimate
from assay.types.documents import (
    Block,
    Document,
    Heading,
    Line,
    Note,
    Paragraph,
    Picture,
    Span,
    bullets,
    table,
)
from assay.types.measured.quants import QuantFile, QuantRow, Quants

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def quants_document(found: Quants) -> Document:
    return Document(
        title=tr("Quantisations"),
        blocks=tuple(_blocks(found)),
        card=quants_card(found),
        scores=(_figures(found),),
    )


def quants_json(found: Quants) -> JsonObject:
    return {"headline": quants_card(found).decision, **plain_value(found)}


def quants_schema() -> dict[str, Any]:
    """Made from the types, so that it cannot differ from what is written."""
    from pydantic import TypeAdapter

    made = TypeAdapter(Quants).json_schema(mode="serialization")
    made["properties"] = {"headline": {"type": "string"}, **made["properties"]}
    others = [name for name in made["properties"] if name != "headline"]
    made["required"] = ["headline", *others]
    return {"$schema": DIALECT, "title": "assay quants --json", **made}


def _blocks(found: Quants) -> Iterator[Block]:
    base = found.base_row.file
    if base.quantised:
        yield Note(quantised_base(found))
    yield Paragraph(
        tr("Against {base}. Divergence in nats per token over {text}, {count} tokens; scores by "
           "likelihood on our engine, speed and memory from the server that is named.",
           base=found.base, text=found.text, count=numbers.count(found.tokens)), "dim",
    )  # fmt: skip
    title = tr("Divergence by size of the file")
    yield Picture(title=title, draw=partial(draw_quants, found, title))
    yield Heading(tr("What is in each file"))
    yield bullets(labelled(row.file.name, _held(row.file)) for row in found.rows)
    yield Heading(tr("Each suite, paired with {base}", base=found.base))
    heads = (tr("file"), tr("suite"), tr("language"), tr("score"), tr("difference"), "p")
    yield table(heads, _suite_rows(found), right=(3, 4, 5))
    yield Heading(tr("Speed and memory as served"))
    speed_heads = (tr("file"), tr("decode"), tr("prompt"), tr("memory"), tr("by"))
    yield table(speed_heads, map(_speed_row, found.rows), right=(1, 2, 3))
    yield from map(Note, found.notes)


def _held(file: QuantFile) -> str:
    kinds = ", ".join(f"{each.tensors} × {each.kind}" for each in file.kinds)
    said = tr("{label}, {bits} bits per weight: {kinds}", label=file.label,
              bits=numbers.rounded(file.bits), kinds=kinds)  # fmt: skip
    for each in file.fallbacks:
        said += "; " + trn(
            "{count} tensor is {kind} because rows of {row} fit no block of 256",
            "{count} tensors are {kind} because rows of {row} fit no block of 256",
            each.tensors, kind=each.kind, row=each.row,
        )  # fmt: skip
    return said


def _figures(found: Quants) -> Block:
    suites = [each.suite for each in found.base_row.suites]
    heads = ("", tr("size"), tr("bits"), tr("decode"), tr("divergence"), *suites, tr("keep?"))
    rows = [_row(row, found) for row in found.rows]
    return table(heads, rows, right=range(1, len(heads) - 1), one_line=True)


def _row(row: QuantRow, found: Quants) -> tuple[Line, ...]:
    drift = "–" if row.drift is None else _with_interval(row.drift.kl)
    scores = (
        numbers.value(each.score)
        if each.against is None
        else numbers.difference(each.against.difference)
        for each in row.suites
    )
    return (
        row.file.name, megabytes(row), numbers.rounded(row.file.bits),
        numbers.value(row.speed.decode), drift, *scores, _verdict(row, found),
    )  # fmt: skip


def _verdict(row: QuantRow, found: Quants) -> Line:
    if row.file.name == found.keep:
        return (Span(tr("keep"), "good"),)
    if row is found.base_row:
        return tr("base")
    if row.missed:
        return (Span(tr("lost too much"), "bad"),)
    return tr("larger")


def _with_interval(found: Estimate) -> Line:
    value, bracket, ends = with_interval(found).partition(" [")
    return value, Span(bracket + ends, "basis")


def _suite_rows(found: Quants) -> Iterator[tuple[Line, ...]]:
    for row in found.rows:
        for each in row.suites:
            pair = each.against
            yield (
                row.file.name, each.suite, each.language or "–", numbers.cell(each.score),
                "–" if pair is None else numbers.difference(pair.difference),
                "–" if pair is None else numbers.p_value(pair.adjusted_p),
            )  # fmt: skip


def _speed_row(row: QuantRow) -> tuple[Line, ...]:
    of = row.speed
    return (
        row.file.name, numbers.cell(of.decode), numbers.cell(of.prefill), numbers.cell(of.memory),
        of.by or of.why_not,
    )  # fmt: skip
