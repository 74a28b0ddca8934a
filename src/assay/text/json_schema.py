"""JSON Schemas that tests bring along: whether one is sound, and where a value breaks it.

Nothing is fetched: a schema refers to nothing outside of itself.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from assay.messages import tr

LONGEST = 200  # characters of a sentence; it quotes the value, which a model wrote

Schema = Mapping[str, Any]


class BadSchema(ValueError):
    """A schema that nothing can be checked against; `at` leads to the wrong part of it."""

    def __init__(self, message: str, at: tuple[str | int, ...] = ()) -> None:
        super().__init__(message[:LONGEST])
        self.at = at


def refuse_bad_schema(schema: Schema) -> None:
    """Raise BadSchema for what is no JSON Schema, or refers to something it does not have."""
    from jsonschema.exceptions import SchemaError
    from referencing import Registry
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    validator = _validator(schema)
    itself = Registry().with_resource("", DRAFT202012.create_resource(schema)).resolver()
    try:
        validator.check_schema(schema)
        for reference in _references(schema):
            itself.lookup(reference)
        validator.is_valid(None)
    except SchemaError as error:
        raise BadSchema(error.message, tuple(error.path)) from error
    except Unresolvable as error:
        message = tr("it refers to {reference}, which it does not have", reference=error.ref)
        raise BadSchema(message) from error
    except RecursionError as error:
        raise BadSchema(tr("it refers to itself without end")) from error


def find_breach(schema: Schema, value: object) -> str:
    """Where and how a value breaks a schema: `$.items[2].price: 'x' is not of type 'number'`; an
    empty text where it does not.
    """
    from jsonschema.exceptions import best_match

    try:
        error = best_match(_validator(schema).iter_errors(value))
    except RecursionError:
        return tr("it is nested too deeply")
    return "" if error is None else f"{error.json_path}: {error.message}"[:LONGEST]


def _validator(schema: Schema) -> Any:
    # Imported where it is used: it takes as long as a small suite.
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for
    from referencing import Registry

    # A registry of our own: the default one fetches what it does not know.
    return validator_for(schema, default=Draft202012Validator)(schema, registry=Registry())


def _references(node: object) -> Iterator[str]:
    if isinstance(node, Mapping):
        for key, inner in node.items():
            if key in ("$ref", "$dynamicRef") and isinstance(inner, str):
                yield inner
            yield from _references(inner)
    elif isinstance(node, list | tuple):
        for inner in node:
            yield from _references(inner)
