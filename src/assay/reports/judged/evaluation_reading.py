"""Evaluations in the standard format, read back: ours, a colleague's, or another model's.

In: the text of a file with any number of evaluations, hostile ones included. Out: what each says,
and every deviation from the format as a Finding with its place; or a Judgement, so that an import
counts like a judge.

The scores of the criteria count, and the overall and its band follow from them; what is printed
there is only checked. Never raises, and reads no more than `LONGEST_TEXT` characters.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from assay.messages import tr
from assay.reports.judged.evaluation_lines import (
    BLOCKS,
    LABELS,
    EvaluationLine,
    Findings,
    lines_of,
    nearest_label,
    shown,
)
from assay.reports.judged.evaluation_text import STANDARD_CRITERIA, UNSCORED, nothing_named
from assay.types import Finding, Severity
from assay.types.judgements import (
    BANDS,
    MOST,
    Band,
    CriterionScore,
    Judgement,
    band_of,
    overall_tenths,
    shown_tenths,
)

LONGEST_TEXT = 1_000_000  # characters: some five hundred evaluations
MOST_EVALUATIONS = 1000
LONGEST_VALUE = 4000
MOST_ITEMS = 100  # strengths, weaknesses and lines of the assessment, each

_TEST_ID = re.compile(r"([\w-]{1,200})(?: \((.*)\))?", re.DOTALL)
_ID = re.compile(r"[\w-]{1,200}")
_SCORE = re.compile(r"([+-]?[\d.,]{1,20})( ?/ ?)(\d{1,6})(?![\d.,])(.*)", re.DOTALL)
_WHOLE = re.compile(r"[+-]?[0-9]{1,6}")
_DECIMAL = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,10})?")
_DOMAINS_BY_ID = {"CT": "coding", "DT": "data"}
_CRITERIA = frozenset(one.label for each in STANDARD_CRITERIA.values() for one in each)
_ONLY_SCORED = frozenset({"OVERALL SCORE", "QUALITY RATING", "STRENGTHS", "WEAKNESSES"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """One evaluation. `scores` has every criterion that could be read; only all of them together
    make a score. `printed_overall` and `printed_band` are what stands there, right or wrong.

    `unscored` is the reason where the text says that there is no score. `duplicate`: an evaluation
    of the same test and model stands above it.
    """

    file: str
    line: int
    test_id: str
    name: str
    model: str
    task: str
    domain: str
    scores: tuple[CriterionScore, ...]
    printed_overall: str
    printed_band: str
    assessment: tuple[str, ...]
    strengths: tuple[str, ...]
    weaknesses: tuple[str, ...]
    verdict: str
    findings: tuple[Finding, ...]
    unscored: str = ""
    duplicate: bool = False
    digest: str = ""

    @property
    def tenths(self) -> int | None:
        """The overall in tenths, by our arithmetic; None where a criterion is missing."""
        return _tenths(self.domain, self.scores)

    @property
    def band(self) -> Band | None:
        """The word for it."""
        return None if self.tenths is None else band_of(self.tenths)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationFile:
    """A file: its evaluations, and all findings in the order of their places."""

    evaluations: tuple[Imported, ...]
    findings: tuple[Finding, ...]


def read_evaluations(
    text: str, *, file: str, domains: Mapping[str, str] | None = None
) -> EvaluationFile:
    """Every evaluation of a text. `domains` names the rubric of tests whose id does not tell it
    (CT-… is coding, DT-… is data).
    """
    around = Findings(file)
    readers: list[_Evaluation] = []
    before = False  # text before the first evaluation is one finding, however long
    for line in lines_of(text[:LONGEST_TEXT].removeprefix("\ufeff")):
        if line.label == "TEST ID":
            if len(readers) == MOST_EVALUATIONS:
                message = tr("more than {most} evaluations are not read", most=MOST_EVALUATIONS)
                around.add(line.number, 1, message)
                break
            readers.append(_Evaluation(line, file, domains or {}))
        elif readers:
            readers[-1].take(line)
        elif not before:
            before = True
            message = tr("text before the first TEST ID: {shown}", shown=shown(line.text))
            around.add(line.number, 1, message, "warning")
    if len(text) > LONGEST_TEXT:
        message = tr("longer than {most} characters; the rest is not read", most=LONGEST_TEXT)
        around.add(text.count("\n", 0, LONGEST_TEXT) + 1, 1, message)
    if not readers:
        around.add(1, 1, tr("no evaluation: no line begins with “TEST ID:”"))
    found = tuple(_finished(readers))
    everything = [*around.all(), *(one for each in found for one in each.findings)]
    everything.sort(key=lambda one: (one.line, one.column))
    return EvaluationFile(evaluations=found, findings=tuple(everything))


def _finished(readers: Iterable[_Evaluation]) -> Iterable[Imported]:
    seen: set[tuple[str, str]] = set()
    for reader in readers:
        key = reader.test_id, reader.value("MODEL")
        yield reader.finished(duplicate=key in seen)
        seen.add(key)


def to_judgement(imported: Imported, judge: str | None = None) -> Judgement:
    """An import as a judge's words: scored where every criterion could be read, else unscored."""
    scored = imported.tenths is not None
    errors = [one.message for one in imported.findings if one.severity == "error"]
    why = imported.unscored or "; ".join(errors[:3])
    return Judgement(
        judge=f"imported:{imported.file}" if judge is None else judge,
        fingerprint=f"imported:{imported.digest}",
        form="reasoned",
        scores=imported.scores if scored else (),
        unscored_reason=None if scored else "unreadable",
        explanation="" if scored else why,
        assessment="\n".join(imported.assessment),
        strengths=imported.strengths,
        weaknesses=imported.weaknesses,
        verdict=imported.verdict,
    )


