"""The card of a comparison of losses: whether the text is predicted better, and where it moved."""

from collections.abc import Iterator

from assay.messages import tr
from assay.reports.cards.comparison import shortest_names
from assay.stats.documents import BY_BLOCKS
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types import Estimate
from assay.types.documents import Card, Tone, make_card
from assay.types.measured.losses import LossComparison, LossPart


def losses_card(of: LossComparison) -> Card:
    first, second = shortest_names(of.a, of.b)
    gaps = {"first": first, "second": second, "text": of.text,
            "change": numbers.difference(of.whole.change)}  # fmt: skip
    tone: Tone = "warning"
    said = tr("{second} shows no significant difference from {first} on {text}: {change} bits per "
              "byte.", **gaps)  # fmt: skip
    if is_sure(of.whole.change):
        better = (of.whole.change.value or 0.0) < 0
        tone = "good" if better else "bad"
        said = tr("{second} predicts {text} worse than {first}: {change} bits per byte.", **gaps)
        if better:
            said = tr("{second} predicts {text} better than {first}: {change} bits per byte.",
                      **gaps)  # fmt: skip
    return make_card(one_line(said), tone=tone, reasons=_reasons(of), caveats=_caveats(of))


def is_sure(change: Estimate) -> bool:
    return change.low is not None and change.high is not None and change.low * change.high > 0


def _reasons(of: LossComparison) -> Iterator[str]:
    """The whole text, then the parts that moved most beyond chance, by their bytes."""
    yield tr("Over all {bytes} bytes: {first} bits per byte before, {second} now; limit of no "
             "change 0.", bytes=numbers.count(of.whole.bytes),
             first=numbers.readable(of.whole.first),
             second=numbers.readable(of.whole.second))  # fmt: skip
    parts = [("", each) for each in of.classes]
    parts += [(field, each) for field, found in of.slices.items() for each in found]
    moved = [(field, each) for field, each in parts if is_sure(each.change)]
    for field, each in sorted(moved, key=lambda found: -_weight(found[1])):
        name = f"{field} {each.name}".strip()
        yield tr("{part}: {change} bits per byte over {bytes} bytes.", part=name,
                 change=numbers.difference(each.change),
                 bytes=numbers.count(each.bytes))  # fmt: skip


def _weight(of: LossPart) -> float:
    return abs(of.change.value or 0.0) * of.bytes


def _caveats(of: LossComparison) -> Iterator[str]:
    yield from of.notes
    if of.whole.change.method == BY_BLOCKS:
        yield tr("Intervals are over blocks of the only document, for more of it.")
    worse = [each.name for each in of.documents
             if is_sure(each.change) and (each.change.value or 0.0) > 0]  # fmt: skip
    if worse and (of.whole.change.value or 0.0) < 0:
        yield tr("Documents that got worse: {count} of {all}.", count=len(worse),
                 all=len(of.documents))  # fmt: skip
    yield tr("A loss says how well a text is predicted, not whether answers are right.")
