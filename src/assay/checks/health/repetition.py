"""Whether an answer says the same again and again, in the same or nearly the same words.

In: an answer. Out: a HealthCheck; `repetition` fails the gate. An answer repeats itself where much
of it lies in runs of four words that come more than once and few of its words are different ones,
or where hardly any are.
"""

from __future__ import annotations

import re
from collections import Counter

from assay.checks.health.reading import READ_AT_MOST, quote
from assay.messages import tr
from assay.types.samples import HealthCheck

NAME = "repetition"
FEWEST_WORDS, FEWEST_IF_STUCK = 40, 20
RUN = 4  # words
# Shares of the words, chosen on the development set.
REPEATED, DIFFERENT, STUCK = 0.45, 0.37, 0.25

_WORD = re.compile(r"[^\W_]+(?:[:.'][^\W_]+)*")


def repetition(text: str) -> HealthCheck:
    """Passes unless too large a part of the answer was said before."""
    text = text[:READ_AT_MOST]
    found = list(_WORD.finditer(text))
    words = [each[0].lower() for each in found]
    runs = [tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)]
    counted = Counter(runs)
    again = {
        place
        for at, run in enumerate(runs)
        if counted[run] > 1
        for place in range(at, at + RUN)
    }  # fmt: skip
    different = len(set(words))
    repeats = (
        len(words) >= FEWEST_WORDS
        and len(again) >= REPEATED * len(words)
        and different <= DIFFERENT * len(words)
    )
    stuck = len(words) >= FEWEST_IF_STUCK and different <= STUCK * len(words)
    if not repeats and not stuck:
        return HealthCheck(name=NAME, passed=True, explanation=tr("Little is said twice."))
    run, _ = counted.most_common(1)[0]
    last = max(at for at, each in enumerate(runs) if each == run)
    return HealthCheck(
        name=NAME,
        passed=False,
        passage=quote(text, found[last].start(), found[last + RUN - 1].end()),
        explanation=tr(
            "{percent} % of its words are in phrases that come more than once; {different} of "
            "{words} words are different ones.",
            percent=round(100 * len(again) / len(words)),
            different=different,
            words=len(words),
        ),
        failure=True,
    )
