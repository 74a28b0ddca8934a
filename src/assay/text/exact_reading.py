"""How answers to one test are compared with its accepted texts, in each way they may be spelled.

What depends on the test is made when it is first needed and kept: the accepted texts without marks,
as typed without the letters of the language, without the apostrophe of an elision.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from assay.text.announced import announced_values
from assay.text.commitment import lexicon
from assay.text.dressing import cut_surroundings, without_signs
from assay.text.look_alikes import (
    fold_look_alikes,
    on_plain_keys,
    without_marks,
    without_tones,
)
from assay.text.structure import shorten
from assay.text.text_reading import AcceptedTexts
from assay.types.tests import LANGUAGES, SuiteWords

_SMALL = frozenset("₀₁₂₃₄₅₆₇₈₉")
_AS_DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_ELIDED = re.compile(r"(?<=\w)['’](?=\w)")
_EWE = "ewe"


class ExactReading:
    """The accepted texts of a test, and what an answer to it commits to."""

    def __init__(
        self,
        expected: tuple[str, ...],
        question: str,
        words: SuiteWords | None,
        language: str | None,
    ) -> None:
        self._expected = expected
        self._question = question
        self._code = LANGUAGES.get(language or "")
        self._language = self._code or language
        self._words = lexicon(words, language)
        self._has_tag = any("<" in text for text in expected)  # a tag may be the answer
        self._names = tuple(text for text in expected if " " in text)
        self._has_elision = any(map(_ELIDED.search, expected))
        self._made: dict[tuple[str, ...], AcceptedTexts] = {}
        self._spelled: dict[Callable[[str], str], AcceptedTexts] = {}

    def read(self, answer: str) -> tuple[bool, bool, str]:
        """Whether it commits to an accepted text, whether several answers compete, and what was
        read, without its surroundings.
        """
        text = fold_look_alikes(shorten(answer), self._code)[0]
        text = cut_surroundings(text, self._question)
        if not self._has_tag:
            text = announced_values(text) or without_signs(text)
        competes = False
        before: list[tuple[str, AcceptedTexts]] = []
        for way in self._ways(text):
            if way in before:
                continue
            before.append(way)
            right, competing = way[1].read(way[0])
            if right:
                return True, False, way[0]
            competes = competes or competing
        return False, competes, text

    def _ways(self, text: str) -> Iterator[tuple[str, AcceptedTexts]]:
        """The answer and the accepted texts, spelled in each way in which they may be compared: as
        they are; where the answer has no marks, without them on either side; in Ewe without tones,
        and without its letters where the answer has none; with plain digits; names without marks.
        """
        is_ascii = text.isascii()
        own_letters = self._own_letters
        yield text, self._as(own_letters)
        if self._language is not None:
            if self._language == _EWE and (toneless := without_tones(text)) != text:
                yield toneless, self._as(own_letters)
            if is_ascii or without_marks(text) == text:
                yield text, self._as(without_marks)
            if self._language == _EWE and is_ascii:
                yield text, self._as(on_plain_keys)
        if not is_ascii:
            if not _SMALL.isdisjoint(text):  # "CO₂"
                yield text.translate(_AS_DIGITS), self._as(str)
            if self._names and (plain := without_marks(text)) != text:  # "Mehmet Âkif"
                yield plain, self._accepted([*map(without_marks, self._names)])
        if self._has_elision:  # "ngombe" for "ng'ombe"
            yield _ELIDED.sub("", text), self._as(_without_elision)

    def _own_letters(self, text: str) -> str:
        return fold_look_alikes(text, self._language)[0]

    def _as(self, spell: Callable[[str], str]) -> AcceptedTexts:
        made = self._spelled.get(spell)
        if made is None:
            made = self._spelled[spell] = self._accepted([*map(spell, self._expected)])
        return made

    def _accepted(self, texts: Sequence[str]) -> AcceptedTexts:
        """The reading of these texts; the same one for the same texts."""
        key = tuple(texts)
        if key not in self._made:
            self._made[key] = AcceptedTexts(key, self._question, self._words)
        return self._made[key]


def _without_elision(text: str) -> str:
    return _ELIDED.sub("", text)
