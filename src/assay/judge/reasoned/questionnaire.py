"""The `reasoned` form: a judge writes evidence, reasons and scores, and we read them.

In: an Assignment. Out: a Questionnaire.

The ladder is bounded: the whole form; the same with a complaint; a shorter form. A reply that was
cut off goes on with the shorter form at once, since the same would be cut again. After the last
step the judgement is unscored, with the reason.

    whole -> again -> shorter -> unscored
"""

from __future__ import annotations

from assay.judge.guards.fencing import Fenced, fence
from assay.judge.guards.quotes import Searched, check_quote
from assay.judge.guards.suspicions import flags_of
from assay.judge.guards.trivial import trivial_judgement, why_trivial
from assay.judge.questionnaire import Assignment
from assay.judge.reasoned.prompt import (
    Step,
    fact_id,
    facts_of,
    question_id,
    questions_of,
    room_for,
    work_for,
)
from assay.judge.reasoned.reading import (
    COMPLAINTS,
    ReadReply,
    ReplyProblem,
    explain,
    read_or_refuse,
)
from assay.request_identity import make_judge_request
from assay.types import Answered, Failed, Reply, Request
from assay.types.judgements import (
    ChecklistAnswer,
    Judgement,
    Quote,
)


class ReasonedQuestionnaire:
    """One judge, one answer, one repeat, in the `reasoned` form."""

    def __init__(self, assignment: Assignment) -> None:
        self._about = about = assignment
        self._trivial = why_trivial(about.answer, about.case)
        self._with_schema = "structured_output" in about.judge.capabilities
        self._answer_limit = room_for(about)
        self._step: Step = "whole"
        self._attempts = 0
        self._raw: list[str] = []
        self._reading = ReadReply()
        self._problem: ReplyProblem | None = None
        self._request = None if self._trivial else self._make_request("whole")

    def pending(self) -> tuple[Request, ...]:
        return (self._request,) if self._request else ()

    @property
    def left(self) -> int:
        return len(self.pending())

    def take(self, request: Request, reply: Reply) -> None:
        """Read a reply; climb the ladder where it cannot be used."""
        if self._request is None or self._request.id != request.id:
            raise ValueError(f"request {request.id} is not pending")
        self._raw.append(reply.text if isinstance(reply, Answered) else "")
        criteria = self._about.rubric.criteria
        self._reading, self._problem = read_or_refuse(reply, criteria, self._about.answer)
        self._request = self._climb(reply, self._problem) if self._problem else None

    def judgement(self) -> Judgement:
        if self.pending():
            raise ValueError("requests are still pending")
        if self._trivial:
            return trivial_judgement(self._trivial, self._about, form="reasoned")
        problem, said = self._problem, self._reading
        ticks, quotes = self._checked(said)
        facts = () if problem else tuple(enumerate(facts_of(self._about), 1))
        return Judgement(
            judge=self._about.judge.spec,
            fingerprint=self._about.judge.fingerprint,
            form="reasoned",
            repeat=self._about.repeat,
            scores=tuple(
                said.scores[each.key] for each in self._about.rubric.criteria if not problem
            ),
            unscored_reason=problem.trouble if problem else None,
            explanation=explain(problem, self._attempts) if problem else self._shown.unseen,
            checklist=ticks,
            # What a judge does not name it has not found.
            facts=tuple(
                ChecklistAnswer(question=fact, answer=said.facts.get(fact_id(number), "no"))
                for number, fact in facts
            ),
            quotes=quotes,
            flags=flags_of(self._about.answer),
            attempts=self._attempts,
            raw_replies=tuple(self._raw),
            **said.words,
        )

    def _climb(self, reply: Reply, problem: ReplyProblem) -> Request | None:
        """What to ask next, if anything."""
        if isinstance(reply, Failed):
            if reply.cause == "refused" and self._with_schema:
                # Some servers know only a part of JSON Schema; its text is in the prompt too.
                self._with_schema = False
                return self._make_request(self._step)
            if reply.cause != "prompt_too_long" or self._step == "shorter":
                return None
            self._answer_limit //= 4
            return self._make_request("shorter")
        if self._step == "whole" and problem.trouble != "truncated":
            return self._make_request("again", problem)
        return None if self._step == "shorter" else self._make_request("shorter", problem)

    def _make_request(self, step: Step, problem: ReplyProblem | None = None) -> Request:
        about = self._about
        work = work_for(
            step,
            about,
            answer_limit=self._answer_limit,
            with_schema=self._with_schema,
            complaint=COMPLAINTS[problem.trouble] if problem else "",
        )
        turn = self._attempts
        self._step, self._attempts = step, self._attempts + 1
        return make_judge_request(
            about.judge.fingerprint, about.request_key, work, turn=turn, repeat=about.repeat
        )

    @property
    def _shown(self) -> Fenced:
        """The answer as the judge saw it last."""
        return fence(self._about.answer, limit=self._answer_limit)

    def _checked(self, reading: ReadReply) -> tuple[tuple[ChecklistAnswer, ...], tuple[Quote, ...]]:
        answer = Searched(self._about.answer)
        task = Searched("\n".join(m.content for m in self._about.case.messages))
        shown = Searched(self._shown.shown)
        known = {question_id(n): each for n, each in enumerate(questions_of(self._about), 1)}
        quotes = [check_quote(quote, answer, task, shown) for quote in reading.quotes]
        ticks = []
        for tick in reading.checklist:
            question = known.get(tick.id)
            if question is None:
                continue
            quote = check_quote(tick.quote, answer, task, shown) if tick.quote else None
            quotes += [quote] if quote else []
            ticks.append(
                ChecklistAnswer(
                    question=question.text,
                    criterion=question.criterion,
                    answer=tick.answer,
                    quote=quote,
                )
            )
        return tuple(ticks), tuple(quotes)
