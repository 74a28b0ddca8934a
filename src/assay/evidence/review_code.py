"""CT-04: the findings that were planted are looked for in a review. Nothing is run.

In: a review, and what was planted where. Out: Evidence: a check for each finding, and one for false
alarms, which are also quoted in the notes.

A finding counts where a piece of the review names its place (the function, its lines, or a line of
its code) and speaks of the problem, unless all that it says is that this is well. A piece that
speaks of everything counts for nothing, and so do pieces that say the same of several places, and
all pieces of a review that raises more than a few false alarms.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from assay.evidence.review_segments import Segment, segments
from assay.evidence.review_wording import (
    ALSO_CALLED,
    CLAIMED,
    DENIED,
    FALSE_IF_SOUND,
    NOWHERE_ELSE,
    PRAISE,
    SPOKEN_OF,
    finds_all_well,
)
from assay.fixtures import Made
from assay.messages import tr
from assay.sandbox import Sandbox
from assay.types.judgements import Evidence, EvidenceCheck

_MOST_PLACES = 4  # in one piece; beyond, it is a list of everything
_MOST_CLAIMS = 4
# Good reviews speak of up to three problems where they name one place: words have several meanings.
_MOST_PROBLEMS = 4  # and two more for each place
_MOST_ALIKE = 2  # pieces that differ in nothing but their places
_MOST_FALSE = 5
_SENTENCE_END = re.compile(r"[.;\n] ?|, (?:but|while|whereas|and) ")
_SHORTEST_LINE = 14  # characters: shorter lines of code say little about a place
_LINES = re.compile(
    r"\b(?:lines?:? {0,2}|l\.? ?)(\d{1,4})(?: {0,2}(?:-|–|—|to|and) {0,2}l?(\d{1,4}))?\b"
)
Site = Mapping[str, Any]


def examine(answer: str, made: Made, sandbox: Sandbox | None) -> Evidence:
    """Look for the planted findings in a review. A sandbox is not needed."""
    sites: Sequence[Site] = made.facts["sites"]
    pieces = [_Piece(segment, sites) for segment in segments(answer)]
    false = _false_alarms(pieces, sites)
    telling = _telling(pieces)
    trusted = len(false) <= _MOST_FALSE
    found = {
        str(site["id"])
        for site in sites
        if site["planted"] and trusted and any(piece.finds(site) for piece in telling)
    }
    checks = [_finding(site, str(site["id"]) in found) for site in sites if site["planted"]]
    checks.append(_alarms(false, anything=bool(found)))
    notes = tuple(
        tr("False alarm: {name} does not have the problem {problem}.", name=name, problem=problem)
        for name, problem in false[:10]
    )
    return Evidence(checks=tuple(checks), notes=notes)


class _Piece:
    """A segment, and the sites that it names."""

    def __init__(self, segment: Segment, sites: Sequence[Site]) -> None:
        self.text = segment.prose.lower()
        self.heading = self.text.partition("\n")[0]
        self.whole_section = segment.whole_section
        self.places = {str(site["id"]) for site in sites if _names(segment, site)}
        claims = sum(pattern.search(self.text) is not None for pattern in CLAIMED.values())
        problems = sum(pattern.search(self.text) is not None for pattern in SPOKEN_OF.values())
        self.speaks_of_everything = (
            len(self.places) > _MOST_PLACES
            or claims > _MOST_CLAIMS
            or problems > _MOST_PROBLEMS + 2 * len(self.places)
        )
        names = (re.escape(site["name"].lower()) for site in sites)
        self.without_places = re.sub(rf"{'|'.join(names)}|[\W\d_]+", " ", self.text).strip()

    def finds(self, site: Site) -> bool:
        """Whether it speaks of this finding at its place."""
        if site["id"] not in self.places or self.speaks_of_everything:
            return False
        # Sections join what stands apart: only where they speak of one place is that one thing.
        if self.whole_section and len(self.places) > 1:
            return False
        spoken_of = SPOKEN_OF[site["id"]]
        if not self.finds_all_well:
            return spoken_of.search(self.text) is not None
        # One place may be praised beside another that is blamed.
        return len(self.places) > 1 and any(
            spoken_of.search(part) is not None and not finds_all_well(part)
            for part in _SENTENCE_END.split(self.text)
            if site["name"].lower() in part
        )

    @cached_property
    def finds_all_well(self) -> bool:
        """Whether it approves of what it names, and blames nothing."""
        return finds_all_well(self.text)

    def claims(self, problem: str) -> bool:
        """Whether it claims this problem of the one place that it names."""
        if len(self.places) != 1 or self.whole_section or PRAISE.search(self.text):
            return False
        found = CLAIMED[problem].search(self.text)
        return found is not None and not DENIED.search(self.text[: found.start()][-80:])


def _telling(pieces: Sequence[_Piece]) -> list[_Piece]:
    """Those that say something of their own. What a section names in its heading or one paragraph,
    and approves of in another, is no finding.
    """
    alike = Counter(piece.without_places for piece in pieces if piece.places)
    approved = {
        piece.heading
        for piece in pieces
        if piece.whole_section and len(piece.places) == 1 and piece.finds_all_well
    } - {""}
    return [
        piece
        for piece in pieces
        if alike[piece.without_places] <= _MOST_ALIKE and piece.heading not in approved
    ]


def _names(segment: Segment, site: Site) -> bool:
    prose = segment.prose
    if re.search(rf"(?<![\w]){re.escape(site['name'])}(?![\w])", prose):
        return True
    also = ALSO_CALLED.get(site["id"])
    if also is not None and also.search(prose):
        return True
    first, last = site["lines"]
    for match in _LINES.finditer(prose.lower()):
        low = int(match.group(1))
        high = int(match.group(2) or low)
        if first <= low and high <= last:
            return True
    lines = [line.strip() for line in site["source"].splitlines()]
    text = f"{prose}\n{segment.code}"
    return any(len(line) >= _SHORTEST_LINE and line in text for line in lines)


def _false_alarms(pieces: Sequence[_Piece], sites: Sequence[Site]) -> list[tuple[str, str]]:
    """(place, problem) of claims that the code contradicts."""
    alarms = []
    for site in sites:
        own = str(site["id"])
        problems = set(NOWHERE_ELSE) - {own}
        if not site["planted"] and own in CLAIMED:
            problems.add(own)
        if not site["planted"]:
            problems |= {one for one, but in FALSE_IF_SOUND.items() if own not in but}
        for problem in sorted(problems):
            if any(own in piece.places and piece.claims(problem) for piece in pieces):
                alarms.append((str(site["name"]), problem.replace("_", " ")))
    return alarms


def _finding(site: Site, found: bool) -> EvidenceCheck:
    name = site["name"]
    return EvidenceCheck(
        name=f"finding:{site['id']}",
        passed=found,
        explanation=tr("The problem of {kind} in {name} is found", kind=site["kind"], name=name)
        if found
        else tr("The problem of {kind} in {name} is not found", kind=site["kind"], name=name),
        group=site["kind"],
    )


def _alarms(false: Sequence[tuple[str, str]], *, anything: bool) -> EvidenceCheck:
    if false:
        explanation = tr("Sound code is called faulty: {names}",
                         names=", ".join(dict.fromkeys(name for name, _ in false)))  # fmt: skip
    elif anything:
        explanation = tr("No sound code is called faulty")
    else:
        explanation = tr("Nothing is found, so that no alarm could be false")
    return EvidenceCheck(
        name="no_false_alarms",
        passed=anything and not false,
        explanation=explanation,
        group="accuracy",
    )
