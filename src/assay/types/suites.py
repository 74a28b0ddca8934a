"""Tests put together: Category and Suite, and FileFinding for a mistake in a file."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from assay.types.tests import DEFAULT_PASS_MARK, Case, ScoringMode

Severity = Literal["error", "warning"]

OS_FILES = "custom_os_eval"  # the specification's folder of four files, and another name of `os`
ALIASES: Mapping[str, str] = {OS_FILES: "os"}


def own_name(suite: str) -> str:
    """A suite's name where another name of it is given: `os` for `custom_os_eval`."""
    return ALIASES.get(suite, suite)


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    name: str
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Categories that make one score. `few_shot`: worked examples by category; `source`: a hash of
    its files, before anything was picked. `elsewhere`: by category the file that took its place.
    """

    name: str
    path: str
    categories: tuple[Category, ...]
    title: str = ""
    version: str = ""
    language: str | None = None
    system: str | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    pass_mark: float = DEFAULT_PASS_MARK
    scoring: ScoringMode = "standard"
    few_shot: Mapping[str, tuple[Case, ...]] = field(default_factory=dict)
    shots: int = 0
    licence: str = ""
    source: str = ""
    elsewhere: Mapping[str, str] = field(default_factory=dict)

    @property
    def cases(self) -> Iterator[Case]:
        return (case for category in self.categories for case in category.cases)

    @property
    def scored_together(self) -> bool:
        """Whether its answers are scored only when all are there."""
        return any(case.check.scored_together for case in self.cases)

    @property
    def reviewed(self) -> int:
        """How many of its tests a person has reviewed."""
        return sum(1 for case in self.cases if case.reviewed)

    @property
    def reviewers(self) -> tuple[str, ...]:
        """Who has reviewed tests of it, each once; `reviewed` is "Name, date; Name, date"."""
        reviews = "; ".join(case.reviewed for case in self.cases if case.reviewed)
        names = (review.rpartition(",")[0].strip() for review in reviews.split(";"))
        return tuple(dict.fromkeys(name for name in names if name))

    def weight(self, category: str) -> float:
        """A category's weight: 1 unless suite.json says otherwise."""
        return self.weights.get(category, 1.0)

    def with_cases(self, cases: Iterable[Case]) -> "Suite":
        """With these tests in the place of those with the same ids, and without the others."""
        by_id = {case.id: case for case in cases}
        kept = {
            category.name: tuple(by_id[case.id] for case in category.cases if case.id in by_id)
            for category in self.categories
        }
        return replace(
            self,
            categories=tuple(Category(name=name, cases=of) for name, of in kept.items() if of),
            weights={name: weight for name, weight in self.weights.items() if kept.get(name)},
            few_shot={name: shown for name, shown in self.few_shot.items() if kept.get(name)},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFinding:
    """A mistake in a file, with its place. Rendered `file:line:col: test-id: error: message`."""

    file: str
    line: int
    column: int
    message: str
    test_id: str | None = None
    severity: Severity = "error"

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}"
        return f"{where}: {self.test_id or '-'}: {self.severity}: {self.message}"
