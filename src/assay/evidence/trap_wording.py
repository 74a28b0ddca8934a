"""Whether a docstring says what a function with a misleading name really does.

In: which trap it is, and the docstring, hostile. Out: yes or no. Refuses to know: the code.

Each trap has wordings that state it, and some have wordings that state the contrary. Gaps in the
patterns are bounded and stay within a sentence, so that matching stays linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_LONGEST = 20_000
_GAP = r"[^.;]{0,60}"
_LEFT_OUT = (
    r"(?:drop|exclud|ignor|remov|discard|omit|without|leav|left|trim|strip|disregard|set aside|"
    r"except|skip|eliminat|not (?:count|includ|part|consider|taken)|do(?:es)? not count|cut)"
)
_LOWEST = r"(?:lowest|smallest|minimum|\bmin\b|least)"
_HIGHEST = r"(?:highest|largest|maximum|\bmax\b|greatest|biggest)"
_UPPER = r"(?:high|upper|\bend\b|right|maximum)"
_FIRST = r"(?:settings|first|existing|original|left|base|old|current)"
_SECOND = r"(?:changes|second|right|new|incoming|later)"
_NOUN = r"(?:[`'\"*]*(?: (?:settings|dict\w*|values?|ones?|entries|mapping|argument|keys?|side))?)"
_WINS = (
    r"(?:always |still |then |therefore |thus |will |clearly )?"
    r"(?:wins?\b|takes? (?:precedence|priority)|(?:has|have) (?:precedence|priority)|prevails?|"
    r"overrides?|overwrites?|(?:is|are) (?:always )?(?:kept|retained|preserved)|keeps?\b|stays?\b|"
    r"remains?\b|(?:is|are) (?:never|not) (?:overwritten|replaced|changed|overridden))"
)

_STATED = {
    "keeps_last": (
        rf"\b(?:last|latest|final|rightmost|most recent|later)\b{_GAP}"
        r"\b(?:occurrences?|appearances?|one|cop(?:y|ies)|duplicates?|instances?|positions?|kept|"
        r"keep\w*|retain\w*|remain\w*|wins?|preserv\w*|surviv\w*|stays?|time)\b",
        rf"\b(?:keep\w*|kept|retain\w*|preserv\w*)\b{_GAP}\b(?:last|latest|final|rightmost)\b",
    ),
    "leaves_extremes_out": (
        rf"{_LEFT_OUT}{_GAP}{_LOWEST}{_GAP}{_HIGHEST}",
        rf"{_LEFT_OUT}{_GAP}{_HIGHEST}{_GAP}{_LOWEST}",
        rf"{_LOWEST}{_GAP}{_HIGHEST}{_GAP}{_LEFT_OUT}",
        rf"{_HIGHEST}{_GAP}{_LOWEST}{_GAP}{_LEFT_OUT}",
        r"\b(?:trimmed|truncated) (?:mean|average)\b",
        rf"{_LEFT_OUT}{_GAP}\bextremes?\b",
        rf"\bextremes?\b{_GAP}{_LEFT_OUT}",
        rf"\bfirst and (?:the )?last\b{_GAP}{_LEFT_OUT}",
    ),
    "always_up": (
        r"\bround\w*(?: (?!half\b)\w+){0,4}? up(?:wards?)?\b",
        r"(?<!half )\bup(?:wards?)? to (?:the |a )?(?:next|nearest)\b",
        r"\bupwards?\b",
        r"\bceil",
        r"\b(?:never|not) (?:be )?(?:round\w* )?down",
        r"\btowards? (?:positive|plus|\+) ?infinity\b",
        r"\bnext (?:higher |larger |greater )?multiple\b",
        rf"\b(?:smallest|lowest|least|first) multiple\b{_GAP}"
        r"(?:\bnot less|\bnot below|\bat least|\bgreater|\bno smaller|>=|≥)",
    ),
    "end_excluded": (
        rf"{_UPPER}\b{_GAP}(?:\bexclu|\bstrictly|"
        r"\bnot (?:be )?(?:includ|part|count|contain|itself|consider|belong))",
        rf"\b(?:equals?|equal to) (?:the )?[`'\"]*{_UPPER}{_GAP}\bfalse\b",
        rf"\bfalse\b{_GAP}\b(?:equals?|equal to|is) (?:the )?[`'\"]*{_UPPER}",
        rf"\b(?:exclud\w*|exclusive of|not includ\w*|without|strictly (?:less|smaller|below|under))"
        rf"{_GAP}{_UPPER}",
        r"\b(?:less|smaller) than (?:the )?[`'\"*]*(?:high|upper)",
        r"\bbelow (?:the )?[`'\"*]*(?:high|upper)",
        r"\bhalf-open\b",
        r"\[ ?[`]?low[`]?, ?[`]?high[`]? ?\)",
        r"< ?[`]?high\b",
    ),
    "first_wins": (
        rf"\b{_FIRST}\b{_NOUN} {_WINS}",
        rf"\b{_SECOND}\b{_NOUN}{_GAP}\b(?:only|never (?:overrid|overwrit|replac|win|tak)\w*|"
        r"not (?:override|overwrite|replace|change|touch|affect)|ignored|loses?|lost|discarded)\b",
        rf"\bonly\b{_GAP}\b(?:not (?:already |yet )?(?:present |defined |contained )?in|"
        rf"missing (?:in|from)) (?:the )?[`'\"]*{_FIRST}\b",
        rf"\bprefer\w*\b{_GAP}\b{_FIRST}\b",
        rf"\b(?:precedence|priority)\b{_GAP}\bto (?:the )?[`'\"*]*{_FIRST}\b",
    ),
    "both_ends_count": (
        r"\binclusive(?:ly)?\b",
        r"\bboth (?:ends?|days|dates|the (?:first|start)|(?:`?start`?|first))\b",
        r"\bboth\b[^.;]{0,40}\b(?:count|includ)",
        rf"\b(?:count\w*{_GAP}\bboth|includ\w*{_GAP}\b(?:both|start|first|end|last))\b",
        r"\bcount\w* (?:the )?[`'\"]*(?:start|first)\b",
        r"\b(?:end|last)\b[^.;]{0,12}\b(?:counts?|counted|included)\b",
        r"\bone more than\b",
        r"(?:\bplus|\+) ?(?:one|1)\b",
    ),
}
_CONTRADICTED = {
    "keeps_last": (
        r"\b(?:keep\w*|kept|retain\w*|preserv\w*)\b[^.;]{0,20}"
        r"\bfirst (?:occurrence|appearance|one)",
        r"\bfirst (?:occurrence|appearance|one|copy)[^.;]{0,20}\b(?:stays?|kept|remains?|wins?|"
        r"survives?|retained|preserved)\b",
    ),
    "end_excluded": (
        rf"{_UPPER}\b[`'\"*]*[^.;]{{0,20}}\b(?:inclusive|included)\b(?<!not included)",
        r"\bboth (?:ends|bounds|limits) (?:are )?inclu",
    ),
    "first_wins": (rf"\b{_SECOND}\b{_NOUN} {_WINS}",),
    "both_ends_count": (r"\b(?:not inclu|not count|(?<!not )exclusive|exclud)\w*",),
}  # fmt: skip


_COMPARED_WITH = (
    r"(?:unlike|contrary to|in contrast to|as opposed to|rather than|instead of|whereas|"
    r"while (?:many|most|typical|usual|common|a|the name))"
)
_FOIL_IN_FRONT = re.compile(
    rf"^(?:(?:note|warning|important)(?: that|:)?,? )?{_COMPARED_WITH}\b[^,]*"
    r"(?:, (?:which|that|where|who)\b[^,]*)?,"
)
_FOIL_BEHIND = re.compile(rf"\b{_COMPARED_WITH}\b.*")


def states_trap(trap: str, docstring: str) -> bool:
    """Whether the docstring states what sets this function apart, and not the contrary."""
    text = " ".join(_without_examples(docstring[:_LONGEST]).lower().replace("*", "").split())
    text = ".".join(_without_foil(sentence.strip()) for sentence in re.split(r"[.;]", text))
    stated = _any(_STATED.get(trap, ()), text)
    return stated and not _any(_CONTRADICTED.get(trap, ()), text)


def _without_foil(sentence: str) -> str:
    """Without what it only compares with: "unlike A, B", "B rather than A"."""
    return _FOIL_BEHIND.sub("", _FOIL_IN_FRONT.sub("", sentence))


def _any(patterns: Iterable[str], text: str) -> bool:
    return any(re.search(pattern, text) for pattern in patterns)


def _without_examples(docstring: str) -> str:
    """The prose: examples are looked at by what they show."""
    kept, skipping = [], False
    for line in docstring.splitlines():
        if line.lstrip().startswith(">>>"):
            skipping = True
        elif not line.strip():
            skipping = False
        if not skipping:
            kept.append(line)
    return "\n".join(kept)
