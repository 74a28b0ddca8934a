"""Where the loss of two models on one text differs: by document, slice, kind of byte, passage."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from assay.types.results import Side
from assay.types.scores import Estimate

ByteClass = Literal["letters", "digits", "white space", "punctuation", "code"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LossPart:
    """A part of a text: bits per byte of both sides, and the change from the first to the second,
    positive where the second is worse.
    """

    name: str
    bytes: int
    first: float
    second: float
    change: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class LossPassage:
    """Some words of a document, from its byte `start` on; for each character the bits of both."""

    document: str
    start: int
    text: str
    first: tuple[float, ...]
    second: tuple[float, ...]
    change: float  # bits per byte


@dataclass(frozen=True, slots=True, kw_only=True)
class LossComparison:
    """`slices`: by a field of the documents, or by their files. `gained` and `lost`: the passages
    that the second side predicts better, or worse, by most.
    """

    a: Side
    b: Side
    text: str
    whole: LossPart
    classes: tuple[LossPart, ...]
    slices: Mapping[str, tuple[LossPart, ...]]
    documents: tuple[LossPart, ...]
    gained: tuple[LossPassage, ...]
    lost: tuple[LossPassage, ...]
    notes: tuple[str, ...] = ()
    exit_code: int = 0
