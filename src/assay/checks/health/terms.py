"""Whether an answer speaks of technical things.

In: an answer. Out: a HealthCheck; `technical_terms` is a note.

Terms are the words of terms.txt, programs, and what has the form of a path, an option, a PCI id, an
address, a version or a size.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from assay.checks.health.reading import quote, read
from assay.checks.shell.programs import KNOWN_PROGRAMS, names
from assay.messages import tr
from assay.types.samples import HealthCheck

NAME = "technical_terms"
TERMS = Path(__file__).with_name("terms.txt")
NEEDED = 2
SHOWN = 6

_EDGE = "\"'`*_~.,;:!?()[]{}<>|“”‘’«»…"
_FORM = re.compile(
    r"[0-9a-f]{4}:[0-9a-f]{4}"  # PCI id
    r"|(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]"  # PCI place
    r"|(?:[0-9a-f]{2}:){5}[0-9a-f]{2}"
    r"|\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?(?::\d+)?"
    r"|~?/[\w.+-]+(?:/[\w.+*-]*)*"
    r"|--[a-z][\w-]+(?:=\S+)?|-[A-Za-z]{1,4}"
    r"|v?\d+\.\d+(?:\.\d+)+\S*"
    r"|\d+(?:[.,]\d+)?(?:[KMGT]i?B|[kMG]Hz|[KMG]bit/s|[MG]bps|ms|µs|GT/s|dB|[mk]?[VAWΩ])"
    r"|[a-z]+(?:_[a-z0-9]+)+|\w+\.(?:conf|service|timer|socket|ko|sh|py|json|ya?ml|toml|log|so)"
    r"|(?:eth|enp|wlan|wlp|sd[a-z]|nvme|tty|usb|vd[a-z])\d\w*"
    r"|[A-Z]{2,4}\d{3,5}[A-Za-z]{0,2}|e1000e?|r81\d\d|[a-z]+\d+[a-z]+",
    re.ASCII,
)
_COMMON_PROGRAMS = names(
    "at clear column date echo exit expand file find fold free go groups head history host id "
    "init install jobs join last less locate look mail make man more most mount nice node patch "
    "read rename reset route screen service set sleep sort source split stat sync test time "
    "timeout top touch type users wall watch which who w yes"
)


def technical_terms(text: str) -> HealthCheck:
    """Passes where at least two different technical terms are used."""
    about = read(text)
    found: dict[str, tuple[int, int]] = {}
    for word in about.words:
        bare = word.text[:200].strip(_EDGE)
        for part in (bare, *re.split(r"[-/:=]", bare)[:12]):
            if _is_term(part):
                found.setdefault(part.lower(), (word.start, word.end))
                break
    if not found:
        return HealthCheck(
            name=NAME, passed=False, passage="", explanation=tr("No technical term is used.")
        )
    first, last = next(iter(found.values())), list(found.values())[:SHOWN][-1]
    return HealthCheck(
        name=NAME,
        passed=len(found) >= NEEDED,
        passage=quote(about.text, first[0], last[1]),
        explanation=tr("Technical terms: {terms}.", terms=", ".join(list(found)[:SHOWN])),
    )


def _is_term(word: str) -> bool:
    low = word.lower()
    return (
        low in known_terms()
        or (low.endswith("s") and len(low) > 3 and low[:-1] in known_terms())
        or (word in KNOWN_PROGRAMS and word not in _COMMON_PROGRAMS)
        or (_FORM.fullmatch(word) is not None and not word.isalpha())
    )


@lru_cache(maxsize=1)
def known_terms() -> frozenset[str]:
    """The terms of terms.txt."""
    lines = TERMS.read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())
