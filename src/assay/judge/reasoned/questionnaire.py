"""The `reasoned` form: a judge writes evidence, reasons and scores, and we read them.

In: an Assignment. Out: a Questionnaire.

The ladder is bounded: the whole form; the same with a complaint; a shorter form; one criterion at a
time. A reply that was cut off goes on with the shorter form at once, since the same would be cut
again. After the last step the judgement is unscored, with the reason.

    whole -> again -> shorter -> split -> unscored
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from assay.judge.guards.fencing import LIMIT, Fenced, fence
from assay.judge.guards.quotes import Searched, check_quote
from assay.judge.guards.suspicions import flags_of
from assay.judge.guards.trivial import trivial_judgement, why_trivial
from assay.judge.questionnaire import Assignment
from assay.judge.reasoned.prompt import (
    Asked,
    Step,
    checklist_of,
    fact_id,
    question_id,
    room_for,
    rotated,
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
    RubricCriterion,
)


@dataclass(slots=True)
class _Open:
    """A request that was made, its criteria, and what came back."""

    request: Request
    criteria: tuple[RubricCriterion, ...]
    reading: ReadReply | None = None


@dataclass(slots=True)
class _LadderState:
    """How far up the ladder it is."""

    step: Step = "whole"
    attempts: int = 0
    with_schema: bool = False
    answer_limit: int = LIMIT
    open: list[_Open] = field(default_factory=list)
    problem: ReplyProblem | None = None
    raw: list[str] = field(default_factory=list)
    done: bool = False


class ReasonedQuestionnaire:
    """One judge, one answer, one repeat, in the `reasoned` form."""

    def __init__(self, assignment: Assignment) -> None:
        self._about = about = assignment
        self._asked = Asked(
            case=about.case,
            criteria=rotated(about.rubric.criteria, about.repeat),
            questions=rotated(checklist_of(about.rubric, about.case), about.repeat),
            evidence=about.evidence,
            answer=about.answer,
            use_case=about.use_case,
            facts=tuple(check.fact for check in about.evidence.unread_facts),
        )
        self._trivial = why_trivial(about.answer, about.case)
        self._at = _LadderState(
            with_schema="structured_output" in about.judge.capabilities,
            answer_limit=room_for(self._asked, about.judge, about.repeat),
            done=bool(self._trivial),
        )
        if not self._trivial:
            self._ask("whole")

    def pending(self) -> tuple[Request, ...]:
        if self._at.done:
            return ()
        return tuple(each.request for each in self._at.open if each.reading is None)

    @property
    def left(self) -> int:
        return len(self.pending())

    def take(self, request: Request, reply: Reply) -> None:
        """Read a reply; climb the ladder where it cannot be used."""
        waiting = next((o for o in self._at.open if o.request.id == request.id), None)
        if waiting is None or waiting.reading is not None or self._at.done:
            raise ValueError(f"request {request.id} is not pending")
        self._at.raw.append(reply.text if isinstance(reply, Answered) else "")
        waiting.reading, problem = read_or_refuse(reply, waiting.criteria, self._asked.answer)
        self._at.problem = problem or self._at.problem
        if self.pending():
            return
        bad = [each for each in self._at.open if each.reading and not each.reading.scores]
        if not bad:
            self._at.problem = None
            self._at.done = True
        else:
            self._climb(reply, self._at.problem or ReplyProblem("unreadable"))

    def judgement(self) -> Judgement:
        if self.pending():
            raise ValueError("requests are still pending")
        if self._trivial:
            return trivial_judgement(self._trivial, self._about, form="reasoned")
        if self._at.problem:
            return self._unscored(self._at.problem)
        return self._scored([each.reading for each in self._at.open if each.reading])

    def _climb(self, reply: Reply, problem: ReplyProblem) -> None:
        step = self._at.step
        if isinstance(reply, Failed):
            if reply.cause == "refused" and self._at.with_schema:
                # Some servers know only a part of JSON Schema; its text is in the prompt too.
                self._at.with_schema = False
                self._ask(step)
            elif reply.cause == "prompt_too_long" and step in ("whole", "again"):
                self._at.answer_limit //= 4
                self._ask("shorter")
            else:
                self._at.done = True
        elif step == "whole" and problem.trouble != "truncated":
            self._ask("again", problem)
        elif step in ("whole", "again"):
            self._ask("shorter", problem)
        elif step == "shorter":
            self._ask("split")
        else:
            self._at.done = True

    def _ask(self, step: Step, problem: ReplyProblem | None = None) -> None:
        self._at.step = step
        criteria = self._asked.criteria
        groups = [(each,) for each in criteria] if step == "split" else [criteria]
        self._at.open = [_Open(self._request(step, group, problem), group) for group in groups]

    def _request(
        self, step: Step, criteria: tuple[RubricCriterion, ...], problem: ReplyProblem | None
    ) -> Request:
        work = work_for(
            step,
            replace(self._asked, criteria=criteria),
            self._about.judge,
            self._about.repeat,
            answer_limit=self._at.answer_limit,
            with_schema=self._at.with_schema,
            complaint=COMPLAINTS[problem.trouble] if problem else "",
        )
        turn = self._at.attempts
        self._at.attempts += 1
        about = self._about
        return make_judge_request(
            about.judge.fingerprint, about.request_key, work, turn=turn, repeat=about.repeat
        )

    def _unscored(self, problem: ReplyProblem) -> Judgement:
        return Judgement(
            judge=self._about.judge.spec,
            fingerprint=self._about.judge.fingerprint,
            form="reasoned",
            repeat=self._about.repeat,
            unscored_reason=problem.trouble,
            explanation=explain(problem, self._at.attempts),
            flags=flags_of(self._asked.answer),
            attempts=self._at.attempts,
            raw_replies=tuple(self._at.raw),
        )

    def _scored(self, readings: Sequence[ReadReply]) -> Judgement:
        said = {key: score for each in readings for key, score in each.scores.items()}
        whole = readings[0] if len(readings) == 1 else ReadReply()
        found = {name: said for each in readings for name, said in each.facts.items()}
        ticks, quotes = self._checked(whole)
        return Judgement(
            judge=self._about.judge.spec,
            fingerprint=self._about.judge.fingerprint,
            form="reasoned",
            repeat=self._about.repeat,
            scores=tuple(said[each.key] for each in self._about.rubric.criteria),
            explanation=self._shown.unseen,
            checklist=ticks,
            # What a judge does not name it has not found.
            facts=tuple(
                ChecklistAnswer(question=fact, answer=found.get(fact_id(number), "no"))
                for number, fact in enumerate(self._asked.facts, 1)
            ),
            quotes=quotes,
            assessment=whole.assessment,
            strengths=whole.strengths,
            weaknesses=whole.weaknesses,
            verdict=whole.verdict,
            assumptions=whole.assumptions,
            unusual=whole.unusual,
            stated_confidence=whole.confidence,
            flags=flags_of(self._asked.answer),
            attempts=self._at.attempts,
            raw_replies=tuple(self._at.raw),
        )

    @property
    def _shown(self) -> Fenced:
        """The answer as the judge saw it last."""
        return fence(self._asked.answer, limit=self._at.answer_limit)

    def _checked(self, reading: ReadReply) -> tuple[tuple[ChecklistAnswer, ...], tuple[Quote, ...]]:
        answer = Searched(self._asked.answer)
        task = Searched("\n".join(m.content for m in self._asked.case.messages))
        shown = Searched(self._shown.shown)
        known = {question_id(n): each for n, each in enumerate(self._asked.questions, 1)}
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
