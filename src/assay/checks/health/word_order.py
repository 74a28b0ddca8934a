"""How much the order of an answer's words looks thrown together.

In: an answer as read. Out: for each word and stop of its prose, evidence for word salad in nats.

In written text a word is likelier after the one before it than by chance; in shuffled text it is
not. Code, commands, tables and logs are left out, and a piece of inline code stands as one name.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from assay.checks.health.line_kinds import without_marker
from assay.checks.health.reading import Read
from assay.checks.health.word_model import Token, function_words, shipped_words, tokens

# The gain that is as likely in written as in shuffled text: written has +0.35 in the mean,
# shuffled -1.1 (measured on text that was not counted).
EVEN = {"eng": -0.42, "fra": -0.75}
MOST_GAIN, LEAST_GAIN = 2.0, -2.6
LONG_CONTENT_RUN = 6  # words in a row without a small word or a stop
CONTENT_RUN_EVIDENCE = 0.7


HEADING_WORDS, HEADING_COUNTS = 8, 0.5
WRAPPED_WORDS = 7  # a line with fewer does not go on in the next

_END = re.compile(r"[.!?:…][\"')\]*_`]*$")
_BREAK = re.compile(r"[*|•=\[\]{}<>\"“”«»#~]|\s[-–—]\s")  # what follows begins anew
NAME = "<capitals>"  # stands for a path, an option, a piece of code
_NAME_SIGNS = frozenset("/_.-=@$:\\0123456789")


class Ordered(NamedTuple):
    """A word of the prose, and how its place speaks for word salad."""

    text: str
    start: int
    end: int
    gain: float  # over chance, after the word before it
    gain_of_two: float  # over that, after the two before it
    evidence: float  # for word salad, in nats
    anew: bool  # nothing is known of what stands before it
    heading: bool  # in a line that is no sentence


def order_evidence(about: Read, language: str | None) -> list[Ordered]:
    """Each word of the prose in its place; nothing where we do not know the language's order."""
    if language not in EVEN:
        return []
    small = function_words()[language]
    model = shipped_words()[language]
    found: list[Ordered] = []
    for start, end, weight in _stretches(about):
        said = _said(about, start, end)
        if not said:
            continue
        texts = [token.text for token in said]
        rows = zip(said, model.gains(texts), model.gains_of_two(texts), strict=True)
        run, last_end = 0, start
        for token, gain, gain_of_two in rows:
            lettered = token.text[0].isalpha()
            run = run + 1 if lettered and token.text.lower() not in small else 0
            kept = min(MOST_GAIN, max(LEAST_GAIN, float(gain)))
            value = EVEN[language] - kept
            anew = last_end == start or _BREAK.search(about.text, last_end, token.start) is not None
            if anew and last_end != start:
                run, value = 0, 0.0
            last_end = token.end
            if run > LONG_CONTENT_RUN and not token.text[0].isupper():
                value = max(value, CONTENT_RUN_EVIDENCE)
            found.append(
                Ordered(
                    token.text, token.start, token.end, kept, float(gain_of_two),
                    weight * value, anew, weight < 1,
                )
            )  # fmt: skip
    return found


class _Stretch(NamedTuple):
    """What is read in one go, and what its words weigh."""

    start: int
    end: int
    weight: float


def _stretches(about: Read) -> list[_Stretch]:
    """Lines of prose; wrapped ones are joined.

    A line that is no sentence (a heading, an item of a list) follows other rules and weighs less.
    """
    found: list[_Stretch] = []
    goes_on = False
    for line in about.lines:
        if line.kind != "prose":
            goes_on = False
            continue
        raw = about.text[line.start : line.end]
        marker = len(raw) - len(without_marker(raw))
        words = raw.split()
        ended = _END.search(words[-1]) is not None
        if goes_on and not marker and about.text.count("\n", found[-1].end, line.start) == 1:
            found[-1] = _Stretch(found[-1].start, line.end, 1.0)
        else:
            heading = len(words) <= HEADING_WORDS and not ended
            weight = HEADING_COUNTS if heading else 1.0
            found.append(_Stretch(line.start + marker, line.end, weight))
        goes_on = not ended and len(words) >= WRAPPED_WORDS
    return found


def _said(about: Read, start: int, end: int) -> list[Token]:
    """The words and stops of a line; inline code, and what looks like a name, as one name each."""
    said: list[Token] = []
    for token in tokens(about.text, start, end):
        before = about.text[said[-1].start : said[-1].end] if said else ""
        if token.text.isupper() and before.isupper() and len(token.text) > 1:
            token = token._replace(text=token.text.lower())  # a sentence in capitals
        if about.kind_at(token.start) == "code" or _inside_name(about.text, token):
            if said and said[-1].text == NAME:
                continue
            said.append(Token(NAME, token.start, token.end))
        else:
            said.append(token)
    return said


def _inside_name(text: str, token: Token) -> bool:
    """Whether a word is part of a path, an option or an identifier."""
    if not token.text[0].isalnum():
        return False
    before, after = text[token.start - 1 : token.start], text[token.end : token.end + 1]
    further = text[token.end + 1 : token.end + 2]
    return (before != "" and before in _NAME_SIGNS) or (
        after != "" and after in _NAME_SIGNS and (further.isalnum() or after in "/_=@$\\")
    )
