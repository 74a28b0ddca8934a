"""Quotes: whether what a judge quotes is in the answer.

In: a quote, the answer, the task. Out: a Quote: exact, approximate, fabricated, from the task, or
too short to tell; with its place in the answer.

Both sides are normalised: NFC, line ends and runs of white space to one space, emphasis, backticks
and quotation marks at the edges dropped. Case counts: it does in code. The numbers of our fence
(`12| `) are forgiven, and so are the marks it puts into the text.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from rapidfuzz import fuzz

from assay.types.judgements import Quote

SHORTEST = 8  # characters; shorter ones are in any text
APPROXIMATE = 95.0  # of 100: the share that the best place in the answer must match
# What bounds the search: characters of the text (a fence shows a tenth of that), and for an
# approximate place those of the quote, places of one piece of it, places that are compared.
LONGEST_SEARCHED = 300_000
LONGEST_QUOTE = 1_000
MOST_SPOTS = 40
MOST_PLACES = 60

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
        if len(quote) > LONGEST_QUOTE:
            return None
        # The other way round, a short answer would be looked for in a long quote.
        if len(quote) > len(self.flat):
            near = fuzz.ratio(quote, self.flat, score_cutoff=APPROXIMATE) > 0
            return self._quote(quote, "approximate", 0, len(self.flat)) if near else None
        return self._nearly(quote)

    def _nearly(self, quote: str) -> Quote | None:
        """A quote of m characters that matches by 95 % differs in at most a tenth of m places, so
        that of m/10 + 1 pieces one is unchanged: only where a piece is found is the quote compared.
        """
        slack = len(quote) // 10 + 1
        size = -(-len(quote) // slack)
        looked_at: list[int] = []
        for at in range(0, len(quote), size):
            for spot in self._spots(quote[at : at + size]):
                start = max(0, spot - at - slack)
                if any(abs(start - seen) <= slack // 2 for seen in looked_at):
                    continue
                if len(looked_at) == MOST_PLACES:
                    return None
                looked_at.append(start)
                window = self.flat[start : spot - at + len(quote) + slack]
                if len(window) < len(quote):
                    window = self.flat[-len(quote) :]
                    start = len(self.flat) - len(window)
                if place := fuzz.partial_ratio_alignment(quote, window, score_cutoff=APPROXIMATE):
                    begin, end = start + place.dest_start, start + place.dest_end
                    return self._quote(quote, "approximate", begin, end)
        return None

    def _spots(self, piece: str) -> Iterator[int]:
        spot = -1
        for _ in range(MOST_SPOTS):
            spot = self.flat.find(piece, spot + 1)
            if spot < 0:
                return
            yield spot

    def _quote(self, quote: str, status: str, start: int, end: int) -> Quote:
        return Quote(
            text=quote,
            status="exact" if status == "exact" else "approximate",
            start=self._in_text(start),
            end=self._in_text(end - 1) + 1 if end > start else self._in_text(start),
        )

    def _in_text(self, flat: int) -> int:
        """The place of a character of the flat text. Inside a word that NFC shortens, the offset
        may fall short by what was joined before it.
        """
        number = bisect_right(self._flat_starts, flat) - 1
        return min(self._starts[number] + flat - self._flat_starts[number], len(self._text) - 1)


def check_quote(
    quote: str, answer: Searched, task: Searched, shown: Searched | None = None
) -> Quote:
    """Look a quote up. One that is only in the task shows nothing. `shown`: the answer as the judge
    saw it, with its delimiters defused.
    """
    forms = list(dict.fromkeys([_normalised(quote), _normalised(_LINE_NUMBER.sub("", quote))]))
    if max(map(len, forms)) < SHORTEST:
        return Quote(text=quote, status="too_short")
    for form in forms:
        if len(form) >= SHORTEST and (found := answer.find(form)):
            return Quote(text=quote, status=found.status, start=found.start, end=found.end)
    for form in forms:
        if shown is not None and len(form) >= SHORTEST and shown.find(form):
            return Quote(text=quote, status="approximate")
    from_task = any(len(form) >= SHORTEST and task.find(form) for form in forms)
    return Quote(text=quote, status="from_task" if from_task else "fabricated")


def verified_share(quotes: Iterable[Quote]) -> float | None:
    """The share of quotes that are the answer's; None where none could be checked."""
    found = [quote.status in ("exact", "approximate") for quote in quotes
            if quote.status != "too_short"]  # fmt: skip
    return sum(found) / len(found) if found else None


def _normalised(quote: str) -> str:
    words = " ".join(_WORD.findall(unicodedata.normalize("NFC", quote)))
    return words.strip(_EDGES).removesuffix("...").removeprefix("...").strip(_EDGES)