# ---------------------------------------------------------------------------------- one evaluation


class _Evaluation:
    """One evaluation while it is read, line by line."""

    def __init__(self, head: EvaluationLine, file: str, domains: Mapping[str, str]) -> None:
        self.head = head
        self.domains = domains
        found = _TEST_ID.fullmatch(head.value)
        word = _ID.match(head.value)
        self.test_id = word.group() if word else ""
        self.name = (found[2] or "") if found else ""
        self.findings = Findings(file, self.test_id or None)
        self.values: dict[str, EvaluationLine] = {}
        self.criteria: dict[str, EvaluationLine] = {}
        self.scored_twice: set[str] = set()
        self.items: dict[str, list[str]] = {}
        self.unscored = ""
        self.digest = hashlib.sha256()
        self.block = "TEST ID"
        self.skips = False  # inside a block that is there for the second time
        self.last_was_prose = False
        self._hash(head)
        if not self.name.strip():
            wanted = tr("the line reads “TEST ID: ID (Name)”")
            self._find(head, wanted, severity="warning" if self.test_id else "error")

    def take(self, line: EvaluationLine) -> None:
        """The next line."""
        self._hash(line)
        if line.label in LABELS:
            self._label(line)
            self.last_was_prose = False
        elif self.skips:
            return
        elif self.block == "DETAILED ASSESSMENT":
            self._item(line.text.strip())
        elif self.block in ("STRENGTHS", "WEAKNESSES"):
            self._bullet(line)
        elif self.block == "EVALUATION" and line.label == UNSCORED:
            self.unscored = self.unscored or _cut(line.value) or tr("not stated")
        elif self.block == "EVALUATION" and line.label in _CRITERIA:
            self._criterion(line)
        else:
            self._unknown(line)

    def finished(self, *, duplicate: bool) -> Imported:
        """All lines were taken: what is missing, and whether the sums are right."""
        if duplicate:
            self._find(self.head, tr("this test and model were evaluated above already"))
        self._missing()
        domain = self._domain()
        scores = tuple(self._scores(domain))
        tenths = _tenths(domain, scores)
        printed = self._check_overall(tenths, scores)
        self._check_rating(tenths, printed)
        return Imported(
            file=self.findings.file,
            line=self.head.number,
            test_id=self.test_id,
            name=self.name,
            model=self.value("MODEL"),
            task=self.value("TASK"),
            domain=domain,
            scores=scores,
            printed_overall=self.value("OVERALL SCORE"),
            printed_band=self.value("QUALITY RATING"),
            assessment=tuple(self.items.get("DETAILED ASSESSMENT", ())),
            strengths=tuple(self.items.get("STRENGTHS", ())),
            weaknesses=tuple(self.items.get("WEAKNESSES", ())),
            verdict=self.value("VERDICT"),
            findings=self.findings.all(),
            unscored=self.unscored,
            duplicate=duplicate,
            digest=self.digest.hexdigest()[:16],
        )

    def value(self, label: str) -> str:
        """The text after a label."""
        line = self.values.get(label)
        return "" if line is None else _cut(line.value)

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
            self._find(line, message, at=line.value_at, severity="warning")
            if line.label != "EVALUATION":
                self._item(line.value)
        elif line.label not in BLOCKS and not line.value:
            self._find(line, tr("{label} is empty", label=line.label))

    def _criterion(self, line: EvaluationLine) -> None:
        if line.label in self.criteria:
            message = tr("{label} is scored twice: neither counts", label=line.label)
            self._find(line, message)
            self.scored_twice.add(line.label)
        else:
            self.criteria[line.label] = line

    def _bullet(self, line: EvaluationLine) -> None:
        text = line.text.strip()
        if text.startswith("- "):
            item = text[2:].strip()
            if item not in (nothing_named(), "none named"):
                self._item(item)
            return
        message = tr(
            "a line of {label} begins with “- ”: {shown}", label=self.block, shown=shown(text)
        )
        self._find(line, message, severity="warning")
        self._item(text.removeprefix("* "))

    def _item(self, text: str) -> None:
        items = self.items.setdefault(self.block, [])
        if text and len(items) < MOST_ITEMS:
            items.append(_cut(text))

    def _unknown(self, line: EvaluationLine) -> None:
        """One finding for a stretch of prose, and one for each label that is nearly right."""
        meant = nearest_label(line.text, _CRITERIA)
        if meant is not None:
            message = tr(
                "unknown line: {shown}; did you mean “{label}:”?",
                shown=shown(line.text),
                label=meant,
            )
            self._find(line, message)
        elif not self.last_was_prose:
            message = (
                tr("text after VERDICT: {shown}", shown=shown(line.text))
                if self.block == "VERDICT"
                else tr("a line that the format does not have: {shown}", shown=shown(line.text))
            )
            self._find(line, message, severity="warning")
        self.last_was_prose = meant is None

    # ------------------------------------------------------------------------------- at the end

    def _missing(self) -> None:
        for label in LABELS[1:]:
            if label not in self.values and not (self.unscored and label in _ONLY_SCORED):
                self._find(self.head, tr("{label} is missing", label=label))

    def _domain(self) -> str:
        """By what the caller knows, by the id, else by the third criterion."""
        if self.test_id in self.domains:
            return self.domains[self.test_id]
        if (known := _DOMAINS_BY_ID.get(self.test_id.partition("-")[0])) is not None:
            return known
        named = [
            domain
            for domain, criteria in STANDARD_CRITERIA.items()
            if criteria[-1].label in self.criteria
        ]
        return named[0] if len(named) == 1 else ""

    def _scores(self, domain: str) -> Iterable[CriterionScore]:
        if self.unscored:
            if self.criteria:
                self._find(self.head, tr("it has scores, and it says that it has none"))
            return
        criteria = STANDARD_CRITERIA.get(domain, ())
        if not criteria:
            message = tr("which criteria hold for {test} is not known", test=self.test_id or "–")
            self._find(self.head, message)
            return
        for label, line in self.criteria.items():
            if label not in {one.label for one in criteria}:
                message = tr(
                    "{label} is no criterion of {domain}, whose third one is {third}",
                    label=label,
                    domain=domain,
                    third=criteria[-1].label,
                )
                self._find(line, message)
        for one in criteria:
            scored = self.criteria.get(one.label)
            if scored is None:
                self._find(self.head, tr("{label} is missing", label=one.label))
                continue
            found = self._score(scored)
            if found is not None and one.label not in self.scored_twice:
                yield CriterionScore(criterion=one.key, score=found[0], reason=_cut(found[1]))

    def _score(self, line: EvaluationLine) -> tuple[int, str] | None:
        """8 and the explanation of “8/10 - explanation”; None where there is no such score."""
        gaps = {"label": line.label}
        found = _SCORE.fullmatch(line.value)
        number, slash, whole, rest = found.groups() if found else ("", "", "", "")
        if found is None:
            value = shown(line.value)
            message = tr("{label}: no score of the form N/10: {shown}", shown=value, **gaps)
        elif whole != str(MOST):
            message = tr("{label} is scored out of 10, not out of {whole}", whole=whole, **gaps)
        elif _WHOLE.fullmatch(number) is None:
            message = tr("{label} is scored in whole points, not {number}", number=number, **gaps)
        elif not 0 <= int(number) <= MOST:
            message = tr("{label} is between 0 and 10, not {number}", number=number, **gaps)
        elif slash == "/" and number.isdecimal() and rest.startswith(" - ") and rest[3:].strip():
            return int(number), rest[3:].strip()
        else:
            wanted = tr("{label}: the line reads “{label}: N/10 - explanation”", **gaps)
            self._find(line, wanted, at=line.value_at, severity="warning")
            return int(number), rest.strip().lstrip("-–—: ")
        self._find(line, message, at=line.value_at)
        return None

    def _check_overall(
        self, tenths: int | None, scores: Iterable[CriterionScore]
    ) -> Decimal | None:
        """What is printed as the overall score, checked against what the scores come to."""
        line = self.values.get("OVERALL SCORE")
        if line is None or not line.value:
            return None
        number, _, whole = line.value.partition("/")
        if whole != str(MOST) or _DECIMAL.fullmatch(number) is None:
            message = tr("no overall score of the form 7.2/10: {shown}", shown=shown(line.value))
            self._find(line, message, at=line.value_at)
            return None
        printed = Decimal(number)
        if printed > MOST:
            message = tr("an overall score is between 0 and 10, not {number}", number=number)
            self._find(line, message, at=line.value_at)
        elif printed * 10 % 1:
            message = tr("an overall score has one decimal, not {number}", number=number)
            self._find(line, message, at=line.value_at)
        if tenths is not None and printed != Decimal(tenths) / 10:
            message = tr(
                "the overall score is printed as {printed}, but {scores} come to {overall}",
                printed=number,
                scores=", ".join(str(one.score) for one in scores),
                overall=shown_tenths(tenths),
            )
            self._find(line, message, at=line.value_at)
        return printed

    def _check_rating(self, tenths: int | None, printed: Decimal | None) -> None:
        """The band against what the scores come to, or without them against the printed overall."""
        line = self.values.get("QUALITY RATING")
        if line is None or not line.value:
            return
        if tenths is None and printed is not None and printed <= MOST:
            tenths = int(printed * 10)
        if line.value not in {name for _, name in BANDS}:
            message = tr("no such rating: {shown}", shown=shown(line.value))
        elif tenths is not None and line.value != band_of(tenths):
            message = tr(
                "the rating is printed as {printed}, but {overall} is {band}",
                printed=line.value,
                overall=shown_tenths(tenths),
                band=band_of(tenths),
            )
        else:
            return
        self._find(line, message, at=line.value_at)

    def _find(
        self,
        line: EvaluationLine,
        message: str,
        *,
        at: int | None = None,
        severity: Severity = "error",
    ) -> None:
        self.findings.add(line.number, line.column if at is None else at, message, severity)

    def _hash(self, line: EvaluationLine) -> None:
        self.digest.update(line.text.encode("utf-8", "surrogatepass") + b"\n")


def _tenths(domain: str, scores: Iterable[CriterionScore]) -> int | None:
    """None unless every criterion of the domain is there."""
    criteria = STANDARD_CRITERIA.get(domain, ())
    found = {one.criterion: one.score for one in scores}
    if not criteria or set(found) != {one.key for one in criteria}:
        return None
    return overall_tenths([(one.weight, found[one.key]) for one in criteria])


def _cut(text: str) -> str:
    return text[:LONGEST_VALUE]
