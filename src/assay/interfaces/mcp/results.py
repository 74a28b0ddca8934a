"""What each tool answers: its shape, for the schema, and its length, for an agent's context."""

from collections.abc import Sequence
from typing import Any

from typing_extensions import TypedDict  # pydantic makes schemas of this one, before 3.12

from assay.api.digests import Document, clip
from assay.api.digests import figure_of as plain_figure
from assay.messages import tr

MOST_TEXT = 2000  # of an answer or a question
MOST_FLIPS = 20
MOST_FINDINGS = 50


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


class EvaluationAnswer(TypedDict, total=False):
    """The whole evaluation_report.json, `checkpoint` to `details`; or, where `full` is false, its
    digest, `headline` to `run`.
    """

    checkpoint: str
    perplexity: float | None
    accuracy_top1: float | None
    accuracy_top5: float | None
    mmlu_cs: float | None
    hellaswag: float | None
    os_benchmark: dict[str, float | None]
    inference_speed: float | None
    memory_usage_mb: float | None
    timestamp: str
    details: dict[str, Any]
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


class ReviewAnswer(TypedDict):
    """What a reviewer reads, by model, and the JSON Schema of what it may ask to change."""

    headline: str
    run: str
    models: list[dict[str, Any]]
    changes_schema: dict[str, Any]


class JudgedAnswer(TypedDict):
    """By model and domain the mean out of 10, and every test with its score and band."""

    headline: str
    run: str
    judges: list[str]
    models: list[dict[str, Any]]


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


def figure_of(estimate: Document) -> ToolFigure:
    figure: ToolFigure = plain_figure(estimate)  # type: ignore[assignment]
    return figure


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


def clipped(value: Any) -> Any:
    """A document with no text longer than an agent reads."""
    if isinstance(value, str):
        return clip(value, MOST_TEXT)
    if isinstance(value, dict):
        return {name: clipped(each) for name, each in value.items()}
    return [clipped(each) for each in value] if isinstance(value, list | tuple) else value
