"""The shape in which a judge is asked: one judge, one answer, one repeat.

In: nothing. Out: the protocol Questionnaire.
"""

from __future__ import annotations

from typing import Protocol

from assay.types import Reply, Request
from assay.types.judgements import Judgement


class Questionnaire(Protocol):
    """A little state machine without input or output: who runs it asks what is pending, hands each
    reply in, and goes on until nothing is pending.
    """

    def pending(self) -> tuple[Request, ...]:
        """What to ask next; empty: done."""
        ...

    def take(self, request: Request, reply: Reply) -> None:
        """Hear the reply to one of them."""
        ...

    @property
    def left(self) -> int:
        """How many requests are pending."""
        ...

    def judgement(self) -> Judgement:
        """What came of it, when nothing is pending."""
        ...
