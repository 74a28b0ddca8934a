"""Values as JSON has them, for every document that a program reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass

JsonObject = dict[str, object]


def pick(of: object, names: str) -> JsonObject:
    """The named attributes as plain values."""
    return {name: plain_value(getattr(of, name)) for name in names.split()}


def plain_value(value: object) -> object:
    """A tuple is a list, a dataclass its fields: an Estimate is an ESTIMATE of the contract."""
    if isinstance(value, tuple | list):
        return [plain_value(each) for each in value]
    if isinstance(value, Mapping):
        return {name: plain_value(each) for name, each in value.items()}
    if is_dataclass(value):
        return {each.name: plain_value(getattr(value, each.name)) for each in fields(value)}
    return value
