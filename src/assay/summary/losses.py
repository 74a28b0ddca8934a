"""Losses of two models on the same bytes, taken apart.

In: for each document its text, what it belongs to, and nats and bytes of every token by both
models. A token's loss is spread evenly over its bytes, so that tokenizers may differ. Out: the
change in bits per byte of the whole, of every kind of byte, slice and document, with intervals over
documents (over blocks inside a single one), and the passages that changed most.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from assay.stats.documents import BY_BLOCKS, BY_DOCUMENTS, paired_over_documents
from assay.types.measured.losses import ByteClass, LossPart, LossPassage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

CLASSES: tuple[ByteClass, ...] = get_args(ByteClass)
BLOCKS = 12  # at least, of a single document
BLOCK, LEAST = 4000, 4800  # bytes of a block; of a document that is cut
MOST_SLICES = 20
# Ranked by the sum of the change, not by its ratio: a rare byte that became ten times likelier
# is no passage.
PASSAGE, STEP = 160, 20  # bytes
MOST_PASSAGES = 10
# A fenced block, a span between backquotes, a line that is indented as code is.
_CODE = re.compile(r"^```.*?^```[^\n]*$|`[^`\n]+`|^(?: {4}|\t)[^\n]*", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadDocument:
    """`fields`: what it belongs to, by name. `first` and `second`: nats and bytes of each token."""

    name: str
    text: str
    first: tuple[Numbers, NDArray[np.int64]]
    second: tuple[Numbers, NDArray[np.int64]]
    fields: Mapping[str, str] = field(default_factory=dict)


class _Spread(NamedTuple):
    """Bits of each byte by both sides, and the class of each."""

    document: ReadDocument
    first: Numbers
    second: Numbers
    classes: NDArray[np.int8]


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenApart:
    whole: LossPart
    classes: tuple[LossPart, ...]
    slices: Mapping[str, tuple[LossPart, ...]]
    documents: tuple[LossPart, ...]
    gained: tuple[LossPassage, ...]
    lost: tuple[LossPassage, ...]


def take_apart(documents: Sequence[ReadDocument]) -> TakenApart:
    """Raises ValueError where a document's tokens do not have the bytes of its text."""
    spread = [_spread(each) for each in documents]
    blocks = list(_blocks(spread))
    method = BY_BLOCKS if len(spread) == 1 else BY_DOCUMENTS
    return TakenApart(
        whole=_part("", blocks, method),
        classes=tuple(
            _part(name, some, method)
            for number, name in enumerate(CLASSES)
            if (some := [_of_class(each, number) for each in blocks]) and _size(some)
        ),
        slices=dict(_slices(spread)),
        documents=tuple(
            _part(each.document.name, list(_blocks([each])), BY_BLOCKS) for each in spread
        ),
        gained=tuple(_passages(spread, better=True)),
        lost=tuple(_passages(spread, better=False)),
    )


def _spread(of: ReadDocument) -> _Spread:
    import numpy as np

    raw = of.text.encode("utf-8", "surrogatepass")
    sides = [_by_byte(*side) for side in (of.first, of.second)]
    if any(len(side) != len(raw) for side in sides):
        raise ValueError(of.name)
    widths = np.array([len(each.encode("utf-8", "surrogatepass")) for each in of.text], np.int64)
    return _Spread(of, sides[0], sides[1], np.repeat(class_characters(of.text), widths))


def _by_byte(nats: Numbers, widths: NDArray[np.int64]) -> Numbers:
    """A token without bytes is a part of the one behind it, or of the last."""
    import numpy as np

    wide = widths > 0
    if not wide.any():
        return np.zeros(0)
    ends = np.flatnonzero(wide)
    owner = np.minimum(np.searchsorted(ends, np.arange(len(widths))), len(ends) - 1)
    sums = np.bincount(owner, nats, len(ends)) / math.log(2)
    sizes = widths[ends]
    found: Numbers = np.repeat(sums / sizes, sizes)
    return found


def class_characters(text: str) -> NDArray[np.int8]:
    """The place in CLASSES of every character; what is code is nothing else."""
    import numpy as np

    def of(sign: str) -> int:
        if sign.isalpha():
            return 0
        if sign.isdigit():
            return 1
        return 2 if sign.isspace() else 3

    known = {sign: of(sign) for sign in set(text)}
    found = np.fromiter((known[sign] for sign in text), np.int8, len(text))
    for match in _CODE.finditer(text):
        found[match.start() : match.end()] = CLASSES.index("code")
    return found


