"""The kernel modules that a line of an answer names.

No list of modules is consulted, so every word might be one. A line that lists several
("e1000, e1000e, igb") commits itself to the first: naming all of them is guessing. A line that says
what drives the device ("the NVIDIA card uses nouveau") commits itself to that, not to other names.
"""

import re
import unicodedata
from enum import IntEnum
from typing import NamedTuple

from assay.checks.shell.meaning import module_name
from assay.checks.shell.programs import NO_MODULES, PLAIN_MODULES, PROSE, SOMETIMES_PROSE, names
from assay.text.answer_words import SEEN, is_unused

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
# Beside what `answer_words` denies.
_RULED_OUT = re.compile(
    r"(?:\b(?:in place of|without|blacklist(?:ed|ing)?|rmmod|unload(?:ing)?|remov(?:e|ing)"
    r"|disabl(?:e|ing))\s+(?:(?:using|loading|use)\s+)?"
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
    plain = before.replace("’", "'")
    if is_unused(plain) or _RULED_OUT.search(before) or _RULED_OUT_BEHIND.match(behind):
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


_WORD = re.compile(r"[\w/][\w./+-]*")
_SEPARATOR = re.compile(r"\s*[,;|/&]\s*")
_ALTERNATIVE = names("or and ou et")
_LOADERS = names("modprobe insmod modinfo")
_NO_MODULE = PROSE | SOMETIMES_PROSE | NO_MODULES


class _Token(NamedTuple):
    name: str
    joined: bool  # to the token before it, by a comma, a slash or "or"
    claim: Claim
    is_module: bool  # by its looks


def modules_in(line: str, accepted: frozenset[str]) -> frozenset[str]:
    """The modules a line commits itself to, by their one name (no `.ko`, `_` for `-`)."""
    tokens = _tokens(unicodedata.normalize("NFKC", line).casefold())
    strongest = max((_weight(token, accepted) for token in tokens), default=Claim.NAMED)
    counted = {strongest, Claim.ALONE} if strongest > Claim.ALONE else set(Claim)
    committed: set[str] = set()
    for run in _runs(tokens):
        if any(_weight(token, accepted) in counted for token in run):
            is_list = _is_list(run, accepted, whole=len(run) == len(tokens))
            committed.update(token.name for token in (run[:1] if is_list else run))
    return frozenset(committed)


def _weight(token: _Token, accepted: frozenset[str]) -> Claim:
    """A claim of what is no module ("the driver is available") pushes no name aside."""
    return token.claim if token.is_module or token.name in accepted else Claim.NAMED


def _tokens(line: str) -> list[_Token]:
    """Words that may be modules; those ruled out and the parameters of modprobe are none."""
    tokens: list[_Token] = []
    end, joined, loading = 0, False, False
    for found in _WORD.finditer(line):
        gap = line[end : found.start()]
        end = found.end()
        word = found[0].rstrip(".,-/+")
        if word in _ALTERNATIVE or not word:
            joined = True
            continue
        joined = joined or bool(_SEPARATOR.fullmatch(gap))
        is_option = gap.endswith("-")
        if word in _LOADERS:
            loading = True
        elif word not in _NO_MODULE and not is_option:
            behind = line[found.start() + len(word) : end + SEEN]
            before = line[max(0, found.start() - SEEN) : found.start()]
            claim = claim_of(before, behind, loaded=loading, first=not tokens)
            if claim is not Claim.RULED_OUT:
                tokens.extend(_named(word, joined, claim))
            if loading and claim is not Claim.RULED_OUT:
                break
            loading = False
        joined = False
    return tokens


def _named(word: str, joined: bool, claim: Claim) -> list[_Token]:
    is_file = ".ko" in word
    is_path = is_file or word.startswith("/") or word.count("/") > 1
    parts = [word] if is_path else [part for part in word.split("/") if part]
    tokens = []
    for at, part in enumerate(parts):
        is_module = is_file or looks_like_a_module(part)
        tokens.append(_Token(module_name(part), joined or at > 0, claim, is_module))
    return tokens


def _runs(tokens: list[_Token]) -> list[list[_Token]]:
    """Tokens that are joined belong together."""
    runs: list[list[_Token]] = []
    for token in tokens:
        if token.joined and runs:
            runs[-1].append(token)
        else:
            runs.append([token])
    return runs


def _is_list(run: list[_Token], accepted: frozenset[str], *, whole: bool) -> bool:
    """Two names of modules side by side; "for this card, e1000e" is a sentence, not a list."""
    modules = [t for t in run if t.name in accepted or re.search(r"[\d_]", t.name)]
    return len(run) > 1 and (whole or len(run) > 2 or len(modules) > 1)
