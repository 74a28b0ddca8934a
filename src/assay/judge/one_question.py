"""A trial of one request, read by likelihood or as one JSON object."""

from dataclasses import dataclass

from assay.judge.questionnaire import greedy_sampling
from assay.request_identity import make_judge_request
from assay.types import Message, ModelFacts, Reply, Request, ToAnswer, ToChoose

MOST_TOKENS = 400


@dataclass(slots=True, kw_only=True, eq=False)
class OneQuestion:
    """`turn` tells requests with one key apart, where replies are scripted."""

    judge: ModelFacts
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

    def _request(self) -> Request:
        raise NotImplementedError

    def _asked(
        self,
        messages: tuple[Message, ...],
        choices: tuple[str, ...],
        schema: str,
        suite: str,
        judged_suite: str,
    ) -> Request:
        """`choices`: the words whose likelihoods are read; `schema`: of the object instead."""
        work: ToAnswer | ToChoose
        if self.by_likelihood:
            sampling = greedy_sampling(self.judge, self.repeat, 1)
            work = ToChoose(messages=messages, continuations=choices, otherwise=sampling)
        else:
            structured = "structured_output" in self.judge.capabilities
            sampling = greedy_sampling(self.judge, self.repeat, MOST_TOKENS)
            work = ToAnswer(
                messages=messages, sampling=sampling, schema=schema if structured else None
            )
        return make_judge_request(
            self.judge.fingerprint,
            self.key,
            work,
            turn=self.turn,
            repeat=self.repeat,
            suite=suite,
            judged_suite=judged_suite,
        )
