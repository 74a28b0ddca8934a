"""The two files of a checkpoint run as types, which check a document and give its JSON Schema. A
schema requires every key and allows no other; a reader is milder.

What is missing in a file that is read back, of another type or at odds with the figure above is
refused with its key.
"""

from functools import cache, partial
from typing import Annotated, Any, NoReturn

from pydantic import BaseModel, Field, ValidationError, create_model

from assay.errors import InvalidFiles
from assay.files.shapes import Count, Flag, Name, Number, Positive, Shape, Share, Text
from assay.messages import tr
from assay.reports.checkpoints.file_names import REPORT_FILE
from assay.reports.checkpoints.json_documents import headline
from assay.types import Estimate, FileFinding
from assay.types.decisions import Concern, Measurements, SizeClass
from assay.types.measures import NumberKind, every_measure, measures

Schema = dict[str, Any]
DIALECT = "https://json-schema.org/draft/2020-12/schema"

Perplexity = Annotated[float, Field(strict=True, ge=1, allow_inf_nan=False)]
Timestamp = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]


_NUMBERS: dict[NumberKind, Any] = {
    "share": Share,
    "perplexity": Perplexity,
    "positive": Positive,
    "number": Number,
}


class ModelShape(Shape):
    path: Text
    step: Number | None
    parameters: Count | None
    size_class: SizeClass | None
    fingerprint: Text
    shape: Text = ""
    failed: Name | None


class CriterionShape(Shape):
    passed: Flag | None
    marginal: Flag
    value: Number | None
    limit: Number | None
    reason: Name


class AcceptanceShape(Shape):
    accepted: Flag | None
    criteria: dict[str, CriterionShape]


class RecommendationShape(Shape):
    concern: Concern
    advice: Name
    figures: tuple[Text, ...]


class DetailsShape(Shape):
    """What no measure brings. Those with a default are made from others."""

    model: ModelShape
    acceptance: AcceptanceShape | None = None
    weighted_score: Number | None = None
    not_covered: tuple[Name, ...] = ()
    not_measured: dict[str, Text]
    recommendations: tuple[RecommendationShape, ...] = ()
    changes_from_base: dict[str, Estimate] | None = None
    provenance: dict[str, Any]


@cache
def report_shape(names: tuple[str, ...]) -> type[BaseModel]:
    """evaluation_report.json. `names`: of the measures there are, for a plugin may add to them."""
    known = every_measure()
    keys = [key for measure in known for key in measure.keys]
    optional = Estimate | None
    figures: dict[str, Any] = {key.name: (optional, ... if key.required else None) for key in keys}
    more: dict[str, Any] = {}
    above: dict[str, Any] = {}
    for measure in known:
        more |= measure.shapes
        above |= measure.top_shapes
    of_score: dict[str, Any] = {
        "weighted_parts": (dict[Name, Number | None], {}),
        "missing_parts": (tuple[Name, ...], ()),
    }
    details = create_model(
        "Details",
        __base__=DetailsShape,
        __doc__="What each number rests on, and the decision.",
        **more,
        **figures,
        **of_score,
    )
    top: dict[str, Any] = {
        key.name: (_NUMBERS[key.number] | None, Field(description=key.description))
        for key in keys
        if key.description
    }
    return create_model(
        "EvaluationReport",
        __doc__="One checkpoint. What was not measured is null, never 0.",
        checkpoint=(Name, Field(description="Parent and step, such as medium_150M/step_100000.")),
        **top,
        **above,
        timestamp=(Timestamp, Field(description="UTC, whole seconds.")),
        details=(details, ...),
    )


def evaluation_report_shape() -> type[BaseModel]:
    return report_shape(tuple(measures))


class RankedShape(Shape):
    checkpoint: Name
    accepted: Flag | None
    weighted_score: Number | None
    ranking_score: Number | None
    missing_parts: tuple[Name, ...]
    failed: Name | None


class SelectionShape(Shape):
    """Which of several checkpoints to ship, and how they rank."""

    selected: Name | None = Field(description="The checkpoint to ship; null if none passes.")
    best_so_far: Name | None = Field(description="If none passes: the one with the highest score.")
    reason: Name = Field(description="Why, in whole sentences, and what else there is to know.")
    tie: Flag = Field(description="The difference to the runner-up is not significant.")
    tied_with: tuple[Name, ...] = Field(
        description="Every accepted checkpoint that is not significantly worse."
    )
    ranking: tuple[RankedShape, ...] = Field(description="Accepted ones first, failed ones last.")
    ranked_on: tuple[Name, ...] = Field(
        description="The parts of the score that all candidates have."
    )
    difference: Estimate | None = Field(
        description="The selected one's ranking score less the runner-up's."
    )
    gate: Text = Field(description="The gate file, or default for the one that ships.")
    confirmed: Flag | None = Field(
        default=None,
        description="By tests that took no part in the selection; null if the gate keeps none.",
    )
    attempts: Count | None = Field(
        default=None, description="The runs so far against this gate, by its hash."
    )
    max_by_formula: Name | None = Field(
        default=None,
        description="The maximum of the specification's formula, if it is another checkpoint.",
    )
    timestamp: Timestamp = Field(description="UTC, whole seconds.")


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


def report_schema() -> Schema:
    """A figure that only some gates ask for may be missing in `details`; that of a plugin may be
    there where the plugin is not loaded.
    """
    schema = _schema(evaluation_report_shape(), "Assay evaluation report")
    estimate = {"anyOf": [{"$ref": "#/$defs/Estimate"}, {"type": "null"}]}
    details = schema["$defs"]["Details"]
    details["additionalProperties"] = estimate
    keys = (key for measure in every_measure() for key in measure.keys)
    optional = {key.name for key in keys if not key.required}
    details["required"] = [name for name in details["required"] if name not in optional]
    return schema


selection_schema = partial(_schema, SelectionShape, "Assay selection")


def measured_from(document: object, *, source: str = REPORT_FILE) -> Measurements:
    """What was measured. `source` names the file in what is refused."""
    report = _checked(document, source)
    details, model = report.details, report.details.model
    measured = Measurements(
        name=report.checkpoint,
        **model.model_dump(exclude={"failed"}),
        not_measured=details.not_measured,
        timestamp=report.timestamp,
        provenance=details.provenance,
        failed=model.failed or "",
    )
    for measure in every_measure():
        measured = measure.read(measured, details)
    above = report.model_dump(exclude={"details"})
    for key, value in headline(measured).items():  # a difference was made by hand
        if above[key] != value:
            _refuse(source, tr("{key} is at odds with details.{key}.", key=key))
    return measured


def _checked(document: object, source: str) -> Any:
    try:
        return evaluation_report_shape().model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"])) or source
        _refuse(
            source, tr("{key}: {what}.", key=key, what=first["msg"].removeprefix("Value error, "))
        )


def _refuse(source: str, sentence: str) -> NoReturn:
    raise InvalidFiles(
        tr("{path} cannot be used: {why}", path=source, why=sentence),
        [FileFinding(file=source, line=1, column=1, message=sentence)],
        hint=tr("Evaluate the checkpoint again with: assay run"),
    )
