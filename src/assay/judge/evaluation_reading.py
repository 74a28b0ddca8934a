"""Evaluations in the standard format, read back: ours, a colleague's, or another model's.

The scores of the criteria count; what is printed as overall and rating is only checked. Forgiven,
because language models write them unasked: code fences, Markdown around a label, list items before
a criterion, and lines that the format does not have.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from assay.messages import tr
from assay.text.safe_text import one_line
from assay.types import FileFinding
from assay.types.judging.evaluation_format import (
    CHECKS,
    LABELS,
    NO_ANSWER,
    NOT_CHECKED,
    STANDARD_CRITERIA,
    UNSCORED,
    nothing_named,
)
from assay.types.judging.judgements import (
    IMPORTED,
    MOST,
    CriterionScore,
    Judgement,
    band_of,
    format_tenths,
    overall_tenths,
)

LONGEST_LINE = 4000
MOST_ITEMS = 100  # strengths, weaknesses and lines of the assessment, each
_ONLY_SCORED = frozenset({"OVERALL SCORE", "QUALITY RATING", "STRENGTHS", "WEAKNESSES"})
_UNSCORED = (UNSCORED, CHECKS, NO_ANSWER, NOT_CHECKED)
_CRITERIA = {label: key for each in STANDARD_CRITERIA.values() for key, label, _ in each}
_THIRD = {each[-1][1]: each for each in STANDARD_CRITERIA.values()}


def _labelled(before: str, labels: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"{before}[*_]{{0,2}}({'|'.join(labels)})[*_]{{0,2}}:(.*)")


_LABEL = _labelled(r"(?:#{1,6}[ \t]+)?", LABELS)
_CRITERION = _labelled(r"[ \t]{0,4}(?:[-*+•][ \t]+)?", (*_CRITERIA, *_UNSCORED))
_TEST_ID = re.compile(r"[\w-]{1,200}")
_TEST_NAME = re.compile(r"[^()]{0,210}\((.{1,200})\)")
_SCORE = re.compile(r"(\d{1,2}) ?/ ?10(?![\d.,])[\s*_]*[-–—:]?\s*(.*)")
_FENCE = re.compile(r"(?:```|~~~)\S{0,40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """One evaluation. `name`: what it calls the test; `criteria`: the keys of all that it scores.
    `duplicate`: the same test and model were evaluated above.
    """

    file: str
    line: int
    test_id: str
    name: str
    criteria: tuple[str, ...]
    model: str
    judgement: Judgement
    findings: tuple[FileFinding, ...]
    duplicate: bool


def read_evaluations(text: str, *, file: str) -> list[Imported]:
    """Every evaluation of a text; never raises."""
    found: list[Imported] = []
    seen: set[tuple[str, str]] = set()
    for part in _parts(text.removeprefix("\ufeff"), file):
        key = part.test_id, part.value("MODEL")
        found.append(part.finished(duplicate=key in seen))
        seen.add(key)
    return found


def _parts(text: str, file: str) -> "Iterator[_Evaluation]":
    part: _Evaluation | None = None
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw[:LONGEST_LINE].rstrip()
        label = _LABEL.match(line)
        if label and label[1] == "TEST ID":
            if part is not None:
                yield part
            part = _Evaluation(file, number)
        if part is not None and line and not _FENCE.fullmatch(line):
            part.take(number, line, label)
    if part is not None:
        yield part


@dataclass(slots=True)
class _Evaluation:
    """One evaluation, line by line. `blocks`: by label what follows it, its own line first."""

    file: str
    line: int
    blocks: dict[str, list[str]] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    twice: dict[str, int] = field(default_factory=dict)
    block: str = ""
    findings: list[FileFinding] = field(default_factory=list)

    def take(self, number: int, line: str, label: re.Match[str] | None) -> None:
        """The first of a label counts."""
        if label is None and self.block == "EVALUATION":
            label = _CRITERION.match(line)
        elif label is not None:
            self.block = label[1]
        if label is None:
            if self.block not in self.twice:
                self.blocks[self.block].append(line.strip())
        elif label[1] in self.blocks:
            self.twice[label[1]] = number
        else:
            self.blocks[label[1]] = [label[2].strip(" \t*_")]
            self.places[label[1]] = number

    @property
    def test_id(self) -> str:
        found = _TEST_ID.match(self.value("TEST ID"))
        return found[0] if found else ""

    def value(self, label: str) -> str:
        return self.blocks.get(label, [""])[0]

    def items(self, label: str) -> tuple[str, ...]:
        lines = (line.removeprefix("- ").removeprefix("* ") for line in self.blocks.get(label, ()))
        kept = [line for line in lines if line and line not in (nothing_named(), "none named")]
        return tuple(kept[:MOST_ITEMS])

    def finished(self, *, duplicate: bool) -> Imported:
        unscored = next((label for label in _UNSCORED if label in self.blocks), None)
        if duplicate:
            self._find("TEST ID", tr("this test and model were evaluated above already"))
        for label, line in self.twice.items():
            self._find("", tr("{label} is here twice; the first counts", label=label), line)
        for label in LABELS:
            if label not in self.blocks and not (unscored and label in _ONLY_SCORED):
                self._find("TEST ID", tr("{label} is missing", label=label))
        scores = [] if unscored else self._scores()
        whole = "\n".join(line for lines in self.blocks.values() for line in lines)
        errors = [each.message for each in self.findings]
        why = self.value(unscored) if unscored else "; ".join(errors[:3])
        return Imported(
            file=self.file,
            line=self.line,
            test_id=self.test_id,
            name=found[1].strip() if (found := _TEST_NAME.match(self.value("TEST ID"))) else "",
            criteria=tuple(key for label, key in _CRITERIA.items() if label in self.blocks),
            model=self.value("MODEL"),
            judgement=Judgement(
                judge=IMPORTED + self.file,
                fingerprint=IMPORTED
                + hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()[:16],
                form="reasoned",
                scores=tuple(scores),
                unscored_reason=None if scores else "unreadable",
                explanation="" if scores else why,
                assessment="\n".join(self.items("DETAILED ASSESSMENT")),
                strengths=self.items("STRENGTHS"),
                weaknesses=self.items("WEAKNESSES"),
                verdict=self.value("VERDICT"),
            ),
            findings=tuple(self.findings),
            duplicate=duplicate,
        )

    def _scores(self) -> list[CriterionScore]:
        """All criteria, or none where one cannot be read."""
        third = next((label for label in _THIRD if label in self.blocks), None)
        if third is None:
            self._find("TEST ID", tr("{label} is missing", label=tr(" or ").join(_THIRD)))
            return []
        scores = []
        for key, label, _ in _THIRD[third]:
            found = _SCORE.fullmatch(self.value(label))
            if label not in self.blocks:
                self._find("TEST ID", tr("{label} is missing", label=label))
            elif found is None or int(found[1]) > MOST:
                message = tr(
                    "{label} is between 0 and 10, in whole points (7/10), not: {shown}",
                    label=label,
                    shown=one_line(self.value(label), longest=60),
                )
                self._find(label, message)
            else:
                score = CriterionScore(criterion=key, score=int(found[1]), reason=found[2])
                scores.append(score)
        if len(scores) < len(_THIRD[third]):
            return []
        weights = (weight for _, _, weight in _THIRD[third])
        points = [each.score for each in scores]
        self._check_sums(points, overall_tenths(list(zip(weights, points, strict=True))) or 0)
        return scores

    def _check_sums(self, points: Sequence[int], tenths: int) -> None:
        overall, band = format_tenths(tenths), band_of(tenths)
        gaps = {"scores": ", ".join(map(str, points)), "overall": overall, "band": band}
        for label, right, told in (
            ("OVERALL SCORE", (overall, overall.removesuffix(".0")),
             tr("the overall score is printed as {printed}, but {scores} come to {overall}")),
            ("QUALITY RATING", (band,),
             tr("the rating is printed as {printed}, but {overall} is {band}")),
        ):  # fmt: skip
            printed = self.value(label).removesuffix("/10").strip()
            if label in self.blocks and printed not in right:
                shown = one_line(printed, longest=60)
                self._find(label, told.format(printed=shown, **gaps))

    def _find(self, label: str, message: str, line: int = 0) -> None:
        self.findings.append(
            FileFinding(
                file=self.file,
                line=line or self.places[label],
                column=1,
                message=message,
                test_id=self.test_id or None,
            )
        )
