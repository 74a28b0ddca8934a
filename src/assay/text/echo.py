"""Whether a text only repeats what it was asked."""

from collections.abc import Iterable

from rapidfuzz import fuzz

_ALIKE = 95.0  # of 100
_LONGEST_COMPARED = 100_000


def is_echo(answer: str, asked: Iterable[str]) -> bool:
    """Whether it is most of one of these texts in its own order, and nothing behind it."""
    said = " ".join(answer[:_LONGEST_COMPARED].split())
    for text in asked:
        task = " ".join(text[:_LONGEST_COMPARED].split())
        if task and said in task and len(said) * 2 >= len(task):
            return True
        if task and fuzz.ratio(said, task, score_cutoff=_ALIKE) > 0:
            return True
    return False
