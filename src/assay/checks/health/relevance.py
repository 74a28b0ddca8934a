"""Whether an answer takes up the subject of its prompt.

In: a sample and an answer. Out: a HealthCheck; `relevance` is a note.
"""

from __future__ import annotations

from assay.checks.health.finding import place_of_any
from assay.checks.health.reading import READ_AT_MOST, quote
from assay.messages import tr
from assay.types.samples import HealthCheck, SamplePrompt

NAME = "relevance"
AROUND = 40  # characters on either side of the word that decided


def relevance(sample: SamplePrompt, text: str) -> HealthCheck:
    """Passes where one of the words of every item of the sample's subject is used."""
    text = text[:READ_AT_MOST]
    if not sample.subject:
        return HealthCheck(
            name=NAME, passed=None, passage="", explanation=tr("The sample names no subject.")
        )
    found = {item: place_of_any(item, text) for item in sample.subject}
    missing = [" / ".join(item) for item, place in found.items() if place is None]
    places = [place for place in found.values() if place is not None]
    passage = ""
    if places:
        start, end = min(places)
        passage = quote(text, _word_start(text, start - AROUND), _word_end(text, end + AROUND))
    if missing:
        explanation = tr("Not taken up: {subjects}.", subjects="; ".join(missing))
    else:
        explanation = tr("The subject is taken up.")
    return HealthCheck(name=NAME, passed=not missing, passage=passage, explanation=explanation)


def _word_start(text: str, at: int) -> int:
    at = max(0, at)
    while at > 0 and not text[at - 1].isspace():
        at -= 1
    return at


def _word_end(text: str, at: int) -> int:
    at = min(len(text), at)
    while at < len(text) and not text[at].isspace():
        at += 1
    return at
