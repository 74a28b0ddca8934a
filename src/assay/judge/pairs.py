"""Two answers to one task, side by side: which is better? Whoever asks has to ask both orders: many
judges prefer what stands first.
"""

from dataclasses import dataclass

from assay.judge.fencing import fence, heading
from assay.judge.likelihood.layouts import shown_task, task_of
from assay.judge.likelihood.questionnaire import likelihood_of_yes, room_for_answer
from assay.judge.one_question import OneQuestion
from assay.judge.reasoned.reading import object_of, one_of, text_of, written
from assay.request_identity import PAIR_SUITE
from assay.text.json_in_prose import objects_in
from assay.types import Answered, Case, Failed, Message, Request

FIRST, SECOND, TIE = "A", "B", "tie"
_LONGEST = 12_000  # characters of each answer

_ROLE = (
    "You compare two pieces of work that were made for the same task. You go by what stands in "
    "them, never by their length, their tone or their place."
)
_SCHEMA = written(object_of({"reason": text_of(400), "better": one_of((FIRST, SECOND, TIE))}))


@dataclass(slots=True, kw_only=True, eq=False)
class PairQuestionnaire(OneQuestion):
    """One pair in one order."""

    case: Case
    first: str
    second: str

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
        return self._asked(messages, (FIRST, SECOND), _SCHEMA, PAIR_SUITE, self.case.suite)
