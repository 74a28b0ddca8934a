"""The second reading of an answer that addresses its judge: without those words.

In: an answer; the judgements of both readings. Out: the answer without them; the judgement that
counts, which is the lower where the words made a difference of a point. What speaks to a judge is
found by `suspicions`; nothing is deleted from the answer that is kept, shown and run.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from assay.judge.guards.suspicions import flags_of, without_hidden
from assay.messages import tr
from assay.types.judgements import Judgement, Rubric, overall_of, shown_tenths

INJECTION = "injection_suspected"
_A_POINT = 10  # tenths
# A demand is a sentence or a line; some patterns reach over the two or three beside it.
_PIECES = re.compile(r"[^\n.!?。！？]*(?:[.!?。！？]+|\n|$)[ \t]*")
_WIDEST = 3


@lru_cache(maxsize=256)  # each judge and repeat asks again
def without_demands(answer: str) -> str | None:
    """The answer without what addresses its judge; None where nothing does, or where it cannot be
    taken out.
    """
    if not flags_of(answer):
        return None
    rest = without_hidden(answer)
    for width in range(1, _WIDEST + 1):
        if not flags_of(rest):
            break
        rest = _without_pieces(rest, width)
    return None if flags_of(rest) else rest


def _without_pieces(text: str, width: int) -> str:
    """Without every run of `width` sentences or lines that is suspicious."""
    pieces = [piece for piece in _PIECES.findall(text) if piece]
    kept: list[str] = []
    at = 0
    while at < len(pieces):
        if flags_of("".join(pieces[at : at + width])):
            at += width
        else:
            kept.append(pieces[at])
            at += 1
    return "".join(kept)


def lower_of(read: Judgement, without: Judgement, rubric: Rubric) -> Judgement:
    """The judgement as it was read, with the scores of the reading without the words where those
    are lower by a point or more. Its quotes and reasons stay: they are of the answer as it is.
    """
    before, after = overall_of(read, rubric), overall_of(without, rubric)
    if before is None or after is None or before - after < _A_POINT:
        return read
    weakness = tr(
        "Words that address the judge raise the score from {after} to {before}; the lower counts.",
        before=shown_tenths(before),
        after=shown_tenths(after),
    )
    return replace(
        read,
        scores=without.scores,
        flags=(*read.flags, INJECTION),
        weaknesses=(weakness, *read.weaknesses),
    )
