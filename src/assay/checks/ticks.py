"""What is looked for in an answer and told, without changing its mark.

In: a test's tags and an answer. Out: one sentence a tick. A tag "tick vendor: Intel" is ticked
where the answer names Intel; alternatives are parted by " | ": "tick vendor: AMD | ATI". Refuses to
know: marks. Tags and not a field of their own: the contract names the fields of every method, and
`checklist` belongs to judged tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.checks.text import occurs
from assay.messages import tr
from assay.text.folding import fold_for_matching

TICK = "tick "


def told(tags: Sequence[str], answer: str) -> Iterator[str]:
    """A sentence for each tick of a test: found, or missing."""
    ticks = [*_ticks(tags)]
    if not ticks:
        return
    text = fold_for_matching(answer)
    for name, accepted in ticks:
        hit = next((each for each in accepted if occurs(each, text, "word")), None)
        if hit is None:
            yield tr("Not ticked: {name} ({wanted}).", name=name, wanted=" / ".join(accepted))
        else:
            yield tr("Ticked: {name} ({found}).", name=name, found=hit)


def _ticks(tags: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for tag in tags:
        name, colon, accepted = tag.removeprefix(TICK).partition(": ")
        if tag.startswith(TICK) and colon and accepted.strip():
            yield name, tuple(each.strip() for each in accepted.split(" | "))
