"""The lines of an evaluation: labels, the marks around them that are forgiven, and places.

In: a text of any size and origin. Out: lines with their labels, and findings at a line and column.

Forgiven, because language models write them unasked: CRLF, fences of code around the whole, and
Markdown's marks of headings and of bold words around a label, and of list items before a line that
has a score. Nothing else is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from rapidfuzz import fuzz, process

from assay.messages import trn
from assay.text.safe_text import one_line
from assay.types import Finding, Severity

# In the order of the format.
LABELS = (
    "TEST ID", "MODEL", "TASK", "EVALUATION", "OVERALL SCORE", "QUALITY RATING",
    "DETAILED ASSESSMENT", "STRENGTHS", "WEAKNESSES", "VERDICT",
)  # fmt: skip
# These name a block, and their own line ends with the colon.
BLOCKS = frozenset({"EVALUATION", "DETAILED ASSESSMENT", "STRENGTHS", "WEAKNESSES"})

SHOWN = 60  # characters of a line that a finding shows
LONGEST_LINE = 20_000  # characters of a line that are read
MOST_FINDINGS = 60  # of an evaluation; the rest is counted

_HEADING = re.compile(r"#{1,6}[ \t]+")
_ITEM_WITH_SCORE = re.compile(
    r"[ \t]{0,4}[-*+•][ \t]+(?=[*_]{0,2}[A-Z][A-Za-z ]{0,30}[:*_]{1,3}[ ]?\d+/)"
)
_FENCE = re.compile(r"(?:```|~~~)[`~]*[ \t]*[\w+.-]{0,40}[ \t]*")
_LABELLED = re.compile(r"([A-Za-z][A-Za-z ]{0,30}):(.*)", re.DOTALL)
_BOLD = ("**", "__")


@dataclass(frozen=True, slots=True)
class EvaluationLine:
    """One line; without Markdown's marks where it has a label. Columns are the file's, from 1."""

    number: int
    text: str
    label: str = ""
    value: str = ""
    column: int = 1
    value_at: int = 1


def shown(text: str) -> str:
    """A piece of the file in a finding."""
    return one_line(text[: 4 * SHOWN], longest=SHOWN)


def lines_of(text: str) -> Iterator[EvaluationLine]:
    """Every line but fences and empty ones."""
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw[:LONGEST_LINE].removesuffix("\r")
        if not line.strip() or _FENCE.fullmatch(line.strip()):
            continue
        yield _labelled(number, line)


def nearest_label(line: str, others: Collection[str]) -> str | None:
    """The label that a line may have meant, of the format's own and these."""
    word = line[:120].strip(" \t#*_-").partition(":")[0].strip(" *_")
    known = {label: label.casefold() for label in (*LABELS, *sorted(others))}
    near = process.extractOne(word[:30].casefold(), known, scorer=fuzz.ratio, score_cutoff=80)
    return None if near is None else near[2]


def _labelled(number: int, line: str) -> EvaluationLine:
    """A label is read without its marks; a line that has none keeps what it has."""
    mark = _HEADING.match(line) or _ITEM_WITH_SCORE.match(line)
    start = mark.end() if mark else 0
    bare, bold = line[start:], line[start : start + 2]
    if bold in _BOLD and bold in bare[2:]:
        bare = bare.replace(bold, "", 2)
    found = _LABELLED.fullmatch(bare)
    if found is None:
        return EvaluationLine(number, line)
    value = found[2].strip()
    at = line.find(value, start + len(found[1]))
    return EvaluationLine(number, bare, found[1], value, start + 1, max(at, start) + 1)


class Findings:
    """Deviations of one evaluation, or of the file around them, bounded: a hostile text has as many
    as it has lines.
    """

    def __init__(self, file: str, test_id: str | None = None) -> None:
        self.file = file
        self.test_id = test_id
        self._found: list[Finding] = []
        self._left_out = 0

    def add(self, line: int, column: int, message: str, severity: Severity = "error") -> None:
        """One more, unless there are too many."""
        if len(self._found) == MOST_FINDINGS:
            self._left_out += 1
            return
        self._found.append(
            Finding(
                file=self.file,
                line=line,
                column=column,
                message=message,
                test_id=self.test_id,
                severity=severity,
            )
        )

    def all(self) -> tuple[Finding, ...]:
        """Every one, and how many more there would be."""
        if not self._left_out:
            return tuple(self._found)
        more = trn(
            "{count} more finding is not shown",
            "{count} more findings are not shown",
            self._left_out,
        )
        return (*self._found, replace(self._found[-1], column=1, message=more, severity="error"))
