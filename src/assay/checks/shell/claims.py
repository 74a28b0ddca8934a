"""What a sentence says of a kernel module: it drives the device ("the driver is X"), or it does not
("instead of X", "rmmod X").
"""

from __future__ import annotations

import re
from enum import IntEnum

from assay.checks.shell.programs import PLAIN_MODULES

SEEN = 80  # characters before and behind a name that are looked at

_QUOTES = r"[\"'“”‘’«»`*(\[]*"
_FILL = (
    r"(?:(?:the|an?|its|this|that|linux|kernel|in-kernel|in-tree|mainline|open-source|proprietary"
    r"|free|device|driver|module|drivers|modules|called|named|likely|usually|typically|probably"
    r"|most|either|by|le|la|pilote|noyau)\s+){0,4}"
)
_SAID_TO_BE = re.compile(
    r"\b(?:drivers?|modules?|pilotes?)\b[^.;!?]{0,60}?(?:\b(?:is|are|be|called|named|est)\b|[:=])\s*"
    rf"{_FILL}{_QUOTES}\Z"
)
_USED = re.compile(
    r"\b(?:uses?|using|needs?|requires?|loads?|loading|try|bound to|works with"
    r"|(?:driven|supported|handled|served|managed|controlled|claimed) by|utilise|utilisez)\s+"
    rf"{_FILL}{_QUOTES}\Z"
)
_DRIVES = re.compile(
    r"[\"'“”‘’«»`*)\]]*\s+(?:linux\s+|kernel\s+){0,2}"
    r"(?:drivers?|modules?|drives?|handles|supports"
    r"|is\s+(?:the|an?)\s+(?:[\w-]+\s+){0,4}(?:driver|module|one)|is\s+(?:right|correct))\b"
)
# "uses the AHCI interface" says nothing of a driver.
_IS_A_THING = re.compile(
    r"[\"'“”‘’«»`*)\]]*\s+(?:\w+\s+)?(?:controllers?|cards?|chips?|chipsets?|gpus?|ssds?|devices?"
    r"|interfaces?|protocols?|standard|adapters?|bus|mode|specification|hardware|drives?\s+are)\b"
)
_IT_IS = re.compile(
    r"(?:\b(?:it|this|that|answer|one)(?:\s+(?:is|would\s+be|should\s+be)|['’]s)\s|[:=])\s*"
    rf"{_FILL}{_QUOTES}\Z"
)
_STANDS_ALONE = re.compile(r"[\"'“”‘’«»`*)\]]*\s*(?:\Z|[.,;:(–—=]|-\s)")
_RULED_OUT = re.compile(
    r"(?:(?:\bnot|n['’]t|\bnever|\bcannot)\s+(?:be\s+)?(?:the\s+|an?\s+)?"
    r"(?:(?:use|load|try|run|need|require|install|using|support|work with|with|by|be"
    r"|(?:driven|supported|handled|served|managed|controlled|claimed|used) by)\s+)?"
    r"|\b(?:instead of|rather than|in place of|unlike|avoid|without|blacklist(?:ed|ing)?|rmmod"
    r"|unload(?:ing)?|remov(?:e|ing)|disabl(?:e|ing)|au lieu de|plutôt que)\s+"
    r"(?:(?:using|loading|use)\s+)?"
    r"|\bmodprobe\s+(?:-\w*r\w*|--remove)\s+)"
    rf"(?:(?:the|an?|le|la|driver|module|kernel|linux)\s+){{0,3}}{_QUOTES}\Z"
)
_RULED_OUT_BEHIND = re.compile(
    r"[\"'“”‘’«»`*)\]]*\s+(?:drivers?\s+|modules?\s+)?(?:"
    r"(?:is|are|was)(?:\s+not|n['’]t)\s+(?:the|used|needed|correct|right|suitable|for|loaded)"
    r"|(?:does|do|will|would|can)(?:\s*not|n['’]t)\s+(?:drive|support|work|handle))\b"
)


class Claim(IntEnum):
    """How a sentence speaks of a name; the strongest claims of a line count."""

    RULED_OUT = 0
    NAMED = 1
    ALONE = 2  # "X: …", "it is X, …": no claim, but other claims do not push it aside
    CLAIMED = 3
    SAID_TO_BE = 4


def claim_of(before: str, behind: str, *, loaded: bool, first: bool) -> Claim:
    """What the text around a word says of it; all in lower case, at most `SEEN` characters."""
    if _RULED_OUT.search(before) or _RULED_OUT_BEHIND.match(behind):
        return Claim.RULED_OUT
    if loaded or _SAID_TO_BE.search(before):
        return Claim.SAID_TO_BE
    if _DRIVES.match(behind) or (_USED.search(before) and not _IS_A_THING.match(behind)):
        return Claim.CLAIMED
    alone = (first or _IT_IS.search(before)) and _STANDS_ALONE.match(behind)
    return Claim.ALONE if alone else Claim.NAMED


def looks_like_a_module(word: str) -> bool:
    """A digit beside letters, an underscore, or one of the plain names; `802.11ac` is none."""
    if "." in word or word in PLAIN_MODULES:
        return word in PLAIN_MODULES
    return re.search(r"[\d_]", word) is not None and re.search(r"[a-z]", word) is not None
