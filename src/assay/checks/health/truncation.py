"""Whether an answer was cut off.

In: an answer, and whether the model was stopped before it had finished. Out: a HealthCheck;
`truncation` is a note: a base model that is stopped at its last token always is.
"""

from __future__ import annotations

import re

from assay.checks.health.reading import read
from assay.messages import tr
from assay.types.samples import HealthCheck

NAME = "truncation"
TAIL = 80  # characters shown
LOOKED_AT = 4_000  # characters from the end

SENTENCE_WORDS = 6  # fewer may be a name or a heading, which need no full stop

_ENDED = re.compile(
    r"[.!?…。！？؟।:;%][\"'”’»)\]}*_`]*\Z|[)\]}>|`\"”»*_]\Z|[\U0001f300-\U0001faff☺✅]\Z"
)
_HANGING = re.compile(
    r"(?:[,(\[{]|\s[-–—=+&]|\b(?:the|a|an|and|or|but|of|to|at|by|for|from|with|is|are|was|that|which|"
    r"if|when|because|as|your|its|le|la|les|un|une|des|du|de|et|ou|que|qui|pour|dans|avec))\Z"
)
_OPEN_COMMAND = re.compile(r"(?:\\|&&|\|\||[^|]\s\|)\Z")
_ITEM = re.compile(r"\s*(?:[-*+•◦▪]|\(?\d{1,3}[.)])\s")


def truncation(text: str, *, truncated: bool = False) -> HealthCheck:
    """Passes where the answer ends as if it were meant to."""
    tail = text.rstrip()[-LOOKED_AT:]
    reason = (
        tr("The model was stopped before it had finished.") if truncated else _visible(text, tail)
    )
    if not tail:
        return HealthCheck(
            name=NAME, passed=None, passage="", explanation=tr("There is nothing to be cut off.")
        )
    if reason is None:
        return HealthCheck(name=NAME, passed=True, passage="", explanation=tr("It ends as meant."))
    last = tail[-TAIL:]
    return HealthCheck(name=NAME, passed=False, passage=last.lstrip(), explanation=reason)


def _visible(text: str, tail: str) -> str | None:
    if len(re.findall(r"(?m)^[ \t>]*(?:```|~~~)", text)) % 2:
        return tr("A code block is not closed.")
    about = read(tail)
    last = tail.splitlines()[-1] if tail else ""
    if about.lines and about.lines[-1].kind != "prose":
        if _OPEN_COMMAND.search(last) and not last.lstrip().startswith("|"):
            return tr("It ends in the middle of a command.")
        return None
    if _HANGING.search(last):
        return tr("It ends in the middle of a sentence.")
    if _ENDED.search(last) or _ITEM.match(last) or len(last.split()) < SENTENCE_WORDS:
        return None
    return tr("Its last sentence has no end.")
