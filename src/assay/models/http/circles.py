"""Whether a text that is being written goes in circles: the same words over and over.

    the same text        400 tokens from its second round on
    only digits differ   1,000: tables, logs and numbered lists look like this too

A token is a piece of the stream, or a word or sign of it where the pieces are larger.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

TOKENS = 400
TOKENS_IF_DIGITS_DIFFER = 1000
LOOK_EVERY = 20  # tokens
LONGEST_ROUND = 500  # words and signs
PROBE = 40  # characters
_KEPT = TOKENS_IF_DIGITS_DIFFER + 2 * LONGEST_ROUND  # pieces

# A number, a word (in parts, for some scripts write no spaces), a sign, or white space beyond the
# one between two words.
_ITEM = re.compile(r"\d+(?:[.,:]\d+)*|\w{1,8}|[^\w\s]|\n|\s(?=\s)")
_DIGITS = re.compile(r"\d+(?:[.,:]\d+)*")


class Circles:
    """One answer as it comes, piece by piece."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def found_after(self, piece: str) -> bool:
        """Whether the text goes in circles, this piece included."""
        self._pieces.append(piece)
        if len(self._pieces) % LOOK_EVERY and len(piece) < LOOK_EVERY:
            return False
        del self._pieces[:-_KEPT]
        return goes_in_circles(self._pieces)


def goes_in_circles(pieces: Sequence[str]) -> bool:
    """Whether the text ends in a circle that is long enough to be stopped."""
    text = "".join(pieces)
    letters = _DIGITS.sub("", text)
    if letters.find(letters[-PROBE:]) + PROBE >= len(letters):
        return False  # by far the usual case, and quickly told: its end is new
    ends = list(accumulate(map(len, pieces)))
    found = list(_ITEM.finditer(text))[:-1]  # the last one may not be whole yet
    items = [each.group() for each in found]

    def is_long(items: Sequence[str], least: int) -> bool:
        equal = _longest_tail(items)
        if not equal:
            return False
        words = sum(not each.isspace() for each in items[-equal:])
        begin = found[-equal].start()
        return max(words, len(ends) - bisect_left(ends, begin)) > least - LOOK_EVERY

    if is_long(items, TOKENS):
        return True
    masked = [_DIGITS.sub("0", each) for each in items]
    return is_long(masked, TOKENS_IF_DIGITS_DIFFER)


def _longest_tail(items: Sequence[str]) -> int:
    """How many items at the end equal those one round before: the Z-function, read backwards."""
    text = items[::-1]
    size = len(text)
    matches = [0] * size
    left = right = 0
    for at in range(1, size):
        match = min(right - at, matches[at - left]) if at < right else 0
        while at + match < size and text[match] == text[at + match]:
            match += 1
        if at + match > right:
            left, right = at, at + match
        matches[at] = match
    return max(matches[: LONGEST_ROUND + 1], default=0)
