"""The sample prompts a model is tried on, and what was found about the health of its answers."""

from dataclasses import dataclass
from typing import Literal

SampleCheckKind = Literal["words", "commands", "sequence", "syntax", "coherent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleCheck:
    """One line of a sample's tick list. `words`: each item appears, in one of its alternatives.
    `commands`: each step, a tuple of accepted commands, is there; `sequence`: in this order.
    `syntax`: there are commands, and all parse. `coherent`: that check passes.
    """

    name: str
    kind: SampleCheckKind
    words: tuple[tuple[str, ...], ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplePrompt:
    """`subject`: words that take it up, each a tuple of alternatives; `ticks`: of a good answer."""

    id: str
    prompt: str
    subject: tuple[tuple[str, ...], ...]
    ticks: tuple[SampleCheck, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthCheck:
    """What one check found. `passed` None: it does not apply, or nothing can be said. `passage`:
    the part of the answer that decided, if any. `failure`: a generation failure, which counts at
    the gate; whatever else does not pass is a note.
    """

    name: str
    passed: bool | None
    passage: str = ""
    explanation: str
    failure: bool = False

    def __post_init__(self) -> None:
        if self.failure and self.passed is not False:
            raise ValueError("only a check that did not pass can be a failure")


BY_RULE = "nonsense_rule"  # the check that notes what the rule found, where judges decide


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSense:
    """What judges made of a text. `sensible` None: they do not decide, and the rule does."""

    sensible: bool | None
    explanation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    checks: tuple[HealthCheck, ...]

    @property
    def is_judged(self) -> bool:
        """A judge decided whether it makes sense; what the rule found is a note."""
        return any(check.name == BY_RULE for check in self.checks)

    @property
    def all_passed(self) -> bool:
        """No check says no; one that cannot tell does not stand in the way."""
        return all(check.passed is not False for check in self.checks)

    @property
    def failures(self) -> tuple[HealthCheck, ...]:
        """The checks that count at the gate: loop, repetition, nonsense."""
        return tuple(check for check in self.checks if check.failure)

    @property
    def notes(self) -> tuple[HealthCheck, ...]:
        """The checks that did not pass and do not count at the gate."""
        return tuple(check for check in self.checks if check.passed is False and not check.failure)

    def named(self, name: str) -> HealthCheck:
        return next(check for check in self.checks if check.name == name)
