"""Types for the fields of a test, as checks annotate them.

In: nothing. Out: annotations for `Validator`, and `Doc`, the sentence that describes a field.

    class Regex:
        pattern: Annotated[Text, Doc("The regular expression.")]
        flags: Texts = ()
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Ge, Le, MinLen

from assay.files.places import MAX_DEPTH
from assay.files.validation import Mistake, Text
from assay.messages import tr, translated

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

MAX_LENGTH = 10_000_000  # characters, words, items: above any real answer
MAX_WEIGHT = 1_000_000


@dataclass(frozen=True, slots=True)
class Doc:
    """In `Annotated`: what a field is for, in one sentence."""

    sentence: str

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        return {**handler(schema), "description": translated(self.sentence)}


@dataclass(frozen=True, slots=True)
class NotInFile:
    """In `Annotated`: a field that the loader sets; a test file cannot."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """In `Annotated`: one of these words."""

    words: tuple[str, ...]

    def __get_pydantic_core_schema__(self, kind: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.literal_schema(list(self.words))


class _OneOrMore:
    """One text or a list of texts; a tuple of texts once read."""

    def __get_pydantic_core_schema__(self, kind: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema

        text = handler.generate_schema(Text)
        texts = core_schema.list_schema(text, min_length=1)
        return core_schema.no_info_after_validator_function(
            lambda value: (value,) if isinstance(value, str) else tuple(value),
            core_schema.union_schema([text, texts]),
        )


class _Remark:
    """A text, or an object that a judge reads as it is; a text once read."""

    def __get_pydantic_core_schema__(self, kind: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema

        thing = core_schema.dict_schema(core_schema.str_schema(), min_length=1)
        return core_schema.no_info_after_validator_function(
            _remark_text, core_schema.union_schema([handler.generate_schema(Text), thing])
        )


def _remark_text(value: str | dict[str, object]) -> str:
    if isinstance(value, str):
        return value
    refuse_depth(value)
    return json.dumps(value, ensure_ascii=False)


def refuse_depth(value: object) -> None:
    """Raise Mistake for a value nested so deep that another parser might not read the file."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return
    raise Mistake(tr("nested more than {limit} levels deep", limit=MAX_DEPTH))


def _inside(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


Texts = tuple[Text, ...]
SomeTexts = Annotated[Texts, MinLen(1)]
OneOrMore = Annotated[tuple[str, ...], _OneOrMore()]
Phrases = tuple[OneOrMore, ...]
SomePhrases = Annotated[Phrases, MinLen(1)]
Remarks = tuple[Annotated[str, _Remark()], ...]
Count = Annotated[int, Ge(0), Le(MAX_LENGTH)]
PositiveCount = Annotated[int, Ge(1), Le(MAX_LENGTH)]
Weight = Annotated[float, Ge(0), Le(MAX_WEIGHT)]
