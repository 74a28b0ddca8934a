"""Whether an answer that was cut was going in circles: more room would give more of the same."""

from itertools import takewhile

from assay.text.structure import words_in

FEWEST_TIMES = 3  # that a unit comes, the last time perhaps in part
SHARE = 0.6  # of the words, up to the end
_MOST_WORDS = 2000


def ends_in_circles(text: str) -> bool:
    """Most of it is one unit of words, back to back, up to where it was cut."""
    words = words_in(text)[:-1][-_MOST_WORDS:]  # the last word may be cut
    for period in range(1, len(words) // FEWEST_TIMES + 1):
        pairs = zip(reversed(words), reversed(words[:-period]), strict=False)
        equal = period + sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if equal >= max(SHARE * len(words), FEWEST_TIMES * period):
            return True
    return False
