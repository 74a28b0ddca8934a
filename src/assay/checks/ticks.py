"""Words that are looked for in an answer and reported, without changing its score.

In: a test's tags and an answer. Out: one sentence a tag. A tag "tick vendor: Intel" reports whether
the answer names Intel; alternatives are separated by " | ": "tick vendor: AMD | ATI". Tags and not
a field: the contract names the fields of every check.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.checks.keywords import occurs
from assay.messages import tr
from assay.text.folding import fold_for_matching

TICK = "tick "


def tick_sentences(tags: Sequence[str], answer: str) -> Iterator[str]:
    """A sentence for each such tag: found, or missing."""
    ticks = [*_ticks(tags)]
    if not ticks:
        return
    text = fold_for_matching(answer)
    for name, accepted in ticks:
        hit = next((each for each in accepted if occurs(each, text, "word")), None)
        if hit is None:
            yield tr("Not found: {name} ({wanted}).", name=name, wanted=" / ".join(accepted))
        else:
            yield tr("Found: {name} ({found}).", name=name, found=hit)


def _ticks(tags: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for tag in tags:
        name, colon, accepted = tag.removeprefix(TICK).partition(": ")
        if tag.startswith(TICK) and colon and accepted.strip():
            yield name, tuple(each.strip() for each in accepted.split(" | "))
