"""The `reasoned` form: a judge writes evidence, reasons and scores, and we read them.

    whole -> again, with a complaint -> shorter -> unscored

A reply that was cut off goes on with the shorter form at once: the same would be cut again.
"""

from assay.judge.guards.fencing import Fenced, fence
from assay.judge.guards.quotes import Searched, check_quote
from assay.judge.guards.suspicions import flags_of
from assay.judge.guards.trivial import trivial_judgement, why_trivial
from assay.judge.questionnaire import Assignment, Questionnaire
from assay.judge.reasoned.prompt import Step, facts_of, questions_of, room_for, work_for
from assay.judge.reasoned.reading import COMPLAINTS, ReadReply, Trouble, explain, read_or_refuse
from assay.types import Answered, Failed, Reply, Request
from assay.types.judgements import ChecklistAnswer, Judgement, Quote


class ReasonedQuestionnaire(Questionnaire):
    def __init__(self, assignment: Assignment) -> None:
        self._about = about = assignment
        self._trivial = why_trivial(about.answer, about.case)
        self._with_schema = "structured_output" in about.judge.capabilities
        self._answer_limit = room_for(about)
        self._step: Step = "whole"
        self._attempts = 0
        self._raw: list[str] = []
        self._reading = ReadReply()
        self._request = None if self._trivial else self._make_request("whole")

    def pending(self) -> tuple[Request, ...]:
        return (self._request,) if self._request else ()

    def take(self, request: Request, reply: Reply) -> None:
        if self._request is None or self._request.id != request.id:
            raise ValueError(f"request {request.id} is not pending")
        self._raw.append(reply.text if isinstance(reply, Answered) else "")
        criteria = self._about.rubric.criteria
        self._reading = read_or_refuse(reply, criteria, self._about.answer)
        trouble = self._reading.trouble
        self._request = self._climb(reply, trouble) if trouble else None

    def judgement(self) -> Judgement:
        if self.pending():
            raise ValueError("requests are still pending")
        if self._trivial:
            return trivial_judgement(self._trivial, self._about)
        said, trouble = self._reading, self._reading.trouble
        ticks, quotes = self._checked(said)
        facts = {} if trouble else facts_of(self._about)
        return self._about.judgement(
            scores=tuple(
                said.scores[each.key] for each in self._about.rubric.criteria if not trouble
            ),
            unscored_reason=trouble,
            explanation=explain(trouble, said.problem, self._attempts)
            if trouble
            else self._shown.unseen,
            checklist=ticks,
            # What a judge does not name it has not found.
            facts=tuple(
                ChecklistAnswer(question=fact, answer=said.facts.get(name, "no"))
                for name, fact in facts.items()
            ),
            quotes=quotes,
            flags=flags_of(self._about.answer),
            attempts=self._attempts,
            raw_replies=tuple(self._raw),
            **said.words,
        )

    def _climb(self, reply: Reply, trouble: Trouble) -> Request | None:
        if isinstance(reply, Failed):
            if reply.cause == "refused" and self._with_schema:
                # Some servers know only a part of JSON Schema; its text is in the prompt too.
                self._with_schema = False
                return self._make_request(self._step)
            if reply.cause != "prompt_too_long" or self._step == "shorter":
                return None
            self._answer_limit //= 4
            return self._make_request("shorter")
        if self._step == "whole" and trouble != "truncated":
            return self._make_request("again", trouble)
        return None if self._step == "shorter" else self._make_request("shorter", trouble)

    def _make_request(self, step: Step, trouble: Trouble | None = None) -> Request:
        work = work_for(
            step,
            self._about,
            answer_limit=self._answer_limit,
            with_schema=self._with_schema,
            complaint=COMPLAINTS[trouble] if trouble else "",
        )
        turn = self._attempts
        self._step, self._attempts = step, self._attempts + 1
        return self._about.request(work, turn=turn)

    @property
    def _shown(self) -> Fenced:
        """The answer as the judge saw it last."""
        return fence(self._about.answer, limit=self._answer_limit)

    def _checked(self, reading: ReadReply) -> tuple[tuple[ChecklistAnswer, ...], tuple[Quote, ...]]:
        answer = Searched(self._about.answer)
        task = Searched("\n".join(m.content for m in self._about.case.messages))
        shown = Searched(self._shown.shown)
        known = questions_of(self._about)
        quotes = [check_quote(quote, answer, task, shown) for quote in reading.quotes]
        ticks = []
        for name, (said, quoted) in reading.checklist.items():
            if asked := known.get(name):
                quote = check_quote(quoted, answer, task, shown) if quoted else None
                quotes += [quote] if quote else []
                tick = ChecklistAnswer(
                    question=asked.text, criterion=asked.criterion, answer=said, quote=quote
                )
                ticks.append(tick)
        return tuple(ticks), tuple(quotes)
