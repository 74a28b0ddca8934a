"""Which of two answers a person found better, and what the picks say of the models.

A pair is shown without names; which model is a and which is b is drawn.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from assay.types.scores import Estimate

Pick = Literal["a", "b", "tie"]
PICKS: tuple[Pick, ...] = get_args(Pick)


@dataclass(frozen=True, slots=True)
class PickedModel:
    """A model by its fingerprint, and as it is called."""

    fingerprint: str
    spec: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPair:
    """Two answers to one question. `first` wrote a, `second` b: for after the pick. `answers`: a
    digest by which the pair is known, whichever answer comes first.
    """

    run: str
    answers: str
    question: str
    a: str
    b: str
    first: PickedModel
    second: PickedModel


@dataclass(frozen=True, slots=True)
class StoredPick:
    first: PickedModel
    second: PickedModel
    pick: Pick

    @property
    def share_of_first(self) -> float:
        return {"a": 1.0, "b": 0.0, "tie": 0.5}[self.pick]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferred:
    """How often the answers of `model` were picked, a tie counting half: against all others, or
    `against` one of them.
    """

    model: str
    rate: Estimate
    wins: int
    ties: int
    losses: int
    against: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """Every model that was picked from, the most preferred first, and each against each."""

    out: str
    models: tuple[Preferred, ...]
    pairs: tuple[Preferred, ...]
    notes: tuple[str, ...] = ()
    exit_code: int = 0
