"""What in an answer tries to talk to its judge.

In: an answer. Out: Suspicions: a short code and the words that gave rise to it. Nothing is deleted,
and no score is changed: a code review may speak of scores, systems and ignored errors, so each
pattern asks for the words of a demand.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from assay.judge.guards.suspicion_patterns import PATTERNS

MOST_SEARCHED = 60_000  # characters: some 15,000 tokens; a quarter of a second at the very worst
_LONGEST_EXCERPT = 120
_MOST_BLOBS = 20
_LONGEST_BLOB = 4_096

_REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_FLAG_TAGS = re.compile("\U0001f3f4[\U000e0020-\U000e007f]+")  # the flags of England and Scotland
_TAGS = re.compile("[\U000e0000-\U000e007f\U000e0100-\U000e01ef]")
_ZERO_WIDTH = re.compile("[\u200b\u2060-\u2064\ufeff\u180e\xad]")
_INSIDE_A_WORD = re.compile("(?<=[A-Za-z])[\u200b-\u200d\u2060-\u2064\ufeff\xad](?=[A-Za-z])")
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]")
_DROPPED = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\xad\U000e0000-\U000e01ef]")
_MANY = 3  # zero-width characters; one or two come along with text pasted from a page
_GAP = re.compile(r"\s+")
_BLOB = re.compile(r"[A-Za-z0-9+/]{64,}={0,2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """A code such as `score_demand`, and the words it was found by."""

    code: str
    excerpt: str


def find_suspicions(answer: str) -> tuple[Suspicion, ...]:
    """Everything suspicious, one of each code."""
    text = answer[:MOST_SEARCHED]
    found: dict[str, Suspicion] = {}
    for each in (*_hidden(text), *_said(text), *_encoded(text)):
        found.setdefault(each.code, each)
    return tuple(found.values())


@lru_cache(maxsize=64)  # each judge and repeat asks again
def flags_of(answer: str) -> tuple[str, ...]:
    """The codes alone, as a Judgement carries them."""
    return tuple(each.code for each in find_suspicions(answer))


def without_hidden(answer: str) -> str:
    """The answer without characters that nobody sees, and without words in Base64."""
    plain = _TAGS.sub("", _FLAG_TAGS.sub("\U0001f3f4", answer))
    plain = _CONTROL.sub("", _DROPPED.sub("", plain))
    for blob in [*_BLOB.finditer(plain)][:_MOST_BLOBS]:
        if any(_encoded(blob.group())):
            plain = plain.replace(blob.group(), "")
    return plain


def _said(text: str) -> Iterator[Suspicion]:
    # What hides a word from a pattern is taken out: zero-width letters, full-width letters.
    plain = unicodedata.normalize("NFKC", _DROPPED.sub("", text))
    for form in dict.fromkeys((_tight(plain), _tight(text))):
        for code, pattern in PATTERNS:
            if match := pattern.search(form):
                yield _suspicion(code, match.group())


def _tight(text: str) -> str:
    """In small letters, every run of white space one character: a line feed where there was one."""
    return _GAP.sub(lambda gap: "\n" if "\n" in gap.group() else " ", text.lower())


def _hidden(text: str) -> Iterator[Suspicion]:
    rest = _FLAG_TAGS.sub("", text.removeprefix("\ufeff"))
    for pattern in (_REORDERING, _TAGS, _INSIDE_A_WORD, _CONTROL):
        if match := pattern.search(rest):
            yield _suspicion("hidden_characters", match.group())
            return
    invisible = _ZERO_WIDTH.findall(rest)
    if len(invisible) >= _MANY:
        yield _suspicion("hidden_characters", "".join(invisible[:_MANY]))


def _encoded(text: str) -> Iterator[Suspicion]:
    """Base64 that hides words; a digest, a key or a picture hides none."""
    for number, blob in enumerate(_BLOB.finditer(text)):
        if number == _MOST_BLOBS:
            return
        body = blob.group()[:_LONGEST_BLOB].rstrip("=")
        try:
            hidden = base64.b64decode(body[: len(body) // 4 * 4]).decode("ascii")
        except (binascii.Error, UnicodeDecodeError):
            continue
        if hidden.isprintable() and " " in hidden:
            yield _suspicion("base64", hidden)
            return


def _suspicion(code: str, words: str) -> Suspicion:
    shown = words if words.isprintable() else words.encode("unicode_escape").decode("ascii")
    return Suspicion(code=code, excerpt=shown[:_LONGEST_EXCERPT])
