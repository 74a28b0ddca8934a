"""Where the loss moved: tables by kind of byte, slice and document, and passages with both losses
drawn along the text.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from assay.messages import labelled, tr, trn
from assay.reports.cards.comparison import shortest_names
from assay.reports.cards.losses import is_sure, losses_card
from assay.reports.json_values import JsonObject, plain_value
from assay.reports.pictures.losses import draw_passages, one_sign_each
from assay.stats.documents import BY_BLOCKS
from assay.text import number_format as numbers
from assay.types import Estimate
from assay.types.documents import (
    Block,
    Document,
    Fold,
    Heading,
    Note,
    Paragraph,
    Picture,
    Row,
    Table,
    Tone,
    Verbatim,
    table,
)
from assay.types.measured.losses import LossComparison, LossPart, LossPassage

BARS = "▁▂▃▄▅▆▇█"
WIDTH = 64  # characters of a passage in a line
SHOWN_DOCUMENTS = 10  # on a terminal
SHOWN_PASSAGES = 3  # all of them with -v


def losses_document(of: LossComparison) -> Document:
    kinds = _table([_in_words(each) for each in of.classes], tr("kind"))
    return Document(
        title=tr("Where the loss moved"),
        blocks=tuple(_blocks(of)),
        card=losses_card(of),
        scores=(Heading(tr("By kind of byte")), kinds),
    )


def losses_json(of: LossComparison) -> JsonObject:
    return {"headline": losses_headline(of), **plain_value(of)}


def losses_headline(of: LossComparison) -> str:
    return losses_card(of).decision


def _told(change: Estimate) -> str:
    return numbers.difference(change)


def _blocks(of: LossComparison) -> Iterator[Block]:
    first, second = shortest_names(of.a, of.b)
    yield Paragraph(
        tr("Bits per byte of {first} (first) and {second} (second) on {text}: {bytes} bytes in "
           "{documents}. Negative: the second predicts it better. {over}", first=first,
           text=of.text, bytes=numbers.count(of.whole.bytes), second=second,
           documents=trn("{count} document", "{count} documents", len(of.documents)),
           over=_over(of)), "dim",
    )  # fmt: skip
    for field, parts in of.slices.items():
        yield Heading(tr("By {field}", field=field))
        yield _table(parts, field)
    if len(of.documents) > 1:
        yield Heading(tr("By document"))
        ranked = sorted(of.documents, key=lambda part: -abs(part.change.value or 0.0) * part.bytes)
        yield _table(ranked, tr("document"), most=SHOWN_DOCUMENTS)
    for title, passages in (
        (tr("Passages that gained most"), of.gained),
        (tr("Passages that lost most"), of.lost),
    ):
        if passages:
            yield Heading(title)
            yield from _passages(title, passages, first, second)
    yield from map(Note, of.notes)


def _over(of: LossComparison) -> str:
    if of.whole.change.method == BY_BLOCKS:
        return tr("Intervals are over blocks of the only document, for more of it.")
    return tr("Intervals are over documents.")


def _table(parts: Sequence[LossPart], head: str, *, most: int | None = None) -> Table:
    rows = (
        Row(
            (
                each.name,
                numbers.count(each.bytes),
                numbers.readable(each.first),
                numbers.readable(each.second),
                _told(each.change),
            ),
            tone=_tone(each.change),
        )
        for each in parts
    )
    heads = (head, tr("bytes"), tr("first"), tr("second"), tr("change, 95 % interval"))
    return table(heads, rows, right=range(1, 5), weights={1: 1}, most_on_terminal=most,
                 one_line=most is None)  # fmt: skip


def _in_words(part: LossPart) -> LossPart:
    names = {
        "letters": tr("letters"),
        "digits": tr("digits"),
        "white space": tr("white space"),
        "punctuation": tr("punctuation"),
        "code": tr("code"),
    }
    return replace(part, name=names[part.name])


def _tone(change: Estimate) -> Tone:
    if not is_sure(change):
        return "plain"
    return "good" if (change.value or 0.0) < 0 else "bad"


def _passages(
    title: str, passages: Sequence[LossPassage], first: str, second: str
) -> Iterator[Block]:
    yield Picture(title=title, draw=partial(draw_passages, passages, title, first, second))
    legend = tr("Under the text the bits of every character, {first} above {second}.",
                first=first, second=second)  # fmt: skip
    drawn = [Verbatim(_drawn(each), title=_place(each)) for each in passages]
    yield Paragraph(legend, "dim")
    yield from drawn[:SHOWN_PASSAGES]
    if drawn[SHOWN_PASSAGES:]:
        yield Fold(tr("Further passages"), tuple(drawn[SHOWN_PASSAGES:]))


def _place(of: LossPassage) -> str:
    return labelled(
        of.document,
        tr("from byte {start}, {change} bits per byte", start=numbers.count(of.start),
           change=_signed(of.change)),
    )  # fmt: skip


def _signed(value: float) -> str:
    return f"+{numbers.readable(value)}" if value > 0 else numbers.readable(value)


def _drawn(of: LossPassage) -> str:
    """The text, and under each line of it a row of bars for each side."""
    most = max((*of.first, *of.second, 1e-9))
    text = one_sign_each(of.text)
    lines = []
    for start in range(0, len(text), WIDTH):
        cut = slice(start, start + WIDTH)
        lines += [text[cut], *(_bars(side[cut], most) for side in (of.first, of.second)), ""]
    return "\n".join(lines).rstrip("\n")


def _bars(bits: Sequence[float], most: float) -> str:
    return "".join(BARS[min(len(BARS) - 1, int(len(BARS) * each / most))] for each in bits)
