"""Two answers to one task, side by side: which is better? Whoever asks has to ask both orders: many
judges prefer what stands first.
"""

from dataclasses import dataclass

from assay.judge.guards.fencing import fence, heading
from assay.judge.likelihood.layouts import shown_task, task_of
from assay.judge.likelihood.questionnaire import likelihood_of_yes, room_for_answer
from assay.judge.questionnaire import greedy_sampling
from assay.judge.reasoned.reading import object_of, one_of, text_of, written
from assay.request_identity import PAIR_SUITE, make_judge_request
from assay.text.json_in_prose import objects_in
from assay.types import (
    Answered,
    Case,
    Failed,
    Message,
    ModelFacts,
    Reply,
    Request,
    ToAnswer,
    ToChoose,
)

FIRST, SECOND, TIE = "A", "B", "tie"
_LONGEST = 12_000  # characters of each answer
_MOST_TOKENS = 400

_ROLE = (
    "You compare two pieces of work that were made for the same task. You go by what stands in "
    "them, never by their length, their tone or their place."
)
_SCHEMA = written(object_of({"reason": text_of(400), "better": one_of((FIRST, SECOND, TIE))}))


@dataclass(slots=True, kw_only=True, eq=False)
class PairQuestionnaire:
    """One pair in one order; `turn` tells the orders apart, where replies are scripted."""

    judge: ModelFacts
    case: Case
    first: str
    second: str
    key: str
    by_likelihood: bool
    repeat: int = 0
    turn: int = 0
    _reply: Reply | None = None

    def pending(self) -> tuple[Request, ...]:
        return () if self._reply else (self._request(),)

    @property
    def left(self) -> int:
        return 0 if self._reply else 1

    def take(self, request: Request, reply: Reply) -> None:
        self._reply = reply

    @property
    def outcome(self) -> float | None:
        """1: the first is better; 0: the second; 0.5: neither."""
        if self.by_likelihood:
            likelihood = likelihood_of_yes(self._reply) if self._reply else None
            return likelihood if likelihood in (None, 0.5) else float(likelihood > 0.5)
        if not isinstance(self._reply, Answered):
            return None
        said = [one["better"] for one in objects_in(self._reply.text) if "better" in one]
        values = {FIRST: 1.0, SECOND: 0.0, TIE: 0.5}
        return values.get(str(said[-1])) if said else None

    @property
    def failed(self) -> bool:
        return isinstance(self._reply, Failed) and self._reply.cause != "prompt_too_long"

    def _request(self) -> Request:
        task = task_of(self.case)
        room = min(_LONGEST, room_for_answer(self.judge, task, 2))
        first, second = fence(self.first, limit=room), fence(self.second, limit=room)
        closing = (
            f"Which answer is better? Reply with one letter: {FIRST} or {SECOND}."
            if self.by_likelihood
            else f"Which answer is better? Reply with one JSON object: reason, better ({FIRST}, "
            f"{SECOND} or {TIE})."
        )
        parts = [
            heading("TASK"), shown_task(task), "", heading("RULES"), first.rule,
            second.rule, "", f"Answer {FIRST}:", first.block, "", f"Answer {SECOND}:",
            second.block, "", closing,
        ]  # fmt: skip
        messages = (Message("system", _ROLE), Message("user", "\n".join(parts)))
        tokens = 1 if self.by_likelihood else _MOST_TOKENS
        sampling = greedy_sampling(self.judge, self.repeat, tokens)
        work: ToAnswer | ToChoose
        if self.by_likelihood:
            work = ToChoose(messages=messages, continuations=(FIRST, SECOND), otherwise=sampling)
        else:
            structured = "structured_output" in self.judge.capabilities
            schema = _SCHEMA if structured else None
            work = ToAnswer(messages=messages, sampling=sampling, schema=schema)
        return make_judge_request(
            self.judge.fingerprint,
            self.key,
            work,
            turn=self.turn,
            repeat=self.repeat,
            suite=PAIR_SUITE,
            judged_suite=self.case.suite,
        )
