"""The two files of a checkpoint run as types, which check a document and give its JSON Schema.

A schema requires every key and allows no other. A reader is milder: a report of another version may
have more keys, and lack those that are made from the others.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from assay.messages import tr
from assay.types import Estimate
from assay.types.decisions import Concern, Part, SizeClass

Schema = dict[str, Any]
DIALECT = "https://json-schema.org/draft/2020-12/schema"
LARGEST = 1e301  # perplexities are cut at 1e300


def _ordinary(number: float) -> float:
    if not -LARGEST < number < LARGEST:  # neither is NaN between
        raise ValueError(tr("the number is too large"))
    return number


Text = Annotated[str, Field(strict=True)]
Name = Annotated[str, Field(strict=True, min_length=1)]
Flag = Annotated[bool, Field(strict=True)]
Count = Annotated[int, Field(strict=True, ge=0)]
Number = Annotated[float, Field(strict=True), AfterValidator(_ordinary)]
Positive = Annotated[float, Field(strict=True, gt=0), AfterValidator(_ordinary)]
Perplexity = Annotated[float, Field(strict=True, ge=1), AfterValidator(_ordinary)]
Share = Annotated[float, Field(strict=True, ge=0, le=1)]
LogLikelihood = Annotated[float, Field(strict=True, le=0), AfterValidator(_ordinary)]
Tokens = Annotated[int, Field(strict=True, ge=1)]
Timestamp = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]


class EstimateShape(BaseModel):
    """A figure with its 95 % interval and what it rests on."""

    value: Number | None
    low: Number | None
    high: Number | None
    n: Count
    unscored: Count
    unit: Text
    method: Text

    @model_validator(mode="after")
    def _has_value(self) -> EstimateShape:
        if (self.n == 0) != (self.value is None):
            raise ValueError(tr("an estimate has a value if and only if n is above 0"))
        return self

    def estimate(self) -> Estimate:
        return Estimate(**dict(self))


class ShareEstimate(EstimateShape):
    value: Share | None
    low: Share | None
    high: Share | None


class PerplexityEstimate(EstimateShape):
    value: Perplexity | None
    low: Positive | None
    high: Positive | None


class SpeedEstimate(EstimateShape):
    value: Positive | None
    low: Positive | None
    high: Positive | None


class OsShares(BaseModel):
    """The four tasks, and the mean of the first three."""

    hardware_id: Share | None
    driver_select: Share | None
    command_complete: Share | None
    installation: Share | None
    avg: Share | None


class OsEstimates(BaseModel):
    hardware_id: ShareEstimate | None
    driver_select: ShareEstimate | None
    command_complete: ShareEstimate | None
    installation: ShareEstimate | None
    avg: ShareEstimate | None


class Target(BaseModel):
    above: Number
    reached: Flag | None


class Targets(BaseModel):
    accuracy_top1: Target
    accuracy_top5: Target


class ModelShape(BaseModel):
    path: Text
    step: Number | None
    parameters: Count | None
    size_class: SizeClass | None
    fingerprint: Text
    shape: Text = ""
    failed: Name | None


class TextShape(BaseModel):
    text: Text
    tokenizer: Text
    window: Count | None
    stride: Count | None
    blocks: tuple[tuple[LogLikelihood, Tokens], ...]


class SuiteShape(BaseModel):
    score: EstimateShape
    categories: dict[str, ShareEstimate]
    scores: dict[str, dict[str, Share]]
    digest: Text
    unqualified: tuple[Text, ...] = ()


class CriterionShape(BaseModel):
    passed: Flag | None
    marginal: Flag
    value: Number | None
    limit: Number | None
    reason: Name


class AcceptanceShape(BaseModel):
    accepted: Flag | None
    criteria: dict[str, CriterionShape]


class CheckShape(BaseModel):
    name: Name
    passed: Flag | None
    failure: Flag
    passage: Text
    explanation: Text

    @model_validator(mode="after")
    def _possible(self) -> CheckShape:
        if self.failure and self.passed is not False:
            raise ValueError(tr("failure: only what did not pass can be a failure"))
        return self


class SampleShape(BaseModel):
    id: Name
    prompt: Text
    text: Text
    all_passed: Flag | None = None
    checks: tuple[CheckShape, ...] | None
    failed: Name | None


class GenerationShape(BaseModel):
    all_passed: Flag | None = None
    failures: Count = 0
    samples: tuple[SampleShape, ...]


class RecommendationShape(BaseModel):
    concern: Concern
    advice: Name
    figures: tuple[Text, ...]


class SpeedShape(BaseModel):
    """The runs, and whatever the machine noted beside them."""

    model_config = ConfigDict(extra="allow")

    runs_per_s: tuple[Positive, ...]


class Details(BaseModel):
    """What each number rests on, and the decision. Those with a default are made from others."""

    perplexity: PerplexityEstimate | None
    perplexity_per_word: PerplexityEstimate | None
    perplexity_per_byte: PerplexityEstimate | None
    bits_per_byte: EstimateShape | None
    accuracy_top1: ShareEstimate | None
    accuracy_top5: ShareEstimate | None
    mmlu_cs: ShareEstimate | None
    hellaswag: ShareEstimate | None
    inference_speed: SpeedEstimate | None
    memory_usage_mb: EstimateShape | None
    os_benchmark: OsEstimates | None = None
    targets: Targets | None = None
    model: ModelShape
    text: TextShape | None
    suites: dict[str, SuiteShape]
    acceptance: AcceptanceShape | None = None
    weighted_score: Number | None = None
    missing_parts: tuple[Part, ...] = ()
    generation: GenerationShape | None
    speed: SpeedShape | None
    memory: dict[str, Any] | None
    not_measured: dict[str, Text]
    training_loss: tuple[tuple[Number, Number], ...]
    recommendations: tuple[RecommendationShape, ...] = ()
    provenance: dict[str, Any]


class EvaluationReport(BaseModel):
    """One checkpoint. What was not measured is null, never 0."""

    checkpoint: Name = Field(description="Parent and step, such as medium_150M/step_100000.")
    perplexity: Perplexity | None = Field(
        description="exp of the mean cross-entropy over all predicted tokens; lower is better."
    )
    accuracy_top1: Share | None = Field(description="Tokens that were the first guess.")
    accuracy_top5: Share | None = Field(description="Tokens among the first five guesses.")
    mmlu_cs: Share | None = Field(description="Accuracy on the computer science part of MMLU.")
    hellaswag: Share | None = Field(description="Accuracy on the technical part of HellaSwag.")
    os_benchmark: OsShares
    inference_speed: Number | None = Field(description="Tokens per second, written on the CPU.")
    memory_usage_mb: Number | None = Field(
        description="Weights in 16 bits, cache and activations, in MB."
    )
    timestamp: Timestamp = Field(description="UTC, whole seconds.")
    details: Details


class RankedShape(BaseModel):
    checkpoint: Name
    accepted: Flag | None
    weighted_score: Number | None
    ranking_score: Number | None
    missing_parts: tuple[Part, ...]
    failed: Name | None


class SelectionShape(BaseModel):
    """Which of several checkpoints to ship, and how they rank."""

    selected: Name | None = Field(description="The checkpoint to ship; null if none passes.")
    best_so_far: Name | None = Field(description="If none passes: the one with the highest score.")
    reason: Name = Field(description="Why, in whole sentences, and what else there is to know.")
    tie: Flag = Field(description="The difference to the runner-up is not significant.")
    tied_with: tuple[Name, ...] = Field(
        description="Every accepted checkpoint that is not significantly worse."
    )
    ranking: tuple[RankedShape, ...] = Field(description="Accepted ones first, failed ones last.")
    ranked_on: tuple[Part, ...] = Field(
        description="The parts of the score that all candidates have."
    )
    difference: EstimateShape | None = Field(
        description="The selected one's ranking score less the runner-up's."
    )
    gate: Text = Field(description="The gate file, or default for the one that ships.")
    timestamp: Timestamp = Field(description="UTC, whole seconds.")


def report_schema() -> Schema:
    return _schema(EvaluationReport, "Assay evaluation report")


def selection_schema() -> Schema:
    return _schema(SelectionShape, "Assay selection")


def _schema(shape: type[BaseModel], title: str) -> Schema:
    return {"$schema": DIALECT, "title": title, **_closed(shape.model_json_schema())}


def _closed(node: Any) -> Any:
    """Every key required, no other allowed, no titles and defaults of pydantic's."""
    if isinstance(node, list):
        return [_closed(each) for each in node]
    if not isinstance(node, dict):
        return node
    made = {key: _closed(each) for key, each in node.items() if key not in ("title", "default")}
    if "properties" in made:
        made = {**made, "required": list(made["properties"])}
        made.setdefault("additionalProperties", False)
    return made
