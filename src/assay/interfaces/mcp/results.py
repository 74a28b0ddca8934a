"""What each tool answers: its shape, for the schema, and its length, for an agent's context."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from typing_extensions import TypedDict  # pydantic makes schemas of this one, before 3.12

from assay.messages import tr
from assay.types.measures import every_measure

MOST_CHARACTERS = 160  # of one sentence in a list
MOST_OF_EVALUATION = 3900  # as JSON
SHORTER = (MOST_CHARACTERS, 100, 60, 30)  # until an evaluation fits
MOST_SENTENCES = 3
MOST_TEXT = 2000  # of an answer or a question
MOST_FLIPS = 20
MOST_FINDINGS = 50
Document = Mapping[str, Any]


class ToolFigure(TypedDict):
    """A number with its 95 % interval and how many tests, tokens or runs it rests on."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    unit: str


class ToolCriterion(TypedDict):
    name: str
    passed: bool | None
    value: float | None
    limit: float | None
    reason: str


class EvaluationAnswer(TypedDict):
    headline: str
    accepted: bool | None
    figures: dict[str, ToolFigure]
    criteria: list[ToolCriterion]
    not_covered: list[str]
    not_measured: dict[str, str]
    advice: list[str]
    run: str


class BenchmarkAnswer(TypedDict):
    headline: str
    score: ToolFigure


class WrittenSample(TypedDict):
    """`failed`: why nothing was written; empty where something was."""

    prompt: str
    text: str
    failed: str
    failures: list[str]
    notes: list[str]


class SamplesAnswer(TypedDict):
    headline: str
    samples: list[WrittenSample]


class SelectionAnswer(TypedDict):
    headline: str
    selected: str | None
    best_so_far: str | None
    tie: bool
    ranking: list[dict[str, Any]]
    difference: ToolFigure | None


class SuiteDifference(TypedDict):
    suite: str
    difference: ToolFigure
    adjusted_p: float | None
    verdict: str
    flips: list[str]
    flips_left_out: int


class ComparisonAnswer(TypedDict):
    headline: str
    suites: list[SuiteDifference]


class ExplanationAnswer(TypedDict):
    headline: str
    run: str
    tests: list[dict[str, Any]]
    answers: list[dict[str, Any]]


class SuitesAnswer(TypedDict):
    headline: str
    suites: list[dict[str, Any]]
    notes: list[str]
    mistakes: list[dict[str, str]]


class ValidationAnswer(TypedDict):
    headline: str
    valid: bool
    findings: list[dict[str, Any]]
    findings_left_out: int


def evaluation_of(document: Document) -> EvaluationAnswer:
    """Its sentences are cut until it fits; figures never are."""
    for most in SHORTER:
        answer = _evaluation(document, most)
        if len(json.dumps(answer, indent=2, ensure_ascii=False)) <= MOST_OF_EVALUATION:
            break
    return answer


def _evaluation(document: Document, most: int) -> EvaluationAnswer:
    details = document["details"]
    accepted = details["acceptance"]["accepted"]
    criteria = [
        ToolCriterion(
            name=name,
            passed=each["passed"],
            value=_rounded(each["value"]),
            limit=each["limit"],
            reason=clip(each["reason"], most),
        )
        for name, each in details["acceptance"]["criteria"].items()
    ]
    failed = ", ".join(each["name"] for each in criteria if each["passed"] is False)
    name = clip(document["checkpoint"], most)
    if accepted:
        said = tr("{name} is accepted.", name=name)
    elif failed:
        said = tr("{name} is not accepted: {what}.", name=name, what=failed)
    else:
        said = tr("{name}: undecided, for not all was measured.", name=name)
    return EvaluationAnswer(
        headline=said,
        accepted=accepted,
        figures=_figures(details),
        criteria=criteria,
        not_covered=_sentences(details["not_covered"], most),
        not_measured={name: clip(why, most) for name, why in details["not_measured"].items()},
        advice=_sentences((each["advice"] for each in details["recommendations"]), most),
        run=details["provenance"]["run"],
    )


