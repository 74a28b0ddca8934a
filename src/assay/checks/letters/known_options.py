"""The options of a test as an answer names them, folded once: their texts, the last words of names,
and what a whole answer or the words behind a letter say of them.
"""

import re
from functools import cached_property, lru_cache

from assay.checks.letters.options import Options
from assay.text.answer_words import WORDS
from assay.text.folding import fold_for_matching, lower_in_place
from assay.text.late_pattern import late_pattern
from assay.text.number_words import in_digits
from assay.text.structure import is_unspaced

_ARTICLE = late_pattern(rf"\A{WORDS['article']}(?:\s+|(?<='))")
_EDGES = " .,;:!?*_`\"'()[]«»“”"
_PLACE = re.compile(r"\W{0,3}(\d)\W{0,3}")
_BEFORE_OWN = " \t).:*`-–—(]"


class KnownOptions:
    """The options of one test."""

    def __init__(self, options: Options) -> None:
        self.letters = options.letters
        self.texts = options.texts
        self.match = options.match
        self._own = [" ".join(fold_for_matching(text).split()) for text in options.texts]
        self._by_text = dict(zip(options.texts, options.letters, strict=False))
        folded = [*map(lower_in_place, self._own)]
        plain = [_ARTICLE.sub("", text) for text in folded]
        if len({*plain}) == len(plain) and all(len(text) > 2 for text in plain):
            folded = plain
        named = [pair for pair in zip(self.letters, folded, strict=False) if pair[1]]
        self._bare = [(letter, text.strip(_EDGES)) for letter, text in named]
        # The longest first, each with whether its script writes no spaces.
        self.named = [
            (letter, text, is_unspaced(text))
            for letter, text in sorted(named, key=lambda each: -len(each[1]))
        ]

    @cached_property
    def last_names(self) -> list[tuple[str, str, bool]]:
        """The last word of options that are names of several words, if no other option has it."""
        if not all(" " in text and text.istitle() for text in self.texts):
            return []
        last = [fold_for_matching(text.split()[-1]) for text in self.texts]
        every = " ".join(map(fold_for_matching, self.texts)).split()
        return [
            (letter, name, is_unspaced(name))
            for letter, name in zip(self.letters, last, strict=False)
            if every.count(name) == 1 and len(name) > 3
        ]

    @cached_property
    def has_digits(self) -> tuple[bool, bool]:
        """Whether any option has a digit, and whether every one has."""
        each = [any(map(str.isdecimal, text)) for text in self.texts]
        return any(each), all(each)

    def own_text(self, letter: str) -> str:
        """The folded text of an option; empty where there is none."""
        position = ord(letter) - ord("A")
        return self._own[position] if 0 <= position < len(self._own) else ""

    def own_text_end(self, letter: str, after: str) -> int:
        """Where the option's own text ends behind its letter; 0 where it is not there."""
        own = self.own_text(letter)
        start = len(after) - len(after.lstrip(_BEFORE_OWN))
        if not own or not after.startswith(own, start):
            return 0
        end = start + len(own)
        return 0 if after[end : end + 1].isalnum() else end

    def as_option(self, letter: str) -> str:
        """The letter; beyond the last one allowed, "y" is the option whose text is y."""
        if letter in self.letters:
            return letter
        return self._by_text.get(letter.lower(), self._by_text.get(letter, letter))

    def same_text(self, text: str) -> str | None:
        """The letter of the option whose text the reply is, as "B only" where that is option C."""
        bare = " ".join(fold_for_matching(text).split()).strip(_EDGES)
        same = {letter for letter, option in self._bare if option == bare}
        return same.pop() if bare and len(same) == 1 else None

    def counted(self, text: str, language: str | None = None) -> str | None:
        """The option whose place in the list the whole reply is, if no option is a number: "2".
        Where options are numbers in words it is the number: "4" is "four".
        """
        place = _PLACE.fullmatch(text) if len(text) < 8 else None
        if place is None or not self.texts or self.has_digits[0]:
            return None
        in_words = [in_digits(in_digits(option, language), "eng") for option in self._own]
        if any(map(str.isdecimal, in_words)):
            same = in_words.index(place[1]) if in_words.count(place[1]) == 1 else None
            return None if same is None else self.letters[same : same + 1] or None
        return self.letters[int(place[1]) - 1 : int(place[1])] or None


@lru_cache(maxsize=512)
def known_options(options: Options) -> KnownOptions:
    """Made once a test."""
    return KnownOptions(options)
