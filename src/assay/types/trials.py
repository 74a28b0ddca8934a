"""One test asked once."""

from dataclasses import dataclass

from assay.types.conversations import Message
from assay.types.requests import Reply
from assay.types.scores import OutcomeKind, Score
from assay.types.tests import Case


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One test asked once: case, last request, reply, and score (None if the request failed).
    `sent`: as `StoredTrial` has it.
    """

    case: Case
    repeat: int
    request_id: str
    reply: Reply
    score: Score | None
    sent: tuple[Message, ...] = ()

    def outcome(self, pass_mark: float) -> OutcomeKind:
        if self.score is None:
            return OutcomeKind.FAILED
        return self.score.outcome(pass_mark)
