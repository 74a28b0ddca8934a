"""Every health check of one answer.

In: a sample prompt and what a model wrote after it; whether the model was stopped, and how unsure
it was. Out: a Health. Pure and deterministic, never raises on any text, and bounded in time: a
megabyte of anything takes no longer than the 20,000 characters that are read of it.

An answer repeats itself where much of it lies in runs of four words that come more than once and it
can be packed to little, where hardly any of its words are different ones, or where it stammers. One
that comes to its end by itself may repeat itself a little more.
"""

import re
import zlib
from collections import Counter

from assay.checks.health.loop import loop
from assay.checks.health.nonsense import nonsense
from assay.checks.health.notes import coherence, length, technical_terms, truncation
from assay.checks.health.reading import READ_AT_MOST, quote
from assay.checks.health.ticks import accuracy, relevance
from assay.messages import tr
from assay.types.samples import Health, HealthCheck, SamplePrompt

NAME = "repetition"
FEWEST_WORDS, FEWEST_IF_STUCK = 40, 20
RUN = 4  # words
# Shares of the words, chosen on labelled samples.
REPEATED, STUCK = 0.4, 0.25
PACKED, PACKED_IF_ENDED = 0.382, 0.36  # of its length, as zlib packs it
PACKED_AT_MOST = 1_000  # characters, from the end: a long text can always be packed to less

_WORD = re.compile(r"[^\W_]+(?:[:.'][^\W_]+)*")
_LETTERED = r"[^\W\d_]\w*"
_STAMMER = re.compile(rf"\b({_LETTERED}(?:,? {_LETTERED}){{2,7}}?),? \1\b", re.IGNORECASE)


def examine(
    sample: SamplePrompt, text: str, *, truncated: bool = False, uncertainty: float | None = None
) -> Health:
    """Examine one answer; the three failures come first, then the notes, then the tick list."""
    about = relevance(sample, text)
    readable = nonsense(sample.prompt, text, uncertainty, on_subject=about.passed is True)
    coherent = coherence(text, readable)
    return Health(
        checks=(
            loop(text),
            repetition(text, truncated=truncated),
            readable,
            length(text),
            coherent,
            technical_terms(text),
            about,
            truncation(text, truncated=truncated),
            *accuracy(sample, text, coherent),
        )
    )


def repetition(text: str, *, truncated: bool = False) -> HealthCheck:
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
        and packed_share(text) <= (PACKED if truncated else PACKED_IF_ENDED)
    )
    stuck = len(words) >= FEWEST_IF_STUCK and different <= STUCK * len(words)
    if not repeats and not stuck:
        return _stammer(text)
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


def _stammer(text: str) -> HealthCheck:
    """Three words or more, said twice at once: "a key that is a key that is used"."""
    found = _STAMMER.search(text)
    if found is None:
        return HealthCheck(name=NAME, passed=True, explanation=tr("Little is said twice."))
    said = tr("The same words come twice at once.")
    passage = quote(text, *found.span())
    return HealthCheck(name=NAME, passed=False, passage=passage, explanation=said, failure=True)


def packed_share(text: str) -> float:
    """How small it can be packed, of its length: what comes again takes hardly any place."""
    end = " ".join(text.lower().split())[-PACKED_AT_MOST:]
    numbers: dict[str, int] = {}
    items = bytes(numbers.setdefault(letter, len(numbers)) % 256 for letter in end)
    return len(zlib.compress(items, 9)) / max(1, len(items))