def _blocks(spread: Sequence[_Spread]) -> Iterator[_Spread]:
    """The documents; of a single one its blocks, unless it is too short for an interval."""
    if len(spread) > 1:
        yield from spread
        return
    (only,) = spread
    size = len(only.first)
    count = max(BLOCKS, size // BLOCK) if size >= LEAST else 1
    for number in range(count):
        cut = slice(size * number // count, size * (number + 1) // count)
        yield _Spread(only.document, only.first[cut], only.second[cut], only.classes[cut])


def _of_class(block: _Spread, number: int) -> _Spread:
    here = block.classes == number
    return _Spread(block.document, block.first[here], block.second[here], block.classes[here])


def _size(blocks: Sequence[_Spread]) -> int:
    return sum(len(each.first) for each in blocks)


def _part(name: str, blocks: Sequence[_Spread], method: str) -> LossPart:
    sizes = [float(len(each.first)) for each in blocks if len(each.first)]
    first, second = (
        [float(getattr(each, side).sum()) for each in blocks if len(each.first)]
        for side in ("first", "second")
    )
    total = math.fsum(sizes) or 1.0
    return LossPart(
        name=name,
        bytes=round(math.fsum(sizes)),
        first=math.fsum(first) / total,
        second=math.fsum(second) / total,
        change=paired_over_documents(
            (first, sizes), (second, sizes), unit="bits per byte", method=method
        ),
    )


def _slices(spread: Sequence[_Spread]) -> Iterator[tuple[str, tuple[LossPart, ...]]]:
    """By every field that tells some documents from others, and not each from each."""
    for name in dict.fromkeys(name for each in spread for name in each.document.fields):
        groups: dict[str, list[_Spread]] = {}
        for each in spread:
            groups.setdefault(each.document.fields.get(name, "–"), []).append(each)
        if 1 < len(groups) <= MOST_SLICES and len(groups) < len(spread):
            yield name, tuple(_part(value, some, BY_DOCUMENTS) for value, some in groups.items())


def _passages(spread: Sequence[_Spread], *, better: bool) -> Iterator[LossPassage]:
    """The largest changes, no two of which overlap."""
    import numpy as np

    sign = -1.0 if better else 1.0
    found: list[tuple[float, int, int]] = []
    for number, each in enumerate(spread):
        sums = np.concatenate(([0.0], np.cumsum(sign * (each.second - each.first))))
        starts = np.arange(0, max(1, len(each.first) - PASSAGE + 1), STEP)
        changes = sums[np.minimum(starts + PASSAGE, len(each.first))] - sums[starts]
        order = np.argsort(-changes, kind="stable")[: MOST_PASSAGES * PASSAGE // STEP]
        found += [(float(changes[at]), number, int(starts[at])) for at in order]
    taken: list[tuple[int, int]] = []
    for change, number, start in sorted(found, key=lambda each: (-each[0], each[1:])):
        near = any(of == number and abs(start - at) < PASSAGE for of, at in taken)
        if change > 0 and not near and len(taken) < MOST_PASSAGES:
            taken.append((number, start))
            yield _passage(spread[number], start)


def _passage(of: _Spread, start: int) -> LossPassage:
    """Of whole characters."""
    raw = of.document.text.encode("utf-8", "surrogatepass")
    end = min(start + PASSAGE, len(raw))
    while start and raw[start] & 0xC0 == 0x80:
        start -= 1
    while end < len(raw) and raw[end] & 0xC0 == 0x80:
        end += 1
    text = raw[start:end].decode("utf-8", "surrogatepass")
    places = [start]
    for sign in text:
        places.append(places[-1] + len(sign.encode("utf-8", "surrogatepass")))

    def bits(side: Any) -> tuple[float, ...]:
        cuts = pairwise(places)
        return tuple(round(float(side[a:b].sum()), 4) for a, b in cuts)

    change = float((of.second[start:end] - of.first[start:end]).sum()) / max(1, end - start)
    return LossPassage(
        document=of.document.name,
        start=start,
        text=text,
        first=bits(of.first),
        second=bits(of.second),
        change=change,
    )
