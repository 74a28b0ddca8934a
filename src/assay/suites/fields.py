"""The test format as one table: checks, schema, "did you mean" and documentation all read it.

In: nothing. Out: which fields there are, of which kind, for which eval_method.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.messages import tr
from assay.suites.containers import ListOf, MapOf, OneOrMore, Record, TextOrObject
from assay.suites.kinds import Flag, FlagOrText, Kind, Number, OneOf, Pattern, Text
from assay.types import (
    DEFAULT_MAX_TOKENS,
    DEFAULT_PASS_MARK,
    DEFAULT_TEMPERATURE,
    LANGUAGES,
    MARKDOWN_ELEMENTS,
)

# Large enough for any wish, small enough for every server and database.
MAX_TOKENS = 1_000_000
MAX_LENGTH = 10_000_000
MAX_WEIGHT = 1_000_000
MAX_K = 100
MAX_STOPS = 16

TEXTS = ListOf(Text())
ROLES = ("system", "user", "assistant")
# JSON Schema knows no \w beyond ASCII that all validators share, so the schema forbids what is
# certainly wrong and leaves the letters of the world to `case`.
ID_SCHEMA = r"^[^\s\x00-,./:-@\[-^`{-\x7f]+$(?!\n)"

MESSAGE = Record({"role": OneOf(ROLES), "content": Text()}, required=("role", "content"))

FORMAT_RULES: Mapping[str, Kind] = {
    "contains_ewe": Flag(),
    "contains_function_call": Flag(),
    "json": Flag(),
    "min_length": Number(0, MAX_LENGTH, whole=True),
    "max_length": Number(1, MAX_LENGTH, whole=True),
    "min_words": Number(0, MAX_LENGTH, whole=True),
    "max_words": Number(1, MAX_LENGTH, whole=True),
    "max_sentences": Number(1, MAX_LENGTH, whole=True),
    "list_item_count": Number(0, MAX_LENGTH, whole=True),
    "starts_with": Text(),
    "ends_with": Text(),
    "language": OneOf(tuple(LANGUAGES)),
    "markdown_elements": ListOf(OneOf(MARKDOWN_ELEMENTS)),
}

COMPOSITE_PARTS = ("keywords", "format", "ewe_quality")
COMPOSITE_WEIGHTS = Record(dict.fromkeys(COMPOSITE_PARTS, Number(0, MAX_WEIGHT)))

COMMON: Mapping[str, Kind] = {
    "id": Text(),
    "prompt": Text(),
    "messages": ListOf(MESSAGE, least=1),
    "system": Text(empty=True),
    "live": Flag(),
    "eval_method": Text(),
    "temperature": Number(0, 2),
    "max_tokens": Number(1, MAX_TOKENS, whole=True),
    "stop": OneOrMore(Text(blank=True), most=MAX_STOPS),
    "description": Text(empty=True),
    "reviewed": FlagOrText(),
    "tags": TEXTS,
}

_KEYWORD_LIST = ListOf(OneOrMore())
_FORMAT = Record(FORMAT_RULES)
_REMARKS = ListOf(TextOrObject())


@dataclass(frozen=True)
class Method:
    """The fields of one eval_method."""

    fields: Mapping[str, Kind]
    required: tuple[str, ...] = ()


METHODS: Mapping[str, Method] = {
    "exact_match": Method(
        {
            "expected": OneOrMore(),
            "normalize": OneOf(("strict", "trim", "text", "number")),
        },
        required=("expected",),
    ),
    "keywords": Method(
        {
            "expected_keywords": _KEYWORD_LIST,
            "forbidden_keywords": _KEYWORD_LIST,
            "keyword_match": OneOf(("word", "prefix", "substring")),
        },
    ),
    "multiple_choice": Method(
        {
            "expected": Pattern("[A-Za-z]", lambda: tr("one letter from A to Z")),
            "choices": ListOf(Text(), least=2, most=26, distinct=True),
            "score_by": OneOf(("letter", "text")),
            "render": Flag(),
        },
        required=("expected",),
    ),
    "format": Method({"expected_format": _FORMAT}, required=("expected_format",)),
    "ewe_quality": Method({}),
    "composite": Method(
        {
            "expected_keywords": _KEYWORD_LIST,
            "expected_format": _FORMAT,
            "weights": COMPOSITE_WEIGHTS,
        },
    ),
    "top_k": Method(
        {
            "expected_any": ListOf(Text(), least=1),
            "k": Number(1, MAX_K, whole=True),
            "match": OneOf(("word", "command", "module")),
        },
        required=("expected_any",),
    ),
    "command_sequence": Method(
        {"expected_commands": ListOf(OneOrMore(), least=1)}, required=("expected_commands",)
    ),
    "judge": Method(
        {
            "rubric": Text(),
            "requirements": _REMARKS,
            "evaluation_points": _REMARKS,
            "checklist": _REMARKS,
            "evidence": Text(),
            "fixtures": TEXTS,
        },
        required=("rubric",),
    ),
}

# An example of a few-shot prompt shows the right answer, so there must be one.
METHODS_WITH_GOLD = ("exact_match", "keywords", "multiple_choice", "top_k", "command_sequence")

METHODS_OF: Mapping[str, tuple[str, ...]] = {
    field: tuple(name for name, method in METHODS.items() if field in method.fields)
    for field in sorted({field for method in METHODS.values() for field in method.fields})
}

ALL_FIELDS: tuple[str, ...] = (*COMMON, *METHODS_OF)

SUITE_KEYS: Mapping[str, Kind] = {
    "title": Text(empty=True),
    "version": Text(empty=True),
    "language": Pattern(
        "[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*", lambda: tr("a language tag such as ee or fr-TG")
    ),
    "system": Text(empty=True),
    "weights": MapOf(Number(0, MAX_WEIGHT)),
    "pass_mark": Number(0, 1),
    "scoring": OneOf(("standard", "ewebench-1.0")),
    "few_shot": MapOf(Text()),
    "shots": Number(0, 100, whole=True),
}

DEFAULTS: Mapping[str, object] = {
    "temperature": DEFAULT_TEMPERATURE,
    "max_tokens": DEFAULT_MAX_TOKENS,
    "live": False,
    "normalize": "text",
    "keyword_match": "word",
    "score_by": "letter",
    "render": True,
    "k": 3,
    "match": "word",
    "pass_mark": DEFAULT_PASS_MARK,
    "scoring": "standard",
    "shots": 0,
}
