"""What a test expects, as the rules that read its answers see it; made once a test."""

from __future__ import annotations

from collections.abc import Sequence

from assay.text.commitment import Lexicon, asked_by
from assay.text.folding import fold_whole_answer
from assay.text.mentions import POLES, Mentions
from assay.text.said import Said, Vocabulary
from assay.text.structure import words_in


class Expected:
    """The accepted texts, their words and those of the question."""

    def __init__(self, accepted: Sequence[str], question: str, words: Lexicon) -> None:
        self.words = words
        self.asked = asked_by(question)
        self.texts = frozenset(map(fold_whole_answer, accepted))
        self.mentions = Mentions(accepted, words.listed)
        self.names = any(text[:1].isupper() and not text.isupper() for text in accepted)
        self.each = [frozenset(words_in(text)) for text in accepted]
        self.own = frozenset().union(*self.each)
        self.longest = max((len(words_in(text)) for text in accepted), default=1)
        self.vocabulary = Vocabulary(self.asked, self.own, self.names)
        self.is_polar = any(text in pole for pole in POLES for text in self.texts)
        self.question = f" {' '.join(self.asked.words)} "
        self.in_question = any(
            f" {' '.join(words_in(text))} " in self.question for text in accepted
        )

    def said(self, text: str) -> Said:
        """A sentence, or a part of one, as this test sees it."""
        return Said(text, self.vocabulary)

    def has_rival(self, said: Said, start: int = 0, end: int | None = None) -> bool:
        """Whether a part of a sentence has a word that could be another answer."""
        new = said.new(start, end)
        if new and self.names and has_case(said.text[start:end]):
            return any(word[:1].isupper() for word in new)
        return bool(new)


def has_case(text: str) -> bool:
    """Whether a script has capitals, by which names are known."""
    return text.lower() != text.upper()
