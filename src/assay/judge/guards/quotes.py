"""Whether what a judge quotes is in the answer, and where.

Both sides are normalised: NFC, line ends and runs of white space to one space, emphasis, backticks
and quotation marks at the edges dropped. Case counts: it does in code. The numbers of our fence
(`12| `) are forgiven, and so are the marks it puts into the text.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import replace

from rapidfuzz import fuzz

from assay.types.judgements import Quote, QuoteStatus

SHORTEST = 8  # characters; shorter ones are in any text
APPROXIMATE = 95.0  # of 100: the share that the best place in the answer must match
LONGEST_SEARCHED = 300_000  # characters of the text; a fence shows a tenth of that
LONGEST_QUOTE = 1_000  # that is looked for approximately

_WORD = re.compile(r"\S+")
_EDGES = " \t\n*_`'\"“”‘’«»‹›…"
_LINE_NUMBER = re.compile(r"^[^\S\n]{0,8}\d{1,7}\|[^\S\n]?", re.MULTILINE)


class Searched:
    """A text in which quotes are looked for. Made once for all of its quotes."""

    def __init__(self, text: str) -> None:
        text = text[:LONGEST_SEARCHED]
        self._text = text
        self._starts: list[int] = []  # of each word, in the text
        self._flat_starts: list[int] = []  # and in the flat one
        words = []
        at = 0
        for found in _WORD.finditer(text):
            word = unicodedata.normalize("NFC", found.group())
            self._starts.append(found.start())
            self._flat_starts.append(at)
            words.append(word)
            at += len(word) + 1
        self.flat = " ".join(words)

    def find(self, quote: str) -> Quote | None:
        """Its place, exact or approximate."""
        at = self.flat.find(quote)
        if at >= 0:
            return self._quote(quote, "exact", at, at + len(quote))
        # The other way round, a short answer would be looked for in a long quote.
        if len(quote) <= min(LONGEST_QUOTE, len(self.flat)):
            near = fuzz.partial_ratio_alignment(quote, self.flat, score_cutoff=APPROXIMATE)
            if near is not None:
                return self._quote(quote, "approximate", near.dest_start, near.dest_end)
        return None

    def _quote(self, quote: str, status: QuoteStatus, start: int, end: int) -> Quote:
        last = self._in_text(max(start, end - 1))
        return Quote(text=quote, status=status, start=self._in_text(start), end=last + 1)

    def _in_text(self, flat: int) -> int:
        """Inside a word that NFC shortens, it may fall short by what was joined before."""
        number = bisect_right(self._flat_starts, flat) - 1
        return min(self._starts[number] + flat - self._flat_starts[number], len(self._text) - 1)


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


def verified_share(quotes: Iterable[Quote]) -> float | None:
    """The share of quotes that are the answer's; None where none could be checked."""
    found = [quote.status in ("exact", "approximate") for quote in quotes
            if quote.status != "too_short"]  # fmt: skip
    return sum(found) / len(found) if found else None


def _normalised(quote: str) -> str:
    words = " ".join(_WORD.findall(unicodedata.normalize("NFC", quote)))
    return words.strip(_EDGES).removesuffix("...").removeprefix("...").strip(_EDGES)
