"""Compares what an answer names and connects with what is so.

In: an answer taken apart, and things to be named. Out: Outcome for each. Refuses to know: figures,
tests, the judge.

    Named     a thing that is said to be something:  the top customer is Brackenfold
    Finding   things that are named together:        PO 4471, SO-88213
    alarms    things that an answer calls faulty, to be held against those that are
    sections  headings with something under them

Who names everything has told nothing apart: a finding holds where the other things of its kind are
not named, or stand in another part of the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.evidence.claims import Answer, Outcome, outcome
from assay.evidence.figures import read_figures
from assay.evidence.labels import Dimension, any_of, find_labels
from assay.evidence.passages import Passage
from assay.messages import tr, trn

_PAUSE = 25  # what a comma between a word and a thing costs, in characters
_CLAUSES = re.compile(r"; |,? (?:while|whereas|but) ")
_JOINTS = re.compile(r",? and |, ")
_SIGN = re.compile(r"(?<![\w.)\]%])[-−–](?=[0-9])")
_LEAST_BODY = 20  # characters under a heading
_CLEAR_CELL = re.compile(r"(?:[-–—+]?\s?0?|none|no|n/a|ok|nil)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A thing that is said to be something. All groups of `cues` must be heard in the sentence or
    over it; of the things of `dimension`, the one nearest to the first cue is meant. Words of
    `never` in the sentence: it is about something else; so it is where a word of `against` stands
    nearer to the first cue than those of the second. `never_over`: a line with such a word says
    nothing of those under it. `alone`: nothing else may be called so.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Things that must be named together: of each group of `needs` one phrase; the first group
    names the thing itself. `rivals` are other things of its kind, of which `most_rivals` may stand
    beside it. `or_else`: another way to say the same.
    """

    name: str
    shown: str
    needs: tuple[tuple[str, ...], ...]
    rivals: tuple[str, ...] = ()
    most_rivals: int = 0
    or_else: tuple[tuple[str, ...], ...] = ()
    group: str = "findings"


# --------------------------------------------------------------------------------------- names


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
    for part in _CLAUSES.split(text):
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
            ((_gap(clause, cue.span(), one.start, one.end), one) for cue in cues for one in things),
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
    gaps = [
        min(
            (_gap(clause, cue, *word.span()) for word in any_of(words).finditer(clause)), default=-1
        )
        for words in (fact.cues[1], fact.against)
    ]
    return gaps[1] >= 0 and (gaps[0] < 0 or gaps[1] < gaps[0])


def _only(dimension: Dimension, texts: Sequence[str]) -> str | None:
    """The thing that the first text with any of them names, if it names one."""
    for text in texts:
        named = {thing.keys for thing in find_labels(text, dimension)}
        if named:
            return next(iter(next(iter(named)))) if len(named) == 1 else None
    return None


def _gap(text: str, word: tuple[int, int], start: int, end: int) -> int:
    """How far a thing stands from a word."""
    low, high = (word[1], start) if word[1] <= start else (end, word[0])
    gap = text[low:high] if low < high else ""
    return len(gap) + _PAUSE * len(re.findall(r"[,;|]", gap))


def _with_context(passage: Passage, levels: int) -> str:
    headers = " | ".join(cell.header for cell in passage.cells)
    return "\n".join((passage.text, headers, *passage.context[:levels]))


# ------------------------------------------------------------------------------------ findings


def check_findings(answer: Answer, findings: Sequence[Finding]) -> list[Outcome]:
    """Each finding against the sentences, rows and groups of lines of the answer."""
    units = [_with_context(passage, 2) for passage in answer.passages]
    units += answer.groups
    units += [f"{one.before} {one.text}" for one in answer.passages if one.before]
    units = [_SIGN.sub("minus ", unit) for unit in units]
    return [_check_finding(one, units) for one in findings]


def _check_finding(finding: Finding, units: Sequence[str]) -> Outcome:
    ways = [finding]
    if finding.or_else:
        ways.append(replace(finding, needs=finding.or_else))
    if any(holds(way, unit) for way in ways for unit in units):
        said = tr("{finding}: found.", finding=finding.shown)
        return outcome(finding.name, "right", said, finding.group)
    said = tr("{finding}: not found.", finding=finding.shown)
    return outcome(finding.name, "missing", said, finding.group)


def holds(finding: Finding, unit: str) -> bool:
    """Whether one piece of text states the finding."""
    if not all(any_of(group).search(unit) for group in finding.needs):
        return False
    if not finding.rivals:
        return True
    rivals = [match.span() for match in any_of(finding.rivals).finditer(unit)]
    if len({unit[low:high].casefold() for low, high in rivals}) <= finding.most_rivals:
        return True
    return any(
        all(any_of(group).search(piece) for group in finding.needs)
        for piece in _pieces(finding, unit, rivals)
    )


def _pieces(finding: Finding, unit: str, rivals: Sequence[tuple[int, int]]) -> list[str]:
    """The parts of a text that are about the thing alone. What is said of a thing follows its
    name where a name comes first in the text, and else precedes it.
    """
    own = [match.span() for match in any_of(finding.needs[0]).finditer(unit)]
    first_name = min(low for low, _ in (*own, *rivals))
    words = [any_of(group).search(unit) for group in finding.needs[1:]]
    first_word = min((word.start() for word in words if word), default=len(unit))
    pieces = []
    for low, high in own:
        if first_name <= first_word:
            end = min((other for other, _ in rivals if other >= high), default=len(unit))
            pieces.append(unit[low:end])
        else:
            start = max((other for _, other in rivals if other <= low), default=0)
            pieces.append(unit[start:high])
    return pieces


# -------------------------------------------------------------------------------------- alarms


def alarms(
    answer: Answer, things: Dimension, words: tuple[str, ...], clears: tuple[str, ...]
) -> set[str]:
    """The things that the answer connects with such words; a word of `clears` in the sentence
    takes it back.
    """
    named: set[str] = set()
    for passage in answer.passages:
        found = find_labels(passage.text, things)
        # The "enough" of "not enough" takes nothing back.
        if not found or any_of(clears).search(any_of(words).sub(" ", passage.text)):
            continue
        matter = list(any_of(words).finditer(passage.text))
        for word in matter:
            near = min(found, key=lambda one: _gap(passage.text, word.span(), one.start, one.end))
            named |= near.keys
        over = passage.context[:1] if not passage.cells else ()
        if not matter and (
            any(any_of(words).search(text) for text in over) or _fault_cell(passage, words)
        ):
            named |= found[0].keys
    return named


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


# ------------------------------------------------------------------------------------ sections


def check_sections(answer: Answer, sections: dict[str, tuple[str, ...]]) -> list[Outcome]:
    """That each section has a heading and something under it."""
    headings = {
        index: next((key for key, words in sections.items() if any_of(words).search(line.text)), "")
        for index, line in enumerate(answer.lines)
        if line.heading
    }
    bodies = dict.fromkeys(sections, 0)
    current, depth = "", 0
    for index, line in enumerate(answer.lines):
        if headings.get(index):
            current, depth = headings[index], line.depth
        elif line.heading and line.depth <= depth:
            current = ""
        elif current and not line.heading:
            bodies[current] += len(line.text)
    return [
        outcome(
            f"section {key}",
            "right" if size >= _LEAST_BODY else "missing",
            tr("section {name}: there.", name=key)
            if size >= _LEAST_BODY
            else tr("section {name}: missing or empty.", name=key),
            "sections",
        )
        for key, size in bodies.items()
    ]
