"""What is stored of the replies, and which stored ones are used again."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.ask_loop import RunningTrial
from assay.machine import is_quiet
from assay.store import Run, RunModel, Store, TrialKey
from assay.types import (
    Reply,
    Request,
    Score,
    Timed,
)
from assay.workflow.running.background import BackgroundWork
from assay.workflow.running.trials import AnyTrial, MeasureTrial, TestTrial

SCORED_AT_ONCE = 1000


@dataclass(slots=True)
class StoredReplies:
    store: Store
    run: Run
    fingerprint: str

    def reuse_reply(self, trial: RunningTrial, request: Request) -> Reply | None:
        number = self.store.find_answer(self.run, request.id)
        return None if number is None else self.store.read_reply(number)

    def store_reply(self, trial: RunningTrial, request: Request, reply: Reply) -> None:
        self.store.store_reply(self.run, self.fingerprint, request, reply)


@dataclass(slots=True)
class ScoredReplies:
    """The ledger of a tested model. Scores of reused replies are stored in large transactions."""

    store: Store
    run: Run
    model: RunModel
    background: BackgroundWork
    asked: bool = False
    _scores: list[tuple[TrialKey, int, Score | None]] = field(default_factory=list)
    _may_reuse: bool = field(init=False)

    def __post_init__(self) -> None:
        self._may_reuse = self.store.has_answers(self.run)

    def reuse_reply(self, trial: AnyTrial, request: Request) -> Reply | None:
        if not self._may_reuse and not self.asked:  # as in a new store: a query each for nothing
            return None
        number = self.store.find_answer(self.run, request.id)
        if number is None:
            return None
        reply = self.store.read_reply(number)
        if isinstance(reply, Timed) and reply.was_busy and is_quiet():
            own = self.store.find_answer(self.run, request.id, only_own=True)
            if own is None:  # measured beside other programs, which are gone
                return None
        if trial.ends_with(request, reply):
            self._scores.append((request.key, number, trial.score(reply)))
            if len(self._scores) >= SCORED_AT_ONCE:
                self.flush()
        return reply

    def store_reply(self, trial: AnyTrial, request: Request, reply: Reply) -> Score | None:
        self.asked = True
        if not trial.ends_with(request, reply):
            self.store.store_reply(self.run, self.model.facts.fingerprint, request, reply)
            return None
        if isinstance(trial, TestTrial):
            reply = trial.with_steps(reply)
        score = trial.score(reply)
        self.store.store_trial(self.run, self.model, request, reply, score)
        if isinstance(trial, MeasureTrial):
            return None
        self.background.answered(self.model.slug, request, reply)
        return score

    def read_values(self) -> Mapping[TrialKey, float | None]:
        """Of all trials so far, reused ones too."""
        self.flush()
        return self.store.read_values(self.run, self.model)

    def flush(self) -> None:
        self.store.store_scores(self.run, self.model, self._scores)
        self._scores.clear()
