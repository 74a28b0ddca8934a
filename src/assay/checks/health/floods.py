"""Whether an answer is a flood of digits, signs, encoded bytes or scripts with hardly a word.

In: an answer as read. Out: where the flood is and what it is made of, or None.

Tables and dumps have few words too, but their lines have the same number of fields. Keys and
certificates are announced by a word or a line of their own.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from itertools import pairwise

from assay.checks.health.reading import Passage, Read, Word
from assay.checks.health.scripts import MANY, scripts_of, sort_of
from assay.messages import tr

FEWEST_WORDS, FEWEST_CHARACTERS = 25, 120  # either is enough
LETTERED = 0.04  # share of words, or characters, with letters
TABLE_LINES, SAME_FIELDS = 3, 0.5  # share of lines with the commonest number of fields
BLOB_FROM, BLOB_SHARE, BLOB_LEAST = 32, 0.6, 120  # characters; share of the answer
BLOB_CHANGES = 0.25  # of neighbours differ in kind: capital, small letter, digit, sign
DIGITS_FROM = 40
SIGNS_FROM, SIGNS, SPELT = 80, 0.5, 0.12  # characters; share of signs; share of letters in words
SCRIPT_SHARE = 0.04  # of the letters; no answer has so many of four scripts

_SIGNS = frozenset(string.punctuation)
_SPELT = re.compile(r"[^\W\d_]{3,}")
_ENCODED = re.compile(r"[A-Za-z0-9+/=_\-]+[.,]?")
_ANNOUNCED = re.compile(
    r"-----BEGIN|\b(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2|data:|sha\d+|md5|key|cert|token|hash)",
    re.I,
)


def flood(about: Read) -> Passage | None:
    """The flood an answer is, if it is one."""
    if not about.words:
        return None
    start, end = about.words[0].start, about.words[-1].end
    if _is_wordless(about):
        return Passage(start, end, tr("It is numbers and signs, with hardly a word."))
    if _is_signs(about.text):
        return Passage(start, end, tr("It is signs thrown together, with hardly a word."))
    if _is_many_scripts(about.text):
        return Passage(start, end, tr("Scripts are mixed as no language mixes them."))
    blobs = [word for word in about.words if _is_blob(word)]
    length = sum(len(word.text) for word in blobs)
    whole = sum(len(word.text) for word in about.words)
    if length < max(BLOB_LEAST, BLOB_SHARE * whole) or _ANNOUNCED.search(about.text):
        return None
    return Passage(
        blobs[0].start, blobs[-1].end, tr("It is long strings of characters, with hardly a word.")
    )


def _is_wordless(about: Read) -> bool:
    letters = sum(map(str.isalpha, about.text))
    whole = sum(len(word.text) for word in about.words)
    if len(about.words) < FEWEST_WORDS and whole < FEWEST_CHARACTERS:
        return False
    if not any(map(str.isalnum, about.text)) or letters > LETTERED * whole:
        lettered = sum(any(map(str.isalpha, word.text)) for word in about.words)
        if len(about.words) < FEWEST_WORDS or lettered > LETTERED * len(about.words):
            return False
    return not _is_table(about)


def _is_signs(text: str) -> bool:
    visible = sum(not character.isspace() for character in text)
    signs = sum(character.isascii() and character in _SIGNS for character in text)
    spelt = sum(len(word) for word in _SPELT.findall(text))
    return visible >= SIGNS_FROM and signs > SIGNS * visible and spelt < SPELT * visible


def _is_many_scripts(text: str) -> bool:
    letters = scripts_of(text)
    least = max(3, SCRIPT_SHARE * letters.total())
    return sum(count >= least for count in letters.values()) >= MANY


def _is_table(about: Read) -> bool:
    if len(about.lines) < TABLE_LINES:
        return False
    fields = Counter(len(about.text[line.start : line.end].split()) for line in about.lines)
    count, lines = fields.most_common(1)[0]
    return count > 1 and lines >= SAME_FIELDS * len(about.lines)


def _is_blob(word: Word) -> bool:
    text = word.text[:2_000]
    if len(text) >= DIGITS_FROM and text.isdigit():
        return True
    if len(text) < BLOB_FROM or not _ENCODED.fullmatch(text):
        return False
    changes = sum(sort_of(one) != sort_of(two) for one, two in pairwise(text))
    return changes >= BLOB_CHANGES * len(text) and len(set(map(sort_of, text))) >= 3
