"""Lists and objects made of the kinds.

In: a value and its path. Out: notes in our own sentences; or the kind as JSON Schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.files.notes import Notes
from assay.files.places import MAX_DEPTH, Path
from assay.files.wording import did_you_mean, label, shown
from assay.messages import tr
from assay.suites.kinds import JsonSchema, Kind, Text

VISIBLE = Text()


@dataclass(frozen=True)
class ListOf(Kind):
    """A list. `least` items at least; `distinct`: no two the same but for white space."""

    item: Kind
    least: int = 0
    most: int | None = None
    distinct: bool = False

    def allows(self, value: object) -> bool:
        """Quick twin of check."""
        if type(value) is not list or len(value) < self.least:
            return False
        if self.most is not None and len(value) > self.most:
            return False
        return all(map(self.item.allows, value)) and not (self.distinct and _repeats(value))

    def check(self, value: object, path: Path, notes: Notes) -> None:
        """Note a wrong type, a wrong count, and whatever is wrong with an item."""
        if type(value) is not list:
            self.refuse(value, path, notes)
            return
        if len(value) < self.least:
            notes.error(path, self._too_few(label(path)))
        elif self.most is not None and len(value) > self.most:
            notes.error(path, self._too_many(label(path), len(value)))
        for index, item in enumerate(value):
            self.item.check(item, (*path, index), notes)
        for index in _repeats(value) if self.distinct else ():
            sentence = tr(
                "'{field}' repeats '{text}'",
                field=label((*path, index)),
                text=shown(value[index]),
            )
            notes.error((*path, index), sentence)

    def wanted(self) -> str:
        """A list."""
        return tr("a list")

    def schema(self) -> JsonSchema:
        """Array."""
        made: JsonSchema = {"type": "array", "items": self.item.schema()}
        if self.least:
            made["minItems"] = self.least
        if self.most is not None:
            made["maxItems"] = self.most
        if self.distinct:
            made["uniqueItems"] = True
        return made

    def _too_few(self, field: str) -> str:
        if self.least == 1:
            return tr("'{field}' is empty", field=field)
        return tr("'{field}' needs at least {least} items", field=field, least=self.least)

    def _too_many(self, field: str, count: int) -> str:
        return tr(
            "'{field}' has {count} items, and at most {most} are allowed",
            field=field,
            count=count,
            most=self.most,
        )


@dataclass(frozen=True)
class OneOrMore(Kind):
    """One text, or a list of texts of which each will do."""

    text: Text = VISIBLE
    most: int | None = None
    takes_text = True

    def allows(self, value: object) -> bool:
        """Quick twin of check."""
        if type(value) is str:
            return self.text.allows(value)
        if type(value) is not list or not value or (self.most and len(value) > self.most):
            return False
        return all(map(self.text.allows, value))

    def check(self, value: object, path: Path, notes: Notes) -> None:
        """Note whatever is wrong with the text or the list."""
        if type(value) is str:
            self.text.check(value, path, notes)
        elif type(value) is list:
            ListOf(self.text, least=1, most=self.most).check(value, path, notes)
        else:
            self.refuse(value, path, notes)

    def wanted(self) -> str:
        """A text or a list of texts."""
        return tr("a text or a list of texts")

    def schema(self) -> JsonSchema:
        """Either."""
        many = ListOf(self.text, least=1, most=self.most).schema()
        return {"anyOf": [self.text.schema(), many]}


@dataclass(frozen=True)
class TextOrObject(Kind):
    """A text, or an object that a judge reads as it stands."""

    takes_text = True

    def allows(self, value: object) -> bool:
        """Quick twin of check."""
        notes = Notes()
        self.check(value, (), notes)
        return notes.errors == 0

    def check(self, value: object, path: Path, notes: Notes) -> None:
        """Note a wrong type, nothing, or endless nesting."""
        if type(value) is str:
            VISIBLE.check(value, path, notes)
        elif type(value) is dict:
            if not value:
                notes.error(path, tr("'{field}' is empty", field=label(path)))
            check_depth(value, path, notes)
        else:
            self.refuse(value, path, notes)

    def wanted(self) -> str:
        """A text or an object."""
        return tr("a text or an object")

    def schema(self) -> JsonSchema:
        """Either."""
        return {"anyOf": [VISIBLE.schema(), {"type": "object", "minProperties": 1}]}


@dataclass(frozen=True)
class MapOf(Kind):
    """An object whose keys the author chooses."""

    item: Kind

    def allows(self, value: object) -> bool:
        """Quick twin of check."""
        return type(value) is dict and all(map(self.item.allows, value.values()))

    def check(self, value: object, path: Path, notes: Notes) -> None:
        """Note a wrong type, and whatever is wrong with a value."""
        if type(value) is not dict:
            self.refuse(value, path, notes)
            return
        for key, item in value.items():
            self.item.check(item, (*path, key), notes)

    def wanted(self) -> str:
        """An object."""
        return tr("an object")

    def schema(self) -> JsonSchema:
        """Object."""
        return {"type": "object", "additionalProperties": self.item.schema()}


@dataclass(frozen=True)
class Record(Kind):
    """An object with known keys."""

    fields: Mapping[str, Kind]
    required: tuple[str, ...] = ()

    def allows(self, value: object) -> bool:
        """Quick twin of check."""
        if type(value) is not dict or any(key not in value for key in self.required):
            return False
        return all(
            key in self.fields and self.fields[key].allows(item) for key, item in value.items()
        )

    def check(self, value: object, path: Path, notes: Notes) -> None:
        """Note a wrong type, unknown and missing keys, and whatever is wrong with a value."""
        if type(value) is not dict:
            self.refuse(value, path, notes)
            return
        for key, item in value.items():
            kind = self.fields.get(key)
            if kind is None:
                problem = tr(
                    "unknown field '{field}' in '{holder}'", field=shown(key), holder=label(path)
                )
                message = did_you_mean(problem, key, self.fields)
                notes.error((*path, key), message, about_key=True)
            else:
                kind.check(item, (*path, key), notes)
        for key in self.required:
            if key not in value:
                notes.error(path, tr("'{holder}' lacks '{field}'", holder=label(path), field=key))

    def wanted(self) -> str:
        """An object."""
        return tr("an object")

    def schema(self) -> JsonSchema:
        """Object that allows nothing else."""
        made: JsonSchema = {
            "type": "object",
            "additionalProperties": False,
            "properties": {name: kind.schema() for name, kind in self.fields.items()},
        }
        if self.required:
            made["required"] = list(self.required)
        return made


def check_depth(value: object, path: Path, notes: Notes) -> None:
    """Note a value nested so deep that another machine's parser might not read the file."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for outer in level for inner in _held(outer)]
        if not level:
            return
    notes.error(path, tr("nested more than {limit} levels deep", limit=MAX_DEPTH))


def _held(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _repeats(items: list[object]) -> list[int]:
    """Which texts stand earlier in the list already, but for white space."""
    plain = [" ".join(item.split()) for item in items if isinstance(item, str)]
    if len(set(plain)) == len(items):
        return []
    seen: set[str] = set()
    repeats = []
    for index, item in enumerate(items):
        text = " ".join(item.split()) if isinstance(item, str) else ""
        if text and text in seen:
            repeats.append(index)
        seen.add(text)
    return repeats
