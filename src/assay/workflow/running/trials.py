"""One test or one measurement as it is asked: what to send next, and what ends it."""

from dataclasses import dataclass, field, replace

from assay.checks.scoring import score_reply
from assay.plan import Plan, PlannedTrial
from assay.types import (
    Answered,
    Failed,
    Reply,
    Request,
    Score,
    ToolStep,
)
from assay.workflow.checkpoints.measures import MEASURED


@dataclass(slots=True, eq=False)
class TestTrial:
    __test__ = False  # pytest takes every class named Test… for its own

    plan: Plan
    planned: PlannedTrial
    request: Request | None = field(init=False)
    _replies: list[str] = field(default_factory=list)
    _steps: tuple[ToolStep, ...] = ()

    def __post_init__(self) -> None:
        self.request = self.plan.request(self.planned, 0, self._replies)

    def pending(self) -> tuple[Request, ...]:
        return (self.request,) if self.request else ()

    @property
    def left(self) -> int:
        return max(1, len(self.planned.asked) - self.request.turn) if self.request else 0

    def take(self, request: Request, reply: Reply) -> None:
        if self.ends_with(request, reply):
            self.request = None
            return
        last = len(self.planned.asked) - 1
        text = reply.text if isinstance(reply, Answered) else ""
        if isinstance(reply, Answered) and request.turn >= last:
            self._steps = (*self._steps, ToolStep(reply.calls, self._results(reply), text))
            self.request = self.plan.request(self.planned, last, self._replies, self._steps)
            return
        self._replies.append(text)
        self.request = self.plan.request(self.planned, request.turn + 1, self._replies)

    def ends_with(self, request: Request, reply: Reply) -> bool:
        if request.turn < len(self.planned.asked) - 1:
            return isinstance(reply, Failed)
        return not self._results(reply)

    def _results(self, reply: Reply) -> tuple[str, ...]:
        if not isinstance(reply, Answered) or not reply.calls:
            return ()
        return self.planned.case.check.results(reply.calls, self._steps)

    def with_steps(self, reply: Reply) -> Reply:
        if not self._steps or not isinstance(reply, Answered):
            return reply
        return replace(reply, steps=self._steps)

    def score(self, reply: Reply) -> Score | None:
        return score_reply(self.planned.case, reply)


@dataclass(slots=True, eq=False)
class MeasureTrial:
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


AnyTrial = TestTrial | MeasureTrial
