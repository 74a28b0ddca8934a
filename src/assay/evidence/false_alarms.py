"""What an answer calls faulty, to be held against what is.

In: an answer taken apart, the things that there are, the words for a fault and those that take it
back. Out: the things that are called faulty, and the Outcome of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.evidence.claims import Answer, Outcome, outcome
from assay.evidence.figures import read_figures
from assay.evidence.named_things import CLAUSES, gap_to
from assay.evidence.passages import Passage
from assay.evidence.phrases import Dimension, Label, any_of, find_labels
from assay.messages import tr, trn

# "No shortfall", "will not be late", "no risk of a delay"; but "not only late" denies nothing.
_DENIAL = re.compile(
    r"\b(?:no|not|never|without|neither|nor)[ ]"
    r"(?:(?:an?|any|at|all|be|been|going|to|expected|actually|currently|longer|yet|sign|risk|danger"
    r"|of|in|run|running|fall|falling|come|arrive|ship|shipped|delivered|count|as|considered)[ ])"
    r"{0,4}\Z",
    re.IGNORECASE,
)
_LONGEST_DENIAL = 60  # characters
_CLEAR_CELL = re.compile(r"(?:[-–—+]?\s?0?|none|no|n/a|ok|nil)", re.IGNORECASE)


def alarms(
    answer: Answer, things: Dimension, words: tuple[str, ...], clears: tuple[str, ...]
) -> set[str]:
    """The things that the answer connects with such words. A word of `clears` in the sentence
    takes it back; what denies such a word ("not short") does so for the thing it is said of.
    """
    named: set[str] = set()
    for passage in answer.passages:
        text = passage.text
        found = find_labels(text, things)
        matter = [word.span() for word in any_of(words).finditer(text)] if found else []
        if not found or _is_taken_back(text, matter, clears):
            continue
        denied = {word for word in matter if _is_denied(text, word)}
        here: set[str] = set()
        for word in matter:
            if word not in denied:
                here |= _nearest(text, word, found).keys
        named |= here.difference(*(_spared(text, word, found).keys for word in denied))
        over = passage.context[:1] if not passage.cells else ()
        if not matter and (
            any(any_of(words).search(line) for line in over) or _fault_cell(passage, words)
        ):
            named |= found[0].keys
    return named


def _is_taken_back(text: str, matter: Sequence[tuple[int, int]], clears: tuple[str, ...]) -> bool:
    """Whether a word of `clears` stands in the text by itself. What lies in one of the others, or
    begins there, does not: the "enough" of "not enough".
    """
    return any(
        not any(low <= start < high and (low < start or end <= high) for low, high in matter)
        for start, end in (clear.span() for clear in any_of(clears).finditer(text))
    )


def _is_denied(text: str, word: tuple[int, int]) -> bool:
    return bool(_DENIAL.search(text, max(0, word[0] - _LONGEST_DENIAL), word[0]))


def _nearest(text: str, word: tuple[int, int], things: Sequence[Label]) -> Label:
    return min(things, key=lambda one: gap_to(text, word, one.start, one.end))


def _spared(text: str, word: tuple[int, int], things: Sequence[Label]) -> Label:
    """The thing of which a denied word is said: the nearest of its part of the sentence, else the
    last one before.
    """
    breaks = [match.span() for match in CLAUSES.finditer(text)]
    start = max((high for _, high in breaks if high <= word[0]), default=0)
    end = min((low for low, _ in breaks if low >= word[1]), default=len(text))
    within = [one for one in things if start <= one.start and one.end <= end]
    before = [one for one in things if one.end <= word[0]]
    return _nearest(text, word, within or before[-1:] or things)


def _fault_cell(passage: Passage, words: tuple[str, ...]) -> bool:
    """Whether a cell under a header of such words says anything."""
    for cell in passage.cells:
        content = passage.text[cell.start : cell.end]
        if any_of(words).search(cell.header) and not _CLEAR_CELL.fullmatch(content.strip()):
            figures = read_figures(content)
            if not figures or any(one.readings[0].value > 0 for one in figures):
                return True
    return False


def told_nothing(findings: Sequence[Outcome]) -> list[Outcome]:
    """The findings of an answer that calls nearly everything faulty: none."""
    return [
        outcome(
            one.check.name,
            "missing",
            tr("{finding}: nearly everything is called faulty.", finding=one.check.name),
            one.check.group,
        )
        for one in findings
    ]


def check_alarms(false: set[str], found: int, planted: int, shown: str, name: str) -> Outcome:
    """That nothing sound was called faulty. An answer that found less than half of what there is
    has nothing to be careful about.
    """
    if found * 2 < planted:
        said = tr("{claim}: too little was found to tell.", claim=shown)
        return outcome(name, "missing", said, "precision")
    if not false:
        return outcome(name, "right", tr("{claim}: none.", claim=shown), "precision")
    said = trn(
        "{claim}: {count}, {names}.", "{claim}: {count}, {names}.", len(false),
        claim=shown, names=", ".join(sorted(false)),
    )  # fmt: skip
    return outcome(name, "wrong", said, "precision")
