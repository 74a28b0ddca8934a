"""Evaluations in the standard format, read back: ours, a colleague's, or another model's.

A text with any number of evaluations, hostile ones included, becomes what each says, and every
deviation from the format as a FileFinding with its place; `to_judgement` lets an import count like
a judge. The scores of the criteria count, and the overall and its band follow from them; what is
printed there is only checked.

Accepted, because language models write them unasked: CRLF, code fences around the whole, Markdown
headings and bold around a label, and list items before a line that has a score.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from rapidfuzz import fuzz, process

from assay.messages import tr, trn
from assay.reports.judged.evaluation_text import (
    CHECKS,
    NO_ANSWER,
    STANDARD_CRITERIA,
    UNSCORED,
    nothing_named,
)
from assay.text.safe_text import one_line
from assay.types import FileFinding, Severity
from assay.types.judgements import (
    BANDS,
    IMPORTED,
    MOST,
    CriterionScore,
    Judgement,
    band_of,
    overall_tenths,
    shown_tenths,
)

LONGEST_TEXT = 1_000_000  # characters: some five hundred evaluations
LONGEST_LINE = 20_000
LONGEST_VALUE = 4000
LONGEST_SHOWN = 60  # characters of a line in a finding
MOST_EVALUATIONS = 1000
MOST_FINDINGS = 60  # of an evaluation; the rest is counted
MOST_ITEMS = 100  # strengths, weaknesses and lines of the assessment, each

# In the order of the format.
LABELS = (
    "TEST ID", "MODEL", "TASK", "EVALUATION", "OVERALL SCORE", "QUALITY RATING",
    "DETAILED ASSESSMENT", "STRENGTHS", "WEAKNESSES", "VERDICT",
)  # fmt: skip
# These name a block, and their own line ends with the colon.
BLOCKS = frozenset({"EVALUATION", "DETAILED ASSESSMENT", "STRENGTHS", "WEAKNESSES"})
ONLY_SCORED = frozenset({"OVERALL SCORE", "QUALITY RATING", "STRENGTHS", "WEAKNESSES"})
CRITERIA = frozenset(one.label for each in STANDARD_CRITERIA.values() for one in each)
DOMAINS_BY_ID = {"CT": "coding", "DT": "data"}

_HEADING = re.compile(r"#{1,6}[ \t]+")
_ITEM_WITH_SCORE = re.compile(
    r"[ \t]{0,4}[-*+•][ \t]+(?=[*_]{0,2}[A-Z][A-Za-z ]{0,30}[:*_]{1,3}[ ]?\d+/)"
)
_FENCE = re.compile(r"(?:```|~~~)[`~]*[ \t]*[\w+.-]{0,40}[ \t]*")
_LABELLED = re.compile(r"([A-Za-z][A-Za-z ]{0,30}):(.*)", re.DOTALL)
_TEST_ID = re.compile(r"([\w-]{1,200})(?: \((.*)\))?", re.DOTALL)
_SCORE = re.compile(r"([+-]?[\d.,]{1,20})( ?/ ?)(\d{1,6})(?![\d.,])(.*)", re.DOTALL)
_WHOLE = re.compile(r"[+-]?[0-9]{1,6}")
_OVERALL = re.compile(rf"([0-9]{{1,2}}(?:\.[0-9])?)/{MOST}")


@dataclass(frozen=True, slots=True)
class EvaluationLine:
    """One line; without Markdown where it has a label. Columns are the file's, from 1."""

    number: int
    text: str
    label: str = ""
    value: str = ""
    column: int = 1
    value_at: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """One evaluation. `scores` has every criterion that could be read; `tenths` is the overall by
    our arithmetic, None where a criterion is missing. `unscored` is the reason where the text says
    that there is no score. `duplicate`: the same test and model were evaluated above.
    """

    file: str
    line: int
    test_id: str
    name: str
    model: str
    scores: tuple[CriterionScore, ...]
    tenths: int | None
    assessment: tuple[str, ...]
    strengths: tuple[str, ...]
    weaknesses: tuple[str, ...]
    verdict: str
    findings: tuple[FileFinding, ...]
    unscored: str
    duplicate: bool
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationFile:
    """The evaluations of a file, and all findings in the order of their places."""

    evaluations: tuple[Imported, ...]
    findings: tuple[FileFinding, ...]


