"""A line of an answer in, the kernel modules it stands for out.

In: a line and the accepted names. Out: the names the line commits itself to. Refuses to know:
ranks, tests, and which modules exist.

No list of modules is consulted, so every word might be one. A line that lists several
("e1000, e1000e, igb") commits itself to the first: naming all of them is guessing.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from assay.scorers.shell.meaning import module_name
from assay.scorers.shell.programs import PROSE, SOMETIMES_PROSE, names

_WORD = re.compile(r"[\w/][\w./+-]*")
_SEPARATOR = re.compile(r"\s*[,;|/&]\s*")
_ALTERNATIVE = names("or and ou et")
_LOADERS = names("modprobe insmod modinfo")
_NO_MODULE = (
    PROSE
    | SOMETIMES_PROSE
    | names("""
    driver drivers module modules kernel linux debian ubuntu fedora device devices card cards yes no
    sure well ok okay answer try load loaded called named supported supports support recommended
    typically usually often likely probably correct right best name network wireless graphics
    ethernet
""")
)


class _Token(NamedTuple):
    name: str
    joined: bool  # to the token before it, by a comma, a slash or "or"
    is_file: bool


def modules_in(line: str, accepted: frozenset[str]) -> frozenset[str]:
    """The modules a line commits itself to, by their one name (no `.ko`, `_` for `-`)."""
    tokens = _tokens(unicodedata.normalize("NFKC", line))
    committed: set[str] = set()
    for run in _runs(tokens):
        is_list = _is_list(run, accepted, whole=len(run) == len(tokens))
        committed.update(token.name for token in (run[:1] if is_list else run))
    return frozenset(committed)


def _tokens(line: str) -> list[_Token]:
    """Words that may be modules; what follows "not" and the parameters of modprobe are none."""
    tokens: list[_Token] = []
    end, joined, negated, loading = 0, False, False, False
    for found in _WORD.finditer(line):
        gap = line[end : found.start()]
        end = found.end()
        word = found[0].rstrip(".,-/+").casefold()
        if word in _ALTERNATIVE or not word:
            joined = True
            continue
        joined = joined or bool(_SEPARATOR.fullmatch(gap))
        if word in _LOADERS:
            loading = True
        elif gap.endswith("-") or (negated and word not in ("the", "a")):
            negated = False  # an option of modprobe, or "not e1000"
        elif word not in _NO_MODULE:
            tokens.extend(_named(word, joined))
            if loading:
                break
        negated = word in ("not", "never") or (negated and word in ("the", "a"))
        joined = False
    return tokens


def _named(word: str, joined: bool) -> list[_Token]:
    is_file = ".ko" in word
    if is_file or word.startswith("/") or word.count("/") > 1:
        return [_Token(module_name(word), joined, is_file)]
    parts = [part for part in word.split("/") if part]
    return [_Token(module_name(part), joined or at > 0, False) for at, part in enumerate(parts)]


def _runs(tokens: list[_Token]) -> list[list[_Token]]:
    """Tokens that are joined stand together."""
    runs: list[list[_Token]] = []
    for token in tokens:
        if token.joined and runs:
            runs[-1].append(token)
        else:
            runs.append([token])
    return runs


def _is_list(run: list[_Token], accepted: frozenset[str], *, whole: bool) -> bool:
    """Two names of modules side by side; "for this card, e1000e" is a sentence, not a list."""
    modules = [t for t in run if t.is_file or t.name in accepted or re.search(r"[\d_]", t.name)]
    return len(run) > 1 and (whole or len(run) > 2 or len(modules) > 1)
