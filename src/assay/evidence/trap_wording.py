"""Whether a docstring says what a function with a misleading name really does.

In: which trap it is, and the docstring, hostile. Out: yes or no.

Each trap has wordings that state it, and some have wordings that state the contrary. What a text
only compares with, expects or denies counts for neither. Gaps in the patterns are bounded and stay
within a sentence, so that matching stays linear.
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

_COPY = r"(?:occurrences?|appearances?|duplicates?|cop(?:y|ies)|instances?|ones?)"
_DROPPED = r"(?:dropped|removed|discarded|deleted|ignored|skipped|omitted|left out|thrown away)"

_DROPS = r"(?:drop|remov|discard|delet|ignor|omit)\w*"

_STATED = {
    "keeps_last": (
        rf"\b(?:last|latest|final|rightmost|most recent|later)\b{_GAP}"
        r"\b(?:occurrences?|appearances?|one|cop(?:y|ies)|duplicates?|instances?|positions?|kept|"
        r"keep\w*|retain\w*|remain\w*|wins?|preserv\w*|surviv\w*|stays?|time)\b",
        rf"\b(?:keep\w*|kept|retain\w*|preserv\w*)\b{_GAP}\b(?:last|latest|final|rightmost)\b",
        rf"\b(?:earlier|previous|preceding) (?:equal )?{_COPY}\b[^.;]{{0,30}}\b{_DROPPED}\b",
        rf"\b{_DROPS} (?:\w+ ){{0,2}}(?:earlier|previous) {_COPY}",
        r"\b(?:occurs?|appears?|stands?|comes) (?:\w+ ){0,2}last\b",
        r"\b(?:it is|but) the last\b",
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
        r"\bbetween (?:the |these |both )?extremes\b",
    ),
    "always_up": (
        r"\bround\w*(?: (?!half\b)\w+){0,4}? up(?:wards?)?\b",
        r"(?<!half )\bup(?:wards?)? to (?:the |a )?(?:next|nearest)\b",
        r"\bupwards?\b",
        r"\bceil",
        r"\b(?:never|not) (?:be )?(?:round\w* )?down",
        r"\btowards? (?:positive|plus|\+) ?infinity\b",
        r"\b(?:next|following) (?:(?:higher|larger|greater|bigger) )?multiple\b",
        r"\b(?:to|towards?) (?:the |a )?(?:next |nearest )?(?:higher|larger|greater|bigger)\b",
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
        r"\bhalf[- ]open\b",
        rf"\bbut not (?:the )?[`'\"]*{_UPPER}\b",
        rf"\bfalse\b[^.;]{{0,30}}== ?[`'\"]*{_UPPER}",
        rf"== ?[`'\"]*{_UPPER}[^.;=]{{0,30}}\bfalse\b",
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
        rf"\b(?:both|conflicts?|clash\w*|same key)\b{_GAP}\b(?:value|one|entry) (?:of|from|in) "
        rf"(?:the )?[`'\"]*{_FIRST}\b{_NOUN} is (?:used|taken)",
        rf"\b(?:precedence|priority)\b{_GAP}\bto (?:the )?[`'\"*]*{_FIRST}\b",
    ),
    "both_ends_count": (
        r"\binclusive(?:ly)?\b",
        r"\bboth (?:ends?|days|dates|the (?:first|start)|(?:`?start`?|first))\b",
        r"\bboth\b[^.;]{0,40}\b(?:count|includ)",
        rf"\b(?:count\w*{_GAP}\bboth|includ\w*{_GAP}\b(?:both|start|first|end|last))\b",
        r"\bcount\w* (?:the )?[`'\"]*(?:start|first)\b",
        r"\b(?:start|first|end|last)\b[^.;]{0,16}\b(?:counts?|counted|included)\b",
        r"\bone (?:more|higher|greater|larger) than\b",
        r"(?:\bplus|\+) ?(?:one|1)\b",
    ),
}
_CONTRADICTED = {
    "keeps_last": (
        r"\b(?:keep\w*|kept|retain\w*|preserv\w*)\b[^.;(),:]{0,20}"
        r"\bfirst (?:occurrence|appearance|one)",
        r"\bfirst (?:occurrence|appearance|one|copy)(?:(?!last|drop|remov|discard|\bnot\b|\bbut\b)"
        r"[^.;(),:]){0,40}\b(?:stays?|kept|remains?|wins?|survives?|retained|preserved)\b",
        rf"\b(?:later|subsequent|further) (?:equal )?{_COPY}\b[^.;]{{0,30}}\b{_DROPPED}\b",
        rf"\b{_DROPS} (?:\w+ ){{0,2}}(?:later|subsequent) {_COPY}",
    ),
    "always_up": (r"\bup or down\b", r"\bdown or up\b", r"\bwhichever (?:is|lies)\b"),
    "end_excluded": (
        rf"{_UPPER}\b[`'\"*]*[^.;]{{0,20}}\b(?:inclusive|included)\b(?<!not included)",
        r"\bboth (?:ends|bounds|limits) (?:are )?inclu",
        r"\btrue\b(?:(?!false)[^.;]){0,40}(?:\bequals?|\bequal to|==) (?:the )?[`'\"]*"
        r"(?:high|upper)",
        r", ?[`]?high[`]? ?\]",
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
_UP_TO_THE_TURN = r"[^,:]*?(?:[,:] ?(?:but\b)?|\bbut\b|$)"
_EXPECTED = re.compile(
    r"\b(?<!as )(?:(?:al)?though |while )?(?:"
    r"(?:you|one|people|readers?|callers?|users?|many|some) (?:(?:might|may|would|could|will) )?"
    r"(?:\w+ )?(?:expect|think|assume|suppose|believe)s?\b"
    rf"|(?:the|its) name (?:suggests|implies|promises) (?:that|the|an?|it|to)\b){_UP_TO_THE_TURN}"
)
_OTHERS = re.compile(
    r"^(?:most|many|other|some|typical|similar|usual)\b[^,]*\b(?:functions?|implementations?|"
    rf"versions?|tools?|libraries|helpers?)\b{_UP_TO_THE_TURN}"
)
# "does not keep the first but the last": the correction counts, what it corrects does not.
_CORRECTED = re.compile(r"(?:\b(?:not|never)|n't) (?!only\b)[^,:]{1,80}?\bbut\b")
_NEGATED = re.compile(r"(?:\b(?:not|never|no longer)|n't) (?:(?!and\b|but\b|or\b)\w+ ){0,2}$")


def states_trap(trap: str, docstring: str) -> bool:
    """Whether the docstring states what sets this function apart, and not the contrary."""
    text = " ".join(_without_examples(docstring[:_LONGEST]).lower().replace("*", "").split())
    sentences = [_without_foil(sentence.strip()) for sentence in re.split(r"[.;]", text)]
    said = ".".join(sentences)
    corrected = ".".join(_CORRECTED.sub("but", sentence) for sentence in sentences)
    stated = any(_any(_STATED.get(trap, ()), one) for one in (said, corrected))
    return stated and not _any(_CONTRADICTED.get(trap, ()), corrected)


def _without_foil(sentence: str) -> str:
    """Without what it only compares with: "unlike A, B", "B rather than A", "one expects A, but
    B".
    """
    for foil in (_FOIL_IN_FRONT, _FOIL_BEHIND, _OTHERS, _EXPECTED):
        sentence = foil.sub(" ", sentence)
    return sentence


def _any(patterns: Iterable[str], text: str) -> bool:
    """Whether one of them is there, and not denied right before."""
    return any(
        not _NEGATED.search(text[max(0, found.start() - 60) : found.start()])
        for pattern in patterns
        for found in re.finditer(pattern, text)
    )


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
