"""Types for the fields of files, as checks and file formats annotate them.

pattern: Annotated[Text, Doc("The regular expression.")]
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Ge, Le, MinLen
from pydantic_core import CoreSchema, core_schema

from assay.files.notes import Path
from assay.files.wording import shown
from assay.messages import tr, translated

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler

MAX_LENGTH = 10_000_000  # characters, words, items: above any real answer
MAX_WEIGHT = 1_000_000


class Mistake(ValueError):
    """A rule's sentence, or a function of the field's name to one; `at`: the path to the wrong
    part.
    """

    def __init__(
        self, message: str | Callable[[str], str], at: Path = (), *, about_key: bool = False
    ) -> None:
        super().__init__(message if isinstance(message, str) else message("value"))
        self.message = message
        self.at = at
        self.about_key = about_key


@dataclass(frozen=True, eq=False)
class Rule:
    """In `Annotated`: a function that sees the value once its type is right, and may raise Mistake.
    `schema` is added to the JSON Schema; `of`: the type in the file, where it is another.
    """

    function: Callable[[Any], Any]
    schema: dict[str, Any] | None = None
    of: Any = None

    def __get_pydantic_core_schema__(self, kind: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        extra = {"pydantic_js_extra": self.schema} if self.schema else None
        inner = handler(kind) if self.of is None else handler.generate_schema(self.of)
        return core_schema.no_info_after_validator_function(self.function, inner, metadata=extra)


@dataclass(frozen=True)
class ValueWords:
    """In `Annotated`: names the value in a sentence, in the user's language, when it is needed."""

    wanted: Callable[[], str]

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return handler(core) | {"x-wanted": self.wanted}


@dataclass(frozen=True)
class Visible:
    """In `Annotated`: a text with at least one character that is not white space."""

    def __get_pydantic_core_schema__(self, kind: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.str_schema(pattern=r"\S", min_length=1)


def form(pattern: str, words: Callable[[], str]) -> Rule:
    """A rule: a text matches a pattern, which `words` describes ("a language tag")."""

    matches = re.compile(pattern).fullmatch

    def check(text: str) -> str:
        if matches(text):
            return text
        raise Mistake(
            lambda field: tr(
                "'{field}' must be {wanted}, not {got}{hint}",
                field=field,
                wanted=words(),
                got=f"'{shown(text)}'",
                hint="",
            )
        )

    return Rule(check, schema={"pattern": f"^{pattern}$"})


def refuse_repeats(items: Sequence[str]) -> Sequence[str]:
    """A rule: no text appears in a list twice, white space apart."""
    if len({" ".join(item.split()) for item in items}) < len(items):
        plain = [item.split() for item in items]
        index = next(n for n, item in enumerate(plain) if item in plain[:n])
        text = shown(items[index])
        raise Mistake(
            lambda field: tr("'{field}' repeats '{text}'", field=field, text=text), (index,)
        )
    return items


Text = Annotated[str, Visible()]
Distinct = Rule(refuse_repeats, schema={"uniqueItems": True})


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
        return core_schema.literal_schema(list(self.words))


def _in_a_tuple(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value


def _remark_text(value: str | dict[str, object]) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


Texts = tuple[Text, ...]
SomeTexts = Annotated[Texts, MinLen(1)]
OneOrMore = Annotated[tuple[str, ...], Rule(_in_a_tuple, of=Text | SomeTexts)]
Phrases = tuple[OneOrMore, ...]
SomePhrases = Annotated[Phrases, MinLen(1)]
# A text, or an object that a judge reads as it is.
Remark = Annotated[str, Rule(_remark_text, of=Text | Annotated[dict[str, Any], MinLen(1)])]
Remarks = tuple[Remark, ...]
Count = Annotated[int, Ge(0), Le(MAX_LENGTH)]
PositiveCount = Annotated[int, Ge(1), Le(MAX_LENGTH)]
Weight = Annotated[float, Ge(0), Le(MAX_WEIGHT)]
