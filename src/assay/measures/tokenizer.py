"""How the tokenizer cuts the texts of a run: tokens per word, byte tokens, changed texts.

A gate may limit the tokens per word: a tokenizer that falls apart on a language makes its texts
long and slow. The source with the most tokens per word counts.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from assay.files.fields import Doc
from assay.measures.limits import Limit, by_size_class, failing, limit_for, limited
from assay.messages import message, tr
from assay.plugins import measure
from assay.types import Estimate, TokenizerFigures
from assay.types.decisions import (
    Acceptance,
    Gate,
    GateCriterion,
    MeasureLimits,
    Measurements,
    Recommendation,
    fact,
)
from assay.types.measures import FigureColumn, Measure, Places, TakenReplies
from assay.types.trends import Trend

NAME = "tokenizer"
FIGURE = "tokens_per_word"


@dataclass(frozen=True)
class TokenizerTable:
    max_tokens_per_word: Annotated[
        Limit,
        Doc("The tokens per word must be below this, in every text and language of the run."),
    ]


@measure(NAME, unit="tokens/word", better="lower")
class TokenizerCuts(Measure):
    """By source and language; nothing is asked: the model counts tokens itself."""

    places = Places(keys=85, gate=65, advice=65)
    shapes = {NAME: (tuple[TokenizerFigures, ...], ())}
    table = TokenizerTable
    table_about = Doc("How long a word may become in tokens.")
    sentences = {
        "tokenizer_passes": message(
            "A word of {source} has {value:beside} tokens, below {limit:beside}."
        ),
        "tokenizer_fails": message(
            "A word of {source} has {value:beside} tokens, not below {limit:beside}."
        ),
        "tokenizer_not_measured": message("The tokens per word were not counted."),
        "other_tokenizer": message(
            "Train the tokenizer on more text like {source}, or choose one that was: no training "
            "of the model makes its tokens fewer."
        ),
        "tokens_level": message("{source}: {value} tokens per word, limit below {limit}"),
    }

    def take(self, measured: Measurements, taken: TakenReplies) -> Measurements:
        return replace(measured, tokenizer=taken.tokenizer)

    def details(self, measured: Measurements) -> Mapping[str, object]:
        return {NAME: measured.tokenizer}

    def read(self, measured: Measurements, details: Any) -> Measurements:
        return replace(measured, tokenizer=details.tokenizer)

    def shown(
        self, measured: Measurements, gate: Gate, criteria: Mapping[str, GateCriterion]
    ) -> Mapping[str, Estimate | None]:
        longest = _longest(measured)
        return (
            {FIGURE: longest.tokens_per_word if longest else None} if self.is_needed(gate) else {}
        )

    def columns(self, gate: Gate, shown: object) -> Iterator[FigureColumn]:
        if self.is_needed(gate):
            yield FigureColumn(tr("tokens/word"), FIGURE, 64, 75)

    def limits_of(self, table: TokenizerTable) -> Mapping[str, Any]:
        limits = MeasureLimits(max=by_size_class(table.max_tokens_per_word))
        return {"tables": {NAME: limits}}

    def criteria(self, measured: Measurements, gate: Gate) -> Mapping[str, GateCriterion]:
        asked = gate.tables.get(NAME)
        if asked is None or asked.max is None:
            return {}
        longest = _longest(measured)
        found = longest.tokens_per_word if longest else None
        limit = limit_for(measured, asked.max)
        source = _source(longest) if longest else ""
        return {NAME: limited(NAME, measured, found, limit, better="lower", source=source)}

    def remedies(
        self, measured: Measurements, acceptance: Acceptance, trend: Trend | None, gate: Gate
    ) -> Iterator[list[Recommendation]]:
        at, longest = failing(acceptance.criteria, NAME), _longest(measured)
        if at and longest:
            source = _source(longest)
            level = fact("tokens_level", source=source, value=longest.tokens_per_word, limit=at[1])
            yield [Recommendation(NAME, fact("other_tokenizer", source=source), (level,))]


def _longest(measured: Measurements) -> TokenizerFigures | None:
    """The source whose words have the most tokens."""
    known = [each for each in measured.tokenizer if each.tokens_per_word.value is not None]
    return max(known, key=lambda each: each.tokens_per_word.value or 0.0, default=None)


def _source(of: TokenizerFigures) -> str:
    return f"{of.source} ({of.language})" if of.language else of.source
