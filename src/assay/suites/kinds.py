"""What one value of a test file may be: each kind checks it, names it, and writes its schema.

In: a value and its path. Out: notes in our own sentences; or the kind as JSON Schema.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from assay.files.notes import Notes
from assay.files.places import Path
from assay.files.wording import described, did_you_mean, label, shown
from assay.messages import tr

JsonSchema = dict[str, object]


class Kind(ABC):
    """A set of allowed values.

    `allows` and `check` are twins: the one is quick and silent, the other says what is wrong. Good
    files, which is most of them, only ever meet the first.
    """

    @abstractmethod
    def allows(self, value: object) -> bool:
        """Whether `check` would have nothing to note."""

    @abstractmethod
    def check(self, value: object, path: Path, notes: Notes) -> None:
        """Note what is wrong with a value."""

    @abstractmethod
    def wanted(self) -> str:
        """The kind, as the middle of a sentence: "a number from 0 to 2"."""

    @abstractmethod
    def schema(self) -> JsonSchema:
        """The kind as JSON Schema."""

    def refuse(self, value: object, path: Path, notes: Notes) -> None:
        """Note that a value is not of this kind."""
        hint = ""
        if value is None:
            hint = tr("; leave the field out instead")
        elif isinstance(value, int | float) and not isinstance(value, bool) and self.takes_text:
            hint = tr("; put it in quotes")
        self._note(path, notes, described(value), hint)

    def refuse_value(self, value: object, path: Path, notes: Notes) -> None:
        """Note that a value of the right type is not allowed."""
        written = f"'{shown(value)}'" if isinstance(value, str) else shown(f"{value}")
        self._note(path, notes, written, "")

    takes_text = False

    def _note(self, path: Path, notes: Notes, got: str, hint: str) -> None:
        sentence = tr(
            "'{field}' must be {wanted}, not {got}{hint}",
            field=label(path),
            wanted=self.wanted(),
            got=got,
            hint=hint,
        )
        notes.error(path, sentence)


@dataclass(frozen=True)
class Text(Kind):
    """A text with something in it. `blank`: white space will do; `empty`: nothing will do too."""

    blank: bool = False
    empty: bool = False
    takes_text = True

    def allows(self, value: object) -> bool:
        """Quick twin of check."""
        if type(value) is not str:
            return False
        if value and not value.isspace():
            return True
        return self.empty or (self.blank and value != "")

    def check(self, value: object, path: Path, notes: Notes) -> None:
        """Note a wrong type or an empty text."""
        if type(value) is not str:
            self.refuse(value, path, notes)
        elif not self.allows(value):
            notes.error(path, tr("'{field}' is empty", field=label(path)))

    def wanted(self) -> str:
        """A text."""
        return tr("a text")

    def schema(self) -> JsonSchema:
        """String, with a visible character unless blanks are allowed."""
        if self.empty:
            return {"type": "string"}
        return {"type": "string", "minLength": 1} | ({} if self.blank else {"pattern": r"\S"})


@dataclass(frozen=True)
class Pattern(Kind):
    """A text of a certain form, which `words` says in the user's language."""

    form: str
    words: Callable[[], str]
    takes_text = True

    def allows(self, value: object) -> bool:
        """Quick twin of check."""
        return type(value) is str and re.fullmatch(self.form, value) is not None

    def check(self, value: object, path: Path, notes: Notes) -> None:
        """Note a wrong type or form."""
        if type(value) is not str:
            self.refuse(value, path, notes)
        elif not self.allows(value):
            self.refuse_value(value, path, notes)

    def wanted(self) -> str:
        """The form in words."""
        return self.words()

    def schema(self) -> JsonSchema:
        """String with a pattern."""
        return {"type": "string", "pattern": f"^{self.form}$"}


@dataclass(frozen=True)
class Flag(Kind):
    """True or false."""

    def allows(self, value: object) -> bool:
        """Quick twin of check."""
        return type(value) is bool

    def check(self, value: object, path: Path, notes: Notes) -> None:
        """Note a wrong type."""
        if not self.allows(value):
            self.refuse(value, path, notes)

    def wanted(self) -> str:
        """True or false."""
        return tr("true or false")

    def schema(self) -> JsonSchema:
        """Boolean."""
        return {"type": "boolean"}


@dataclass(frozen=True)
class Number(Kind):
    """A number in a range, both ends included."""

    low: float
    high: float
    whole: bool = False

    def allows(self, value: object) -> bool:
        """Quick twin of check."""
        if type(value) is int or (type(value) is float and not self.whole):
            return self.low <= value <= self.high
        return False

    def check(self, value: object, path: Path, notes: Notes) -> None:
        """Note a wrong type or a number outside the range."""
        if type(value) is not int and type(value) is not float:
            self.refuse(value, path, notes)
        elif not self.allows(value):
            self.refuse_value(value, path, notes)

    def wanted(self) -> str:
        """A number from … to …."""
        low, high = f"{self.low:.12g}", f"{self.high:.12g}"
        if self.whole:
            return tr("a whole number from {low} to {high}", low=low, high=high)
        return tr("a number from {low} to {high}", low=low, high=high)

    def schema(self) -> JsonSchema:
        """Number or integer with bounds."""
        kind = "integer" if self.whole else "number"
        return {"type": kind, "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True)
class OneOf(Kind):
    """One of a few words."""

    words: tuple[str, ...]

    def allows(self, value: object) -> bool:
        """Quick twin of check."""
        return type(value) is str and value in self.words

    def check(self, value: object, path: Path, notes: Notes) -> None:
        """Note a wrong type or an unknown word, with the nearest known one."""
        if type(value) is not str:
            self.refuse(value, path, notes)
        elif value not in self.words:
            problem = tr("'{field}' cannot be '{word}'", field=label(path), word=shown(value))
            notes.error(path, did_you_mean(problem, value, self.words))

    def wanted(self) -> str:
        """One of ….."""
        return tr("one of {words}", words=", ".join(f"'{word}'" for word in self.words))

    def schema(self) -> JsonSchema:
        """Enumeration."""
        return {"enum": list(self.words)}


@dataclass(frozen=True)
class FlagOrText(Kind):
    """True, false, or a text such as a name and a date."""

    def allows(self, value: object) -> bool:
        """Quick twin of check."""
        return type(value) is bool or type(value) is str

    def check(self, value: object, path: Path, notes: Notes) -> None:
        """Note a wrong type."""
        if not self.allows(value):
            self.refuse(value, path, notes)

    def wanted(self) -> str:
        """True, false or a text."""
        return tr("true, false or a text")

    def schema(self) -> JsonSchema:
        """Either."""
        return {"type": ["boolean", "string"]}
