"""Picks of people as win rates: each model against all others, and each against each."""

from collections.abc import Iterator

from assay.messages import tr, trn
from assay.reports.json_values import JsonObject, plain_value
from assay.text import number_format as numbers
from assay.types.documents import Block, Document, Heading, Note, Paragraph, table
from assay.types.judging.picks import Preferences, Preferred

EVEN = 0.5


def preferences_headline(of: Preferences) -> str:
    if not of.pairs:
        return tr("No answers were picked yet.")
    first = of.models[0]
    shown = {"model": first.model, "rate": numbers.figure(first.rate)}
    if first.rate.low is not None and first.rate.low > EVEN:
        return tr("{model} is preferred: {rate}", **shown)
    return tr("no model is clearly preferred; {model} was picked most: {rate}", **shown)


def preferences_document(of: Preferences) -> Document:
    return Document(title=tr("Preferences"), blocks=tuple(_blocks(of)))


def preferences_json(of: Preferences) -> JsonObject:
    known = {"headline": preferences_headline(of), **plain_value(of)}
    for row in known["models"]:
        del row["against"]  # all the others
    return known


def _blocks(of: Preferences) -> Iterator[Block]:
    yield Heading(preferences_headline(of), 1)
    if of.models:
        picks = sum(row.rate.n for row in of.pairs)
        yield Paragraph(trn("{count} pick, names hidden", "{count} picks, names hidden", picks),
                        "dim")  # fmt: skip
        heads = (tr("model"), tr("win rate"), tr("95 % interval"), "n", tr("won"), tr("tied"),
                 tr("lost"))  # fmt: skip
        yield table(heads, [_row(row) for row in of.models], right=range(1, 7))
        yield Paragraph(
            tr("A tie counts half. The picks are those of whoever picked, on these prompts."), "dim"
        )
    if len(of.pairs) > 1:
        yield Heading(tr("Each against each"))
        both = (tr("model"), tr("against"), tr("win rate"), tr("95 % interval"), "n", tr("won"),
                tr("tied"), tr("lost"))  # fmt: skip
        rows = [(row.model, row.against, *_row(row)[1:]) for row in of.pairs]
        yield table(both, rows, right=range(2, 8))
    yield from map(Note, of.notes)


def _row(row: Preferred) -> tuple[str, ...]:
    counts = map(numbers.count, (row.rate.n, row.wins, row.ties, row.losses))
    return (row.model, numbers.value(row.rate), numbers.interval(row.rate), *counts)
