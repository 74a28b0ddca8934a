"""Values as JSON has them, for every document that a program reads."""

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

JsonObject = dict[str, Any]


def pick(of: object, names: str) -> JsonObject:
    return {name: plain_value(getattr(of, name)) for name in names.split()}


def plain_value(value: Any) -> Any:
    """What JSON has no form for is written as text, a number that it has no name for is null."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return {str(name): plain_value(each) for name, each in value.items()}
        case list() | tuple() | set() | frozenset():
            return [plain_value(each) for each in value]
        case _ if is_dataclass(value):
            return {each.name: plain_value(getattr(value, each.name)) for each in fields(value)}
        case _:
            return str(value)
