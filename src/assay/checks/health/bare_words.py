"""Whether an answer is words without the small ones that tie words into sentences.

In: an answer as read. Out: where the words stand, or None.

Real text of any kind ties words together: by small words, by commas in a list, by line breaks in a
table. A run of a dozen and more with nothing of that kind is a heap. Lists of technical terms
(search words, names of packages) are heaps too, and healthy: they are told by their terms.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.checks.health.reading import Passage, Read
from assay.checks.health.word_model import Token, all_function_words, known_terms, tokens
from assay.checks.shell.programs import KNOWN_PROGRAMS
from assay.messages import tr

LONG_RUN = 6  # words; shorter runs stand in any text
FEWEST, SHARE = 30, 0.6  # words in long runs; share of all words
MEAN_RUN = 11.0  # words; headings and imperatives have runs of six to nine
TECHNICAL = 0.15  # share of the words that are terms
LISTED = 0.3  # commas a word


def bare_words(about: Read) -> Passage | None:
    """The heap of words that an answer is, or None."""
    found = [token for token in tokens(about.text) if about.kind_at(token.start) != "code"]
    words = [token for token in found if token.text[0].isalpha()]
    runs = [run for run in _runs(about, found) if len(run) >= LONG_RUN]
    bare = [token for run in runs for token in run]
    if len(bare) < max(FEWEST, SHARE * len(words)) or len(bare) < MEAN_RUN * len(runs):
        return None
    start, end = bare[0].start, bare[-1].end
    technical = known_terms() | KNOWN_PROGRAMS
    terms = sum(token.text.casefold() in technical for token in bare)
    commas = about.text.count(",", start, end)
    if terms > TECHNICAL * len(bare) or commas > LISTED * len(bare):
        return None
    return Passage(start, end, tr("It is words with nothing that ties them together."))


def _runs(about: Read, found: list[Token]) -> Iterator[list[Token]]:
    """Words one after the other on a line, with neither a small word nor a number between."""
    run: list[Token] = []
    for token in found:
        if token.text in ".,;!?":
            continue
        tied = not token.text[0].isalpha() or token.text.casefold() in all_function_words()
        if run and (tied or "\n" in about.text[run[-1].end : token.start]):
            yield run
            run = []
        if not tied:
            run.append(token)
    if run:
        yield run
