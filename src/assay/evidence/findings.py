"""Whether an answer names together what belongs together, and has the sections it needs.

In: an answer taken apart, and things to be named. Out: Outcome for each.

    Finding   things that are named together:        PO 4471, SO-88213
    sections  headings with something under them

Who names everything has told nothing apart: a finding holds where the other things of its kind are
not named, or stand in another part of the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.evidence.claims import Answer, Outcome, outcome
from assay.evidence.named_things import with_context
from assay.evidence.phrases import any_of
from assay.messages import tr

_SIGN = re.compile(r"(?<![\w.)\]%])[-−–](?=[0-9])")
_LEAST_BODY = 20  # characters under a heading


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Things that must be named together: of each group of `needs` one phrase; the first group
    names the thing itself. `rivals` are other things of its kind, of which `most_rivals` may stand
    beside it. `or_else`: other ways to say the same.
    """

    name: str
    shown: str
    needs: tuple[tuple[str, ...], ...]
    rivals: tuple[str, ...] = ()
    most_rivals: int = 0
    or_else: tuple[tuple[tuple[str, ...], ...], ...] = ()
    group: str = "findings"


def check_findings(answer: Answer, findings: Sequence[Finding]) -> list[Outcome]:
    """Each finding against the sentences, rows and groups of lines of the answer."""
    units = [with_context(passage, 2) for passage in answer.passages]
    units += answer.groups
    units += [f"{one.before} {one.text}" for one in answer.passages if one.before]
    units = [_SIGN.sub("minus ", unit) for unit in units]
    return [_check_finding(one, units) for one in findings]


def _check_finding(finding: Finding, units: Sequence[str]) -> Outcome:
    ways = [finding, *(replace(finding, needs=needs) for needs in finding.or_else)]
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
