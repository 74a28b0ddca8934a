"""Yes-or-no questions, read from how likely the judge finds either word.

fact        whether the answer says what could not be read from its block; asked first
question    P(Yes) / (P(Yes) + P(No)), or not answered; not asked where evidence and the answers
            so far already decide the criterion
criterion   the mean of its questions; calibrated to 0..10; a whole number
words       strengths, weaknesses, verdict and quotes, written afterwards; they change no score
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from assay.judge.calibration import UNCALIBRATED
from assay.judge.fencing import LIMIT, MOST_SHOWN, fence
from assay.judge.likelihood.prompts import (
    MOST_TOKENS,
    NO,
    YES,
    asked,
    explanation_schema,
    read_words,
    shown_task,
    task_of,
    to_explain,
)
from assay.judge.questionnaire import (
    Assignment,
    Questionnaire,
    fact_question,
    greedy_sampling,
)
from assay.judge.rubrics import questions_for
from assay.judge.trivial import trivial_judgement, why_trivial
from assay.messages import tr
from assay.types import (
    Answered,
    ChoiceLikelihoods,
    Failed,
    ModelFacts,
    Reply,
    Request,
    ToAnswer,
    ToChoose,
)
from assay.types.judging.judgements import (
    ChecklistAnswer,
    CriterionScore,
    Evidence,
    Judgement,
    RubricCriterion,
    RubricQuestion,
)

# With more the whole judgement is unscored: an overall of two of three criteria looks like one
# of all three.
MOST_UNANSWERED = 1 / 3  # of a criterion's questions
_LETTERS_A_TOKEN = 2.5  # code has about three; less leaves room for what is long in tokens
_OWN_WORDS = 2_500  # characters of the prompt beside task and answer
_LEAST_SHOWN = 1_000


class LikelihoodQuestionnaire(Questionnaire):
    """Asks at once all that is needed in any case: a judge computes the answer once."""

    def __init__(self, assignment: Assignment) -> None:
        self._about = about = assignment
        self._task = task_of(about.case)
        self._shown_task = shown_task(self._task)
        room = room_for_answer(about.judge, self._task)
        self._fenced = fence(about.answer, limit=room)
        questions = questions_for(about.rubric, about.case)
        self._questions = [
            (each, self._question(number, each.text)) for number, each in enumerate(questions)
        ]
        self._facts: list[tuple[RubricQuestion, Request]] = []
        for number, check in enumerate(about.evidence.unread_facts, len(self._questions) + 1):
            fact = RubricQuestion(id="", criterion="", text=check.fact)
            self._facts.append((fact, self._question(number, fact_question(check.fact))))
        self._trivial = why_trivial(about.answer, about.case)
        self._replies: dict[str, Reply] = {}
        self._explanation: Request | None = None

    def pending(self) -> tuple[Request, ...]:
        """The facts without a reply; then questions; after them the explanation of all."""
        if self._trivial or self._failed():
            return ()
        facts = tuple(one for _, one in self._facts if one.id not in self._replies)
        criteria = self._about.rubric.criteria
        left = facts or tuple(one for each in criteria for one in self._next_of(each.key))
        if left or not self._about.explain or self._unscored():
            return left
        if self._explanation is None:
            self._explanation = self._to_explain()
        return () if self._explanation.id in self._replies else (self._explanation,)

    def take(self, request: Request, reply: Reply) -> None:
        """The first reply to a request counts."""
        self._replies.setdefault(request.id, reply)

    def judgement(self) -> Judgement:
        """Points are ten times the likelihood until they are calibrated."""
        about = self._about
        if self._trivial:
            return trivial_judgement(self._trivial, about)
        reasons, words = self._words()
        reason, why = self._unscored() or (None, self._about_the_scale())
        return about.judgement(
            scores=tuple(
                self._score(each, reasons.get(each.key, ""))
                for each in about.rubric.criteria
                if not reason
            ),
            unscored_reason=reason,
            explanation=why,
            checklist=self._answers(self._questions),
            facts=self._answers(self._facts),
            **words,
        )

    def _next_of(self, criterion: str) -> tuple[Request, ...]:
        """The next questions of a criterion: as many as decide it at the least."""
        known = self._answered(criterion)
        rest = [
            request
            for each, request in self._questions
            if each.criterion == criterion and request.id not in self._replies
        ]
        if self._about.calibration is None:
            return tuple(rest)
        needed = next(
            count
            for count in range(len(rest) + 1)
            for value in (0.0, 1.0)
            if self._is_decided(criterion, [*known, *[value] * count], len(rest) - count)
        )
        return tuple(rest[:needed])

    def _is_decided(self, criterion: str, known: Sequence[float], left: int) -> bool:
        """Whether the bounded score is the same, however the other questions are answered."""
        sure, whole = math.fsum(known), len(known) + left
        ends = (sure / whole, (sure + left) / whole) if left else ()
        return len({self._bounded(criterion, raw) for raw in ends}) <= 1

    def _bounded(self, criterion: str, raw: float) -> int:
        scale = self._about.calibration or UNCALIBRATED
        least, most = self._evidence.bounds_of(criterion)
        return min(most, max(least, scale.score(criterion, raw)))

    @property
    def _evidence(self) -> Evidence:
        answers = self._answers(self._facts)
        found = {one.question: one.is_yes for one in answers if one.is_answered}
        return self._about.evidence.with_facts(found) if answers else self._about.evidence

    def _question(self, number: int, text: str) -> Request:
        messages = asked(
            task=self._shown_task,
            answer=self._fenced,
            question=text,
            use_case=self._about.use_case,
        )
        # One token instead, where the likelihoods do not decide: a written word is not one.
        otherwise = greedy_sampling(self._about.judge, self._about.repeat, 1)
        work = ToChoose(messages=messages, continuations=(YES, NO), otherwise=otherwise)
        return self._about.request(work, turn=number)

    def _to_explain(self) -> Request:
        about, answers = self._about, self._answers([*self._facts, *self._questions])
        structured = "structured_output" in about.judge.capabilities
        work = ToAnswer(
            messages=to_explain(about, self._shown_task, self._fenced, answers, self._evidence),
            sampling=greedy_sampling(about.judge, about.repeat, MOST_TOKENS),
            schema=explanation_schema(about.rubric.criteria) if structured else None,
        )
        return about.request(work, turn=len(self._questions))

    def _value(self, request: Request) -> float | None:
        reply = self._replies.get(request.id)
        return likelihood_of_yes(reply) if reply else None

    def _answers(
        self, asked: Sequence[tuple[RubricQuestion, Request]]
    ) -> tuple[ChecklistAnswer, ...]:
        """Of those that were asked; the rest could move nothing."""
        return tuple(
            ChecklistAnswer(
                question=each.text, criterion=each.criterion, probability=self._value(request)
            )
            for each, request in asked
            if request.id in self._replies
        )

    def _score(self, criterion: RubricCriterion, reason: str) -> CriterionScore:
        answered = self._answered(criterion.key)
        if not answered:
            score = self._bounded(criterion.key, 0.0)
            told = tr("Not asked: the evidence decides it.")
            return CriterionScore(criterion=criterion.key, score=score, reason=reason or told)
        raw = math.fsum(answered) / len(answered)
        return CriterionScore(
            criterion=criterion.key,
            score=UNCALIBRATED.score(criterion.key, raw),
            reason=reason or _counted(answered, raw),
            raw=raw,
        )

    def _answered(self, criterion: str) -> list[float]:
        return [
            value
            for each, request in self._questions
            if each.criterion == criterion and (value := self._value(request)) is not None
        ]

    def _unscored(self) -> tuple[str, str] | None:
        """A code and a sentence: a question failed, or too many of a criterion have no answer."""
        if failed := self._failed():
            asked = len(self._facts) + len(self._questions)
            gaps = {"count": len(failed), "total": asked, "why": failed[0]}
            return "failed", tr("{count} of {total} questions failed: {why}", **gaps)
        labels = {"": tr("facts")} | {each.key: each.label for each in self._about.rubric.criteria}
        for key, about in labels.items():
            replies = [
                self._replies[request.id]
                for each, request in (*self._facts, *self._questions)
                if each.criterion == key and request.id in self._replies
            ]
            missing = [one for one in replies if likelihood_of_yes(one) is None]
            if len(missing) > MOST_UNANSWERED * len(replies):
                code, why = Counter(map(why_unanswered, missing)).most_common(1)[0][0]
                return code, tr(
                    "{missing} of {count} questions on {criterion} were not answered: {why}",
                    missing=len(missing),
                    count=len(replies),
                    criterion=about,
                    why=why,
                )
        return None

    def _failed(self) -> list[str]:
        """Why questions failed. The judgement is unscored then, whatever the rest would be."""
        replies = [self._replies.get(one.id) for _, one in (*self._facts, *self._questions)]
        reasons = [why_unanswered(reply) for reply in replies if isinstance(reply, Failed)]
        return [why for code, why in reasons if code == "failed"]

    def _words(self) -> tuple[dict[str, str], dict[str, Any]]:
        reply = self._replies.get(self._explanation.id) if self._explanation else None
        if not isinstance(reply, Answered):
            return {}, {}
        reasons, words = read_words(
            reply.text,
            criteria=self._about.rubric.criteria,
            answer=self._about.answer,
            task=self._task,
            shown=self._fenced.shown,
        )
        return reasons, {**words, "raw_replies": (reply.text,)}

    def _about_the_scale(self) -> str:
        sentences = [UNCALIBRATED.sentence]
        asked = [request for _, request in self._questions if request.id in self._replies]
        if spared := len(self._questions) - len(asked):
            gaps = {"count": spared, "total": len(self._questions)}
            told = tr("Of {total} questions {count} could move nothing and were not asked.", **gaps)
            sentences.append(told)
        missing = sum(self._value(request) is None for request in asked)
        if missing:
            sentences.append(
                tr("Questions without an answer, which do not count: {count}.", count=missing)
            )
        sentences += [self._fenced.unseen] if self._fenced.unseen else []
        return " ".join(sentences)


def gives_likelihoods(judge: ModelFacts) -> bool:
    """Whether a judge scores texts, or reports its likeliest first tokens."""
    return bool({"score_text", "top_logprobs"} & judge.capabilities)


def likelihood_of_yes(reply: Reply) -> float | None:
    """P(Yes) / (P(Yes) + P(No)); None where the reply gives neither. A word that is not among a
    server's likeliest tokens is taken at its upper bound. A prompt that was cut was not the
    question.
    """
    if not isinstance(reply, ChoiceLikelihoods) or reply.cut or len(reply.log_likelihoods) != 2:
        return None
    yes, no = reply.log_likelihoods
    best = max(yes, no)
    neither_seen = len(reply.bounded) == 2 and all(reply.bounded)
    if neither_seen or math.isnan(yes) or math.isnan(no) or math.isinf(best):
        return None
    shares = math.exp(yes - best), math.exp(no - best)
    return shares[0] / (shares[0] + shares[1])


def why_unanswered(reply: Reply) -> tuple[str, str]:
    """A code and the words for it, of a reply without a value."""
    if isinstance(reply, Failed):
        too_long = reply.cause == "prompt_too_long"
        return "truncated" if too_long else "failed", reply.reason
    if isinstance(reply, ChoiceLikelihoods) and reply.cut:
        return "truncated", tr("the question does not fit into the judge's context")
    return "unreadable", tr("neither Yes nor No is among the judge's likeliest words")


def _counted(values: Sequence[float], raw: float) -> str:
    gaps = {"yes": sum(value > 0.5 for value in values), "count": len(values), "raw": raw}
    return tr("Yes is likelier for {yes} of {count} questions, with a mean of {raw:.2f}.", **gaps)


def room_for_answer(judge: ModelFacts, task: str) -> int:
    """Return how many characters of an answer fit into a judge's context."""
    if judge.context_length is None:
        return LIMIT
    whole = int(judge.context_length * _LETTERS_A_TOKEN) - min(len(task), LIMIT) - _OWN_WORDS
    return min(MOST_SHOWN, max(_LEAST_SHOWN, whole))
