"""Whether an answer goes in circles: more room would give more of the same.

Two readings: the same words back to back up to where an answer was cut, and prose in other words
each time, which says nothing new: hardly a word of its later half is a new one.
"""

import re
from itertools import pairwise, takewhile

from assay.text.structure import UNSPACED, words_in

FEWEST_TIMES = 3  # that a unit comes, the last time perhaps in part
SHARE = 0.6  # of the words and signs, up to the end
MANY_TIMES, MANY = 8, 60  # or so often, and so many of them, whatever was before
FEWEST_WORDS = 80  # of prose: a shorter one need not bring new words
# Of the later half of so many words at most, the share that new ones are below.
NEW_WORDS = ((400, 0.13), (2000, 0.08))
NEW_PAIRS = 0.2  # and of its pairs of neighbours: a report has few new words, in other sentences
_MOST_WORDS, _MOST_READ = 2000, 20_000  # words, and characters
# A word, in parts where it is long or holds what joins words, or a sign.
_ITEM = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]{{1,12}}|[^\w\s]|_")
_FENCED = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
_WORD_OF_PROSE = re.compile(r"\W{0,3}[^\W\d_]+(?:['’-][^\W\d_]+)*\W{0,3}")
_TABLE = re.compile(r"\s*[|│┃+]|.*(?:\t| {3,})\S")
_OF_PROSE = 0.8  # of the words of a line


def ends_in_circles(text: str, *, is_cut: bool = True) -> bool:
    """It ends in one unit of words or signs, back to back: most of it, or many times the same. One
    that came to its end by itself may say a short thing three times.
    """
    items = _ITEM.findall(text[-_MOST_READ:])
    items = (items[:-1] if is_cut else items)[-_MOST_WORDS:]  # the last one may be cut
    if len(items) < MANY and not is_cut:
        return False
    for period in range(1, len(items) // FEWEST_TIMES + 1):
        pairs = zip(reversed(items), reversed(items[:-period]), strict=False)
        equal = period + sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if equal >= max(SHARE * len(items), FEWEST_TIMES * period):
            return True
        if equal >= max(MANY, MANY_TIMES * period):
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
    first, later = words[:half], words[half:]
    new = len(set(later) - set(first))
    pairs = [*pairwise(later)]
    new_pairs = len(set(pairs) - {*pairwise(first)})
    most = next(share for size, share in NEW_WORDS if len(words) <= size)
    return new < most * len(later) and new_pairs < NEW_PAIRS * len(pairs)


def _is_prose(line: str) -> bool:
    words = line.split()
    lettered = sum(_WORD_OF_PROSE.fullmatch(word) is not None for word in words)
    return lettered >= _OF_PROSE * len(words) and _TABLE.match(line) is None
