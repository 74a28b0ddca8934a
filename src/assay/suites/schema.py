"""The test format as JSON Schema 2020-12, so that editors complete and check while one types.

In: the table of fields. Out: schemas. Whatever the loader accepts, the schema accepts; rules that
span fields (a letter beyond the choices, a minimum above its maximum) and files (an id twice) are
the loader's alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.files.json_file import MAX_ID_CHARACTERS
from assay.messages import tr
from assay.suites import descriptions
from assay.suites.containers import Record
from assay.suites.fields import (
    COMMON,
    COMPOSITE_WEIGHTS,
    DEFAULTS,
    FORMAT_RULES,
    ID_SCHEMA,
    MESSAGE,
    METHODS,
    METHODS_OF,
    SUITE_KEYS,
)
from assay.suites.kinds import JsonSchema, Kind

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def tests_schema() -> dict[str, object]:
    """The schema of a category file."""
    return {
        "$schema": DIALECT,
        "title": tr("Assay test file"),
        "description": tr("One category: a list of tests."),
        "type": "array",
        "minItems": 1,
        "items": {"$ref": "#/$defs/test"},
        "$defs": {"test": _test()},
    }


def suite_schema() -> dict[str, object]:
    """The schema of a suite.json."""
    return {
        "$schema": DIALECT,
        "title": tr("Assay suite"),
        "description": tr("What holds for all categories beside this file."),
        "type": "object",
        "additionalProperties": False,
        "properties": _properties(SUITE_KEYS, descriptions.suite_keys()),
    }


def _test() -> JsonSchema:
    properties = _properties(COMMON, descriptions.common_fields())
    properties["id"] |= {"pattern": ID_SCHEMA, "maxLength": MAX_ID_CHARACTERS}
    properties["messages"] |= {"items": _record(MESSAGE, descriptions.message_fields())}
    properties["eval_method"] = {
        "description": descriptions.common_fields()["eval_method"],
        "enum": list(METHODS),
        "oneOf": [  # says the same again, with a sentence for each
            {"const": name, "description": sentence}
            for name, sentence in descriptions.methods().items()
        ],
    }
    # Without a type: the value of a field of another method is not checked.
    own = descriptions.method_fields()
    properties |= {name: {"description": own[name]} for name in METHODS_OF}
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "required": ["id", "eval_method"],
        "oneOf": [{"required": ["prompt"]}, {"required": ["messages"]}],
        "allOf": [{"if": _is_method(name), "then": _method(name)} for name in METHODS],
    }


def _is_method(name: str) -> JsonSchema:
    return {"properties": {"eval_method": {"const": name}}, "required": ["eval_method"]}


def _method(name: str) -> JsonSchema:
    method = METHODS[name]
    properties = _properties(method.fields, descriptions.method_fields())
    if "expected_format" in properties:
        rules = _record(Record(FORMAT_RULES), descriptions.format_rules())
        properties["expected_format"] |= rules
    if "weights" in properties:
        properties["weights"] |= _record(COMPOSITE_WEIGHTS, descriptions.composite_parts())
    made: JsonSchema = {"properties": properties, "required": list(method.required)}
    if name == "format":
        properties["expected_format"]["minProperties"] = 1
    if name == "keywords":
        made["anyOf"] = [_filled("expected_keywords"), _filled("forbidden_keywords")]
    if name == "composite":
        made["anyOf"] = [_filled("expected_keywords"), _filled("expected_format")]
    return made


def _filled(field: str) -> JsonSchema:
    """A list or object that is there and is not empty."""
    return {"required": [field], "properties": {field: {"minItems": 1, "minProperties": 1}}}


def _properties(kinds: Mapping[str, Kind], sentences: Mapping[str, str]) -> dict[str, JsonSchema]:
    return {name: _described(kind.schema(), sentences[name], name) for name, kind in kinds.items()}


def _record(record: Record, sentences: Mapping[str, str]) -> JsonSchema:
    return record.schema() | {"properties": _properties(record.fields, sentences)}


def _described(schema: JsonSchema, sentence: str, name: str) -> JsonSchema:
    made = {**schema, "description": sentence}
    if name in DEFAULTS:
        made["default"] = DEFAULTS[name]
    return made
