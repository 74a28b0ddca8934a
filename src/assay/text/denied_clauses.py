"""Whether a clause denies what a keyword names: "a tenant does not have to pay rent".

A denial reaches to the end of its clause, over the items of a list. Of what is forbidden any denial
will do; of what is expected only one of what the question asks: its subject or what it denies has
a word of the question, and the question does not ask why. Lists: `answer_words.toml`.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from assay.text.answer_words import (
    WORDS,
    asks_to_explain,
    negates,
)
from assay.text.folding import fold_for_matching
from assay.text.late_pattern import late_pattern
from assay.text.structure import words_as_written

_LONGEST_ITEM, _NEAR = 4, 2  # words of an item of a list, and beside a keyword
_REACH = 240  # characters before a keyword that are looked at
_SENTENCE = late_pattern(r"[.!?\n;:]")
_UNTIL = late_pattern(rf"(?<!\w){WORDS['denies_until']}(?!\w)")
_DEED = late_pattern(rf"(?:\A|\band\s|\bet\s)\W*(?:please\s+)?{WORDS['denies_deed']}(?!\w)")
# Of advice ("give tips") what is to be avoided is a part.
_ASKS_FOR_NAMES = late_pattern(r"\W*(?:what|which|who|name|list|quel|nomme|cite)")
_BEHIND = late_pattern(rf"\W{{0,4}}\s{WORDS['denies_behind']}(?!\w)([^.,;:!?\n]*)")
_LANGUAGES = frozenset({"en", "eng", "fr", "fra", "ee", "ewe"})
_LISTED = late_pattern(rf"(?<![\w-]){WORDS['denies_clause']}(?!\w)")
_WORDS = frozenset({  # every denial has one of them; "isn't" has "t"
    "not", "t", "never", "cannot", "no", "without", "pas", "jamais", "nullement", "ni", "o",
    "avoid", "don", "refuse", "évite", "éviter", "évitez", "ne",
})  # fmt: skip
_EWE = late_pattern(r"(?:\A|\s)me\w+")
_EWE_O = late_pattern(r"(?<=\s)o(?=\s*(?:[.,;:!?\n]|\Z))")
_EWE_END = late_pattern(r"[^.,;:!?\n]*(?<=\s)o(?=\s*(?:[.,;:!?\n]|\Z))")


@dataclass(frozen=True)
class ClauseDenial:
    """How answers to one question deny, in its language."""

    question: str
    is_ewe: bool
    explains: bool

    def may_apply(self, folded: str) -> bool:
        """Whether a folded text has a word that denies."""
        if _WORDS.isdisjoint(words_as_written(folded)):
            return False
        return (
            _LISTED.search(folded) is not None
            or (self.is_ewe and _EWE_O.search(folded) is not None)
            or _DEED.search(folded) is not None
        )

    def is_denied(self, before: str, behind: str, *, forbidden: bool) -> bool:
        """Whether the clause around a place denies what is there."""
        behind = behind[:_REACH]
        sentence = _SENTENCE.split(before[-_REACH:])[-1]
        pieces = sentence.split(",")
        at = len(pieces) - 1
        while at and len(pieces[at].split()) <= _LONGEST_ITEM and not self._find(pieces[at]):
            at -= 1
        if _UNTIL.search(" ".join(pieces[at + 1 :])):
            at = len(pieces) - 1
        reach = ",".join(pieces[at:])
        found = self._find(pieces[at])
        if found and at < len(pieces) - 1 and not pieces[at][found.end() :].strip():
            found = None  # "no, …": it denies what is before the comma
        if found is not None:
            between = reach[found.end() :]
            if not _UNTIL.search(between):
                return forbidden or self._is_asked(reach[: found.start()], between)
        names = forbidden or _ASKS_FOR_NAMES.match(self.question)
        if names and (deed := _DEED.search(pieces[at])) and not self._asks_by(deed[0]):
            between = reach[deed.end() :]
            if not _UNTIL.search(between) and (forbidden or len(between.split()) <= _NEAR + at):
                return True
            if forbidden or (at < len(pieces) - 1 and len(pieces[at].split()) <= _LONGEST_ITEM):
                return not _UNTIL.search(between)
        if self.is_ewe and _EWE.search(reach) and _EWE_END.match(behind):
            return forbidden or self._is_asked(reach, "")
        turned = None if forbidden else _BEHIND.match(behind)
        return turned is not None and self._is_asked("", turned[1], ends=True)

    def _find(self, piece: str) -> re.Match[str] | None:
        last = None
        for found in _LISTED.finditer(piece):
            last = found
        return last

    def _asks_by(self, word: str) -> bool:
        return re.search(rf"(?<!\w){re.escape(word.strip())}(?!\w)", self.question) is not None

    def _is_asked(self, before: str, between: str, *, ends: bool = False) -> bool:
        if self.explains:
            return False
        if ends and not between.strip():
            return True
        from assay.text.commitment import asked_by
        from assay.text.structure import words_in

        asked = asked_by(self.question)
        return asked.matches(words_in(before)) > 0 or asked.matches(words_in(between)) > 0


@lru_cache(maxsize=512)
def clause_denial(question: str, language: str | None) -> ClauseDenial | None:
    """How answers to a question deny; None where it denies itself, for then they may have to, and
    in a language without a list: "ni" denies in French and is "is" in Swahili.
    """
    folded = fold_for_matching(question)
    if negates(folded) or (language or "en") not in _LANGUAGES:
        return None
    return ClauseDenial(folded, language in ("ee", "ewe"), asks_to_explain(question))