def read_evaluations(text: str, *, file: str) -> EvaluationFile:
    """Every evaluation of the first `LONGEST_TEXT` characters; never raises."""
    around: list[FileFinding] = []

    def find(line: int, message: str, severity: Severity = "error") -> None:
        around.append(
            FileFinding(file=file, line=line, column=1, message=message, severity=severity)
        )

    readers: list[_Evaluation] = []
    for line in _lines(text[:LONGEST_TEXT].removeprefix("\ufeff")):
        if line.label == "TEST ID":
            if len(readers) == MOST_EVALUATIONS:
                message = tr("more than {most} evaluations are not read", most=MOST_EVALUATIONS)
                find(line.number, message)
                break
            readers.append(_Evaluation(line, file))
        elif readers:
            readers[-1].take(line)
        elif not around:
            shown = _shown(line.text)
            find(line.number, tr("text before the first TEST ID: {shown}", shown=shown), "warning")
    if len(text) > LONGEST_TEXT:
        message = tr("longer than {most} characters; the rest is not read", most=LONGEST_TEXT)
        find(text.count("\n", 0, LONGEST_TEXT) + 1, message)
    if not readers:
        find(1, tr("no evaluation: no line begins with “TEST ID:”"))
    evaluations: list[Imported] = []
    seen: set[tuple[str, str]] = set()
    for reader in readers:
        key = reader.test_id, reader.value("MODEL")
        evaluations.append(reader.finished(duplicate=key in seen))
        seen.add(key)
    findings = [*around, *(one for each in evaluations for one in each.findings)]
    findings.sort(key=lambda one: (one.line, one.column))
    return EvaluationFile(evaluations=tuple(evaluations), findings=tuple(findings))


def to_judgement(imported: Imported) -> Judgement:
    """An import as a judge's words: scored where every criterion could be read, else unscored."""
    scored = imported.tenths is not None
    errors = [one.message for one in imported.findings if one.severity == "error"]
    return Judgement(
        judge=IMPORTED + imported.file,
        fingerprint=IMPORTED + imported.digest,
        form="reasoned",
        scores=imported.scores if scored else (),
        unscored_reason=None if scored else "unreadable",
        explanation="" if scored else imported.unscored or "; ".join(errors[:3]),
        assessment="\n".join(imported.assessment),
        strengths=imported.strengths,
        weaknesses=imported.weaknesses,
        verdict=imported.verdict,
    )


def _lines(text: str) -> Iterator[EvaluationLine]:
    """Every line but fences and empty ones."""
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw[:LONGEST_LINE].removesuffix("\r")
        if line.strip() and not _FENCE.fullmatch(line.strip()):
            yield _labelled(number, line)


def _labelled(number: int, line: str) -> EvaluationLine:
    """A label is read without Markdown; a line that has none keeps what it has."""
    before = _HEADING.match(line) or _ITEM_WITH_SCORE.match(line)
    start = before.end() if before else 0
    bare, bold = line[start:], line[start : start + 2]
    if bold in ("**", "__") and bold in bare[2:]:
        bare = bare.replace(bold, "", 2)
    found = _LABELLED.fullmatch(bare)
    if found is None:
        return EvaluationLine(number, line)
    value = found[2].strip()
    at = line.find(value, start + len(found[1]))
    return EvaluationLine(number, bare, found[1], value, start + 1, max(at, start) + 1)


