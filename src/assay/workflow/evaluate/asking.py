"""What one model is asked in a run; every reply is stored, and scored if it ends a test."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from assay.ask_loop import Dialogue, ask_all
from assay.checks.scoring import score_reply
from assay.plan import Exchange, Plan
from assay.store import Run, RunModel, Store, TryKey
from assay.types import (
    Answered,
    Failed,
    Model,
    Observed,
    Observer,
    Reply,
    Request,
    Score,
    TokenizerFigures,
    ToolStep,
)
from assay.workflow.checkpoints.measures import MEASURED
from assay.workflow.evaluate.run_folder import BackgroundWork

SCORED_AT_ONCE = 1000


@dataclass(slots=True, eq=False)
class TestDialogue:
    __test__ = False  # pytest takes every class named Test… for its own

    plan: Plan
    exchange: Exchange
    request: Request | None = field(init=False)
    _replies: list[str] = field(default_factory=list)
    _steps: tuple[ToolStep, ...] = ()

    def __post_init__(self) -> None:
        self.request = self.plan.request(self.exchange, 0, self._replies)

    def pending(self) -> tuple[Request, ...]:
        return (self.request,) if self.request else ()

    @property
    def left(self) -> int:
        return max(1, len(self.exchange.asked) - self.request.turn) if self.request else 0

    def take(self, request: Request, reply: Reply) -> None:
        if self.ends_with(request, reply):
            self.request = None
            return
        last = len(self.exchange.asked) - 1
        text = reply.text if isinstance(reply, Answered) else ""
        if isinstance(reply, Answered) and request.turn >= last:
            self._steps = (*self._steps, ToolStep(reply.calls, self._results(reply), text))
            self.request = self.plan.request(self.exchange, last, self._replies, self._steps)
            return
        self._replies.append(text)
        self.request = self.plan.request(self.exchange, request.turn + 1, self._replies)

    def ends_with(self, request: Request, reply: Reply) -> bool:
        if request.turn < len(self.exchange.asked) - 1:
            return isinstance(reply, Failed)
        return not self._results(reply)

    def _results(self, reply: Reply) -> tuple[str, ...]:
        if not isinstance(reply, Answered) or not reply.calls:
            return ()
        return self.exchange.case.check.results(reply.calls, self._steps)

    def with_steps(self, reply: Reply) -> Reply:
        if not self._steps or not isinstance(reply, Answered):
            return reply
        return replace(reply, steps=self._steps)

    def score(self, reply: Reply) -> Score | None:
        return score_reply(self.exchange.case, reply)


@dataclass(slots=True, eq=False)
class MeasureDialogue:
    """One measurement. It is no test: its score only says that it was made."""

    request: Request | None

    def pending(self) -> tuple[Request, ...]:
        return (self.request,) if self.request else ()

    @property
    def left(self) -> int:
        return 1 if self.request else 0

    def take(self, request: Request, reply: Reply) -> None:
        self.request = None

    def ends_with(self, request: Request, reply: Reply) -> bool:
        return True

    def score(self, reply: Reply) -> Score | None:
        return None if isinstance(reply, Failed) else MEASURED


AnyDialogue = TestDialogue | MeasureDialogue


@dataclass(slots=True)
class StoredReplies:
    store: Store
    run: Run
    fingerprint: str

    def reuse_reply(self, dialogue: Dialogue, request: Request) -> Reply | None:
        number = self.store.find_answer(self.run, request.id)
        return None if number is None else self.store.read_reply(number)

    def store_reply(self, dialogue: Dialogue, request: Request, reply: Reply) -> None:
        self.store.store_reply(self.run, self.fingerprint, request, reply)


@dataclass(slots=True)
class ScoredReplies:
    """The ledger of a tested model. Scores of reused replies are stored in large transactions."""

    store: Store
    run: Run
    model: RunModel
    background: BackgroundWork
    remeasured: Sequence[str] = ()  # suites whose replies are reused only if this run asked
    asked: bool = False
    _scores: list[tuple[TryKey, int, Score | None]] = field(default_factory=list)
    _may_reuse: bool = field(init=False)

    def __post_init__(self) -> None:
        self._may_reuse = self.store.has_answers(self.run)

    def reuse_reply(self, dialogue: AnyDialogue, request: Request) -> Reply | None:
        if not self._may_reuse and not self.asked:  # as in a new store: a query each for nothing
            return None
        again = request.suite in self.remeasured
        number = self.store.find_answer(self.run, request.id, only_own=again)
        if number is None:
            return None
        reply = self.store.read_reply(number)
        if dialogue.ends_with(request, reply):
            self._scores.append((request.key, number, dialogue.score(reply)))
            if len(self._scores) >= SCORED_AT_ONCE:
                self.flush()
        return reply

    def store_reply(self, dialogue: AnyDialogue, request: Request, reply: Reply) -> Score | None:
        self.asked = True
        if not dialogue.ends_with(request, reply):
            self.store.store_reply(self.run, self.model.facts.fingerprint, request, reply)
            return None
        if isinstance(dialogue, TestDialogue):
            reply = dialogue.with_steps(reply)
        score = dialogue.score(reply)
        self.store.store_try(self.run, self.model, request, reply, score)
        if isinstance(dialogue, MeasureDialogue):
            return None
        self.background.answered(self.model.slug, request, reply)
        return score

    def flush(self) -> None:
        self.store.store_scores(self.run, self.model, self._scores)
        self._scores.clear()


def ask_model(
    ledger: ScoredReplies,
    model: Model,
    plan: Plan,
    measures: Sequence[Request],
    observer: Observer,
    until: float | None,
    tokenizer: tuple[TokenizerFigures, ...] = (),
) -> None:
    store, run, known = ledger.store, ledger.run, ledger.model
    # A scored try of this very run needs no hash: the run's key holds all that its id does.
    scored = store.find_scored(run, known)
    dialogues: list[AnyDialogue] = [
        *(TestDialogue(plan, each) for each in plan.exchanges if each.key not in scored),
        *(MeasureDialogue(each) for each in measures if each.key not in scored),
    ]
    done = plan.turns + len(measures) - sum(each.left for each in dialogues)
    ledger.background.begin()
    try:
        ask_all(model, dialogues, ledger, observer, name=known.spec, done=done, until=until)
    finally:  # a stopped run, too, reports the answers it found in the store
        ledger.flush()
        seen = model.observed() if ledger.asked else Observed()
        if (observed := replace(seen, tokenizer=tokenizer)) != Observed():
            store.store_observed(run, known, observed)
