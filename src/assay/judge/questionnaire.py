"""What one judge is asked about one answer, once."""

from dataclasses import dataclass
from typing import Any, Protocol

from assay.judge.calibration import Calibration
from assay.request_identity import judge_key, make_judge_request
from assay.types import Case, ModelFacts, Reply, Request, Sampling, Thinking, ToAnswer, ToChoose
from assay.types.choices import JudgeForm
from assay.types.judging.judgements import NO_EVIDENCE, Evidence, Judgement, Rubric


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """`key`: what requests are stored under; "": the test's own.
    `explain`: whether reasons are written after likelihoods. `calibration`: its scale; with it,
    questions that cannot move the bounded score are not asked. `tested`: whose answer it is; never
    shown, and told only to a script that asks for it.
    """

    judge: ModelFacts
    case: Case
    rubric: Rubric
    answer: str
    evidence: Evidence = NO_EVIDENCE
    form: JudgeForm = "reasoned"
    repeat: int = 0
    use_case: str = ""
    key: str = ""
    explain: bool = True
    calibration: Calibration | None = None
    tested: str = ""

    def request(self, work: ToAnswer | ToChoose, *, turn: int) -> Request:
        key = self.key or judge_key(self.case.id)
        return make_judge_request(
            self.judge.fingerprint, key, work, turn=turn, repeat=self.repeat,
            judged_suite=self.case.suite,
            judged_model=self.tested if "told_model" in self.judge.capabilities else "",
        )  # fmt: skip

    def judgement(self, **said: Any) -> Judgement:
        return Judgement(
            judge=self.judge.spec,
            fingerprint=self.judge.fingerprint,
            form=self.form,
            repeat=self.repeat,
            **said,
        )


def greedy_sampling(judge: ModelFacts, repeat: int, max_tokens: int) -> Sampling:
    """A judge that thinks would begin with a thought, whose first token says nothing."""
    think: Thinking | None = "off" if "off" in judge.thinks else None
    return Sampling(temperature=0.0, seed=repeat, max_tokens=max_tokens, think=think)


def fact_question(fact: str) -> str:
    return f"Does the answer say that {fact.strip().rstrip('.')}?"


class Questionnaire(Protocol):
    """A RunningTrial of the ask loop; when nothing is pending, there is a judgement."""

    def pending(self) -> tuple[Request, ...]: ...

    def take(self, request: Request, reply: Reply) -> None: ...

    @property
    def left(self) -> int:
        return len(self.pending())

    def judgement(self) -> Judgement: ...
