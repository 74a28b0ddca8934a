"""exact_match and keywords: does the answer say it, and does it say nothing else it should not?

In: a test, its check, an answer with the reasoning already split off. Out: a Score that lists what
was read, what was expected, what was found and what is missing. The folding stands in `normalise`,
the numbers in `numbers`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from assay.messages import tr
from assay.text.folding import (
    fold_for_matching,
    fold_whole_answer,
    is_mark,
)
from assay.text.numbers import read_expected, read_number, show
from assay.types import LANGUAGES, Answered, Case, ExactMatch, Keywords, Score, ScorePart

EXACT_MATCH = "exact_match"
EXACT_MATCH_VERSION = 1
KEYWORDS = "keywords"
KEYWORDS_VERSION = 1

_DECIMAL_COMMA = frozenset({"fra"})  # languages whose suites write 1,5 for one and a half
_MOST_SHOWN = 200  # characters of an answer repeated in an explanation


# ----------------------------------------------------------------------------------- exact_match


def exact_match(case: Case, check: ExactMatch, reply: Answered) -> Score:
    """1 where the whole answer is one of the accepted texts, else 0."""
    if check.normalize == "number":
        return _exact_number(case, check, reply)
    forms: dict[str, Callable[[str], str]] = {
        "strict": lambda text: text,
        "trim": str.strip,
        "text": fold_whole_answer,
    }
    form = forms[check.normalize]
    read = form(reply.text)
    accepted = [form(expected) for expected in check.expected]
    value = 1.0 if read in accepted else 0.0
    return _exact_score(value, read, check.expected)


def _exact_number(case: Case, check: ExactMatch, reply: Answered) -> Score:
    decimal_comma = LANGUAGES.get(case.language or "") in _DECIMAL_COMMA
    readings = (read_expected(text, decimal_comma=decimal_comma) for text in check.expected)
    accepted = [number for number in readings if number is not None]
    if not accepted:
        return Score(
            scorer=EXACT_MATCH,
            version=EXACT_MATCH_VERSION,
            unscored_reason="expected_not_a_number",
            explanation=tr(
                "The test expects a number, but none can be read from {expected}; "
                "correct `expected` or choose another `normalize`.",
                expected=_quoted(check.expected),
            ),
        )
    reading = read_number(reply.text)
    if reading.number is None:
        return _no_number(reading.seen, check.expected)
    for wanted in accepted:
        value = reading.number.reading_like(wanted)
        if value is not None:
            return _exact_score(1.0, show(value), check.expected)
    return _exact_score(0.0, show(reading.number.readings[0]), check.expected)


def _exact_score(value: float, read: str, expected: Sequence[str]) -> Score:
    if value:
        explanation = tr("Read {read}, as expected.", read=_quoted([read]))
    else:
        explanation = tr(
            "Read {read}; expected {expected}.", read=_quoted([read]), expected=_quoted(expected)
        )
    return Score(
        scorer=EXACT_MATCH,
        version=EXACT_MATCH_VERSION,
        value=value,
        extracted=read,
        explanation=explanation,
    )


def _no_number(seen: int, expected: Sequence[str]) -> Score:
    wanted = _quoted(expected)
    if seen:
        explanation = tr(
            "{count} different numbers and no word that says which is the answer; "
            "expected {expected}.",
            count=seen,
            expected=wanted,
        )
    else:
        explanation = tr("No number in the answer; expected {expected}.", expected=wanted)
    return Score(
        scorer=EXACT_MATCH,
        version=EXACT_MATCH_VERSION,
        value=0.0,
        no_answer=True,
        explanation=explanation,
    )


def _quoted(texts: Sequence[str]) -> str:
    shown = (text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "…" for text in texts)
    return ", ".join(f'"{text}"' for text in shown)


# -------------------------------------------------------------------------------------- keywords


def keywords(case: Case, check: Keywords, reply: Answered) -> Score:
    """Share of the expected items found; 0 where a forbidden one appears."""
    return score_keywords(check, reply.text)


def score_keywords(check: Keywords, answer: str) -> Score:
    """The same for any text; `composite` uses it too."""
    text = fold_for_matching(answer)
    parts: list[ScorePart] = []
    found: list[str] = []
    missing: list[str] = []
    for item in check.expected:
        name = " / ".join(item)
        hit = next((keyword for keyword in item if occurs(keyword, text, check.match)), None)
        if hit is None:
            missing.append(name)
        else:
            found.append(hit)
        parts.append(ScorePart(name=name, value=0.0 if hit is None else 1.0))
    unwanted = [
        keyword
        for item in check.forbidden
        for keyword in item
        if occurs(keyword, text, check.match)
    ]
    share = len(found) / len(check.expected) if check.expected else 1.0
    return Score(
        scorer=KEYWORDS,
        version=KEYWORDS_VERSION,
        value=0.0 if unwanted else share,
        extracted=", ".join(found) or None,
        explanation=_keyword_explanation(found, missing, unwanted),
        parts=tuple(parts),
    )


def occurs(keyword: str, folded: str, match: str) -> bool:
    """Whether a keyword stands in a text that `fold_for_matching` has folded.

    A match never ends inside a character: "ɔ" is not found in "ɔ̃", nor "x" after a mark.
    """
    first_word, pattern = _pattern(keyword, match)
    # Plain search first: a miss costs a twentieth of the pattern's time.
    if not first_word or first_word not in folded:
        return False
    for hit in pattern.finditer(folded):
        following = folded[hit.end() : hit.end() + 1]
        if following and not following.isascii() and is_mark(following):
            continue
        preceding = folded[hit.start() - 1 : hit.start()] if match != "substring" else ""
        if preceding and not preceding.isascii() and is_mark(preceding) and hit[0][0].isalnum():
            continue
        return True
    return False


@lru_cache(maxsize=8192)
def _pattern(keyword: str, match: str) -> tuple[str, re.Pattern[str]]:
    """A folded keyword's first word, empty where nothing remains, and the pattern of it all."""
    words = fold_for_matching(keyword).split()
    if not words:
        return "", re.compile("")
    body = r"\s+".join(map(re.escape, words))
    # "C++", "-rf" and "/etc" end or begin with no word character: there is no boundary to ask for.
    left = r"(?<!\w)" if match != "substring" and _is_word(words[0][0]) else ""
    right = r"(?!\w)" if match == "word" and _is_word(words[-1][-1]) else ""
    return words[0], re.compile(left + body + right)


def _is_word(character: str) -> bool:
    return character == "_" or character.isalnum() or is_mark(character)


def _keyword_explanation(found: list[str], missing: list[str], unwanted: list[str]) -> str:
    sentences = []
    if unwanted:
        sentences.append(tr("Forbidden and found: {keywords}.", keywords=", ".join(unwanted)))
    if found:
        sentences.append(tr("Found: {keywords}.", keywords=", ".join(found)))
    if missing:
        sentences.append(tr("Missing: {keywords}.", keywords=", ".join(missing)))
    return " ".join(sentences) or tr("No forbidden keyword found.")
