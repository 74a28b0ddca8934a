"""The gate format as one table: checks, schema, "did you mean" and documentation all read it.

In: a value and its path. Out: notes in our own sentences; or the format as JSON Schema 2020-12.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.files.notes import Notes
from assay.files.places import Path
from assay.files.wording import described, did_you_mean, label, nearest, shown
from assay.messages import tr
from assay.suites.containers import ListOf, Record
from assay.suites.kinds import JsonSchema, Kind, Number, Text
from assay.suites.schema import DIALECT
from assay.types.decisions import SIZE_CLASSES

MOST = 1_000_000_000  # beyond every model, and a float and an int alike on every machine
_DECIMAL_BITS = 200  # Python refuses to write a whole number of some 14,000 bits in decimals


class _InToml(Kind):
    """Says what stands there in the words of TOML."""

    def refuse(self, value: object, path: Path, notes: Notes) -> None:
        """Note that a value is not of this kind."""
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        hint = tr("; put it in quotes") if is_number and self.takes_text else ""
        self._note(path, notes, _described(value), hint)


def _described(value: object) -> str:
    if isinstance(value, dict):
        return tr("a table")
    if value is None or isinstance(value, bool | str | int | float | list):
        return described(value)
    return tr("a date or a time")


class _Name(_InToml, Text):
    """A text with something in it."""


class _Names(_InToml, ListOf):
    """A list of texts."""


class _Table(_InToml, Record):
    """A table with known keys."""

    def wanted(self) -> str:
        """A table."""
        return tr("a table")


class _Suites(_InToml, ListOf):
    """Tables under headers in double brackets."""

    def wanted(self) -> str:
        """Tables, and how they are written."""
        return tr("a list of tables, each under [[suite]]")


class _Number(_InToml, Number):
    """A number in a range, both ends included."""

    def refuse_value(self, value: object, path: Path, notes: Notes) -> None:
        """Note that a number is not allowed, and why not where that is not plain."""
        if isinstance(value, int) and value.bit_length() > _DECIMAL_BITS:
            written = f"{value:#x}"
        else:
            written = f"{value}"
        hint = self.hint(value) if isinstance(value, int | float) else ""
        self._note(path, notes, shown(written), hint)

    def hint(self, value: float) -> str:
        """What to add about a number outside the range."""
        return ""


class _Above(_Number):
    """A number above `low`."""

    def allows(self, value: object) -> bool:
        """Quick twin of check."""
        return super().allows(value) and value != self.low

    def wanted(self) -> str:
        """A number above …."""
        return tr(
            "a number above {low}, at most {high}", low=f"{self.low:.12g}", high=f"{self.high:.12g}"
        )

    def schema(self) -> JsonSchema:
        """Number with its bounds."""
        return {"type": "number", "exclusiveMinimum": self.low, "maximum": self.high}


class _PerplexityLimit(_Above):
    def hint(self, value: float) -> str:
        """Why not 1."""
        if 0 <= value <= 1:
            return tr("; a perplexity is at least 1, so that nothing would ever pass")
        return ""


class _ShareLimit(_Number):
    """A share that can be exceeded."""

    def allows(self, value: object) -> bool:
        """Quick twin of check."""
        return super().allows(value) and value != self.high

    def wanted(self) -> str:
        """A share."""
        return tr("a number from 0 to below 1")

    def schema(self) -> JsonSchema:
        """Number with its bounds."""
        return {"type": "number", "minimum": self.low, "exclusiveMaximum": self.high}

    def hint(self, value: float) -> str:
        """Percent are taken for shares; and nothing is above 1."""
        if value == 1:
            return tr("; a share must be above its limit, and none is above 1")
        if 1 < value < 100:
            return tr("; {percent} % is written {share}",
                      percent=f"{value:.12g}", share=f"{value / 100:.12g}")  # fmt: skip
        return ""


@dataclass(frozen=True)
class _BySizeClass(_InToml):
    """One number for all size classes, or one for each."""

    limit: _Number

    def allows(self, value: object) -> bool:
        """Quick twin of check."""
        if type(value) is not dict:
            return self.limit.allows(value)
        return self._table().allows(value)

    def check(self, value: object, path: Path, notes: Notes) -> None:
        """Note a wrong type, a wrong number, an unknown class and all that are missing."""
        if type(value) is dict:
            self._check_table(value, path, notes)
        elif type(value) is int or type(value) is float:
            self.limit.check(value, path, notes)
        else:
            self.refuse(value, path, notes)

    def _check_table(self, value: Mapping[str, object], path: Path, notes: Notes) -> None:
        meant = set()
        for name, item in value.items():
            if name in SIZE_CLASSES:
                self.limit.check(item, (*path, name), notes)
            else:
                problem = tr(
                    "unknown size class '{name}' in '{holder}'",
                    name=shown(name),
                    holder=label(path),
                )
                notes.error(
                    (*path, name), did_you_mean(problem, name, SIZE_CLASSES), about_key=True
                )
                meant.add(nearest(name, SIZE_CLASSES))
        missing = [name for name in SIZE_CLASSES if name not in value and name not in meant]
        if missing:
            message = tr(
                "'{holder}' lacks {classes}; name every size class, or give one number for all",
                holder=label(path),
                classes=", ".join(f"'{name}'" for name in missing),
            )
            notes.error(path, message)

    def _table(self) -> Record:
        return Record(dict.fromkeys(SIZE_CLASSES, self.limit), required=SIZE_CLASSES)

    def wanted(self) -> str:
        """Either."""
        return tr("{number}, or a table with one for each size class", number=self.limit.wanted())

    def schema(self) -> JsonSchema:
        """Either."""
        return {"anyOf": [self.limit.schema(), self._table().schema()]}


PERPLEXITY = _Table({"max": _BySizeClass(_PerplexityLimit(1, MOST))}, required=("max",))
SUITE = _Table(
    {
        "name": _Name(),
        "categories": _Names(_Name(), least=1, distinct=True),
        "min": _ShareLimit(0, 1),
    },
    required=("name", "min"),
)
SPEED = _Table({"min_tokens_per_s": _BySizeClass(_Number(0, MOST))}, required=("min_tokens_per_s",))
GENERATION = _Table({"max_failures": _Number(0, MOST, whole=True)}, required=("max_failures",))
MEMORY = _Table({"max_mb": _BySizeClass(_Above(0, MOST))}, required=("max_mb",))

GATE_KEYS: Mapping[str, Kind] = {
    "perplexity": PERPLEXITY,
    "suite": _Suites(SUITE, least=1),
    "speed": SPEED,
    "generation": GENERATION,
    "memory": MEMORY,
}


def gate_schema() -> dict[str, object]:
    """The schema of a gate file, once it is parsed.

    Whatever the loader accepts, the schema accepts; that a suite stands twice is the loader's
    alone to find, and so is `nan`, which JSON does not have.
    """
    sentences = _sentences()
    suites = _described_table(SUITE, sentences["suite"])
    properties: dict[str, JsonSchema] = {
        name: _described_table(kind, sentences[name])
        for name, kind in GATE_KEYS.items()
        if isinstance(kind, _Table)
    }
    properties["suite"] = {**GATE_KEYS["suite"].schema(), "items": suites}
    return {
        "$schema": DIALECT,
        "title": tr("Assay gate"),
        "description": tr(
            "What a checkpoint must reach to be accepted. What is not named is not asked for."
        ),
        "type": "object",
        "additionalProperties": False,
        "minProperties": 1,
        "properties": {name: properties[name] for name in GATE_KEYS},
    }


def _described_table(table: _Table, sentences: Mapping[str, str]) -> JsonSchema:
    properties = {
        name: {**kind.schema(), "description": sentences[name]}
        for name, kind in table.fields.items()
    }
    return {**table.schema(), "description": sentences[""], "properties": properties}


def _sentences() -> Mapping[str, Mapping[str, str]]:
    """What every table (its own sentence under "") and every key is for."""
    return {
        "perplexity": {
            "": tr("How well it must predict the held-out text."),
            "max": tr("The perplexity per token must be below this: one number, or one for each "
                      "size class."),
        },
        "suite": {
            "": tr("What it must score on a suite; one table for each suite."),
            "name": tr("The suite's name, as `assay suites` and reports show it."),
            "categories": tr("The categories whose mean counts; without them, all of the suite."),
            "min": tr("The mean score, from 0 to 1, must be above this."),
        },
        "speed": {
            "": tr("How fast it must write on the CPU."),
            "min_tokens_per_s": tr("The tokens per second must be above this: one number, or one "
                                   "for each size class."),
        },
        "generation": {
            "": tr("How sane it must write after the sample prompts."),
            "max_failures": tr("At most so many samples may loop, repeat themselves or be "
                               "nonsense."),
        },
        "memory": {
            "": tr("How much memory it may take."),
            "max_mb": tr("memory_usage_mb must be below this: one number, or one for each size "
                         "class."),
        },
    }  # fmt: skip
