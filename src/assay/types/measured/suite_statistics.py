"""What is known of the tests of a suite: by its files, and by the models in a store."""

from collections.abc import Mapping
from dataclasses import dataclass

from assay.types.results import Baselines
from assay.types.scores import Estimate

FEWEST_TO_SOLVE = 3  # models, before "nobody" or "everybody" means something
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
    languages: Mapping[str, Mapping[str, int]]
    read: int
    notes: tuple[str, ...] = ()
