"""Which thing an answer says to be something: the top customer is Brackenfold.

In: an answer taken apart, and things to be named. Out: Outcome for each.

Who names everything has told nothing apart: of several things in a clause the one nearest to the
words counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.evidence.claims import Answer, Outcome, outcome
from assay.evidence.passages import Passage
from assay.evidence.phrases import Dimension, any_of, find_labels
from assay.messages import tr

_PAUSE = 25  # what a comma between a word and a thing costs, in characters
CLAUSES = re.compile(r"; |,? (?:while|whereas|but) ")
_JOINTS = re.compile(r",? and |, ")
# "By value, carts come first with 30 units": what the first words speak of is meant, unless the cue
# has a word of its own ("leads in units").
_OPENING = re.compile(
    r"(?:(?:so|and|then|thus|again)[ ,]{1,2})?(?:by|in|on|measured|ranked|judged|looking|going)\b"
    r"[^,:;|]{1,40}[,:](?= )",
    re.IGNORECASE,
)
_OWN_WORD = re.compile(r"[^\d,:;|]{0,15}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A thing that is said to be something. All groups of `cues` must be heard in the sentence or
    over it; of the things of `dimension`, the one nearest to the first cue is meant. Words of
    `never` in the sentence: it is about something else; so it is where a word of `against` stands
    nearer to the first cue than those of the second, if the clause does not open with one ("By
    value, ..."). `never_over`: a line with such a word says nothing of those under it. `alone`:
    nothing else may be called so.
    """

    name: str
    shown: str
    right: str
    dimension: Dimension
    cues: tuple[tuple[str, ...], ...]
    never: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    never_over: tuple[str, ...] = ()
    alone: bool = False
    group: str = "names"


def check_named(answer: Answer, facts: Sequence[Named]) -> list[Outcome]:
    """Each thing against what the answer says it is."""
    return [_check_named(fact, answer) for fact in facts]


def _check_named(fact: Named, answer: Answer) -> Outcome:
    meant = [
        _meant(fact, clause, passage)
        for passage in answer.passages
        for clause in _clauses(passage.text, fact)
    ]
    right = meant.count(fact.right)
    others = dict.fromkeys(one for one in meant if one not in (None, fact.right))
    if right and (not others if fact.alone else right >= len(others)):
        said = tr("{fact}: named, {name}.", fact=fact.shown, name=fact.right)
        return outcome(fact.name, "right", said, fact.group)
    if others:
        said = tr(
            "{fact}: the answer names {stated}, the data show {name}.",
            fact=fact.shown, stated=", ".join(str(one) for one in others), name=fact.right,
        )  # fmt: skip
        return outcome(fact.name, "wrong", said, fact.group)
    said = tr("{fact}: not named; the data show {name}.", fact=fact.shown, name=fact.right)
    return outcome(fact.name, "missing", said, fact.group)


def _clauses(text: str, fact: Named) -> list[str]:
    """The parts of a sentence that may each name something. A comma or an "and" divides where the
    cue and a thing stand on either side: "the best is A, and the worst is B" keeps its halves.
    """
    clauses: list[str] = []
    for part in CLAUSES.split(text):
        start = 0
        for joint in _JOINTS.finditer(part):
            if _is_whole(part[start : joint.start()], fact) and _is_whole(
                part[joint.end() :], fact
            ):
                clauses.append(part[start : joint.start()])
                start = joint.end()
        clauses.append(part[start:])
    return clauses


def _is_whole(text: str, fact: Named) -> bool:
    return bool(any_of(fact.cues[0]).search(text) and find_labels(text, fact.dimension))


def _meant(fact: Named, clause: str, passage: Passage) -> str | None:
    """Which of the things a clause says it is. One that stands before or over it is meant where
    the clause itself names none.
    """
    if fact.never and any_of(fact.never).search(clause):
        return None
    over = [
        text
        for text in passage.context
        if not (fact.never_over and any_of(fact.never_over).search(text))
    ]
    headers = [cell.header for cell in passage.cells]
    whole = "\n".join((clause, *headers, *over))
    if not all(any_of(group).search(whole) for group in fact.cues):
        return None
    cues = list(any_of(fact.cues[0]).finditer(clause))
    if not cues:
        if passage.cells or _begins_against(fact, clause):
            return None
        return _only(fact.dimension, (clause,))
    cues = [cue for cue in cues if not _is_against(fact, clause, cue.span())]
    things = find_labels(clause, fact.dimension)
    if cues and things:
        _, near = min(
            (
                (gap_to(clause, cue.span(), one.start, one.end), one)
                for cue in cues
                for one in things
            ),
            key=lambda pair: pair[0],
        )
        return next(iter(near.keys))
    around = (passage.before, *passage.context, *(() if passage.cells else passage.earlier))
    return _only(fact.dimension, around) if cues else None


def _begins_against(fact: Named, clause: str) -> bool:
    """Whether a clause without the cue speaks first of what is not meant."""
    if not fact.against:
        return False
    meant, other = (any_of(words).search(clause) for words in (fact.cues[1], fact.against))
    return other is not None and (meant is None or other.start() < meant.start())


def _is_against(fact: Named, clause: str, cue: tuple[int, int]) -> bool:
    """Whether the cue stands with a word of what is not meant."""
    if not fact.against:
        return False
    opening = _OPENING.match(clause)
    if opening and not _has_own_word(fact, clause, cue, opening.end()):
        meant, other = (any_of(words).search(opening[0]) for words in (fact.cues[1], fact.against))
        if bool(meant) != bool(other):
            return bool(other)
    gaps = [
        min(
            (gap_to(clause, cue, *word.span()) for word in any_of(words).finditer(clause)),
            default=-1,
        )
        for words in (fact.cues[1], fact.against)
    ]
    return gaps[1] >= 0 and (gaps[0] < 0 or gaps[1] < gaps[0])


def _has_own_word(fact: Named, clause: str, cue: tuple[int, int], start: int) -> bool:
    """Whether the cue stands in the opening, or a word of what is or is not meant close by it."""
    words = any_of((*fact.cues[1], *fact.against)).finditer(clause, start)
    return cue[0] < start or any(
        _OWN_WORD.fullmatch(clause, min(cue[1], word.end()), max(cue[0], word.start()))
        for word in words
    )


def _only(dimension: Dimension, texts: Sequence[str]) -> str | None:
    """The thing that the first text with any of them names, if it names one."""
    for text in texts:
        named = {thing.keys for thing in find_labels(text, dimension)}
        if named:
            return next(iter(next(iter(named)))) if len(named) == 1 else None
    return None


def gap_to(text: str, word: tuple[int, int], start: int, end: int) -> int:
    """How far a thing stands from a word."""
    low, high = (word[1], start) if word[1] <= start else (end, word[0])
    gap = text[low:high] if low < high else ""
    return len(gap) + _PAUSE * len(re.findall(r"[,;|]", gap))


def with_context(passage: Passage, levels: int) -> str:
    """A passage with the headers of its cells and what stands over it."""
    headers = " | ".join(cell.header for cell in passage.cells)
    return "\n".join((passage.text, headers, *passage.context[:levels]))