@dataclass(slots=True)
class _Evaluation:
    """One evaluation while it is read, line by line."""

    head: EvaluationLine
    file: str
    test_id: str = ""
    name: str = ""
    findings: list[FileFinding] = field(default_factory=list)
    values: dict[str, EvaluationLine] = field(default_factory=dict)
    criteria: dict[str, list[EvaluationLine]] = field(default_factory=dict)
    items: dict[str, list[str]] = field(default_factory=dict)
    unscored: str = ""
    texts: list[str] = field(default_factory=list)
    block: str = "TEST ID"
    skips: bool = False  # inside a block that is there for the second time
    last_was_prose: bool = False

    def __post_init__(self) -> None:
        found = _TEST_ID.match(self.head.value)
        if found is not None:
            self.test_id = found[1]
            self.name = found[2] or "" if found.end() == len(self.head.value) else ""
        self.texts.append(self.head.text)
        if not self.name.strip():
            wanted = tr("the line reads “TEST ID: ID (Name)”")
            self._find(self.head, wanted, "warning" if self.test_id else "error")

    def take(self, line: EvaluationLine) -> None:
        self.texts.append(line.text)
        if line.label in LABELS:
            self._label(line)
            self.last_was_prose = False
        elif self.skips:
            return
        elif self.block == "DETAILED ASSESSMENT":
            self._item(line.text.strip())
        elif self.block in ("STRENGTHS", "WEAKNESSES"):
            self._bullet(line)
        elif self.block == "EVALUATION" and line.label in (UNSCORED, CHECKS, NO_ANSWER):
            self.unscored = self.unscored or line.value[:LONGEST_VALUE] or tr("not stated")
        elif self.block == "EVALUATION" and line.label in CRITERIA:
            if line.label in self.criteria:
                twice = tr("{label} is scored twice: neither counts", label=line.label)
                self._find(line, twice)
            self.criteria.setdefault(line.label, []).append(line)
        else:
            self._unknown(line)

    def finished(self, *, duplicate: bool) -> Imported:
        """All lines were taken: what is missing, and whether the sums are right."""
        if duplicate:
            self._find(self.head, tr("this test and model were evaluated above already"))
        for label in LABELS[1:]:
            if label not in self.values and not (self.unscored and label in ONLY_SCORED):
                self._find(self.head, tr("{label} is missing", label=label))
        scores, tenths = self._scores()
        self._check_overall(tenths, scores)
        self._check_rating(tenths)
        texts = b"".join(text.encode("utf-8", "surrogatepass") + b"\n" for text in self.texts)
        return Imported(
            file=self.file,
            line=self.head.number,
            test_id=self.test_id,
            name=self.name,
            model=self.value("MODEL"),
            scores=tuple(scores),
            tenths=tenths,
            assessment=tuple(self.items.get("DETAILED ASSESSMENT", ())),
            strengths=tuple(self.items.get("STRENGTHS", ())),
            weaknesses=tuple(self.items.get("WEAKNESSES", ())),
            verdict=self.value("VERDICT"),
            findings=_first_findings(self.findings),
            unscored=self.unscored,
            duplicate=duplicate,
            digest=hashlib.sha256(texts).hexdigest()[:16],
        )

    def value(self, label: str) -> str:
        return self.values[label].value[:LONGEST_VALUE] if label in self.values else ""

    # ------------------------------------------------------------------------------------- lines

    def _label(self, line: EvaluationLine) -> None:
        self.skips = line.label in self.values and line.label in BLOCKS
        if line.label in self.values:
            self._find(line, tr("{label} is here twice; the first counts", label=line.label))
            return
        if LABELS.index(line.label) < LABELS.index(self.block):
            below = tr("{label} is below {other}", label=line.label, other=self.block)
            self._find(line, below)
        self.values[line.label] = line
        self.block = line.label
        if line.label in BLOCKS and line.value:
            message = tr("nothing follows “{label}:” on its line", label=line.label)
            self._find(line, message, "warning", at_value=True)
            if line.label != "EVALUATION":
                self._item(line.value)
        elif line.label not in BLOCKS and not line.value:
            self._find(line, tr("{label} is empty", label=line.label))

    def _bullet(self, line: EvaluationLine) -> None:
        text = line.text.strip()
        if not text.startswith("- "):
            wanted = tr("a line of {label} begins with “- ”: {shown}", label=self.block,
                        shown=_shown(text))  # fmt: skip
            self._find(line, wanted, "warning")
        item = text.removeprefix("- ").removeprefix("* ").strip()
        if item not in (nothing_named(), "none named"):
            self._item(item)

    def _item(self, text: str) -> None:
        items = self.items.setdefault(self.block, [])
        if text and len(items) < MOST_ITEMS:
            items.append(text[:LONGEST_VALUE])

    def _unknown(self, line: EvaluationLine) -> None:
        """One finding for a stretch of prose, and one for each label that is nearly right."""
        shown = _shown(line.text)
        meant = _nearest_label(line.text)
        if meant is not None:
            message = tr(
                "unknown line: {shown}; did you mean “{label}:”?", shown=shown, label=meant
            )
            self._find(line, message)
        elif not self.last_was_prose:
            message = (
                tr("text after VERDICT: {shown}", shown=shown)
                if self.block == "VERDICT"
                else tr("a line that the format does not have: {shown}", shown=shown)
            )
            self._find(line, message, "warning")
        self.last_was_prose = meant is None

    # ------------------------------------------------------------------------------- at the end

    def _domain(self) -> str:
        """By the id, else by the third criterion."""
        known = DOMAINS_BY_ID.get(self.test_id.partition("-")[0])
        if known is not None:
            return known
        thirds = {criteria[-1].label: domain for domain, criteria in STANDARD_CRITERIA.items()}
        named = [domain for label, domain in thirds.items() if label in self.criteria]
        return named[0] if len(named) == 1 else ""

    def _scores(self) -> tuple[list[CriterionScore], int | None]:
        """The criteria that could be read, and their overall in tenths where all were."""
        if self.unscored:
            if self.criteria:
                self._find(self.head, tr("it has scores, and it says that it has none"))
            return [], None
        domain = self._domain()
        criteria = STANDARD_CRITERIA.get(domain, ())
        if not criteria:
            message = tr("which criteria hold for {test} is not known", test=self.test_id or "–")
            self._find(self.head, message)
            return [], None
        for label, lines in self.criteria.items():
            if label not in {one.label for one in criteria}:
                message = tr(
                    "{label} is no criterion of {domain}, whose third one is {third}",
                    label=label,
                    domain=domain,
                    third=criteria[-1].label,
                )
                self._find(lines[0], message)
        scores, weighted = [], []
        for one in criteria:
            lines = self.criteria.get(one.label, [])
            if not lines:
                self._find(self.head, tr("{label} is missing", label=one.label))
            elif (found := self._score(lines[0])) is not None and len(lines) == 1:
                score, reason = found
                scores.append(CriterionScore(criterion=one.key, score=score, reason=reason))
                weighted.append((one.weight, score))
        return scores, overall_tenths(weighted) if len(scores) == len(criteria) else None

    def _score(self, line: EvaluationLine) -> tuple[int, str] | None:
        """8 and the explanation of “8/10 - explanation”; None where there is no such score."""
        gaps = {"label": line.label}
        found = _SCORE.fullmatch(line.value)
        number, slash, whole, rest = found.groups() if found else ("", "", "", "")
        if found is None:
            value = _shown(line.value)
            message = tr("{label}: no score of the form N/10: {shown}", shown=value, **gaps)
        elif whole != str(MOST):
            message = tr("{label} is scored out of 10, not out of {whole}", whole=whole, **gaps)
        elif _WHOLE.fullmatch(number) is None:
            message = tr("{label} is scored in whole points, not {number}", number=number, **gaps)
        elif not 0 <= int(number) <= MOST:
            message = tr("{label} is between 0 and 10, not {number}", number=number, **gaps)
        else:
            if slash == "/" and number.isdecimal() and re.match(r" - \s*\S", rest):
                return int(number), rest[3:].strip()[:LONGEST_VALUE]
            wanted = tr("{label}: the line reads “{label}: N/10 - explanation”", **gaps)
            self._find(line, wanted, "warning", at_value=True)
            return int(number), rest.strip().lstrip("-–—: ")[:LONGEST_VALUE]
        self._find(line, message, at_value=True)
        return None

    def _check_overall(self, tenths: int | None, scores: Sequence[CriterionScore]) -> None:
        line = self.values.get("OVERALL SCORE")
        if line is None or not line.value:
            return
        printed = _OVERALL.fullmatch(line.value)
        if printed is None:
            message = tr("no overall score of the form 7.2/10: {shown}", shown=_shown(line.value))
            self._find(line, message, at_value=True)
        elif tenths is not None and Decimal(printed[1]) * 10 != tenths:
            message = tr(
                "the overall score is printed as {printed}, but {scores} come to {overall}",
                printed=printed[1],
                scores=", ".join(str(one.score) for one in scores),
                overall=shown_tenths(tenths),
            )
            self._find(line, message, at_value=True)

    def _check_rating(self, tenths: int | None) -> None:
        line = self.values.get("QUALITY RATING")
        if line is None or not line.value:
            return
        if line.value not in {name for _, name in BANDS}:
            message = tr("no such rating: {shown}", shown=_shown(line.value))
            self._find(line, message, at_value=True)
        elif tenths is not None and line.value != band_of(tenths):
            message = tr(
                "the rating is printed as {printed}, but {overall} is {band}",
                printed=line.value,
                overall=shown_tenths(tenths),
                band=band_of(tenths),
            )
            self._find(line, message, at_value=True)

    def _find(
        self,
        line: EvaluationLine,
        message: str,
        severity: Severity = "error",
        *,
        at_value: bool = False,
    ) -> None:
        self.findings.append(
            FileFinding(
                file=self.file,
                line=line.number,
                column=line.value_at if at_value else line.column,
                message=message,
                test_id=self.test_id or None,
                severity=severity,
            )
        )


def _nearest_label(line: str) -> str | None:
    """The label that a line may have meant."""
    word = line[:120].strip(" \t#*_-").partition(":")[0].strip(" *_")
    known = {label: label.casefold() for label in (*LABELS, *sorted(CRITERIA))}
    near = process.extractOne(word[:30].casefold(), known, scorer=fuzz.ratio, score_cutoff=80)
    return None if near is None else near[2]


def _first_findings(found: Sequence[FileFinding]) -> tuple[FileFinding, ...]:
    """A hostile text has as many as it has lines: the rest is counted."""
    left = len(found) - MOST_FINDINGS
    if left <= 0:
        return tuple(found)
    more = trn("{count} more finding is not shown", "{count} more findings are not shown", left)
    shown = found[:MOST_FINDINGS]
    return (*shown, replace(shown[-1], column=1, message=more, severity="error"))


def _shown(text: str) -> str:
    return one_line(text[: 4 * LONGEST_SHOWN], longest=LONGEST_SHOWN)
