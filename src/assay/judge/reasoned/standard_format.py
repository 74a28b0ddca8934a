"""The score lines and sections of the standard evaluation format, as a judge may write them.

In: any text, and the labels of the criteria. Out: StandardLines.

    Correctness: 8/10 - explanation
    STRENGTHS:
    - a point
    VERDICT: one sentence

Emphasis and list marks around a label are forgiven. Of several lines for a label the last counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

LONGEST = 400_000  # characters
_SCORE = (
    r"(?P<score>-?\d{1,6}(?:[.,]\d{1,6})?)"
    # A number alone is a score only where the line ends or its explanation begins: not "8 of 12".
    r"(?:\s{0,3}(?:/|out\s{1,3}of)\s{0,3}10(?![\d.])|(?=[*_]{0,3}\s{0,3}(?:$|[-–—]\s)))"
)
_SECTION = re.compile(
    r"^[\s*#_>]{0,8}(?P<name>DETAILED ASSESSMENT|STRENGTHS|WEAKNESSES|VERDICT|OVERALL SCORE"
    r"|QUALITY RATING|EVALUATION)[*_]{0,3}\s{0,3}:[*_]{0,3}[ \t]{0,3}(?P<rest>.*)$"
)
_BULLET = re.compile(r"^\s{0,8}(?:[-*•]|\d{1,2}[.)])\s+(?P<text>.+)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreLine:
    """A score as it is written, and the text after it."""

    score: str
    explanation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandardLines:
    """What was found; `lines` by label."""

    lines: Mapping[str, ScoreLine] = field(default_factory=dict)
    assessment: str = ""
    strengths: tuple[str, ...] = ()
    weaknesses: tuple[str, ...] = ()
    verdict: str = ""


def read_standard_format(
    text: str, labels: Sequence[str], is_a_quote: Callable[[str], bool] = lambda line: False
) -> StandardLines:
    """Find the score line of each label, and the sections. `is_a_quote`: whether a score line is
    the answer's own, which the judge repeats.
    """
    patterns = [(label, _line_pattern(label)) for label in labels]
    lines: dict[str, ScoreLine] = {}
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text[:LONGEST].splitlines():
        scored = next(((label, m) for label, p in patterns if (m := p.match(line))), None)
        if scored and is_a_quote(line):
            current = []
        elif scored:
            label, match = scored
            lines[label] = ScoreLine(score=match["score"], explanation=match["rest"].strip())
            current = []
        elif section := _SECTION.match(line):
            current = sections[section["name"]] = [section["rest"]]
        else:
            current.append(line)
    return StandardLines(
        lines=lines,
        assessment=_joined(sections.get("DETAILED ASSESSMENT", [])),
        strengths=_points(sections.get("STRENGTHS", [])),
        weaknesses=_points(sections.get("WEAKNESSES", [])),
        verdict=_joined(sections.get("VERDICT", [])),
    )


def _line_pattern(label: str) -> re.Pattern[str]:
    words = r"[\s_]{1,3}".join(re.escape(word) for word in label.split())
    return re.compile(
        rf"^[\s*#_>-]{{0,8}}(?:\d{{1,2}}[.)]\s{{0,3}})?[*_]{{0,3}}{words}[*_]{{0,3}}\s{{0,3}}"
        rf"(?:\(0-10\)\s{{0,3}})?:[\s*_]{{0,6}}{_SCORE}[*_]{{0,3}}\s{{0,3}}[-–—:.]?(?P<rest>.*)$",
        re.IGNORECASE,
    )


def _joined(lines: Sequence[str]) -> str:
    return " ".join(line.strip() for line in lines if line.strip())


def _points(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(match["text"].strip() for line in lines if (match := _BULLET.match(line)))
