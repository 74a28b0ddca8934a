"""Whether what a judge quotes is in the answer, and where.

Both sides are normalised: NFC, line ends and runs of white space to one space, emphasis, backticks
and quotation marks at the edges dropped. Case counts: it does in code. The numbers of our fence
(`12| `) are forgiven, and so are the marks it puts into the text.
"""

import re
import unicodedata
from dataclasses import replace

from rapidfuzz import fuzz

from assay.types.judgements import Quote

SHORTEST = 8  # characters; shorter ones are in any text
APPROXIMATE = 95.0  # of 100: the share that the best place in the answer must match
LONGEST_SEARCHED = 300_000  # characters of the text; a fence shows a tenth of that
LONGEST_QUOTE = 1_000  # that is looked for approximately

_EDGES = " \t\n*_`'\"“”‘’«»‹›…"
_LINE_NUMBER = re.compile(r"^[^\S\n]{0,8}\d{1,7}\|[^\S\n]?", re.MULTILINE)


class Searched:
    """A text in which quotes are looked for. Made once for all of its quotes."""

    def __init__(self, text: str) -> None:
        self._text = unicodedata.normalize("NFC", text[:LONGEST_SEARCHED])
        self._flat = " ".join(self._text.split())

    def find(self, quote: str) -> Quote | None:
        """Exact, with its place in the text; or approximate."""
        found = re.search(r"\s+".join(map(re.escape, quote.split())), self._text)
        if found:
            return Quote(text=quote, status="exact", start=found.start(), end=found.end())
        # The other way round, a short answer would be looked for in a long quote.
        if len(quote) > min(LONGEST_QUOTE, len(self._flat)):
            return None
        near = fuzz.partial_ratio(quote, self._flat, score_cutoff=APPROXIMATE)
        return Quote(text=quote, status="approximate") if near else None


def check_quote(
    quote: str, answer: Searched, task: Searched, shown: Searched | None = None
) -> Quote:
    """One that is only in the task shows nothing. `shown`: the answer as the judge saw it."""
    normalised = (_normalised(quote), _normalised(_LINE_NUMBER.sub("", quote)))
    forms = [form for form in dict.fromkeys(normalised) if len(form) >= SHORTEST]
    if not forms:
        return Quote(text=quote, status="too_short")
    for form in forms:
        if found := answer.find(form):
            return replace(found, text=quote)
    if shown is not None and any(map(shown.find, forms)):
        return Quote(text=quote, status="approximate")
    from_task = any(map(task.find, forms))
    return Quote(text=quote, status="from_task" if from_task else "fabricated")


def _normalised(quote: str) -> str:
    words = " ".join(unicodedata.normalize("NFC", quote).split())
    return words.strip(_EDGES).removesuffix("...").removeprefix("...").strip(_EDGES)