def _figures(details: Document) -> dict[str, ToolFigure]:
    """Those that were measured, and the parts of the os suite by their names."""
    found = {
        **{name: value for name, value in details.items() if isinstance(value, dict)},
        **{f"os_benchmark.{name}": each for name, each in details["os_benchmark"].items()},
    }
    left_out = {name for measure in every_measure() for name in measure.in_reports_only}
    return {
        name: figure_of(each)
        for name, each in found.items()
        if isinstance(each, dict)
        and {"value", "low", "n"} <= each.keys()
        and each["n"]
        and name not in left_out
    }


def benchmark_of(name: str, document: Document) -> BenchmarkAnswer:
    score = figure_of(document)
    if score["value"] is None:
        unscored = document["unscored"]
        said = tr("{name}: no test has a score, {count} are unscored.", name=name, count=unscored)
    else:
        said = tr("{name}: {value:.3f} [{low:.3f}–{high:.3f}] n={n}.", name=name, **score)
    return BenchmarkAnswer(headline=said, score=score)


def samples_of(documents: Sequence[Document]) -> SamplesAnswer:
    samples = [
        WrittenSample(
            prompt=clip(each["prompt"]),
            text=clip(each["text"], MOST_TEXT),
            failed=clip(each["failed"]),
            failures=[check["name"] for check in _failing(each) if check["failure"]],
            notes=[check["name"] for check in _failing(each) if not check["failure"]],
        )
        for each in documents
    ]
    bad = sum(bool(each["failures"]) for each in samples)
    said = tr("{bad} of {all} samples fail.", bad=bad, all=len(samples))
    return SamplesAnswer(headline=said, samples=samples)


def _failing(sample: Document) -> list[Document]:
    health = sample["health"]  # None where the request failed
    return [each for each in health["checks"] if each["passed"] is False] if health else []


def selection_of(document: Document) -> SelectionAnswer:
    ranking = [
        {name: each.get(name) for name in ("checkpoint", "accepted", "ranking_score", "failed")}
        for each in document["ranking"][:MOST_FLIPS]
    ]
    difference = document["difference"]
    return SelectionAnswer(
        headline=clip(document["reason"], MOST_TEXT),
        selected=document["selected"],
        best_so_far=document["best_so_far"],
        tie=bool(document["tie"]),
        ranking=ranking,
        difference=figure_of(difference) if difference else None,
    )


def comparison_of(document: Document) -> ComparisonAnswer:
    suites = [
        SuiteDifference(
            suite=each["suite"],
            difference=figure_of(each["difference"]),
            adjusted_p=each["adjusted_p"],
            verdict=each["verdict"],
            flips=[flip["id"] for flip in each["flips"][:MOST_FLIPS]],
            flips_left_out=max(0, len(each["flips"]) - MOST_FLIPS),
        )
        for pair in document["pairs"]
        for each in pair["suites"]
    ]
    return ComparisonAnswer(headline=clip(document["headline"], MOST_TEXT), suites=suites)


def validation_of(document: Document) -> ValidationAnswer:
    findings = document["findings"]
    left_out = max(0, len(findings) - MOST_FINDINGS)
    whole = {**document, "findings": findings[:MOST_FINDINGS], "findings_left_out": left_out}
    answer: ValidationAnswer = clipped(whole)
    return answer


def figure_of(estimate: Document) -> ToolFigure:
    value, low, high = (_rounded(estimate[name]) for name in ("value", "low", "high"))
    return ToolFigure(value=value, low=low, high=high, n=estimate["n"], unit=estimate["unit"])


def _rounded(number: float | None) -> float | None:
    """To six digits: an interval is never known better."""
    return None if number is None else float(f"{number:.6g}")


def clip(text: str, most: int = MOST_CHARACTERS) -> str:
    """The beginning of a text, and how much of it is missing."""
    left = len(text) - most
    return tr("{text}… ({left} characters more)", text=text[:most], left=left) if left > 0 else text


def clipped(value: Any) -> Any:
    """A document with no text longer than an agent reads."""
    if isinstance(value, str):
        return clip(value, MOST_TEXT)
    if isinstance(value, dict):
        return {name: clipped(each) for name, each in value.items()}
    return [clipped(each) for each in value] if isinstance(value, list | tuple) else value


def _sentences(given: Any, most: int = MOST_CHARACTERS) -> list[str]:
    sentences = [clip(each, most) for each in given]
    left = len(sentences) - MOST_SENTENCES
    more = [tr("and {count} more", count=left)] if left > 0 else []
    return sentences[:MOST_SENTENCES] + more
