"""The `reasoned` form: a judge writes evidence, reasons and scores, and we read them.

    whole -> again, with a complaint -> shorter -> unscored

A reply that was cut off goes on with the shorter form at once: the same would be cut again. In a
prompt task and answer come first: all that is asked about an answer has one beginning. Texts are
joined, never formatted, so that braces in them mean nothing. No reference solution is shown, and
nothing is translated, for the reasons that likelihood/prompts.py gives.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal, TypeVar

from assay.judge.fencing import (
    LIMIT,
    MOST_SHOWN,
    Fenced,
    Searched,
    check_quote,
    defused,
    fence,
    heading,
)
from assay.judge.likelihood.prompts import LONGEST_TASK, task_of
from assay.judge.pasting import anchor_lines
from assay.judge.questionnaire import Assignment, Questionnaire, fact_question
from assay.judge.reasoned.reading import (
    COMPLAINTS,
    ReadReply,
    Trouble,
    explain,
    judgement_schema,
    read_or_refuse,
)
from assay.judge.rubrics import questions_for
from assay.judge.trivial import trivial_judgement, why_trivial
from assay.types import Answered, Failed, Message, Reply, Request, Sampling, Thinking, ToAnswer
from assay.types.judging.judgements import (
    BOUND_CLOSELY,
    Answer,
    ChecklistAnswer,
    Evidence,
    Judgement,
    Quote,
    RubricCriterion,
    RubricQuestion,
    shown_percent,
)

Step = Literal["whole", "again", "shorter"]
Item = TypeVar("Item")

MOST_QUESTIONS = 12  # of the checklist; a quote for each is what a small judge can hold
LATER_TEMPERATURE = 0.3  # of repeats after the first: equal repeats say nothing about stability
MOST_TOKENS: Mapping[Step, int] = {"whole": 4096, "again": 4096, "shorter": 1536}
_CHARACTERS_PER_TOKEN = 3  # code and numbered lines; English prose has 4.5
_LEAST_SHOWN = 800  # characters of an answer
_MOST_FACTS = 40
_LONGEST_FACT = 300

_ROLE = (
    "You examine one piece of work against fixed criteria. You are exact and sober: you give a "
    "score because of what stands in the work, never because of its length, its tone or its "
    "confidence. You judge what the task asks for and not what you would have liked. Facts that "
    "were established by running or computing are given to you; they are certain, and your scores "
    "agree with them."
)
_RULES = (
    "Quotes are copied from the answer letter by letter, without the line numbers, 8 to 160 "
    "characters each; leave a quote empty where there is none. Write each reason before its "
    "score. Scores are whole numbers from 0 to 10. You compute no overall score. Under "
    "assumptions say what you had to assume, under unusual what a reader would not expect in such "
    'an answer; both may be empty. An answer to a question is "yes", "no", "partial", or "na" '
    "where the question does not apply."
)
_FORM = (
    "Reply with one JSON object that meets this JSON Schema, its properties in this order, and "
    "with nothing before or after it:"
)


def criteria_of(about: Assignment) -> tuple[RubricCriterion, ...]:
    """In another order for each repeat, as are the questions."""
    return _rotated(about.rubric.criteria, about.repeat)


def questions_of(about: Assignment) -> dict[str, RubricQuestion]:
    """The test's own checklist, else the first questions of each criterion; by their ids there."""
    judged, criteria = about.case.check.judged, about.rubric.criteria
    if judged and judged.checklist:
        found = [
            RubricQuestion(id=f"checklist.{number}", criterion="", text=text)
            for number, text in enumerate(judged.checklist[:MOST_QUESTIONS], 1)
        ]
    else:
        asked = questions_for(about.rubric, about.case)
        each = max(1, MOST_QUESTIONS // len(criteria))
        found = [
            question
            for criterion in criteria
            for question in [q for q in asked if q.criterion == criterion.key][:each]
        ]
    in_order = _rotated(tuple(found), about.repeat)
    return {f"q{number}": each for number, each in enumerate(in_order, 1)}


def _rotated(asked: tuple[Item, ...], repeat: int) -> tuple[Item, ...]:
    first = repeat % max(1, len(asked))
    return asked[first:] + asked[:first]


_ASK_FACTS = (
    "Under facts answer these with yes or no. A yes counts only with an exact quote of the words"
    " of the answer that say it:"
)


def facts_of(about: Assignment) -> dict[str, str]:
    return {f"f{number}": each.fact for number, each in enumerate(about.evidence.unread_facts, 1)}


def _messages(
    step: Step, about: Assignment, *, answer_limit: int, complaint: str = ""
) -> tuple[Message, ...]:
    """`answer_limit`: characters shown; `complaint`: why the last reply could not be used."""
    work = fence(about.answer, limit=answer_limit)
    parts = [*_about_the_task(about), "", heading("RULES"), work.rule, "", work.block]
    parts += [*_about_the_criteria(step, about), *_about_the_facts(about.evidence)]
    parts += [heading("RULES"), work.rule, _RULES, "", heading("FORM"), _FORM, _form(step, about)]
    if complaint:
        words = " ".join(defused(complaint).split())
        told = f"Your last reply could not be used: {words}. Reply with the JSON object alone."
        parts += ["", heading("COMPLAINT"), told]
    return (Message("system", _ROLE), Message("user", "\n".join(parts)))


def _about_the_task(about: Assignment) -> list[str]:
    task, case = task_of(about.case), about.case
    name = " ".join(defused(case.description or case.id).split())
    parts = [heading("TEST"), f"Test ID: {case.id} ({name})", f"Category: {about.rubric.name}", ""]
    parts += [heading("TASK"), fence(task, name="TASK", limit=LONGEST_TASK, numbered=False).block]
    judged = about.case.check.judged
    if judged:
        parts += _listed("REQUIREMENTS", judged.requirements)
        parts += _listed("EVALUATION POINTS", judged.evaluation_points)
    if about.use_case.strip():
        parts += ["", heading("USE CASE"), "The answer is wanted for this: "
                  + " ".join(defused(about.use_case).split())]  # fmt: skip
    return parts


def _about_the_criteria(step: Step, about: Assignment) -> list[str]:
    parts = ["", heading("CRITERIA")]
    for criterion in criteria_of(about):
        parts.append(f"{criterion.key} ({criterion.label}), 0 to 10:")
        parts += anchor_lines(criterion)
    if step != "shorter" and (questions := questions_of(about)):
        parts += ["", heading("QUESTIONS")]
        parts += [f"{name}: {each.text}" for name, each in questions.items()]
    if facts := facts_of(about):
        parts += ["", heading("QUESTIONS"), _ASK_FACTS]
        parts += [f"{name}: {fact_question(each)}" for name, each in facts.items()]
    return parts


def _about_the_facts(evidence: Evidence) -> list[str]:
    if not evidence.checks and not evidence.notes:
        return [""]
    parts = ["", heading("FACTS")]
    if evidence.share is not None:
        least, most = evidence.bounds_of(BOUND_CLOSELY)
        is_plain = evidence.share == Fraction(evidence.passed, evidence.total)
        weight = "" if is_plain else f" ({shown_percent(evidence.share)} % by weight)"
        parts.append(
            f"{evidence.passed} of {evidence.total} checks hold{weight}, so correctness is between "
            f"{least} and {most}."
        )
    # Those that do not hold first: they are what a judge overlooks.
    decided = [check for check in evidence.checks if check.passed is not None]
    for check in sorted(decided, key=lambda check: bool(check.passed))[:_MOST_FACTS]:
        state = "holds" if check.passed else "does not hold"
        parts.append(f"- {_fact(check.name)}: {state}. {_fact(check.explanation)}".rstrip())
    parts += [f"- {_fact(note)}" for note in evidence.notes[:_MOST_FACTS]]
    return [*parts, ""]


def _listed(name: str, items: Sequence[str]) -> list[str]:
    return ["", heading(name), *(f"- {item}" for item in items)] if items else []


def _fact(text: str) -> str:
    """What an examiner says may repeat the answer's own words: a name, a value it printed."""
    return " ".join(defused(text[:_LONGEST_FACT]).split())


def room_for(about: Assignment) -> int:
    """Characters of the answer that fit beside the rest of the prompt and the reply."""
    context = about.judge.context_length
    if not context:
        return LIMIT
    shown = _messages("whole", replace(about, answer=""), answer_limit=LIMIT)
    around = sum(len(message.content) for message in shown)
    tokens = context - _sampling("whole", about).max_tokens
    # A third of it is left for line numbers.
    room = (tokens * _CHARACTERS_PER_TOKEN - around) * 2 // 3
    return max(_LEAST_SHOWN, min(MOST_SHOWN, room))


def _form(step: Step, about: Assignment) -> str:
    questions, facts = list(questions_of(about)), list(facts_of(about))
    return judgement_schema(criteria_of(about), questions, facts, short=step == "shorter")


def _sampling(step: Step, about: Assignment) -> Sampling:
    judge, repeat = about.judge, about.repeat
    ways: tuple[Thinking, ...] = ("off", "low")
    think = next((way for way in ways if way in judge.thinks), None)
    # Thinking that cannot be turned off takes its room from the answer.
    most = MOST_TOKENS[step] * (2 if judge.thinks and think != "off" else 1)
    context = judge.context_length
    return Sampling(
        temperature=LATER_TEMPERATURE if repeat else 0.0,
        seed=repeat,
        max_tokens=min(most, context // 3) if context else most,
        think=think,
    )


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
        self._raw.append(reply.text if isinstance(reply, Answered) else "")
        criteria = self._about.rubric.criteria
        self._reading = read_or_refuse(reply, criteria, self._about.answer)
        trouble = self._reading.trouble
        self._request = self._climb(reply, trouble) if trouble else None

    def judgement(self) -> Judgement:
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
            facts=tuple(
                self._fact(fact, *said.facts.get(name, ())) for name, fact in facts.items()
            ),
            quotes=quotes,
            attempts=self._attempts,
            raw_replies=tuple(self._raw),
            **said.words,
        )

    def _fact(self, fact: str, said: Answer | None = None, quoted: str = "") -> ChecklistAnswer:
        """What a judge does not name it has not read, and neither what it cannot show."""
        quote = self._check(quoted) if quoted else None
        is_shown = said == "no" or (quote is not None and quote.status == "exact")
        return ChecklistAnswer(question=fact, answer=said if is_shown else None, quote=quote)

    def _check(self, quoted: str) -> Quote:
        task = Searched("\n".join(m.content for m in self._about.case.messages))
        return check_quote(quoted, Searched(self._about.answer), task)

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
        about, complaint = self._about, COMPLAINTS[trouble] if trouble else ""
        work = ToAnswer(
            messages=_messages(step, about, answer_limit=self._answer_limit, complaint=complaint),
            sampling=_sampling(step, about),
            schema=_form(step, about) if self._with_schema else None,
        )
        turn = self._attempts
        self._step, self._attempts = step, self._attempts + 1
        return about.request(work, turn=turn)

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
