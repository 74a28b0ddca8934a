"""What is known of the tests of a suite: by its files, and by the models in a store."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from assay.types.results import Baselines
from assay.types.scores import Estimate

FEWEST_TO_SOLVE = 3  # models, before "nobody" or "everybody" means something
# Item response models would need hundreds of respondents, and a store has some ten models. With
# fewer than five a negative correlation is chance.
FEWEST_TO_DISCRIMINATE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class SolvedTest:
    """`right`: the share of models that pass it. `discrimination`: the correlation of its score
    with the mean of the model's other tests; of nothing where all models score the same.
    """

    id: str
    category: str
    right: Estimate
    discrimination: Estimate

    @property
    def is_solved_by_all_or_none(self) -> bool:
        return self.right.n >= FEWEST_TO_SOLVE and self.right.value in (0.0, 1.0)

    @property
    def misleads(self) -> bool:
        """Models that are better otherwise are worse here."""
        of = self.discrimination
        return of.n >= FEWEST_TO_DISCRIMINATE and of.value is not None and of.value < 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AlikeTests:
    """Two tests; `likeness` 1: they ask the same. `same_answer`: None where one has no single right
    answer.
    """

    first: str
    second: str
    likeness: float
    same_answer: bool | None


GuessKind = Literal["frame", "off_topic", "common_words", "longest_option", "shared_words"]


@dataclass(frozen=True, slots=True)
class GuessedTest:
    """A test that an answer without knowledge passes."""

    id: str
    category: str
    kind: GuessKind
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Guesses:
    """`script`, in points: the same three sentences in the form each test asks for, "A" for
    letters. `longest_option` and `shared_words`: the share of tests with options in which the
    longest, or the one that shares most words with the question, is right; `chance` would be.
    """

    script: Estimate
    longest_option: Estimate
    shared_words: Estimate
    chance: float | None
    tests: tuple[GuessedTest, ...]

    def beats_chance(self, kind: GuessKind) -> bool:
        """Whether picking options in this way is right more often than chance explains. One test
        in four is right by chance, which says nothing about it.
        """
        shares = {"longest_option": self.longest_option, "shared_words": self.shared_words}
        low = shares[kind].low if kind in shares else None
        return kind not in shares or (
            low is not None and self.chance is not None and low > self.chance
        )

    @property
    def named(self) -> tuple[GuessedTest, ...]:
        """The tests to repair."""
        return tuple(each for each in self.tests if self.beats_chance(each.kind))


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteStatistics:
    """`languages`: by category, in how many prompts each language was recognised, "" for none;
    `read`: of how many prompts.
    """

    suite: str
    tests: tuple[SolvedTest, ...]
    models: tuple[str, ...]
    alike: tuple[AlikeTests, ...]
    baselines: Baselines
    guesses: Guesses
    languages: Mapping[str, Mapping[str, int]]
    read: int
    notes: tuple[str, ...] = ()
