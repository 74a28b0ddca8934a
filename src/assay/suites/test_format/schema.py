"""The test format as JSON Schema 2020-12, so that editors complete and check while one types.

Whatever the loader accepts, the schema accepts; rules that span fields or files are the loader's.
"""

from __future__ import annotations

from typing import Any

from assay.files.json_file import MAX_ID_CHARACTERS
from assay.files.validation import DIALECT
from assay.messages import tr, translated
from assay.suites.test_format.fields import COMMON, check_validator, methods
from assay.types import DEFAULT_MAX_TOKENS, DEFAULT_TEMPERATURE

JsonSchema = dict[str, Any]

# JSON Schema knows no \\w beyond ASCII that all validators share, so the schema forbids what is
# certainly wrong and leaves the letters of the world to the loader.
ID_PATTERN = r"^[^\s\x00-,./:-@\[-^`{-\x7f]+$(?!\n)"


def tests_schema() -> dict[str, object]:
    return {
        "$schema": DIALECT,
        "title": tr("Assay test file"),
        "description": tr("One category: a list of tests."),
        "type": "array",
        "minItems": 1,
        "items": {"$ref": "#/$defs/test"},
        "$defs": {"test": _test()},
    }


def _test() -> JsonSchema:
    properties: dict[str, Any] = COMMON.schema()["properties"]
    properties["id"] |= {"pattern": ID_PATTERN, "maxLength": MAX_ID_CHARACTERS}
    properties["temperature"]["default"] = DEFAULT_TEMPERATURE
    properties["max_tokens"]["default"] = DEFAULT_MAX_TOKENS
    properties["live"]["default"] = False
    checks = {name: _check(name) for name in methods()}
    properties["eval_method"] = {
        "description": properties["eval_method"]["description"],
        "enum": list(checks),
        "oneOf": [  # says the same again, with a sentence for each
            {"const": name, "description": translated(cls.description)}
            for name, cls in methods().items()
        ],
    }
    for check in checks.values():
        for field, schema in check["properties"].items():
            # Without a type: the value of a field of another method is not checked.
            known = {"description": schema["description"]} if "description" in schema else {}
            properties.setdefault(field, known)
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "required": ["id", "eval_method"],
        "oneOf": [{"required": ["prompt"]}, {"required": ["messages"]}],
        "allOf": [{"if": _is_method(name), "then": check} for name, check in checks.items()],
    }


def _is_method(name: str) -> JsonSchema:
    return {"properties": {"eval_method": {"const": name}}, "required": ["eval_method"]}


def _check(name: str) -> dict[str, Any]:
    validator = check_validator(methods()[name])
    schema = validator.schema()
    own = {field: each for field, each in schema["properties"].items() if field in validator.names}
    return {"properties": own, "required": schema.get("required", [])}
