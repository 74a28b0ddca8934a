"""Which words two texts share, for showing them side by side."""

import re
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Literal

PartKind = Literal["same", "first", "second"]  # in both texts, or in one of them alone

_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
MOST_WORDS = 1_500  # beyond that whole lines are compared: words take quadratic time
MOST_LINES = 3_000  # beyond that nothing is


def word_diff(first: str, second: str) -> tuple[tuple[PartKind, str], ...]:
    """Both texts as one sequence of parts; each text is its own parts and the `same` ones."""
    parts = [_WORDS.findall(text) for text in (first, second)]
    if max(map(len, parts)) > MOST_WORDS:
        parts = [_LINES.findall(text) for text in (first, second)]
    if max(map(len, parts)) > MOST_LINES:
        parts = [[first], [second]]
    one, other = parts
    begin = _count_common(one, other)
    end = _count_common(one[begin:][::-1], other[begin:][::-1])
    found: list[tuple[PartKind, str]] = [("same", "".join(one[:begin]))]
    after = one[len(one) - end :]
    one, other = one[begin : len(one) - end], other[begin : len(other) - end]
    # An answer in a loop has the same few words a thousand times: those are not looked for.
    for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=True).get_opcodes():
        if kind == "equal":
            found.append(("same", "".join(one[a:b])))
        else:
            found += [("first", "".join(one[a:b])), ("second", "".join(other[c:d]))]
    found.append(("same", "".join(after)))
    return tuple(part for part in found if part[1])


def _count_common(one: list[str], other: list[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
