"""What an answer is worth, what that says of a model, and who watches a run."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, Protocol, Self

from assay.types.requests import Reply

INCOMPLETE_ABOVE = 0.05  # share of unscored tests above which a value is shown as incomplete


class OutcomeKind(StrEnum):
    """What became of a test. The last two are null, not zero."""

    PASS = "pass"
    FAIL = "fail"
    NO_ANSWER = "no_answer"
    UNSCORED = "unscored"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorePart:
    name: str
    value: float
    explanation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A value from 0 to 1, or the reason why there is none; never both. `no_answer`: nothing could
    be read, which is 0 and counted; `unread`: it was answered, without a block that can be read.
    `unscored_reason`: a code such as `no_judge`. `scorer` and `version` are the check's.
    """

    scorer: str = ""
    version: int = 0
    value: float | None = None
    unscored_reason: str | None = None
    no_answer: bool = False
    unread: bool = False
    extracted: str | None = None
    explanation: str = ""
    parts: tuple[ScorePart, ...] = ()

    def __post_init__(self) -> None:
        if (self.value is None) == (self.unscored_reason is None):
            raise ValueError("a score has a value or a reason for having none")
        if self.value is not None and not 0.0 <= self.value <= 1.0:
            raise ValueError(f"a score lies between 0 and 1, not at {self.value!r}")
        if self.no_answer and self.value != 0.0:
            raise ValueError("no answer scores 0")

    def outcome(self, pass_mark: float) -> OutcomeKind:
        if self.value is None:
            return OutcomeKind.UNSCORED
        if self.no_answer:
            return OutcomeKind.NO_ANSWER
        # 0.7 from three tenths and four tenths is 0.7 to a reader, so it is one here.
        return OutcomeKind.PASS if self.value >= pass_mark - 1e-9 else OutcomeKind.FAIL


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A figure with what it rests on. `value` is None where n is 0."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int
    unit: str
    method: str

    def __post_init__(self) -> None:
        if (self.n == 0) != (self.value is None):
            raise ValueError("an estimate of nothing has no value, and one of something has one")
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError(f"an estimate is a finite number, not {self.value!r}")

    def to_dict(self) -> dict[str, Any]:
        """As every JSON document has it."""
        return asdict(self)

    def mapped(
        self, function: Callable[[float], float], *, falling: bool = False, **changes: Any
    ) -> "Estimate":
        """Its value and both ends through a function; a falling one swaps the ends."""
        ends = (self.high, self.low) if falling else (self.low, self.high)
        value, low, high = (None if x is None else function(x) for x in (self.value, *ends))
        return replace(self, value=value, low=low, high=high, **changes)

    @property
    def incomplete(self) -> bool:
        """More than 5 % of the tests could not be scored: shown so, and no gate passes on it."""
        total = self.n + self.unscored
        return total > 0 and self.unscored / total > INCOMPLETE_ABOVE


class Observer(Protocol):
    """Who watches a run: a progress bar, plain lines, or nothing. Any may be left out."""

    def phase(self, name: str, *, more: int = 0) -> None:
        """A part of the run begins, which may have no count; `more` models are asked after it."""
        return

    def model_started(self, spec: str, *, total: int, reused: int) -> None:
        """A model is about to be asked; `reused` replies were in the store already."""
        return

    def replied(self, spec: str, reply: Reply, score: Score | None) -> None:
        """A reply is durable, and scored where it ends a test."""
        return

    def writing(self, spec: str, tokens: int, tokens_per_s: float, waited_s: float) -> None:
        """A served model is at work: tokens of the answers under way, how fast they come, and how
        long the oldest of them has been waited for.
        """
        return

    def model_finished(self, spec: str) -> None:
        return

    def note(self, sentence: str) -> None:
        """Something the user should know; the run goes on."""
        return


def tell_phase(observer: Observer, name: str, *, more: int = 0) -> None:
    """Observers that people wrote before there were phases have no such method."""
    if hasattr(observer, "phase"):
        observer.phase(name, more=more)


class SilentProgress(Observer):
    """The observer of a run that is not watched."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...


class TokenProgress(SilentProgress):
    """Shows another observer the tokens and notes of a model whose replies it counts itself."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer

    def writing(self, spec: str, tokens: int, tokens_per_s: float, waited_s: float) -> None:
        self._observer.writing(spec, tokens, tokens_per_s, waited_s)

    def note(self, sentence: str) -> None:
        self._observer.note(sentence)
