"""Words of a language without lists, proposed from the questions of a suite for its author."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

SHORT = 4  # letters: words that join and announce are short in most languages
LEAST_SHARE = 0.1  # of the questions
MOST = 3
_LAST_WORDS = re.compile(r"(\w+)\s+\w+\s*[?؟።]")  # "Mji mkuu ni upi?"
_JOINED = re.compile(r"\w+ (\w+) \w+\s*[?؟።]")  # "nyekundu au bluu?"


def propose_words(questions: Sequence[str]) -> dict[str, list[str]]:
    """What the form of the questions shows: which word stands before the asking word, and may
    announce an answer ("ni"); which one joins alternatives behind a comma ("au"). How a language
    denies and declines stands in no question: these lists are left to the author.
    """
    announces = _frequent((_LAST_WORDS.search(text) for text in questions), len(questions))
    several = [text.rpartition(",")[2] for text in questions if "," in text]
    joins = _frequent((_JOINED.search(text) for text in several), len(several))
    return {
        "announces": [word for word in announces if word not in joins],
        "denies": [],
        "declines": [],
        "joins": joins,
    }


def _frequent(found: Iterable[re.Match[str] | None], of: int) -> list[str]:
    words = [match[1].casefold() for match in found if match]
    counts = Counter(word for word in words if len(word) <= SHORT)
    least = max(2, LEAST_SHARE * of)
    return [word for word, count in counts.most_common(MOST) if count >= least]
