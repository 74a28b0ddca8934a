"""Whether an answer goes in circles: more room would give more of the same.

Two readings: the same words back to back up to where an answer was cut, and prose in other words
each time, which says nothing new: hardly a word of its later half is a new one.
"""

import re
from itertools import takewhile

from assay.text.structure import words_in

FEWEST_TIMES = 3  # that a unit comes, the last time perhaps in part
SHARE = 0.6  # of the words, up to the end
FEWEST_WORDS = 80  # of prose: a shorter one need not bring new words
# Of the later half of so many words at most, the share that new ones are below.
NEW_WORDS = ((400, 0.13), (2000, 0.08))
_MOST_WORDS = 2000
_FENCED = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
_WORD_OF_PROSE = re.compile(r"\W{0,3}[^\W\d_]+(?:['’-][^\W\d_]+)*\W{0,3}")
_TABLE = re.compile(r"\s*[|│┃+]|.*(?:\t| {3,})\S")
_OF_PROSE = 0.8  # of the words of a line


def ends_in_circles(text: str) -> bool:
    """Most of it is one unit of words, back to back, up to where it was cut."""
    words = words_in(text)[:-1][-_MOST_WORDS:]  # the last word may be cut
    for period in range(1, len(words) // FEWEST_TIMES + 1):
        pairs = zip(reversed(words), reversed(words[:-period]), strict=False)
        equal = period + sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if equal >= max(SHARE * len(words), FEWEST_TIMES * period):
            return True
    return False


def says_nothing_new(text: str) -> bool:
    """Long prose of which the later half has hardly a word that was not there before. Tables, code,
    commands and logs, which repeat their words by nature, do not count.
    """
    lines = [line for line in _FENCED.sub("", text).splitlines() if _is_prose(line)]
    words = words_in("\n".join(lines))[:_MOST_WORDS]
    if len(words) < max(FEWEST_WORDS, len(words_in(text)[:_MOST_WORDS]) / 2):
        return False
    half = len(words) // 2
    new = len(set(words[half:]) - set(words[:half]))
    most = next(share for size, share in NEW_WORDS if len(words) <= size)
    return new < most * (len(words) - half)


def _is_prose(line: str) -> bool:
    words = line.split()
    lettered = sum(_WORD_OF_PROSE.fullmatch(word) is not None for word in words)
    return lettered >= _OF_PROSE * len(words) and _TABLE.match(line) is None
