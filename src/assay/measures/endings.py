"""How many samples end by themselves: a model that never writes its end token rambles to the limit.

Counted over the samples of the generation check, seeded ones and greedy ones; a base model that was
trained on texts without ends has few. It is shown, and decides, where a gate asks for it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from assay.files.fields import Doc
from assay.measures.limits import ShareLimit, by_size_class, failing, limit_for, limited
from assay.messages import message, tr
from assay.plugins import measure
from assay.stats import estimates
from assay.types import Answered, Estimate
from assay.types.decisions import (
    Acceptance,
    Gate,
    GateCriterion,
    MeasureLimits,
    Measurements,
    Recommendation,
    fact,
)
from assay.types.measures import (
    FigureColumn,
    FollowedFigure,
    JsonKey,
    Measure,
    Places,
    TakenReplies,
)
from assay.types.trends import Trend

NAME = "endings"


@dataclass(frozen=True)
class EndingsTable:
    min: Annotated[
        ShareLimit, Doc("The share of samples that end by themselves must be above this.")
    ]


@measure(NAME, unit="share", better="higher")
class Endings(Measure):
    """How many of its samples end by themselves."""

    places = Places(keys=82, gate=45, advice=35)
    kind = "generation"
    keys = (JsonKey(NAME, "share"),)
    table = EndingsTable
    table_about = Doc("How many samples must end by themselves.")
    sentences = {
        "endings_passes": message(
            "The share of samples that end by themselves, {value:beside}, is above {limit:beside}."
        ),
        "endings_fails": message(
            "The share of samples that end by themselves, {value:beside}, is not above "
            "{limit:beside}."
        ),
        "endings_not_measured": message("Whether samples end by themselves was not measured."),
        "teach_ends": message(
            "Put an end-of-text token behind every document or answer of the training data, and "
            "let the loss count it: the model writes on until it is cut."
        ),
        "endings_level": message("samples that end by themselves: {value}, limit above {limit}"),
    }

    def take(self, measured: Measurements, taken: TakenReplies) -> Measurements:
        if taken.deciding is None or not self.is_needed(taken.deciding.gate):
            return measured
        replies = [reply for _, _, reply, _ in taken.samples]
        texts = [reply for reply in replies if isinstance(reply, Answered)]
        if not texts:
            return measured
        ended = sum(not each.truncated for each in texts)
        found = estimates.proportion(ended, len(texts), unscored=len(replies) - len(texts))
        return replace(measured, figures={**measured.figures, NAME: found})

    def details(self, measured: Measurements) -> Mapping[str, object]:
        return {key: each for key, each in self.figures(measured).items() if each is not None}

    def shown(
        self, measured: Measurements, gate: Gate, criteria: Mapping[str, GateCriterion]
    ) -> Mapping[str, Estimate | None]:
        return self.figures(measured) if self.is_needed(gate) else {}

    def columns(self, gate: Gate, shown: object) -> Iterator[FigureColumn]:
        if self.is_needed(gate):
            yield FigureColumn(tr("ended"), NAME, 63, 71)

    def followed(self, gate: Gate) -> Iterator[FollowedFigure]:
        if self.is_needed(gate):
            yield FollowedFigure(NAME, NAME)

    def limits_of(self, table: EndingsTable) -> Mapping[str, Any]:
        return {"tables": {NAME: MeasureLimits(min=by_size_class(table.min))}}

    def criteria(self, measured: Measurements, gate: Gate) -> Mapping[str, GateCriterion]:
        asked = gate.tables.get(NAME)
        if asked is None or asked.min is None:
            return {}
        found, limit = measured.figures.get(NAME), limit_for(measured, asked.min)
        return {NAME: limited(NAME, measured, found, limit, better="higher")}

    def remedies(
        self, measured: Measurements, acceptance: Acceptance, trend: Trend | None, gate: Gate
    ) -> Iterator[list[Recommendation]]:
        if at := failing(acceptance.criteria, NAME):
            level = fact("endings_level", value=measured.figures.get(NAME), limit=at[1])
            yield [Recommendation(NAME, fact("teach_ends"), (level,))]
